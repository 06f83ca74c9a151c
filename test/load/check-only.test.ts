import { expect, test } from 'vitest';
import { beginCommit } from '../../shared/store/commit/commits.ts';
import { useEngine } from '../support/use-engine.ts';
import { loadRows } from './support/load-rows.ts';
import { FACTS, type FolderRows, NETWORK } from './support/network-rows.ts';

const engine = useEngine();

const row = (table: 'delivery' | 'market', day: string, hour: number, figures: object) => ({
  ...{ daily_date: `2026-03-${day}`, hour },
  ...(table === 'market' ? {} : { ad_group_id: 1000 }),
  ...figures,
});

/** Loaded over NETWORK and FACTS. */
const NEXT: FolderRows = {
  contacts: (NETWORK.contacts ?? []).slice(0, 1).map((contact) => ({ ...contact, lastName: 'Ng' })),
  placements: NETWORK.placements ?? [],
  'users.patch': [
    { userId: 'u-new', name: 'Nina', userType: 'CPG', accountIds: [1] },
    { userId: 'u-cpg', deleted: true },
  ],
  'facts/pla/delivery': [
    row('delivery', '02', 9, { impressions: 30, cost: '1.25' }),
    row('delivery', '02', 10, { impressions: 12, cost: '0.000001' }),
    row('delivery', '04', 1, { impressions: 5, cost: '2' }),
  ],
  'facts/pla/market': [row('market', '03', 0, { impressions: 80 })],
  deletions: [{ experience: 'carousel', table: 'delivery', advertiserId: 11, day: '2026-03-02' }],
};

const CHANGES = {
  listings: [
    { listing: 'contacts', rows: 1, outcome: 'written', changes: { added: 0, replaced: 1, removed: 1 } },
    { listing: 'placements', rows: 2, outcome: 'unchanged', changes: { added: 0, replaced: 0, removed: 0 } },
    { listing: 'users', rows: 2, outcome: 'written', changes: { added: 1, replaced: 0, removed: 1 } },
  ],
  changes: [
    {
      ...{ experience: 'pla', table: 'delivery' },
      days: { added: 1, replaced: 1, emptied: 1 },
      rows: { before: 3, after: 3 },
      impressions: { before: 26, after: 47 },
      cost: { before: 12345.978901, after: 3.250001 },
    },
    {
      ...{ experience: 'pla', table: 'market' },
      days: { added: 0, replaced: 1, emptied: 0 },
      rows: { before: 1, after: 1 },
      impressions: { before: 70, after: 80 },
    },
    {
      ...{ experience: 'carousel', table: 'delivery' },
      days: { added: 0, replaced: 0, emptied: 1 },
      rows: { before: 1, after: 0 },
      impressions: { before: 9, after: 0 },
      cost: { before: 0, after: 0 },
    },
  ],
};

test('a check writes nothing and reports what the load then changes', async () => {
  const { table, content } = await engine.createTable();
  await loadRows({ ...NETWORK, ...FACTS }, table);
  const before = await content();
  const check = await loadRows(NEXT, table, { check: true, replace: 'days' });
  expect(check).toMatchObject({ outcome: 'checked', problems: [], ...CHANGES });
  expect(await content()).toEqual(before);
  const load = await loadRows(NEXT, table, { replace: 'days' });
  expect(load).toEqual({ ...check, outcome: 'loaded' });
  expect(await loadRows(NEXT, table, { check: true, replace: 'days' })).toMatchObject({
    outcome: 'checked',
    changes: [],
  });
});

test('a check of the first folder writes nothing, and does not wait for another load', async () => {
  const { table, content } = await engine.createTable();
  const other = await beginCommit(table, { owner: 'the other' });
  const withoutBeats = async () => (await content()).filter(({ pk }) => pk !== 'COMMIT');
  const check = await loadRows({ ...NETWORK, ...FACTS }, table, { check: true });
  expect(check.listings.map(({ rows, changes }) => [rows, changes.added])).toEqual(
    Object.values(NETWORK).map((rows) => [rows.length, rows.length]),
  );
  expect(check.changes.map(({ experience, table: name, days }) => [experience, name, days.added])).toEqual([
    ['pla', 'delivery', 3],
    ['pla', 'conversions', 1],
    ['pla', 'activity', 1],
    ['pla', 'market', 2],
    ['carousel', 'delivery', 1],
  ]);
  expect(await withoutBeats()).toEqual([]);
  await other.abandon();
});

test('a check reports problems as a load does', async () => {
  const { table } = await engine.createTable();
  expect(await loadRows({ accounts: [{ id: 1 }] }, table, { check: true })).toMatchObject({
    outcome: 'rejected',
    problemCount: 1,
    changes: [],
  });
});
