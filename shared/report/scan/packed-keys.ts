import type { KeyData } from '../../columns/column.ts';

/** The position of an axis's code in a packed key: `(words[word] >>> shift) & mask`. */
export interface BitField {
  readonly word: number;
  readonly shift: number;
  readonly mask: number;
}

/** The layout of keys. */
interface KeyLayout {
  readonly fields: readonly BitField[];
  /** The number of words in a key. */
  readonly words: number;
  /** The number of bits in a key; those that a word leaves unused count, except in the last word. */
  readonly bits: number;
}

/** @returns a layout in which each axis has as many bits as its size needs. No axis spans two words. */
export function layOutKeys(sizes: readonly number[]): KeyLayout {
  const fields: BitField[] = [];
  let word = 0;
  let used = 0;
  for (const size of sizes) {
    const bits = Math.max(1, 32 - Math.clz32(Math.max(0, size - 1)));
    if (used + bits > 32) {
      word++;
      used = 0;
    }
    fields.push({ word, shift: used, mask: 2 ** bits - 1 });
    used += bits;
  }
  return { fields, words: word + 1, bits: 32 * word + used };
}

/**
 * @param isGrowing whether the size of each axis has grown before
 * @returns the fields, widened: the unused bits of each word are divided equally among those of its axes that grow
 */
export function widenFields(fields: readonly BitField[], isGrowing: readonly boolean[]): BitField[] {
  const widened: BitField[] = [];
  for (const ofWord of Map.groupBy(fields.entries(), ([, { word }]) => word).values()) {
    const used = ofWord.reduce((sum, [, { mask }]) => sum + widthOf(mask), 0);
    const spare = Math.floor((32 - used) / ofWord.filter(([axis]) => isGrowing[axis]).length); // a division by 0, and not used, where no axis grows
    let shift = 0;
    for (const [axis, { word, mask }] of ofWord) {
      const width = Math.min(MAX_WIDTH, widthOf(mask) + (isGrowing[axis] ? spare : 0));
      widened.push({ word, shift, mask: 2 ** width - 1 });
      shift += width;
    }
  }
  return widened;
}

/** The maximum width of a widened field: codes are below 2^31. */
const MAX_WIDTH = 31;

function widthOf(mask: number): number {
  return 32 - Math.clz32(mask);
}

/** Packed keys of consecutive groups: `words` per group. */
interface PackedKeys {
  readonly fields: readonly BitField[];
  readonly words: number;
  readonly keys: Uint32Array;
}

/** Writes the keys of the groups 1…groups of `source` into `target`, whose keys are 0 so far. */
export function moveKeys(source: PackedKeys, target: PackedKeys, groups: number): void {
  source.fields.forEach(({ word, shift, mask }, axis) => {
    const field = target.fields[axis] as BitField; // both have all axes, and keys of all groups
    for (let group = 1; group <= groups; group++) {
      const code = ((source.keys[group * source.words + word] ?? 0) >>> shift) & mask;
      const at = group * target.words + field.word;
      target.keys[at] = (target.keys[at] ?? 0) | (code << field.shift);
    }
  });
}

/**
 * @param codes for each axis, the code of each key
 * @returns the packed keys: one array per word
 */
export function packKeys(
  codes: readonly ArrayLike<number>[],
  length: number,
  fields: readonly BitField[],
  count: number,
): Uint32Array[] {
  const words = Array.from({ length: count }, () => new Uint32Array(length));
  for (const [axis, { word, shift }] of fields.entries()) {
    const target = words[word] as Uint32Array; // fields are in words
    const ofAxis = codes[axis] ?? [];
    for (let i = 0; i < target.length; i++) target[i] = (target[i] ?? 0) | ((ofAxis[i] ?? 0) << shift);
  }
  return words;
}

/** Bits of packed keys: those of the rows [ends[i-1], ends[i]) are `bits[i]`. */
export interface KeyRuns {
  readonly ends: Uint32Array;
  readonly bits: Uint32Array;
}

/**
 * @param bits of another axis, by code of its column
 * @returns the runs of rows that are equal in both, with the bits of both
 */
