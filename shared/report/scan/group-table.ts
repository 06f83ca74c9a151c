/** Where an axis's code stands in a group's packed key: `(words[word] >>> shift) & mask`. */
export interface Place {
  readonly word: number;
  readonly shift: number;
  readonly mask: number;
}

/** Keys of at most this many bits are looked up in a plain array (4 bytes a possible key), longer ones by hashing. */
const DENSE_BITS = 22;

/**
 * The groups of a report, numbered from 1 in the order of first sight. A group's key is one code an axis, packed into as few 32-bit words as
 * their sizes need. Number 0 is no group: rows that a filter drops are sent there, so that the summing loops need not ask.
 */
export class GroupTable {
  readonly #axes: number;
  #places: readonly Place[] = [];
  /** Words a key has. */
  #words = 1;
  #dense: Uint32Array | undefined;
  #slots = new Uint32Array(0);
  /** The packed keys of the groups, `#words` a group; group 0's stay 0. */
  #keys: Uint32Array;
  #size = 0;

  /** @param axes how many codes make a key; with 0 all rows are group 1 */
  constructor(axes: number) {
    this.#axes = axes;
    this.#keys = new Uint32Array(1024);
    this.#layOut(new Array<number>(axes).fill(1));
  }

  /** Groups so far; they are numbered 1…size. */
  get size(): number {
    return this.#size;
  }

