import { describe, expect, test } from 'vitest';
import { encodeKeys } from '../../../shared/columns/coded-keys.ts';
import type { KeyValue } from '../../../shared/columns/column.ts';
import { AdvertiserRows } from '../../../shared/store/cache/advertiser-rows.ts';
import { DimensionCache } from '../../../shared/store/cache/dimension-cache.ts';
import { beginCommit, readCommit } from '../../../shared/store/commit/commits.ts';
import { writeDimensionTable } from '../../../shared/store/facts/dimension-items.ts';
import { useTable } from '../../support/use-engine.ts';

describe('the dimension cache', () => {
  const made = useTable();
  const columns = (name: string) =>
    new Map([
      ['id', encodeKeys([1])],
      ['name', encodeKeys([name])],
      ['status', encodeKeys(['ACTIVE'])],
    ]);
  const load = async (name: string) => {
    const writer = await beginCommit(made.table, { owner: 'test' });
    await writeDimensionTable(writer, 'campaigns', 7, { rows: 1, columns: columns(name) });
    await writer.finish();
    return await readCommit(made.table);
  };

  test('reads each choice of columns once per commit', async () => {
    const meter = { readUnits: 0, writeUnits: 0, calls: 0 };
    const cache = new DimensionCache();
    const read = async (state: Awaited<ReturnType<typeof readCommit>>, wanted: string[]) => {
      const found = await cache.read(made.table.metered(meter), 'campaigns', [7, 8], state, wanted);
      return [Object.fromEntries([...found].map(([id, table]) => [id, [...table.columns.keys()]])), meter.calls];
    };
    const first = await load('Spring');
    expect(await read(first, ['id', 'name'])).toEqual([{ 7: ['id', 'name'] }, 1]);
    expect(await read(first, ['id', 'name'])).toEqual([{ 7: ['id', 'name'] }, 1]);
    expect(await read(first, ['id', 'status'])).toEqual([{ 7: ['id', 'status'] }, 2]);
    // a column that was added to the catalogue after the table was loaded
    expect(await read(first, ['name', 'added'])).toEqual([{ 7: ['name'] }, 3]);
    expect(await read(first, ['name', 'added'])).toEqual([{ 7: ['name'] }, 3]);
    const second = await load('Summer');
    expect(await read(second, ['name'])).toEqual([{ 7: ['name'] }, 4]);
    const found = await cache.read(made.table, 'campaigns', [7], second, ['name']);
    expect(found.get(7)?.columns.get('name')).toEqual(columns('Summer').get('name'));
  });

  test('returns the tables of the requested commit while a report at a later commit reads concurrently', async () => {
    const cache = new DimensionCache();
    const read = async (state: Awaited<ReturnType<typeof readCommit>>, ids: number[]) => {
      const found = await cache.read(made.table, 'campaigns', ids, state, ['name']);
      return found.get(7)?.columns.get('name');
    };
    const first = await load('Spring');
    await read(first, [7]);
    const second = await load('Summer');
    const results = await Promise.all([read(first, [7, 8]), read(second, [7])]);
    expect(results).toEqual([columns('Spring').get('name'), columns('Summer').get('name')]);
  });

  /** Entries of 500 advertisers took 1.1 GB instead of 64 MB, because each kept the whole item in memory. */
  test('keeps no more in memory than the columns that it caches', async () => {
    const state = await load('Spring');
    const cache = new DimensionCache();
    for (const wanted of [['name'], ['name', 'status']]) {
      await cache.read(made.table, 'campaigns', [7], state, wanted);
      const cached = await cache.read(made.table, 'campaigns', [7], state, wanted);
      const sizes = [...(cached.get(7)?.columns.values() ?? [])].map(({ buffer, length }) => [
        buffer.byteLength,
        length,
      ]);
      expect(sizes).toHaveLength(wanted.length);
      for (const [kept, used] of sizes) expect(kept).toBe(used);
    }
  });
});

