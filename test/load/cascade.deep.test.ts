import { expect, test } from 'vitest';
import type { Item } from '../../shared/store/table/item.ts';
import type { Table } from '../../shared/store/table/table.ts';
import { useEngine } from '../support/use-engine.ts';
import { killAtCalls, loadRows, outcomeOf, tableWith } from './support/load-rows.ts';
import { FACTS, type FolderRows, NETWORK } from './support/network-rows.ts';
import { readStoredNetwork } from './support/read-stored-network.ts';

const engine = useEngine();

const CASCADE: FolderRows = { 'advertisers.patch': [{ id: 10, deleted: true, cascade: true }] };
const SUMMARY =
  'removed with cascade: products: rows 2; campaigns: rows 1; ad_groups: rows 2; budgets: rows 2; creatives: rows 1; insertion_orders: rows 1; pla delivery: days 2, rows 3, cost 0.3; pla conversions: days 1, rows 1; pla activity: days 1, rows 2';

/** NETWORK and FACTS without advertiser 10; market facts are of all advertisers, and stay. */
const OTHERS: FolderRows = {
  ...NETWORK,
  advertisers: (NETWORK.advertisers ?? []).filter(({ id }) => id !== 10),
  products: (NETWORK.products ?? []).filter(({ advertiserId }) => advertiserId !== 10),
  campaigns: (NETWORK.campaigns ?? []).filter(({ advertiserId }) => advertiserId !== 10),
  ad_groups: (NETWORK.ad_groups ?? []).filter(({ campaignId }) => campaignId !== 100),
  budgets: (NETWORK.budgets ?? []).filter(({ adGroupId }) => adGroupId !== 1000),
  creatives: [],
  insertion_orders: [],
  ...Object.fromEntries(
    Object.entries(FACTS).map(([name, rows]) => [
      name,
      rows.filter((row) => !('ad_group_id' in row) || row.ad_group_id === 1100),
    ]),
  ),
};

const all = (): Promise<Table> => tableWith(engine, { ...NETWORK, ...FACTS });
const others = async () => readStoredNetwork(await tableWith(engine, OTHERS));

test('an advertiser that is removed with cascade leaves nothing, and everything of others as it was', async () => {
  const table = await all();
  const report = await loadRows(CASCADE, table);
  expect(report).toMatchObject({
    outcome: 'loaded',
    changes: [
      { experience: 'pla', table: 'delivery', days: { emptied: 2 } },
      { experience: 'pla', table: 'conversions', days: { emptied: 1 } },
      { experience: 'pla', table: 'activity', days: { emptied: 1 } },
    ],
  });
  expect(report.warnings).toContain(SUMMARY);
  expect(report.listings.map(({ listing, changes }) => [listing, changes.removed])).toEqual([
    ...[
      ['advertisers', 1],
      ['products', 2],
      ['campaigns', 1],
      ['ad_groups', 2],
      ['budgets', 2],
      ['creatives', 1],
      ['insertion_orders', 1],
    ],
  ]);
  expect(await readStoredNetwork(table)).toEqual(await others());
  expect((await loadRows(CASCADE, table)).outcome).toBe('unchanged');
  // the ids of what is gone are free
  const { campaigns = [], ad_groups = [] } = NETWORK;
  const reused = {
    'campaigns.patch': [{ ...campaigns[0], advertiserId: 11 }],
    'ad_groups.patch': [{ ...ad_groups[1] }],
  };
  expect(await outcomeOf(reused, table)).toEqual(['loaded']);
});

test('also removes an advertiser that is archived or deleted already, and what was left of it', async () => {
  const { budgets: _b, ...whole } = OTHERS;
  const { campaigns: _c, ad_groups: _a, ...rest } = whole;
  for (const before of [
    whole,
    {
      ...rest,
      'campaigns.patch': [{ id: 100, deleted: true }],
      'ad_groups.patch': [1000, 1001].map((id) => ({ id, deleted: true })),
    },
  ]) {
    const listings = Object.fromEntries(Object.entries(before).filter(([name]) => !name.startsWith('facts/')));
    const table = await all();
    expect(await outcomeOf(listings, table)).toEqual(['loaded']);
    expect((await loadRows(CASCADE, table)).warnings).toContain(SUMMARY);
    expect(await readStoredNetwork(table)).toEqual(await others());
  }
});

test('after the next loads, no item of the table holds anything of the removed advertiser', async () => {
  const made = await engine.createTable();
  await loadRows({ ...NETWORK, ...FACTS }, made.table);
  const now = Date.now();
  await loadRows(CASCADE, made.table);
  for (const minutes of [5, 10])
    await loadRows(
      { contacts: [], accounts: [...(NETWORK.accounts ?? []), { id: minutes, name: 'New' }] },
      made.table,
      { clock: () => now + minutes * 60_000 },
    );
  const isOfTen = ({ pk }: Item) =>
    /^(FACTS|ROLLUP|DIMENSION#\w+)#10(#|$)|^ADGROUP#(1000|1001)$|^LISTING#products#10(#|$)/.test(
      pk.replaceAll(/#0+(?=\d)/g, '#'),
    );
  const left = (await made.content()).filter((item) => isOfTen(item) && item.gone !== true);
  expect(left.map(({ pk, sk }) => `${pk} ${sk}`)).toEqual([]);
});

test('a load with a cascade that is killed at one of many calls leaves all, and has the same result when run again', async () => {
  const table = await all();
  expect(await killAtCalls(table, 11, (dying) => loadRows(CASCADE, dying))).toBeGreaterThan(2);
  expect((await loadRows(CASCADE, table)).outcome).toMatch(/^(loaded|unchanged)$/);
  expect(await readStoredNetwork(table)).toEqual(await others());
});

test('rejects a cascade without deletion, and rows and facts of the folder that belong to the removed advertiser', async () => {
  const table = await all();
  const before = await readStoredNetwork(table);
  const row = { id: 10, name: 'Ten', accountId: 1, cascade: true };
  expect(await outcomeOf({ 'advertisers.patch': [row] }, table)).toEqual([
    'rejected',
    'advertisers.patch.ndjson:1: cascade requires deleted',
  ]);
  const { campaigns = [], ad_groups = [] } = NETWORK;
  const facts = { 'facts/pla/activity': [{ daily_date: '2026-03-09', hour: 1, ad_group_id: 1000, live_seconds: 1 }] };
  expect(await outcomeOf({ ...CASCADE, campaigns, 'ad_groups.patch': ad_groups.slice(0, 1), ...facts }, table)).toEqual(
    [
      'rejected',
      'campaigns.ndjson:1: advertiserId 10 is not among the advertisers',
      'ad_groups.patch.ndjson:1: productIds 20 is not among the products',
      'facts/pla/activity.ndjson:1: ad_group_id 1000 is not among the ad_groups',
    ],
  );
  expect(await readStoredNetwork(table)).toEqual(before);
});
