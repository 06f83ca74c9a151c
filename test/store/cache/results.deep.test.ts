import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { openResult } from '../../../shared/store/cache/results.ts';
import { resultChunkKey } from '../../../shared/store/table/item-keys.ts';
import { randomFrom } from '../../oracle/random/random.ts';
import { useTable } from '../../support/use-engine.ts';

/** @returns parts of 1,000 rows, as reports make them */
function* inParts<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let from = 0; from < rows.length; from += 1_000) yield rows.slice(from, from + 1_000);
}

describe('the cached rows of a report', () => {
  const made = useTable();
  const rows = Array.from({ length: 2_500 }, (_, i) => [`keyword ${i}`, i, null]);
  const envelope = { totalCount: 2_500, totals: { clicks: 7 } };
  let now = 1_800_000_000_000;
  const open = (cacheKey: unknown) =>
    openResult<typeof envelope, (string | number | null)[]>(made.table, cacheKey, () => now);

  beforeAll(() => open({ report: 1 }).write(envelope, inParts(rows)));

  test.each([
    [0, 10],
    [995, 10],
    [1_000, 1_000],
    [2_400, 500],
    [2_500, 10],
  ])('are read page by page: offset %i, size %i', async (offset, size) => {
    expect(await open({ report: 1 }).read(offset, size)).toEqual({ envelope, rows: rows.slice(offset, offset + size) });
  });

  test('are not found under another cache key', async () => {
    expect(await open({ report: 2 }).read(0, 10)).toBeUndefined();
  });

  test('expire after 15 minutes, even while they are still in the table', async () => {
    now += 15 * 60_000;
    expect(await open({ report: 1 }).read(0, 10)).toBeUndefined();
    now -= 15 * 60_000;
  });

  test('are not found if a chunk of the page is missing', async () => {
    const digest = createHash('sha256')
      .update(JSON.stringify({ report: 1 }))
      .digest('base64url');
    await made.table.delete(resultChunkKey(digest, 1));
    expect(await open({ report: 1 }).read(995, 10)).toBeUndefined();
    expect(await open({ report: 1 }).read(0, 10)).toEqual({ envelope, rows: rows.slice(0, 10) });
  });

  test('are split into smaller chunks if their texts are long', async () => {
    const random = randomFrom(3);
    const letters = [...'abcdefghijklmnopqrstuvwxyz'];
    const noise = () => Array.from({ length: 900 }, () => random.pick(letters)).join('');
    const long = Array.from({ length: 1_200 }, (_, i) => [noise(), i, noise()]);
    await open({ report: 'long' }).write({ totalCount: 1_200, totals: { clicks: 1 } }, inParts(long));
    const found = await open({ report: 'long' }).read(900, 200);
    expect(found?.rows).toEqual(long.slice(900, 1_100));
  });

  test('are split where only some of them are long', async () => {
    const random = randomFrom(4);
    const noise = (length: number) => Array.from({ length }, () => random.int(10)).join('');
    const mixed = Array.from({ length: 2_100 }, (_, i) => [i, noise(i >= 1_400 && i < 1_500 ? 9_000 : 3)]);
    await open({ report: 'mixed' }).write({ totalCount: 2_100, totals: { clicks: 1 } }, inParts(mixed));
    for (const [offset, size] of [
      [0, 2_100],
      [990, 20],
      [1_380, 200],
      [1_450, 1],
      [1_999, 500],
    ] as const) {
      const found = await open({ report: 'mixed' }).read(offset, size);
      expect(found?.rows).toEqual(mixed.slice(offset, offset + size));
    }
  });

  test('are written while they are made: all of them together once exceeded the memory of a function', async () => {
    const random = randomFrom(5);
    /** For each write, how many of the 40 parts were made before it. */
    const partsBefore: number[] = [];
    let count = 0;
    function* parts() {
      for (; count < 40; count++) {
        const noise = () => Array.from({ length: 700 }, () => random.int(10)).join('');
        yield Array.from({ length: 1_000 }, (_, i) => [count * 1_000 + i, noise()]);
      }
    }
    const putMany = made.table.putMany.bind(made.table);
    const spy = vi.spyOn(made.table, 'putMany').mockImplementation(async (items) => {
      partsBefore.push(count);
      await putMany(items);
    });
    await open({ report: 'large' }).write({ totalCount: 40_000, totals: { clicks: 1 } }, parts());
    spy.mockRestore();
    expect(partsBefore[0]).toBeLessThan(20);
    expect((await open({ report: 'large' }).read(39_999, 1))?.rows[0]?.[0]).toBe(39_999);
  });

  test('are not found if the function ends before all of them are written', async () => {
    function* interrupted() {
      yield rows.slice(0, 1_000);
      throw new Error('killed');
    }
    const results = open({ report: 'interrupted' });
    await expect(results.write(envelope, interrupted())).rejects.toThrow('killed');
    expect(await results.read(0, 10)).toBeUndefined();
  });
});
