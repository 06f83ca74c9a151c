import { LruCache } from '../../lib/lru-cache.ts';
import type { CommitState } from './commit-state.ts';

/** Memory of a cached object besides its content. It also bounds the number of entries without a value. */
export const OBJECT_BYTES = 200;
/** Enough for what an agency with hundreds of advertisers reads, or for the shards of 15,000 advertisers over three years. */
const MAX_BYTES = 32_000_000;
/** Enough for the dimension tables of such an agency, or for two years of a market by day, placement, division banner and keyword. */
export const LARGE_CACHE_BYTES = 2 * MAX_BYTES;

interface CommitCacheOptions<Value> {
  readonly maxBytes?: number;
  /** @returns the approximate size of the value in memory */
  readonly sizeOf: (value: Value) => number;
}

/** Caches what is read at a commit, including that something does not exist. Keys contain the commit, so an entry is never stale. */
export class CommitCache<Value> {
  readonly #entries: LruCache<{ readonly value: Value | undefined }>;

  constructor({ maxBytes = MAX_BYTES, sizeOf }: CommitCacheOptions<Value>) {
    this.#entries = new LruCache({
      max: maxBytes,
      sizeOf: ({ value }) => OBJECT_BYTES + (value === undefined ? 0 : sizeOf(value)),
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
