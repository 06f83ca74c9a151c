import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { openResult } from '../../../shared/store/cache/results.ts';
import { resultChunkKey } from '../../../shared/store/table/keys.ts';
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
});
