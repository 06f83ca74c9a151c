import type { MeasureData, TableValues } from '../../columns/column.ts';
import { expandMeasure } from '../../columns/measures.ts';
import type { GroupSums } from './group-sums.ts';

interface Quantity {
  sums: Float64Array<ArrayBuffer>;
  /** An upper bound of the absolute values of its sums, without those in `bigints`. */
  bound: number;
  /** By group, the part of its sums that is not in doubles; undefined as long as all sums are below 2^53. */
  bigints: Map<number, bigint> | undefined;
}

/**
 * Exact sums of several quantities by group. The size of a column (the sum of its absolute values) is known before its
 * rows are added, and no sum of any of them exceeds the total size. While that total stays below 2^53, sums of doubles
 * are exact. Before it exceeds that, the sums so far are moved to bigints. A column whose own size exceeds it is added
 * to bigints row by row.
 */
export class MeasureSums<Name extends string> {
  readonly #quantities: ReadonlyMap<Name, Quantity>;
  #capacity: number;

  constructor(names: readonly Name[], capacity: number) {
    this.#capacity = capacity;
    this.#quantities = new Map(
      names.map((name) => [name, { sums: new Float64Array(capacity), bound: 0, bigints: undefined }]),
    );
  }

  /** Makes room for the groups 0…capacity-1. */
  reserve(capacity: number): void {
    this.#capacity = capacity;
    for (const quantity of this.#quantities.values()) {
      // frees the memory at once; the garbage collector would free it some time after its successor was allocated
      const buffer = quantity.sums.buffer.transfer(capacity * Float64Array.BYTES_PER_ELEMENT);
      quantity.sums = new Float64Array(buffer);
    }
  }

  /** Adds the exact sum of a column (within ±2^53) to one group. */
  add(name: Name, group: number, value: number): void {
    const quantity = this.#quantityOf(name);
    makeRoom(quantity, Math.abs(value));
    quantity.sums[group] = (quantity.sums[group] ?? 0) + value;
  }

  /** Adds each row's values to its group. Group 0 takes rows that belong to no group. */
  addRows(groups: Uint32Array, columns: readonly { readonly name: Name; readonly data: MeasureData }[]): void {
    for (const { name, data } of columns) {
      const quantity = this.#quantityOf(name);
      if (data.size > Number.MAX_SAFE_INTEGER) {
        const values = expandMeasure(data);
        for (const [row, value] of values.entries()) addBigint(quantity, groups[row] ?? 0, value);
        continue;
      }
      makeRoom(quantity, data.size);
      addRows(quantity.sums, groups, data);
    }
  }

  /** Call it once, at the end. @returns the sums of each quantity by group, for the groups 0…capacity-1 */
  take(capacity = this.#capacity): Map<Name, GroupSums> {
    return new Map(
      [...this.#quantities].map(([name, { sums, bigints }]) => {
        const doubles = sums.subarray(0, capacity);
        return [name, bigints === undefined ? { doubles } : { doubles, bigints }];
      }),
    );
  }

  #quantityOf(name: Name): Quantity {
    const quantity = this.#quantities.get(name);
    if (quantity === undefined) throw new RangeError(`${name} is not summed here`);
    return quantity;
  }
}

/** Call it before values with this total size, at most 2^53, are added to the quantity. */
function makeRoom(quantity: Quantity, size: number): void {
  quantity.bound += size;
  if (quantity.bound <= Number.MAX_SAFE_INTEGER) return;
  quantity.bound = size;
  for (const [group, sum] of quantity.sums.entries()) addBigint(quantity, group, sum);
  quantity.sums.fill(0);
}

function addBigint(quantity: Quantity, group: number, value: number): void {
  quantity.bigints ??= new Map();
  if (value !== 0) quantity.bigints.set(group, (quantity.bigints.get(group) ?? 0n) + BigInt(value));
}

/** Adds each row's value to the sum of its group. Each kind of array has a loop of its own, so that none sees two kinds. */
export function addRows(sums: Float64Array, groups: Uint32Array, data: MeasureData): void {
  if (data.kind === 'constant') {
    if (data.value !== 0) addConstant(sums, groups, data.value);
    return;
  }
  const own = data.kind === 'sparse' ? groupsAt(groups, data.positions) : groups;
  if (data.values instanceof Float64Array) addFloats(sums, own, data.values);
  else if (data.values instanceof Uint8Array) addBytes(sums, own, data.values);
  else addTable(sums, own, data.values);
}

function groupsAt(groups: Uint32Array, positions: Uint32Array): Uint32Array {
  const own = new Uint32Array(positions.length);
  for (let i = 0; i < positions.length; i++) own[i] = groups[positions[i] ?? 0] ?? 0;
  return own;
}

function addBytes(sums: Float64Array, groups: Uint32Array, values: Uint8Array): void {
  for (let row = 0; row < groups.length; row++) {
    const group = groups[row] ?? 0;
    sums[group] = (sums[group] ?? 0) + (values[row] ?? 0);
  }
}

// In the loops, rows are in range, and groups are indices of the sums, which `reserve` has made large enough.

function addConstant(sums: Float64Array, groups: Uint32Array, value: number): void {
  for (let row = 0; row < groups.length; row++) {
    const group = groups[row] ?? 0;
    sums[group] = (sums[group] ?? 0) + value;
  }
}

function addFloats(sums: Float64Array, groups: Uint32Array, values: Float64Array): void {
  for (let row = 0; row < groups.length; row++) {
    const group = groups[row] ?? 0;
    sums[group] = (sums[group] ?? 0) + (values[row] ?? 0);
  }
}

function addTable(sums: Float64Array, groups: Uint32Array, { codes, table }: TableValues): void {
  for (let row = 0; row < groups.length; row++) {
    const group = groups[row] ?? 0;
    sums[group] = (sums[group] ?? 0) + (table[codes[row] ?? 0] ?? 0);
  }
}
