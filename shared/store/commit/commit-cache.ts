import { CacheBudget, LruCache } from '../../lib/lru-cache.ts';
import { memoryOf, OBJECT_BYTES } from '../../lib/memory-of.ts';
import type { ChangeKind } from '../table/item-keys.ts';
import { type CommitState, lastChange } from './commit-state.ts';

/** A quarter of the function's memory. A function waits for the table or has more memory than it needs, because that gives it more of a processor. */
export function openCacheBudget(env: NodeJS.ProcessEnv = process.env): CacheBudget {
  return new CacheBudget(Number(env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE ?? 512) * 2 ** 18);
}

interface CommitCacheOptions<Value> {
  /** Default: that of a cache alone. */
  readonly budget?: CacheBudget | undefined;
  /** What the values depend on. */
  readonly of: readonly ChangeKind[];
  /** @returns the approximate size of the value in memory; default: `memoryOf` */
  readonly sizeOf?: (value: Value) => number;
}

/**
 * Caches what is read at a commit, including that something does not exist. Keys contain the number of the last load that changed what the values depend on, so an
 * entry is never stale.
 */
export class CommitCache<Value> {
  readonly #entries: LruCache<{ readonly value: Value | undefined }>;

  readonly #kinds: readonly ChangeKind[];

  constructor({ budget = openCacheBudget(), of, sizeOf = memoryOf }: CommitCacheOptions<Value>) {
    this.#kinds = of;
    this.#entries = new LruCache({
      max: budget,
      sizeOf: ({ value }) => 2 * OBJECT_BYTES + (value === undefined ? 0 : sizeOf(value)), // which also limits entries without a value
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
    const at = `${state.identity}/${lastChange(state, this.#kinds)}`;
    const keys = refs.map((ref) => `${at}/${keyOf(ref)}`);
    const found = new Map(keys.map((key) => [key, this.#entries.get(key)]));
    const missing = refs.filter((_, index) => found.get(keys[index] ?? '') === undefined);
    const values = missing.length === 0 ? [] : await read(missing);
    for (const [index, ref] of missing.entries()) {
      const [key, entry] = [`${at}/${keyOf(ref)}`, { value: values[index] }];
      found.set(key, entry);
      this.#entries.set(key, entry);
    }
    return keys.map((key) => found.get(key)?.value);
  }
}
