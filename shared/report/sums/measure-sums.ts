import type { MeasureData } from '../../columns/column.ts';
import { type Adder, adderOf, type ByteColumn, byteAddersOf } from './add-rows.ts';
import { type GroupSums, HIGH_UNIT, highPart, lowPart, splitMeasure } from './group-sums.ts';
import { copySums, type Layout, layOut, sizeOf } from './sum-layout.ts';

/** How many rows of all columns are added before the next rows, where sums are interleaved: the sums they touch then stay in the processor's cache. */
const BLOCK_ROWS = 1024;
/** After this many rows of a column in two parts, the sums of low parts are carried, which keeps them below 2^53. A multiple of the rows of a block. */
const CARRY_ROWS = 2 ** 22;
const MAX_UINT32 = 2 ** 32 - 1;

interface Quantity {
  /** An upper bound of the absolute values of its sums. */
  bound: number;
  /** The part of `bound` that is in the sums of bytes. */
  byteBound: number;
  /** An upper bound of the absolute sums of its low parts; infinite as long as it is not summed in two parts. */
  lowBound: number;
}

/**
 * Exact sums of several quantities by group; the slot of a quantity is its index among the names. The size of a column (the sum of its absolute values) is
 * known before its rows are added, and no sum of any of them exceeds the total size. While that total stays below 2^53, sums of doubles are exact; from then on, values are
 * added in two parts, the high parts to sums of their own. Before the sums of low parts could reach 2^53, they are carried to the high ones.
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
  /** The sums of the high parts, with the layout of `#sums`; undefined until the first quantity needs them. */
  #highSums: Float64Array<ArrayBuffer> | undefined;
  /** The sums of bytes, with the layout of `#sums`; undefined until the first column of bytes. */
  #byteSums: Uint32Array<ArrayBuffer> | undefined;
  readonly #quantities: readonly Quantity[];

  constructor(names: readonly Name[], capacity: number) {
    this.#names = names;
    this.#quantities = names.map(() => ({ bound: 0, byteBound: 0, lowBound: Number.POSITIVE_INFINITY }));
    this.#layout = layOut(names.length, capacity);
    this.#sums = this.#doubles(sizeOf(names.length, this.#layout));
  }

  /** Makes room for the groups 0…capacity-1. */
  reserve(capacity: number): void {
    const layout = layOut(this.#names.length, capacity);
    if (layout.groupStride > 1) this.#dropByteSums();
    this.#moveTo(layout);
  }

  /** Adds the exact sum of a column (within ±2^53) to one group. */
  add(name: Name, group: number, value: number): void {
    const at = group * this.#layout.groupStride + this.#offsetOf(name);
    const high = this.#highFor(name, Math.abs(value), 1);
    if (high === undefined) {
      this.#sums[at] = (this.#sums[at] ?? 0) + value;
    } else {
      this.#sums[at] = (this.#sums[at] ?? 0) + lowPart(value);
      high[at] = (high[at] ?? 0) + highPart(value);
    }
  }

  /** Adds each row's values to its group. Group 0 takes rows that belong to no group. */
  addRows(groups: Uint32Array, columns: readonly { readonly name: Name; readonly data: MeasureData }[]): void {
    const bases = this.#basesOf(groups);
    const adders: Adder[] = [];
    const bytes: ByteColumn[] = [];
    const splitSlots: number[] = [];
    for (const { name, data } of columns) {
      const offset = this.#offsetOf(name);
      const high = this.#highFor(name, data.size, data.rows);
      if (high !== undefined) {
        const parts = splitMeasure(data);
        splitSlots.push(this.#names.indexOf(name));
        adders.push(adderOf(this.#sums, bases, offset, parts.low), adderOf(high, bases, offset, parts.high));
      } else if (data.kind !== 'constant' && data.values instanceof Uint8Array && this.#canAddBytes(data.size)) {
        this.#reserveBytes(name, data.size);
        bytes.push({ offset, values: data.values, positions: data.kind === 'sparse' ? data.positions : undefined });
      } else {
        adders.push(adderOf(this.#sums, bases, offset, data));
      }
    }
    if (this.#byteSums !== undefined) adders.push(...byteAddersOf(this.#byteSums, bases, bytes));
    const blockRows = this.#layout.groupStride === 1 ? CARRY_ROWS : BLOCK_ROWS;
    for (let from = 0; from < bases.length; from += blockRows) {
      const to = Math.min(from + blockRows, bases.length);
      for (const add of adders) add(from, to);
      if (to % CARRY_ROWS === 0) for (const slot of splitSlots) this.#carry(slot);
    }
  }

  /** Call it once, at the end. @returns the sums of each quantity by group, for the groups 0…capacity-1 */
  take(capacity = this.#layout.capacity): Map<Name, GroupSums> {
    this.#dropByteSums();
    if (this.#layout.groupStride > 1) this.#moveTo({ capacity, groupStride: 1, slotStride: capacity });
    const { slotStride } = this.#layout;
    const [low, high] = [this.#sums, this.#highSums];
    return new Map(
      this.#names.map((name, slot) => {
        const [first, end] = [slot * slotStride, slot * slotStride + capacity];
        const isSplit = Number.isFinite(this.#quantities[slot]?.lowBound);
        return [
          name,
          { low: low.subarray(first, end), ...(isSplit && high ? { high: high.subarray(first, end) } : {}) },
        ];
      }),
    );
  }

  /**
   * @param size the total of the absolute values that are about to be added
   * @param rows their number; of more than CARRY_ROWS, the caller carries the low parts meanwhile
   * @returns the sums to which to add the high parts of the quantity; undefined as long as its total stays below 2^53
   */
  #highFor(name: Name, size: number, rows: number): Float64Array | undefined {
    const slot = this.#names.indexOf(name);
    const quantity = this.#quantities[slot];
    if (quantity === undefined) throw new RangeError(`${name} is not summed here`);
    quantity.bound += size;
    if (quantity.bound <= Number.MAX_SAFE_INTEGER) return undefined;
    this.#highSums ??= this.#doubles(this.#sums.length);
    quantity.lowBound += rows * HIGH_UNIT;
    if (quantity.lowBound > Number.MAX_SAFE_INTEGER) {
      // also the first time, when it is infinite: all that was summed so far is split
      this.#mergeBytes(slot);
      this.#carry(slot);
      quantity.lowBound = (1 + rows) * HIGH_UNIT;
    }
    return this.#highSums;
  }

  #canAddBytes(sum: number): boolean {
    return this.#layout.groupStride === 1 && sum <= MAX_UINT32;
  }

  /** Call it before a column of bytes with this sum is added. */
  #reserveBytes(name: Name, sum: number): void {
    const slot = this.#names.indexOf(name);
    const quantity = this.#quantities[slot] as Quantity; // `#highFor` has checked the name
    if (quantity.byteBound + sum > MAX_UINT32) this.#mergeBytes(slot);
    quantity.byteBound += sum;
    this.#byteSums ??= this.#integers(this.#sums.length);
  }

  /** Moves all sums of bytes to those of doubles: interleaved sums are all in one array, so that a row still causes one cache miss. */
  #dropByteSums(): void {
    if (this.#byteSums === undefined) return;
    for (const slot of this.#names.keys()) this.#mergeBytes(slot);
    this.#free(this.#byteSums);
    this.#byteSums = undefined;
  }

  #doubles(length: number): Float64Array<ArrayBuffer> {
    return new Float64Array(length);
  }

  #integers(length: number): Uint32Array<ArrayBuffer> {
    return new Uint32Array(length);
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
    this.#sums = this.#moved(this.#sums, this.#doubles(length), before);
    this.#highSums &&= this.#moved(this.#highSums, this.#doubles(length), before);
    this.#byteSums &&= this.#moved(this.#byteSums, this.#integers(length), before);
  }

  /** @returns `target`, after the sums are copied to it, whose memory is then freed */
  #moved<T extends Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer>>(sums: T, target: T, before: Layout): T {
    const layout = this.#layout;
    copySums(sums, before, target, layout, this.#names.length, 0, Math.min(before.capacity, layout.capacity));
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

  /** Moves the high parts of the slot's sums so far to the high sums. Sums of bytes must have been merged. */
  #carry(slot: number): void {
    const high = this.#highSums;
    if (high === undefined) return;
    const { capacity, groupStride, slotStride } = this.#layout;
    for (let group = 0; group < capacity; group++) {
      const at = group * groupStride + slot * slotStride;
      const sum = this.#sums[at] as number; // at < length
      high[at] = (high[at] as number) + highPart(sum);
      this.#sums[at] = lowPart(sum);
    }
  }

  #offsetOf(name: Name): number {
    return this.#names.indexOf(name) * this.#layout.slotStride;
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
