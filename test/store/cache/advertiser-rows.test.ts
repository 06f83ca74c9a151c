import { describe, expect, test } from 'vitest';
import { encodeKeys } from '../../../shared/columns/coded-keys.ts';
import type { KeyValue } from '../../../shared/columns/column.ts';
import { AdvertiserRows } from '../../../shared/store/cache/advertiser-rows.ts';
import { beginCommit, readCommit } from '../../../shared/store/commit/commits.ts';
import { writeDimensionTable } from '../../../shared/store/facts/dimension-items.ts';
import { useTable } from '../../support/use-engine.ts';

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
