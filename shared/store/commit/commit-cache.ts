import { LruCache } from '../../lib/lru-cache.ts';
import type { CommitState } from './commit-state.ts';

/** Size of an entry besides its value, in bytes, which also bounds the number of entries without a value. */
const ENTRY_BYTES = 200;

interface CommitCacheOptions<Value> {
  readonly maxBytes: number;
  /** @returns the approximate size of the value in memory */
  readonly sizeOf: (value: Value) => number;
}

/** Caches what is read at a commit, including that something does not exist. Keys contain the commit, so an entry is never stale. */
export class CommitCache<Value> {
  readonly #entries: LruCache<{ readonly value: Value | undefined }>;

  constructor({ maxBytes, sizeOf }: CommitCacheOptions<Value>) {
    this.#entries = new LruCache({
      max: maxBytes,
      sizeOf: ({ value }) => ENTRY_BYTES + (value === undefined ? 0 : sizeOf(value)),
    });
  }

  /**
   * @param keyOf returns the key of a reference
   * @param read reads those that are not cached: one member per reference, undefined for what does not exist. It is not called if all are cached.
   * @returns one member per reference
   */
  async read<Ref>(
    state: CommitState,
    refs: readonly Ref[],
    keyOf: (ref: Ref) => string | number,
    read: (missing: readonly Ref[]) => Promise<readonly (Value | undefined)[]>,
  ): Promise<(Value | undefined)[]> {
    const keys = refs.map((ref) => `${state.commit}/${keyOf(ref)}`);
    const found = new Map(keys.map((key) => [key, this.#entries.get(key)]));
    const missing = refs.filter((_, index) => found.get(keys[index] ?? '') === undefined);
    const values = missing.length === 0 ? [] : await read(missing);
    for (const [index, ref] of missing.entries()) {
      const [key, entry] = [`${state.commit}/${keyOf(ref)}`, { value: values[index] }];
      found.set(key, entry);
      this.#entries.set(key, entry);
    }
    return keys.map((key) => found.get(key)?.value);
  }
}
