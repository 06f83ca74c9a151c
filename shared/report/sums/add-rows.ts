import type { MeasureData, TableValues } from '../../columns/column.ts';
import { toTable } from '../../columns/measures.ts';

/** Adds the rows [from, to) of one column or two. Calls must have ascending, adjacent ranges. */
export type Adder = (from: number, to: number) => void;

/** @returns the kernel for the column's shape. It is chosen once per column, so that no loop sees two kinds of array. */
export function adderOf(sums: Float64Array, bases: Uint32Array, offset: number, data: MeasureData): Adder {
  if (data.kind === 'constant') {
    const { value } = data;
    return value === 0 ? () => {} : (from, to) => addConstant(sums, bases, offset, value, from, to);
  }
  const values = data.values instanceof Float64Array ? data.values : toTable(data.values);
  if (data.kind === 'values') {
    return !(values instanceof Float64Array)
      ? (from, to) => addTable(sums, bases, offset, values, from, to)
      : (from, to) => addFloats(sums, bases, offset, values, from, to);
  }
  let next = 0;
  const { positions } = data;
  return !(values instanceof Float64Array)
    ? (_, to) => {
        next = addSparseTable(sums, bases, offset, positions, values, next, to);
      }
    : (_, to) => {
        next = addSparseFloats(sums, bases, offset, positions, values, next, to);
      };
}

/** @returns the kernels for columns of bytes, which are added to 32-bit integers. Two columns with a value per row share a loop. */
export function byteAddersOf(sums: Uint32Array, bases: Uint32Array, columns: readonly ByteColumn[]): Adder[] {
  const adders: Adder[] = [];
  let single: ByteColumn | undefined;
  for (const column of columns) {
    const { offset, values, positions } = column;
    if (positions !== undefined) {
      let next = 0;
      adders.push((_, to) => {
        next = addSparseBytes(sums, bases, offset, positions, values, next, to);
      });
    } else if (single === undefined) {
      single = column;
    } else {
      const other = single;
      adders.push((from, to) => addBytePairs(sums, bases, other, column, from, to));
      single = undefined;
    }
  }
  if (single === undefined) return adders;
  const { offset, values } = single;
  return [...adders, (from, to) => addBytes(sums, bases, offset, values, from, to)];
}

/** A column of values below 256: one value per member of `positions`, or, if that is undefined, one per row of the segment. */
export interface ByteColumn {
  readonly offset: number;
  readonly values: Uint8Array;
  readonly positions: Uint32Array | undefined;
}

// The kernels, one per shape of column. Rows are in range, and bases + offset are indices of the sums, which `reserve` has made large enough.

function addTable(
  sums: Float64Array,
  bases: Uint32Array,
  offset: number,
  { codes, table }: TableValues,
  from: number,
  to: number,
): void {
  for (let row = from; row < to; row++) {
    const at = (bases[row] as number) + offset;
    sums[at] = (sums[at] as number) + (table[codes[row] as number] as number);
  }
}

function addFloats(
  sums: Float64Array,
  bases: Uint32Array,
  offset: number,
  values: Float64Array,
  from: number,
  to: number,
): void {
  for (let row = from; row < to; row++) {
    const at = (bases[row] as number) + offset;
    sums[at] = (sums[at] as number) + (values[row] as number);
  }
}

/** @returns the index in `rows` at which the next block begins */
function addSparseTable(
  sums: Float64Array,
  bases: Uint32Array,
  offset: number,
  rows: Uint32Array,
  { codes, table }: TableValues,
  next: number,
  to: number,
): number {
  let i = next;
  for (; i < rows.length && (rows[i] as number) < to; i++) {
    const at = (bases[rows[i] as number] as number) + offset;
    sums[at] = (sums[at] as number) + (table[codes[i] as number] as number);
  }
  return i;
}

/** @returns the index in `rows` at which the next block begins */
function addSparseFloats(
  sums: Float64Array,
  bases: Uint32Array,
  offset: number,
  rows: Uint32Array,
  values: Float64Array,
  next: number,
  to: number,
): number {
  let i = next;
  for (; i < rows.length && (rows[i] as number) < to; i++) {
    const at = (bases[rows[i] as number] as number) + offset;
    sums[at] = (sums[at] as number) + (values[i] as number);
  }
  return i;
}

function addConstant(
  sums: Float64Array,
  bases: Uint32Array,
  offset: number,
  value: number,
  from: number,
  to: number,
): void {
  for (let row = from; row < to; row++) {
    const at = (bases[row] as number) + offset;
    sums[at] = (sums[at] as number) + value;
  }
}

function addBytes(
  sums: Uint32Array,
  bases: Uint32Array,
  offset: number,
  values: Uint8Array,
  from: number,
  to: number,
): void {
  for (let row = from; row < to; row++) {
    const at = (bases[row] as number) + offset;
    sums[at] = (sums[at] as number) + (values[row] as number);
  }
}

function addBytePairs(
  sums: Uint32Array,
  bases: Uint32Array,
  { offset, values }: ByteColumn,
  { offset: otherOffset, values: otherValues }: ByteColumn,
  from: number,
  to: number,
): void {
  for (let row = from; row < to; row++) {
    const base = bases[row] as number;
    sums[base + offset] = (sums[base + offset] as number) + (values[row] as number);
    sums[base + otherOffset] = (sums[base + otherOffset] as number) + (otherValues[row] as number);
  }
}

/** @returns the index in `rows` at which the next block begins */
function addSparseBytes(
  sums: Uint32Array,
  bases: Uint32Array,
  offset: number,
  rows: Uint32Array,
  values: Uint8Array,
  next: number,
  to: number,
): number {
  let i = next;
  for (; i < rows.length && (rows[i] as number) < to; i++) {
    const at = (bases[rows[i] as number] as number) + offset;
    sums[at] = (sums[at] as number) + (values[i] as number);
  }
  return i;
}
