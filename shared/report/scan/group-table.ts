import { KEY_CELLS, MAX_CELLS, rejectAbove } from '../query/too-expensive.ts';
import {
  type BitField,
  clearOthers,
  hashOf,
  hashOfGroup,
  insertGroup,
  layOutKeys,
  lookUp,
  lookUpHashed,
  lookUpSelected,
  mix,
  moveKeys,
  packKeys,
  widenFields,
} from './packed-keys.ts';

/** Keys index an array (4 bytes per possible key) where these are at most so many, and so many per row; other keys are hashed. */
const DENSE = { keys: 2 ** 22, perRow: 8 };
/** Rows that are looked up before the groups that they lack are added. Until then, no row finds a new group, and each is added one by one. */
const ROWS_PER_LOOK_UP = 2048;

/**
 * The groups of a report, numbered from 1 in the order in which they are added. A group's key is one code per axis, packed into 32-bit words. Number 0 is not
 * a group: rows that a filter drops are assigned to it, so that the summing loops need no branch.
 */
export class GroupTable {
  readonly #max: number;
  readonly #maxDense: number;
  /** The number of codes of each axis that there is room for, at least. */
  readonly #sizes: number[];
  /** Whether the size of each axis has grown since the first group. */
  readonly #isGrowing: boolean[];
  #bitFields: readonly BitField[] = [];
  /** The number of words in a packed key. */
  #words = 1;
  /** The group of each possible key, 0 where there is none; undefined where keys are hashed. */
  #dense: Uint32Array | undefined;
  /** The hash table: the hash of a key and its group per slot; group 0 where the slot is free. */
  #slots = new Int32Array(0);
  /** The packed keys of the groups, `#words` per group; those of number 0 stay 0. */
  #keys = new Uint32Array(0);
  #size = 0;
  /** The rows whose group was not found, reused from call to call. */
  #missing = new Uint32Array(0);
  #isFrozen = false;

  /**
   * @param axes the number of codes in a key; with 0, all rows belong to group 1
   * @param rows about how many will be added
   * @param max the number of groups above which the report is rejected
   */
  constructor(axes: number, rows = DENSE.keys, max = MAX_CELLS / KEY_CELLS) {
    this.#max = Math.floor(max);
    this.#maxDense = Math.min(DENSE.keys, DENSE.perRow * rows);
    this.#sizes = new Array<number>(axes).fill(1);
    this.#isGrowing = new Array<boolean>(axes).fill(false);
    this.#layOut();
  }

  /** The number of groups so far; they are numbered 1…size. */
  get size(): number {
    return this.#size;
  }