  /** @returns the numbers of all groups, ascending */
  groups(): Uint32Array {
    return Uint32Array.from({ length: this.#size }, (_, i) => i + 1);
  }

  /** How many words a packed key has, now. */
  get words(): number {
    return this.#words;
  }

  /** Makes room for codes of [0, sizes[axis]); call it before packing keys with codes it has not seen. Packed keys of before are void. */
  fit(sizes: readonly number[]): void {
    if (this.#places.every((place, axis) => (sizes[axis] ?? 0) <= place.mask + 1)) return;
    const sizesSoFar = this.#places.map((place, axis) => Math.max(sizes[axis] ?? 0, place.mask + 1));
    const codes: number[][] = [];
    for (let group = 1; group <= this.#size; group++)
      codes.push(this.#places.map((_, axis) => this.codeAt(group, axis)));
    this.#layOut(sizesSoFar);
    this.#size = 0;
    for (const key of codes) this.add(key);
  }

  /** @returns where the axis's code stands in packed keys, until the next `fit`. */
  place(axis: number): Place {
    const place = this.#places[axis];
    if (place === undefined) throw new RangeError(`there is no axis ${axis}`);
    return place;
  }

  /** @returns the group's code on the given axis. */
  codeAt(group: number, axis: number): number {
    const { word, shift, mask } = this.place(axis);
    return ((this.#keys[group * this.#words + word] ?? 0) >>> shift) & mask;
  }

  /** @returns the number of the group with this key (one code an axis, each fitting), made if there was none. */
  add(codes: ArrayLike<number>): number {
    const groups = new Uint32Array(1);
    this.addRows(this.#packed(codes), undefined, groups);
    return groups[0] ?? 0;
  }

  /** @returns the number of the group with this key, or 0 where there is none. */
  find(codes: ArrayLike<number>): number {
    for (let axis = 0; axis < this.#axes; axis++) {
      if ((codes[axis] ?? 0) > this.place(axis).mask) return 0;
    }
    const words = this.#packed(codes);
    if (this.#dense !== undefined) return this.#dense[words[0]?.[0] ?? 0] ?? 0;
    return this.#slots[this.#slotOf(words, 0)] ?? 0;
  }

  /**
   * Writes into `groups` the group of each row; rows with a 0 in `selected` get 0.
   * @param words the packed keys of the rows, one array a word, each as long as `groups`
   */
  addRows(words: readonly Uint32Array[], selected: Uint8Array | undefined, groups: Uint32Array): void {
    const [first = groups] = words;
    const dense = this.#dense;
    if (dense === undefined) this.#addHashedRows(words, selected, groups);
    else if (selected === undefined) this.#addDenseRows(dense, first, groups);
    else this.#addSelectedRows(dense, first, selected, groups);
  }

  // three loops, so that none asks in each row what does not change

  #addDenseRows(dense: Uint32Array, keys: Uint32Array, groups: Uint32Array): void {
    for (let row = 0; row < groups.length; row++) {
      const key = keys[row] as number; // row < length; key < 2^bits = dense.length
      groups[row] = (dense[key] as number) || this.#addDense(dense, key);
    }
  }

  #addSelectedRows(dense: Uint32Array, keys: Uint32Array, selected: Uint8Array, groups: Uint32Array): void {
    for (let row = 0; row < groups.length; row++) {
      const key = keys[row] as number; // as above
      const group = dense[key] as number;
      // which rows are selected cannot be foreseen: multiplying by 0 or 1 is faster than asking
      if (group === 0 && selected[row] === 1) groups[row] = this.#addDense(dense, key);
      else groups[row] = group * (selected[row] as number);
    }
  }

  #addHashedRows(words: readonly Uint32Array[], selected: Uint8Array | undefined, groups: Uint32Array): void {
    for (let row = 0; row < groups.length; row++)
      groups[row] = selected !== undefined && selected[row] === 0 ? 0 : this.#addHashed(words, row);
  }

  #addDense(dense: Uint32Array, key: number): number {
    const group = this.#newGroup();
    this.#keys[group] = key;
    dense[key] = group;
    return group;
  }

  #addHashed(words: readonly Uint32Array[], row: number): number {
    const slot = this.#slotOf(words, row);
    const found = this.#slots[slot] as number; // slots are in range
    if (found !== 0) return found;
    const group = this.#newGroup();
    for (let word = 0; word < this.#words; word++) this.#keys[group * this.#words + word] = words[word]?.[row] ?? 0;
    this.#slots[slot] = group;
    if (this.#size * 2 > this.#slots.length) this.#rehash();
    return group;
  }

  /** @returns the slot that holds the row's group, or the free one where it belongs. Linear probing. */
  #slotOf(words: readonly Uint32Array[], row: number): number {
    const count = this.#words;
    const keys = this.#keys;
    const slots = this.#slots;
    const mask = slots.length - 1;
    let hash = 0;
    for (let word = 0; word < count; word++) hash = mix(hash ^ ((words[word] as Uint32Array)[row] as number)); // `count` words, row in range
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const at = (slots[slot] as number) * count; // slot ≤ mask
      if (at === 0) return slot;
      let word = 0;
      while (word < count && keys[at + word] === (words[word] as Uint32Array)[row]) word++;
      if (word === count) return slot;
    }
  }

  #newGroup(): number {
    const group = ++this.#size;
    if ((group + 1) * this.#words > this.#keys.length) {
      const grown = new Uint32Array(this.#keys.length * 2);
      grown.set(this.#keys);
      this.#keys = grown;
    }
    return group;
  }

  #rehash(): void {
    this.#slots = new Uint32Array(this.#slots.length * 4);
    const count = this.#words;
    const key = Array.from({ length: count }, () => new Uint32Array(1));
    for (let group = 1; group <= this.#size; group++) {
      for (let word = 0; word < count; word++)
        (key[word] as Uint32Array)[0] = this.#keys[group * count + word] as number; // both in range
      this.#slots[this.#slotOf(key, 0)] = group;
    }
  }

  /** Gives each axis the bits that its size needs, no axis astride two words. */
  #layOut(sizes: readonly number[]): void {
    const places: Place[] = [];
    let word = 0;
    let used = 0;
    for (const size of sizes) {
      const bits = Math.max(1, 32 - Math.clz32(Math.max(0, size - 1)));
      if (used + bits > 32) {
        word++;
        used = 0;
      }
      places.push({ word, shift: used, mask: 2 ** bits - 1 });
      used += bits;
    }
    this.#places = places;
    this.#words = word + 1;
    this.#dense = word === 0 && used <= DENSE_BITS ? new Uint32Array(2 ** used) : undefined;
    this.#slots = new Uint32Array(
      this.#dense === undefined ? Math.max(4096, 4 * 2 ** Math.ceil(Math.log2(this.#size + 1))) : 0,
    );
  }

  #packed(codes: ArrayLike<number>): Uint32Array[] {
    const words = Array.from({ length: this.#words }, () => new Uint32Array(1));
    for (let axis = 0; axis < this.#axes; axis++) {
      const { word, shift } = this.place(axis);
      const target = words[word];
      if (target !== undefined) target[0] = (target[0] ?? 0) | ((codes[axis] ?? 0) << shift);
    }
    return words;
  }
}

/** The finalizer of MurmurHash3: every bit of the key reaches every bit of the slot. */
function mix(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
