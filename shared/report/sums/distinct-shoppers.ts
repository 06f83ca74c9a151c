import { DistinctSketch, HASH_RANGE } from '../../columns/sketch.ts';

/**
 * Up to this many shoppers of a group are kept without a sketch. A higher limit makes fewer sketches, but finding a shopper again takes longer.
 */
const MAX_SMALL = 32;
/** In place of the number of hashes: the group has a sketch. */
const HAS_SKETCH = 255;
/** Hashes are in pages of 2^14 with blocks of one size, so that no page is copied to make room for more. */
const PAGE_BITS = 14;
const PAGE_SIZE = 2 ** PAGE_BITS;

/**
 * The distinct shoppers of each group. Most groups of a report with many groups have few shoppers, so their hashes are in blocks of 1, 2, 4, 8, 16 or 32 in pages
 * that all groups share. Groups of more shoppers have a sketch each. The counts are those that sketches would give.
 */
export class DistinctShoppers {
  /** Only hashes below this have been added. */
  #below: number;
  /** For each group, the number of its hashes, or HAS_SKETCH. */
  #counts = new Uint8Array(0);
  /** For each group, the position of its block, or the index of its sketch. */
  #positions = new Uint32Array(0);
  readonly #pages: Float64Array[] = [];
  /** The positions of blocks that are free again, and the first position that no block has had, by the size of the blocks. */
  readonly #free = new Map<number, number[]>();
  readonly #ends = new Map<number, number>();
  readonly #sketches: DistinctSketch[] = [];

  constructor(below: number = HASH_RANGE) {
    this.#below = below;
  }

  /** Accepts hashes below `below` from now on; all below the former one must have been added. */
  widen(below: number): void {
    this.#below = Math.max(this.#below, below);
    for (const sketch of this.#sketches) sketch.widen(below);
  }

  /** @returns whether larger hashes would not change the count of any of the groups 1…groups */
  isSettled(groups: number): boolean {
    return this.#sketches.length >= groups && this.#sketches.every((sketch) => sketch.isSettled);
  }

  /** @param hash an integer in [0, below) */
  add(group: number, hash: number): void {
    if (group >= this.#counts.length) this.#reserve(group);
    const count = this.#counts[group] ?? 0;
    if (count === HAS_SKETCH) {
      (this.#sketches[this.#positions[group] ?? 0] as DistinctSketch).add(hash); // by the definition of positions
      return;
    }
    const position = this.#positions[group] ?? 0;
    const page = this.#pages[position >>> PAGE_BITS];
    const start = position & (PAGE_SIZE - 1);
    const end = start + count;
    for (let i = start; i < end; i++) if (page?.[i] === hash) return;
    if (count === MAX_SMALL) {
      this.#addSketch(group, hash);
    } else if ((count & (count - 1)) !== 0) {
      // the block has room, because its size is a power of two that the count has not reached
      if (page !== undefined) page[end] = hash;
      this.#counts[group] = count + 1;
    } else {
      this.#moveBlock(group, count, hash);
    }
  }

  /** @returns the number of distinct shoppers of the group; exact up to 8,192 */
  countOf(group: number): number {
    const count = this.#counts[group] ?? 0;
    if (count !== HAS_SKETCH && this.#below === HASH_RANGE) return count;
    return this.#sketchOf(group).estimate();
  }

  /** @returns the shoppers of the given groups as those of group 1 */
  fold(groups: Uint32Array): DistinctShoppers {
    const below = groups.length === 0 ? HASH_RANGE : this.#below; // no shoppers are an exact 0, even if not all hashes were read
    const folded = new DistinctShoppers(below);
    const united = new DistinctSketch(below);
    for (const group of groups) {
      const count = this.#counts[group] ?? 0;
      if (count === HAS_SKETCH) united.merge(this.#sketchOf(group));
      else for (const hash of this.#hashesOf(group)) united.add(hash);
    }
    folded.#reserve(1);
    folded.#setSketch(1, united);
    return folded;
  }

  /** Replaces the group's block, which is full, by a sketch. */
  #addSketch(group: number, hash: number): void {
    const sketch = this.#sketchOf(group);
    sketch.add(hash);
    this.#release(this.#positions[group] ?? 0, MAX_SMALL);
    this.#setSketch(group, sketch);
  }

  #setSketch(group: number, sketch: DistinctSketch): void {
    this.#counts[group] = HAS_SKETCH;
    this.#positions[group] = this.#sketches.push(sketch) - 1;
  }

  /** @returns the group's sketch, or a new one with its hashes */
  #sketchOf(group: number): DistinctSketch {
    const found = this.#counts[group] === HAS_SKETCH ? this.#sketches[this.#positions[group] ?? 0] : undefined;
    if (found !== undefined) return found;
    const sketch = new DistinctSketch(this.#below, 2 * MAX_SMALL);
    for (const hash of this.#hashesOf(group)) sketch.add(hash);
    return sketch;
  }

  #hashesOf(group: number): Float64Array {
    const position = this.#positions[group] ?? 0;
    const start = position & (PAGE_SIZE - 1);
    return this.#pageOf(position).subarray(start, start + (this.#counts[group] ?? 0));
  }

  /** Moves the group's hashes, which fill their block, to a block of twice the size, and adds another one. */
  #moveBlock(group: number, count: number, hash: number): void {
    const size = Math.max(1, count * 2);
    const position = this.#allocate(size);
    const page = this.#pageOf(position);
    const start = position & (PAGE_SIZE - 1);
    page.set(this.#hashesOf(group), start);
    page[start + count] = hash;
    if (count > 0) this.#release(this.#positions[group] ?? 0, count);
    this.#positions[group] = position;
    this.#counts[group] = count + 1;
  }

  /** @param size a power of two @returns the position of a free block */
  #allocate(size: number): number {
    const reused = this.#free.get(size)?.pop();
    if (reused !== undefined) return reused;
    const position = this.#ends.get(size) ?? 0;
    const isInPage = position % PAGE_SIZE !== 0;
    const start = isInPage ? position : this.#addPage();
    this.#ends.set(size, start + size);
    return start;
  }

  /** @returns the position of the new page */
  #addPage(): number {
    return (this.#pages.push(new Float64Array(PAGE_SIZE)) - 1) * PAGE_SIZE;
  }

  #release(position: number, size: number): void {
    const free = this.#free.get(size);
    if (free === undefined) this.#free.set(size, [position]);
    else free.push(position);
  }

  #pageOf(position: number): Float64Array {
    return this.#pages[position >>> PAGE_BITS] ?? NO_HASHES;
  }

  /** Makes room for the group. */
  #reserve(group: number): void {
    const capacity = Math.max(1024, group + 1, this.#counts.length * 2);
    const [counts, positions] = [new Uint8Array(capacity), new Uint32Array(capacity)];
    counts.set(this.#counts);
    positions.set(this.#positions);
    [this.#counts, this.#positions] = [counts, positions];
  }
}

const NO_HASHES = new Float64Array(0);
