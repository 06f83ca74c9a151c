import { afterEach, describe, expect, test, vi } from 'vitest';
import { CacheBudget } from '../../../shared/lib/lru-cache.ts';
import { CommitCache } from '../../../shared/store/commit/commit-cache.ts';
import { beginCommit } from '../../../shared/store/commit/commits.ts';
import { HeadReader } from '../../../shared/store/commit/head-reader.ts';
import { useTablePerTest } from '../../support/use-engine.ts';
import { keysOfLoad, writeSample } from '../sample-load.ts';

const at = (commit: number) => ({ commit, aborted: new Set<number>() });

/** A cache, and what it has read. */
function openCache(maxBytes = 10_000) {
  const cache = new CommitCache<string>({ budget: new CacheBudget(maxBytes), of: ['facts'] });
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
    const cache = new CommitCache<string>({ budget: new CacheBudget(1_000), of: ['facts'] });
    const fail = cache.read(at(1), [1], String, () => Promise.reject(new Error('busy')));
    await expect(fail).rejects.toThrow('busy');
    expect(await cache.read(at(1), [1], String, async () => ['one'])).toEqual(['one']);
  });
});

const made = useTablePerTest();
afterEach(() => vi.useRealTimers());

/** @returns the number of the load, made by a loader whose clock is ahead of the table's */
async function load(aheadMs: number, seed?: number): Promise<number> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + aheadMs });
  const writer = await beginCommit(made.table, { owner: 'the test' });
  if (seed !== undefined) await writeSample(writer, seed);
  await writer.finish();
  vi.useRealTimers();
  return writer.n;
}

/** Loaders once compared the time of a commit, which was by the clock of its loader, with their own clocks. */
test.each([0, 3_600_000, -3_600_000])(
  'a loader whose clock is %i ms ahead retains what the last load superseded',
  async (aheadMs) => {
    const first = await load(0, 1);
    const written = async () => keysOfLoad(await made.content(), first);
    await load(-aheadMs / 2, 2);
    const before = await written();
    await load(aheadMs);
    expect(await written()).toEqual(before);
    expect(before.length).toBeGreaterThan(10);
  },
);

const keyOf = (i: number) => ({ pk: `LISTING#accounts#${i}`, sk: 'HEAD' });

describe('heads that are requested at about the same time', () => {
  test('are read with one call per 100 keys, and each request gets its own head', async () => {
    await made.table.putMany(Array.from({ length: 75 }, (_, i) => ({ ...keyOf(2 * i), by: i })));
    const meter = { readUnits: 0, writeUnits: 0, calls: 0 };
    const reader = new HeadReader(made.table.metered(meter));
    const heads = await Promise.all(Array.from({ length: 150 }, (_, i) => reader.read(keyOf(i))));
    expect(heads.map((head) => head?.by)).toEqual(
      Array.from({ length: 150 }, (_, i) => (i % 2 === 0 ? i / 2 : undefined)),
    );
    expect(meter.calls).toBe(2);
  });

  test('are all rejected if the read fails, and later requests are read again', async () => {
    await made.table.put({ ...keyOf(1), by: 7 });
    const reader = new HeadReader(made.table);
    vi.spyOn(made.table, 'getMany').mockRejectedValueOnce(new Error('the table is busy'));
    const results = await Promise.allSettled([reader.read(keyOf(1)), reader.read(keyOf(2))]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect((await reader.read(keyOf(1)))?.by).toBe(7);
  });
});
