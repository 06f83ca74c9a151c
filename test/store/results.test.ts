import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { openResult } from '../../shared/store/cache/results.ts';
import { resultChunkKey } from '../../shared/store/table/keys.ts';
import { randomFrom } from '../oracle/random.ts';
import { useTable } from '../support/use-engine.ts';

describe('the kept rows of a report', () => {
  const made = useTable();
  const rows = Array.from({ length: 2_500 }, (_, i) => [`keyword ${i}`, i, null]);
  const frame = { totalCount: 2_500, totals: { clicks: 7 } };
  let now = 1_800_000_000_000;
  const open = (parts: unknown) => openResult<typeof frame, (string | number | null)[]>(made.table, parts, () => now);

  beforeAll(() => open({ report: 1 }).write(frame, rows));

  it.each([
    [0, 10],
    [995, 10],
    [1_000, 1_000],
    [2_400, 500],
    [2_500, 10],
  ])('are answered page by page: %i, %i', async (offset, size) => {
    expect(await open({ report: 1 }).read(offset, size)).toEqual({ frame, rows: rows.slice(offset, offset + size) });
  });

  it('are of that report only: any other part has none', async () => {
    expect(await open({ report: 2 }).read(0, 10)).toBeUndefined();
  });

  it('are gone after a quarter of an hour, even while they are still in the table', async () => {
    now += 15 * 60_000;
    expect(await open({ report: 1 }).read(0, 10)).toBeUndefined();
    now -= 15 * 60_000;
  });

  it('are not answered in part: without one of its chunks a page is none', async () => {
    const digest = createHash('sha256')
      .update(JSON.stringify({ report: 1 }))
      .digest('base64url');
    await made.table.delete(resultChunkKey(digest, 1));
    expect(await open({ report: 1 }).read(995, 10)).toBeUndefined();
    expect(await open({ report: 1 }).read(0, 10)).toEqual({ frame, rows: rows.slice(0, 10) });
  });

  it('are kept in smaller pieces where their texts are long', async () => {
    const random = randomFrom(3);
    const letters = [...'abcdefghijklmnopqrstuvwxyz'];
    const noise = () => Array.from({ length: 900 }, () => random.pick(letters)).join('');
    const long = Array.from({ length: 1_200 }, (_, i) => [noise(), i, noise()]);
    await open({ report: 'long' }).write({ totalCount: 1_200, totals: { clicks: 1 } }, long);
    const found = await open({ report: 'long' }).read(900, 200);
    expect(found?.rows).toEqual(long.slice(900, 1_100));
  });
});
