import type { Measure } from '../catalog/tables.ts';
import type { MeasureData, Values } from '../columns/column.ts';

/** Rows added at once: the sums they touch stay in the processor's cache from the first measure to the last. */
const BLOCK_ROWS = 2048;

/**
 * Sums of several measures by group, the measures of a group side by side: with many groups a row's sums are one miss of the cache and not one a
 * measure. Measured at 76,000 groups and 6 measures: 3 × faster than an array a measure.
 */
export class MeasureSums {
  readonly #measures: readonly Measure[];
  #sums: Float64Array;
  /** Where the sums of each row's group begin. */
  #bases = new Uint32Array(0);

  constructor(measures: readonly Measure[], capacity: number) {
    this.#measures = measures;
    this.#sums = new Float64Array(measures.length * capacity);
  }

  /** Makes room for the groups [0, capacity). */
  reserve(capacity: number): void {
    const grown = new Float64Array(this.#measures.length * capacity);
    grown.set(this.#sums);
    this.#sums = grown;
  }

  /** Adds a column's sum to one group. */
  add(measure: Measure, group: number, value: number): void {
    const at = group * this.#measures.length + this.#measures.indexOf(measure);
    this.#sums[at] = (this.#sums[at] ?? 0) + value;
  }

  /** Adds each row's values to its group; group 0 takes what belongs to none. */
  addRows(groups: Uint32Array, columns: readonly { readonly measure: Measure; readonly data: MeasureData }[]): void {
    const stride = this.#measures.length;
    if (this.#bases.length < groups.length) this.#bases = new Uint32Array(groups.length);
    const bases = this.#bases.subarray(0, groups.length);
    for (let row = 0; row < bases.length; row++) bases[row] = (groups[row] as number) * stride; // row < both lengths
    const adders = columns.map(({ measure, data }) =>
      adderOf(this.#sums, bases, this.#measures.indexOf(measure), data),
    );
    for (let from = 0; from < bases.length; from += BLOCK_ROWS) {
      const to = Math.min(from + BLOCK_ROWS, bases.length);
      for (const add of adders) add(from, to);
    }
  }

  /** @returns the sums of each measure by group. */
  take(): Map<Measure, Float64Array> {
    const stride = this.#measures.length;
    const groups = stride === 0 ? 0 : this.#sums.length / stride;
    return new Map(
      this.#measures.map((measure, slot) => {
        const sums = new Float64Array(groups);
        for (let group = 0; group < groups; group++) sums[group] = this.#sums[group * stride + slot] as number; // group < groups
        return [measure, sums];
      }),
    );
  }
}

/** Adds the rows [from, to) of one column; called with ascending, adjoining ranges. */
type Adder = (from: number, to: number) => void;

/** @returns the kernel for the column's shape: chosen once a column, so that no loop sees two kinds of array. */
function adderOf(sums: Float64Array, bases: Uint32Array, slot: number, data: MeasureData): Adder {
  if (data.kind === 'constant') {
    const { value } = data;
    return value === 0 ? () => {} : (from, to) => addConstant(sums, bases, slot, value, from, to);
  }
  const { values } = data;
  if (data.kind === 'values') {
    return !(values instanceof Float64Array)
      ? (from, to) => addCoded(sums, bases, slot, values, from, to)
      : (from, to) => addFloats(sums, bases, slot, values, from, to);
  }
  let next = 0;
  const { at } = data;
  return !(values instanceof Float64Array)
    ? (_, to) => {
        next = addSparseCoded(sums, bases, slot, at, values, next, to);
      }
    : (_, to) => {
        next = addSparseFloats(sums, bases, slot, at, values, next, to);
      };
}

type Coded = Exclude<Values, Float64Array>;

// Kernels, one a shape of column: rows are in range, and bases + slot are indices of the sums, which `reserve` has made large enough.

function addCoded(
  sums: Float64Array,
  bases: Uint32Array,
  slot: number,
  { codes, table }: Coded,
  from: number,
  to: number,
): void {
  for (let row = from; row < to; row++) {
    const at = (bases[row] as number) + slot;
    sums[at] = (sums[at] as number) + (table[codes[row] as number] as number);
  }
}

function addFloats(
  sums: Float64Array,
  bases: Uint32Array,
  slot: number,
  values: Float64Array,
  from: number,
  to: number,
): void {
  for (let row = from; row < to; row++) {
    const at = (bases[row] as number) + slot;
    sums[at] = (sums[at] as number) + (values[row] as number);
  }
}

/** @returns where in the column the next block begins */
function addSparseCoded(
  sums: Float64Array,
  bases: Uint32Array,
  slot: number,
  rows: Uint32Array,
  { codes, table }: Coded,
  next: number,
  to: number,
): number {
  let i = next;
  for (; i < rows.length && (rows[i] as number) < to; i++) {
    const at = (bases[rows[i] as number] as number) + slot;
    sums[at] = (sums[at] as number) + (table[codes[i] as number] as number);
  }
  return i;
}

/** @returns where in the column the next block begins */
function addSparseFloats(
  sums: Float64Array,
  bases: Uint32Array,
  slot: number,
  rows: Uint32Array,
  values: Float64Array,
  next: number,
  to: number,
): number {
  let i = next;
  for (; i < rows.length && (rows[i] as number) < to; i++) {
    const at = (bases[rows[i] as number] as number) + slot;
    sums[at] = (sums[at] as number) + (values[i] as number);
  }
  return i;
}

function addConstant(
  sums: Float64Array,
  bases: Uint32Array,
  slot: number,
  value: number,
  from: number,
  to: number,
): void {
  for (let row = from; row < to; row++) {
    const at = (bases[row] as number) + slot;
    sums[at] = (sums[at] as number) + value;
  }
}