  /** @returns the numbers of all groups, ascending */
  groups(): Uint32Array {
    return new Uint32Array(this.#size).map((_, i) => i + 1);
  }

  /** The number of words in a packed key, until the next `fit`. */
  get words(): number {
    return this.#words;
  }

  /** Makes room for codes [0, sizes[axis]) of each axis. Call it before packing keys with new codes; it invalidates packed keys. */
  fit(sizes: readonly number[]): void {
    if (this.#bitFields.every(({ mask }, axis) => (sizes[axis] ?? 0) <= mask + 1)) return;
    for (const [axis, { mask }] of this.#bitFields.entries()) {
      const size = sizes[axis] ?? 0;
      this.#sizes[axis] = Math.max(size, this.#sizes[axis] ?? 0);
      if (size > mask + 1 && this.#size > 0) this.#isGrowing[axis] = true;
    }
    this.#layOut();
  }

  /** From now on, keys that are not in the table are assigned to number 0 instead of a new group. */
  freeze(): void {
    this.#isFrozen = true;
  }

  /** @returns the position of the axis's code in packed keys, until the next `fit` */
  bitField(axis: number): BitField {
    const field = this.#bitFields[axis];
    if (field === undefined) throw new RangeError(`there is no axis ${axis}`);
    return field;
  }

  /** @returns the group's code on the given axis */
  codeAt(group: number, axis: number): number {
    const { word, shift, mask } = this.bitField(axis);
    return ((this.#keys[group * this.#words + word] ?? 0) >>> shift) & mask;
  }

  /**
   * @param codes one per axis; `fit` must have made room for them
   * @returns the number of the group with this key, after adding it where it did not exist; 0 where it did not exist and the table is frozen
   */
  add(codes: ArrayLike<number>): number {
    const keys = Array.from(codes, (code) => [code]);
    return this.addKeys(keys, 1)[0] ?? 0;
  }

  /**
   * @param codes for each axis, the code of each key; `fit` must have made room for them
   * @returns the group of each key, after adding those that did not exist, as `add` does
   */
  addKeys(codes: readonly ArrayLike<number>[], length: number): Uint32Array {
    const groups = new Uint32Array(length);
    this.addRows(packKeys(codes, length, this.#bitFields, this.#words), undefined, groups);
    return groups;
  }

  /**
   * Writes the group of each row into `groups`, adding groups that do not exist yet unless the table is frozen. Rows with a 0 in `selected` get 0.
   * @param words the packed keys of the rows: one array per word, each as long as `groups`
   * @param selected undefined selects all rows
   */
  addRows(words: readonly Uint32Array[], selected: Uint8Array | undefined, groups: Uint32Array): void {
    for (let from = 0; from < groups.length; from += ROWS_PER_LOOK_UP) {
      const to = Math.min(groups.length, from + ROWS_PER_LOOK_UP);
      const part = words.map((word) => word.subarray(from, to));
      this.#addPart(part, selected?.subarray(from, to), groups.subarray(from, to));
    }
  }

  #addPart(words: readonly Uint32Array[], selected: Uint8Array | undefined, groups: Uint32Array): void {
    const first = words[0] as Uint32Array; // a key has at least one word
    const second = words[1];
    const dense = this.#dense;
    if (this.#missing.length < groups.length) this.#missing = new Uint32Array(Math.max(1024, groups.length));
    const missing = this.#missing;
    if (dense === undefined && second !== undefined) {
      this.#addHashedRows(words, selected, groups);
    } else if (dense === undefined) {
      const count = lookUpHashed(this.#slots, first, groups, missing);
      for (let i = 0; i < count; i++) {
        const row = missing[i] ?? 0;
        if (selected?.[row] !== 0) groups[row] = this.#addHashed(mix(first[row] ?? 0), words, row);
      }
      if (selected !== undefined) clearOthers(selected, groups);
    } else {
      const count =
        selected === undefined
          ? lookUp(dense, first, groups, missing)
          : lookUpSelected(dense, first, selected, groups, missing);
      for (let i = 0; i < count; i++) {
        const row = missing[i] ?? 0;
        groups[row] = this.#addDense(dense, first[row] ?? 0);
      }
    }
  }

  #addHashedRows(words: readonly Uint32Array[], selected: Uint8Array | undefined, groups: Uint32Array): void {
    for (let row = 0; row < groups.length; row++)
      groups[row] = selected?.[row] === 0 ? 0 : this.#addHashed(hashOf(words, row), words, row);
  }

  #addDense(dense: Uint32Array, key: number): number {
    const found = dense[key] ?? 0;
    if (found !== 0 || this.#isFrozen) return found;
    const group = this.#newGroup();
    this.#keys[group] = key;
    dense[key] = group;
    return group;
  }

  #addHashed(hash: number, words: readonly Uint32Array[], row: number): number {
    const slot = this.#slotOf(hash, words, row);
    const found = this.#slots[slot + 1] ?? 0;
    if (found !== 0 || this.#isFrozen) return found;
    const group = this.#newGroup();
    for (let word = 0; word < this.#words; word++) this.#keys[group * this.#words + word] = words[word]?.[row] ?? 0;
    this.#slots[slot] = hash;
    this.#slots[slot + 1] = group;
    if (this.#size * 4 > this.#slots.length) this.#rehash();
    return group;
  }

  /** @returns the index of the slot that holds the row's group, or of the free slot where to add it (linear probing) */
  #slotOf(hash: number, words: readonly Uint32Array[], row: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let slot = (hash << 1) & mask; ; slot = (slot + 2) & mask) {
      const group = slots[slot + 1] ?? 0;
      if (group === 0 || (slots[slot] === hash && this.#hasKey(group, words, row))) return slot;
    }
  }

  /** @returns whether a group that has the hash of the row's key has the key itself; keys of one word have different hashes */
  #hasKey(group: number, words: readonly Uint32Array[], row: number): boolean {
    const count = this.#words;
    let word = count === 1 ? 1 : 0;
    while (word < count && this.#keys[group * count + word] === (words[word] as Uint32Array)[row]) word++; // row in range
    return word === count;
  }

  #newGroup(): number {
    const group = ++this.#size;
    rejectAbove(this.#max, group, 'rows');
    if ((group + 1) * this.#words > this.#keys.length) {
      const grown = new Uint32Array(this.#keys.length * 2);
      grown.set(this.#keys);
      this.#keys = grown;
    }
    return group;
  }

  #rehash(): void {
    const before = this.#slots;
    this.#slots = new Int32Array(before.length * 4);
    for (let from = 0; from < before.length; from += 2) {
      const group = before[from + 1] ?? 0;
      if (group !== 0) insertGroup(this.#slots, before[from] ?? 0, group);
    }
  }

  /**
   * Lays out the keys for the sizes of the axes, and moves those of the existing groups. The unused bits of hashed keys go to axes that have grown, because each
   * layout takes about 0.1 µs per group: 1,000,000 groups of five axes that grow in turn are laid out 19 times, without these bits 57 times.
   */
  #layOut(): void {
    const { fields, words, bits } = layOutKeys(this.#sizes);
    const isDense = 2 ** bits <= this.#maxDense;
    const before = { fields: this.#bitFields, words: this.#words, keys: this.#keys };
    const capacity = Math.max(1024, 2 ** Math.ceil(Math.log2((this.#size + 1) * words)));
    this.#keys = new Uint32Array(capacity);
    this.#bitFields = isDense ? fields : widenFields(fields, this.#isGrowing);
    this.#words = words;
    const after = { fields: this.#bitFields, words, keys: this.#keys };
    moveKeys(before, after, this.#size);
    const slots = isDense ? 0 : Math.max(8192, 8 * 2 ** Math.ceil(Math.log2(this.#size + 1)));
    this.#dense = isDense ? new Uint32Array(2 ** bits) : undefined;
    this.#slots = new Int32Array(slots);
    const dense = this.#dense;
    for (let group = 1; group <= this.#size; group++) {
      if (dense !== undefined)
        dense[this.#keys[group] ?? 0] = group; // such a key has one word
      else insertGroup(this.#slots, hashOfGroup(this.#keys, group, this.#words), group);
    }
  }
}
