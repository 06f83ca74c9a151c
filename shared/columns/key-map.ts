import { getRandomValues } from 'node:crypto';
import type { KeyValue } from './column.ts';

/** A random number per process, for each half of an integer. */
const [HIGH_SEED = 0, LOW_SEED = 0] = getRandomValues(new Uint32Array(2));
const LOW_RANGE = 2 ** 32;
/** Mask of the high half, 21 bits, of an integer below 2^53. */
const HIGH_MASK = 2 ** 21 - 1;

/**
 * A Map by values of a key column. V8 hashes numbers without a seed, so that a file could contain ids with equal hashes. So integers in [0, 2^53) are replaced
 * by others, which nobody outside can predict, and other numbers by their texts, which V8 hashes with a seed. Integers below 2^31 become 32-bit integers, which V8
 * finds faster.
 */
export class KeyMap<V> {
  readonly #map = new Map<KeyValue, V>();
  /** By what replaces integers in [2^31, 2^53), and by the texts of fractions and of negative and larger numbers. */
  readonly #others = new Map<number | string, V>();

  get size(): number {
    return this.#map.size + this.#others.size;
  }

  has(key: KeyValue): boolean {
    return isOther(key) ? this.#others.has(hideOther(key)) : this.#map.has(hide(key));
  }

  get(key: KeyValue): V | undefined {
    return isOther(key) ? this.#others.get(hideOther(key)) : this.#map.get(hide(key));
  }

  set(key: KeyValue, value: V): this {
    if (isOther(key)) this.#others.set(hideOther(key), value);
    else this.#map.set(hide(key), value);
    return this;
  }
}

/** @returns whether the key is a number but no integer in [0, 2^31) */
function isOther(key: KeyValue): key is number {
  return typeof key === 'number' && !(key >= 0 && (key | 0) === key);
}

/** @returns another 32-bit integer for each integer in [0, 2^31); texts and null as they are */
function hide(key: KeyValue): KeyValue {
  return typeof key === 'number' ? key ^ LOW_SEED : key;
}

/** @returns another integer for each integer in [2^31, 2^53); the texts of other numbers */
function hideOther(key: number): number | string {
  if (key < 0 || !Number.isSafeInteger(key)) return String(key);
  const high = (Math.floor(key / LOW_RANGE) ^ HIGH_SEED) & HIGH_MASK;
  return high * LOW_RANGE + ((key ^ LOW_SEED) >>> 0);
}