const ROWS = 60_000;
const ADVERTISERS = [7, 8, 9];

describe('the campaigns of advertisers', () => {
  const made = useTable();

  const load = async (tables: Readonly<Record<number, Readonly<Record<string, readonly KeyValue[]>>>>) => {
    const writer = await beginCommit(made.table, { owner: 'test' });
    for (const [id, columns] of Object.entries(tables)) {
      const encoded = Object.entries(columns).map(([name, values]) => [name, encodeKeys(values)] as const);
      const rows = Object.values(columns)[0]?.length ?? 0;
      await writeDimensionTable(writer, 'campaigns', Number(id), { rows, columns: new Map(encoded) });
    }
    await writer.finish();
    return await readCommit(made.table);
  };

  /** Of advertiser 7 the odd ids, of 8 the even ones. */
  const loadLarge = () =>
    load(
      Object.fromEntries(
        [7, 8].map((advertiserId) => {
          const ids = Array.from({ length: ROWS }, (_, row) => 2 * row + advertiserId - 6);
          const status = ids.map((id) => (id % 3 === 0 ? 'PAUSED' : 'ACTIVE'));
          const endDate = ids.map((id) => (id % 2 === 0 ? null : '2026-12-31'));
          return [advertiserId, { id: ids, name: ids.map((id) => `Campaign ${id}`), status, endDate }];
        }),
      ),
    );

  test('of an account with 120,000 are read once per load, page by page, by status and in the order of their ids', async () => {
    const state = await loadLarge();
    const meter = { readUnits: 0, writeUnits: 0, calls: 0 };
    const rows = new AdvertiserRows('campaigns');
    const read = (selection: Partial<Parameters<AdvertiserRows['readPage']>[3]>, advertiserIds = ADVERTISERS) => {
      const whole = { account_id: 1, offset: 0, size: 2, ...selection };
      return rows.readPage(made.table.metered(meter), advertiserIds, state, whole);
    };
    const first = await read({});
    expect(first).toEqual({
      items: [
        { id: 1, name: 'Campaign 1', status: 'ACTIVE', endDate: '2026-12-31', advertiserId: 7 },
        { id: 2, name: 'Campaign 2', status: 'ACTIVE', advertiserId: 8 },
      ],
      total: 2 * ROWS,
    });
    expect(Object.keys(first.items[0] ?? {})[0]).toBe('id');
    const { calls } = meter;
    expect(calls).toBeGreaterThan(0);
    const last = await read({ offset: 2 * ROWS - 1 });
    expect(last.items.map(({ id }) => id)).toEqual([2 * ROWS]);
    expect((await read({ offset: 2 * ROWS })).items).toEqual([]);
    const paused = await read({ status: 'PAUSED', offset: 39_999 });
    expect([paused.items.map(({ id }) => id), paused.total]).toEqual([[120_000], 40_000]);
    expect(meter.calls).toBe(calls);
    const one = await read({ advertiser_id: 8, offset: 1 }, [8]);
    expect([one.items.map(({ id }) => id), one.total]).toEqual([[4, 6], ROWS]);
    expect((await read({ advertiser_id: 8 }, [8])).items.map(({ id }) => id)).toEqual([2, 4]);
  });

  test('of another commit are read again', async () => {
    const before = await load({ 7: { id: [3], status: ['ACTIVE'] } });
    const rows = new AdvertiserRows('campaigns');
    const read = async (state: typeof before) =>
      (await rows.readPage(made.table, [7], state, { account_id: 1, offset: 0, size: 9 })).items;
    expect(await read(before)).toEqual([{ id: 3, status: 'ACTIVE', advertiserId: 7 }]);
    const after = await load({ 7: { id: [3, 5], status: ['PAUSED', 'DRAFT'] } });
    expect((await read(after)).map(({ status }) => status)).toEqual(['PAUSED', 'DRAFT']);
    expect(await read(before)).toHaveLength(1);
  });
});
