import { describe, expect, test } from 'vitest';
import { CommitCache } from '../../../shared/store/commit/commit-cache.ts';

const at = (commit: number) => ({ commit, aborted: new Set<number>() });

/** A cache, and what it has read. */
function openCache(maxBytes = 10_000) {
  const cache = new CommitCache<string>({ maxBytes, sizeOf: (value) => value.length });
  const reads: number[][] = [];
  const read = (commit: number, ids: readonly number[]) =>
    cache.read(at(commit), ids, String, async (missing) => {
      reads.push([...missing]);
      return missing.map((id) => (id < 0 ? undefined : `${id} at ${commit}`));
    });
  return { reads, read };
}

describe('a commit cache', () => {
  test('reads only what is not cached at the commit, and returns one member per reference in their order', async () => {
    const { reads, read } = openCache();
    expect(await read(1, [5, 6])).toEqual(['5 at 1', '6 at 1']);
    expect(await read(1, [7, 6, 5])).toEqual(['7 at 1', '6 at 1', '5 at 1']);
    expect(await read(2, [6])).toEqual(['6 at 2']);
    expect(await read(1, [6])).toEqual(['6 at 1']);
    expect(reads).toEqual([[5, 6], [7], [6]]);
  });

  test('also caches that something does not exist', async () => {
    const { reads, read } = openCache();
    expect([await read(1, [-1]), await read(1, [-1])]).toEqual([[undefined], [undefined]]);
    expect(reads).toEqual([[-1]]);
  });

  test('returns values that exceed its size without caching all of them', async () => {
    const { reads, read } = openCache(450);
    expect(await read(1, [1, 2, 3])).toEqual(['1 at 1', '2 at 1', '3 at 1']);
    expect(await read(1, [1, 3])).toEqual(['1 at 1', '3 at 1']);
    expect(reads).toEqual([[1, 2, 3], [1]]);
  });

  test('caches nothing when the read fails', async () => {
    const cache = new CommitCache<string>({ maxBytes: 1_000, sizeOf: () => 1 });
    const fail = cache.read(at(1), [1], String, () => Promise.reject(new Error('busy')));
    await expect(fail).rejects.toThrow('busy');
    expect(await cache.read(at(1), [1], String, async () => ['one'])).toEqual(['one']);
  });
});
