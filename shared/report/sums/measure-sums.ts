import type { MeasureData } from '../../columns/column.ts';
import { expandMeasure } from '../../columns/measures.ts';
import { type Adder, adderOf, type ByteColumn, byteAddersOf } from './add-rows.ts';
import type { GroupSums } from './group-sums.ts';
import { copySums, type Layout, layOut, sizeOf } from './sum-layout.ts';

/** How many rows of all columns are added before the next rows, where sums are interleaved: the sums they touch then stay in the processor's cache. */
const BLOCK_ROWS = 1024;
const MAX_UINT32 = 2 ** 32 - 1;

interface Quantity {
  /** An upper bound of the absolute values of its sums, without those in `bigints`. */
  bound: number;
  /** The part of `bound` that is in the sums of bytes. */
  byteBound: number;
  /** By group, the part of its sums that is not in doubles; undefined as long as all sums are below 2^53. */
  bigints: Map<number, bigint> | undefined;
}

/**
 * Exact sums of several quantities by group; the slot of a quantity is its index among the names. The size of a column (the sum of its absolute values) is
 * known before its rows are added, and no sum of any of them exceeds the total size. While that total stays below 2^53, sums of doubles are exact. Before it
 * exceeds that, the sums so far are moved to bigints. A column whose own size exceeds it is added to bigints row by row.
 *
 * Bytes are added to 32-bit integers, which takes less time than doubles, where sums are not interleaved. Before their total reaches 2^32, they are moved
 * to the doubles.
 *
 * With few groups, each quantity has an array of its own. With many, the sums of a group are interleaved, so that a row causes one cache miss and not
 * one per quantity.
 */
export class MeasureSums<Name extends string> {
  readonly #names: readonly Name[];
  #layout: Layout;
  #sums: Float64Array<ArrayBuffer>;
  /** The index of the first sum of each row's group. */
  #bases = new Uint32Array(0);
  /** The sums of bytes, with the layout of `#sums`; undefined until the first column of bytes. */
  #byteSums: Uint32Array<ArrayBuffer> | undefined;
  readonly #quantities: readonly Quantity[];

  constructor(names: readonly Name[], capacity: number) {
    this.#names = names;
    this.#quantities = names.map(() => ({ bound: 0, byteBound: 0, bigints: undefined }));
    this.#layout = layOut(names.length, capacity);
    this.#sums = new Float64Array(sizeOf(names.length, this.#layout));
  }

  /** Makes room for the groups 0…capacity-1. */
  reserve(capacity: number): void {
    const layout = layOut(this.#names.length, capacity);
    if (layout.groupStride > 1) this.#dropByteSums();
    this.#moveTo(layout);
  }

  /** Adds the exact sum of a column (within ±2^53) to one group. */
  add(name: Name, group: number, value: number): void {
    const slot = this.#slotOf(name);
    this.#makeRoom(slot, Math.abs(value));
    const at = group * this.#layout.groupStride + slot * this.#layout.slotStride;
    this.#sums[at] = (this.#sums[at] ?? 0) + value;
  }

  /** Adds each row's values to its group. Group 0 takes rows that belong to no group. */
  addRows(groups: Uint32Array, columns: readonly { readonly name: Name; readonly data: MeasureData }[]): void {
    const bases = this.#basesOf(groups);
    const adders: Adder[] = [];
    const bytes: ByteColumn[] = [];
    for (const { name, data } of columns) {
      const slot = this.#slotOf(name);
      const offset = slot * this.#layout.slotStride;
      if (data.size > Number.MAX_SAFE_INTEGER) {
        this.#addBigints(slot, groups, data);
        continue;
      }
      this.#makeRoom(slot, data.size);
      if (data.kind !== 'constant' && data.values instanceof Uint8Array && this.#canAddBytes(data.size)) {
        this.#reserveBytes(slot, data.size);
        bytes.push({ offset, values: data.values, positions: data.kind === 'sparse' ? data.positions : undefined });
      } else {
        adders.push(adderOf(this.#sums, bases, offset, data));
      }
    }
    if (this.#byteSums !== undefined) adders.push(...byteAddersOf(this.#byteSums, bases, bytes));
    const blockRows = this.#layout.groupStride === 1 ? bases.length : BLOCK_ROWS;
    for (let from = 0; from < bases.length; from += blockRows) {
      const to = Math.min(from + blockRows, bases.length);
      for (const add of adders) add(from, to);
    }
  }

  /** Call it once, at the end. @returns the sums of each quantity by group, for the groups 0…capacity-1 */
  take(capacity = this.#layout.capacity): Map<Name, GroupSums> {
    this.#dropByteSums();
    if (this.#layout.groupStride > 1) this.#moveTo({ capacity, groupStride: 1, slotStride: capacity });
    const { slotStride } = this.#layout;
    return new Map(
      this.#names.map((name, slot) => {
        const doubles = this.#sums.subarray(slot * slotStride, slot * slotStride + capacity);
        const { bigints } = this.#quantities[slot] as Quantity; // one per name
        return [name, bigints === undefined ? { doubles } : { doubles, bigints }];
      }),
    );
  }

  /** Call it before values with this total size, at most 2^53, are added to the quantity. */
  #makeRoom(slot: number, size: number): void {
    const quantity = this.#quantities[slot] as Quantity; // slots are in range, here and below
    quantity.bound += size;
    if (quantity.bound <= Number.MAX_SAFE_INTEGER) return;
    quantity.bound = size;
    this.#mergeBytes(slot);
    const { capacity, groupStride, slotStride } = this.#layout;
    for (let group = 0; group < capacity; group++) {
      const at = group * groupStride + slot * slotStride;
      this.#addBigint(quantity, group, this.#sums[at] as number); // at < length
      this.#sums[at] = 0;
    }
  }

  #addBigints(slot: number, groups: Uint32Array, data: MeasureData): void {
    const quantity = this.#quantities[slot] as Quantity;
    const values = expandMeasure(data);
    for (let row = 0; row < values.length; row++)
      this.#addBigint(quantity, groups[row] as number, values[row] as number); // row < both lengths
  }

  #addBigint(quantity: Quantity, group: number, value: number): void {
    quantity.bigints ??= new Map();
    if (value !== 0) quantity.bigints.set(group, (quantity.bigints.get(group) ?? 0n) + BigInt(value));
  }

