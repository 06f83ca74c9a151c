const PRIME = 0x01000193;
/** Bytes of cells that are kept at most. */
const MAX_BYTES = 64 << 20;

/** Codes of cells that were met before, found by their bytes. Hashed with FNV-1a, linear probing. */
export class CellCodes {
  readonly #limit: number;
  #size = 0;
  /** 1 + the entry; 0 where none is. */
  #slots = new Int32Array(1024);
  /** Where the cell of each entry ends in `#bytes`; it begins where the one before ends. */
  #ends = new Int32Array(256);
  #bytes = new Uint8Array(4096);
  #codes = new Float64Array(256);

  /** @param limit how many cells are kept at most; then all are forgotten, as when they are too long together */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @returns the code of the cell at [from, to), or -1 where it is not known */
  find(bytes: Uint8Array, from: number, to: number): number {
    const entry = this.#slots[this.#slotOf(bytes, from, to)] as number; // slots are in range
    return entry === 0 ? -1 : (this.#codes[entry - 1] as number); // entries are
  }

  /** Remembers a cell that is not known. */
  add(bytes: Uint8Array, from: number, to: number, code: number): void {
    if (this.#size >= this.#limit || this.#length + to - from > MAX_BYTES) this.#clear();
    const begin = this.#length;
    const end = begin + to - from;
    if (end > this.#bytes.length) this.#bytes = grow(this.#bytes, new Uint8Array(2 * end));
    this.#bytes.set(bytes.subarray(from, to), begin);
    if (this.#size === this.#ends.length) {
      this.#ends = grow(this.#ends, new Int32Array(2 * this.#size));
      this.#codes = grow(this.#codes, new Float64Array(2 * this.#size));
    }
    this.#ends[this.#size] = end;
    this.#codes[this.#size] = code;
    this.#slots[this.#slotOf(bytes, from, to)] = ++this.#size;
    if (this.#size * 2 > this.#slots.length) this.#rehash();
  }

  get #length(): number {
    return this.#size === 0 ? 0 : (this.#ends[this.#size - 1] as number);
  }

  /** @returns the slot that has the cell, or the free one where it belongs */
  #slotOf(bytes: Uint8Array, from: number, to: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    const length = to - from;
    // every index below is in range: entries and their bytes were written by `add`
    for (let slot = hashOf(bytes, from, to) & mask; ; slot = (slot + 1) & mask) {
      const entry = slots[slot] as number;
      if (entry === 0) return slot;
      const begin = entry === 1 ? 0 : (this.#ends[entry - 2] as number);
      if ((this.#ends[entry - 1] as number) - begin !== length) continue;
      let i = 0;
      while (i < length && this.#bytes[begin + i] === bytes[from + i]) i++;
      if (i === length) return slot;
    }
  }

  #rehash(): void {
    this.#slots = new Int32Array(this.#slots.length * 4);
    let from = 0;
    for (let entry = 0; entry < this.#size; entry++) {
      const to = this.#ends[entry] as number; // entry < size
      this.#slots[this.#slotOf(this.#bytes, from, to)] = entry + 1;
      from = to;
    }
  }

  #clear(): void {
    this.#size = 0;
    this.#slots.fill(0);
  }
}

function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = to - from;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] as number), PRIME); // at < length
  return hash ^ (hash >>> 15);
}

function grow<T extends Uint8Array | Int32Array | Float64Array>(old: T, target: T): T {
  target.set(old);
  return target;
}