export function combineRuns(runs: KeyRuns, keys: KeyData & { readonly kind: 'runs' }, bits: Uint32Array): KeyRuns {
  const { ends, codes } = keys;
  const capacity = runs.ends.length + ends.length;
  const combined = { ends: new Uint32Array(capacity), bits: new Uint32Array(capacity) };
  let count = 0;
  // both cover the same rows, so that both end together; every code indexes the dictionary that `bits` was made from
  for (let i = 0, j = 0; i < runs.ends.length && j < ends.length; count++) {
    const [end, otherEnd] = [runs.ends[i] ?? 0, ends[j] ?? 0];
    combined.ends[count] = Math.min(end, otherEnd);
    combined.bits[count] = (runs.bits[i] ?? 0) | (bits[codes[j] ?? 0] ?? 0);
    if (end <= otherEnd) i++;
    if (otherEnd <= end) j++;
  }
  return { ends: combined.ends.subarray(0, count), bits: combined.bits.subarray(0, count) };
}

// The loops that find the groups of rows. They add no groups, because a loop that calls nothing is twice as fast. Rows without a group are written into
// `missing` without a branch, which the processor could not predict; `group - 1` has its highest bit set only for 0.

/**
 * Writes the group of each key into `groups`: `dense[key]`.
 * @returns the number of rows whose key has no group, which are the first elements of `missing`
 */
export function lookUp(dense: Uint32Array, keys: Uint32Array, groups: Uint32Array, missing: Uint32Array): number {
  let count = 0;
  for (let row = 0; row < groups.length; row++) {
    const group = dense[keys[row] ?? 0] ?? 0;
    groups[row] = group;
    missing[count] = row;
    count += (group - 1) >>> 31;
  }
  return count;
}

/** Like `lookUp`, but rows with a 0 in `selected` get group 0 and are not missing. */
export function lookUpSelected(
  dense: Uint32Array,
  keys: Uint32Array,
  selected: Uint8Array,
  groups: Uint32Array,
  missing: Uint32Array,
): number {
  let count = 0;
  for (let row = 0; row < groups.length; row++) {
    const group = dense[keys[row] ?? 0] ?? 0;
    const isSelected = selected[row] ?? 0;
    groups[row] = group * isSelected; // faster than a branch that the processor cannot predict
    missing[count] = row;
    count += ((group - 1) >>> 31) & isSelected;
  }
  return count;
}

/**
 * Like `lookUp`, for keys of one word that are hashed. Rows whose key is not in the first slot of its hash count as missing.
 * @param slots pairs of a hash and its group, a power of two
 */
export function lookUpHashed(slots: Int32Array, keys: Uint32Array, groups: Uint32Array, missing: Uint32Array): number {
  const mask = slots.length - 1;
  let count = 0;
  for (let row = 0; row < groups.length; row++) {
    // `mix`, which V8 inlines here in three of four processes only; in the others, the loop would take three times as long
    let hash = keys[row] ?? 0;
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    hash ^= hash >>> 16;
    const at = (hash << 1) & mask; // at + 1 < slots.length
    const group = slots[at] === hash ? (slots[at + 1] ?? 0) : 0; // keys of one word have different hashes
    groups[row] = group;
    missing[count] = row;
    count += (group - 1) >>> 31;
  }
  return count;
}

/** Writes 0 into `groups` for rows with a 0 in `selected`. */
export function clearOthers(selected: Uint8Array, groups: Uint32Array): void {
  for (let row = 0; row < groups.length; row++) groups[row] = (groups[row] ?? 0) * (selected[row] ?? 0);
}

/** @returns the hash of the row's key */
export function hashOf(words: readonly Uint32Array[], row: number): number {
  let hash = 0;
  for (const word of words) hash = mix(hash ^ (word[row] ?? 0));
  return hash;
}

/** @returns the hash of the group's key; see `PackedKeys` */
export function hashOfGroup(keys: Uint32Array, group: number, words: number): number {
  let hash = 0;
  for (let at = group * words; at < (group + 1) * words; at++) hash = mix(hash ^ (keys[at] ?? 0));
  return hash;
}

/**
 * Adds a group whose key is not in the hash table.
 * @param slots as in `lookUpHashed`
 */
export function insertGroup(slots: Int32Array, hash: number, group: number): void {
  const mask = slots.length - 1;
  let slot = (hash << 1) & mask;
  while (slots[slot + 1] !== 0) slot = (slot + 2) & mask; // slot + 1 < length
  slots[slot] = hash;
  slots[slot + 1] = group;
}

/** The finalizer of MurmurHash3: every bit of the key affects every bit of the hash. */
export function mix(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