  #canAddBytes(sum: number): boolean {
    return this.#layout.groupStride === 1 && sum <= MAX_UINT32;
  }

  /** Call it before a column of bytes with this sum is added. */
  #reserveBytes(slot: number, sum: number): void {
    const quantity = this.#quantities[slot] as Quantity;
    if (quantity.byteBound + sum > MAX_UINT32) this.#mergeBytes(slot);
    quantity.byteBound += sum;
    this.#byteSums ??= new Uint32Array(this.#sums.length);
  }

  /** Moves all sums of bytes to those of doubles: interleaved sums are all in one array, so that a row still causes one cache miss. */
  #dropByteSums(): void {
    if (this.#byteSums === undefined) return;
    for (const slot of this.#names.keys()) this.#mergeBytes(slot);
    this.#free(this.#byteSums);
    this.#byteSums = undefined;
  }

  /** Frees the memory at once; the garbage collector would free it some time after its successor was allocated. */
  #free(sums: Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer>): void {
    sums.buffer.transfer(0);
  }

  /** Moves all sums to arrays of another layout. */
  #moveTo(layout: Layout): void {
    const before = this.#layout;
    this.#layout = layout;
    const length = sizeOf(this.#names.length, layout);
    this.#sums = this.#moved(this.#sums, new Float64Array(length), before);
    this.#byteSums &&= this.#moved(this.#byteSums, new Uint32Array(length), before);
  }

  /** @returns `target`, after the sums are copied to it, whose memory is then freed */
  #moved<T extends Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer>>(sums: T, target: T, before: Layout): T {
    const layout = this.#layout;
    copySums(sums, before, target, layout, this.#names.length, Math.min(before.capacity, layout.capacity));
    this.#free(sums);
    return target;
  }

  /** Moves the slot's sums of bytes to those of doubles. */
  #mergeBytes(slot: number): void {
    const [sums, byteSums, quantity] = [this.#sums, this.#byteSums, this.#quantities[slot]];
    if (byteSums === undefined || quantity === undefined || quantity.byteBound === 0) return;
    const { capacity, groupStride, slotStride } = this.#layout;
    for (let group = 0; group < capacity; group++) {
      const at = group * groupStride + slot * slotStride;
      sums[at] = (sums[at] as number) + (byteSums[at] as number); // at < both lengths
      byteSums[at] = 0;
    }
    quantity.byteBound = 0;
  }

  #slotOf(name: Name): number {
    const slot = this.#names.indexOf(name);
    if (slot < 0) throw new RangeError(`${name} is not summed here`);
    return slot;
  }

  #basesOf(groups: Uint32Array): Uint32Array {
    const { groupStride } = this.#layout;
    if (groupStride === 1) return groups;
    if (this.#bases.length < groups.length) this.#bases = new Uint32Array(groups.length);
    const bases = this.#bases.subarray(0, groups.length);
    for (let row = 0; row < bases.length; row++) bases[row] = (groups[row] as number) * groupStride; // row < both lengths
    return bases;
  }
}
