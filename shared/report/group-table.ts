/**
 * The groups of a report, numbered from 1 in the order of first sight; a group's key is one code an axis. Number 0 is no group: rows that a
 * filter drops are sent there, so that the summing loops need not ask.
 * Open addressing with linear probing; keys are compared code by code.
 */
export class GroupTable {
  readonly #axes: number;
  #slots = new Int32Array(1024);
  #codes: Uint32Array;
  #size = 0;

  /** @param axes how many codes make a key; with 0 all rows are group 1 */
  constructor(axes: number) {
    this.#axes = axes;
    this.#codes = new Uint32Array(axes * 512);
  }

  /** Groups so far; they are numbered 1…size. */
  get size(): number {
    return this.#size;
  }

  /** @returns the group's code on the given axis. */
  codeAt(group: number, axis: number): number {
    return this.#codes[(group - 1) * this.#axes + axis] ?? 0;
  }

  /** @returns the number of the group with this key (one code an axis), made if there was none. */
  add(key: Uint32Array): number {
    const slot = this.#find(key);
    const found = this.#slots[slot] ?? 0;
    if (found !== 0) return found;
    if ((this.#size + 1) * 2 > this.#slots.length) {
      this.#grow();
      return this.add(key);
    }
    const group = ++this.#size;
    if (group * this.#axes > this.#codes.length) {
      const grown = new Uint32Array(this.#codes.length * 2);
      grown.set(this.#codes);
      this.#codes = grown;
    }
    this.#codes.set(key, (group - 1) * this.#axes);
    this.#slots[slot] = group;
    return group;
  }

  /** @returns the number of the group with this key, or 0 where there is none. */
  find(key: Uint32Array): number {
    return this.#slots[this.#find(key)] ?? 0;
  }

  #find(key: Uint32Array): number {
    const slots = this.#slots;
    const codes = this.#codes;
    const axes = this.#axes;
    const mask = slots.length - 1;
    let slot = hashKey(key, axes) & mask;
    for (;;) {
      const group = slots[slot] as number; // slot ≤ mask < slots.length
      if (group === 0) return slot;
      const at = (group - 1) * axes;
      let axis = 0;
      while (axis < axes && codes[at + axis] === key[axis]) axis++;
      if (axis === axes) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #grow(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    for (let group = 1; group <= this.#size; group++) {
      const at = (group - 1) * this.#axes;
      this.#slots[this.#find(this.#codes.subarray(at, at + this.#axes))] = group;
    }
  }
}

function hashKey(key: Uint32Array, axes: number): number {
  let hash = 0x9e3779b9;
  for (let axis = 0; axis < axes; axis++) {
    hash = Math.imul(hash ^ (key[axis] as number), 0x85ebca6b); // axis < axes = key.length
    hash ^= hash >>> 15;
  }
  return hash ^ (hash >>> 13);
}
