import { expect, test } from 'vitest';
import { decodeKeys, expandKeys } from '../../../shared/columns/coded-keys.ts';
import type { Network } from '../../../shared/load/listings/known-network.ts';
import { LISTING_FILES } from '../../../shared/load/schema/file-columns.ts';
import { deriveTables } from '../../../shared/load/write/derive-tables.ts';
import { describeDays } from '../../../shared/load/write/describe-days.ts';
import type { LoadRow } from '../../real/write-folder.ts';
import { useEngine } from '../../support/use-engine.ts';
import { loadRows, tableWith } from '../support/load-rows.ts';
import { type FolderRows, NETWORK } from '../support/network-rows.ts';

const EMPTY = Object.fromEntries(LISTING_FILES.map((listing) => [listing, []])) as unknown as Network; // every file, without rows

/** @returns the values of a column of the table */
function columnOf(network: Partial<Network>, table: string, column: string): unknown[] {
  const bytes = deriveTables({ ...EMPTY, ...network })
    .get(table)
    ?.encode()
    .columns.get(column);
  return bytes === undefined ? [] : expandKeys(decodeKeys(bytes, column));
}

test('members of lists and keys of tables are ordered by code point: characters beyond the basic plane come last', () => {
  const texts = ['\u{1F600}', '\uFF5E', 'z'];
  const advertisers = [{ id: 1, name: 'One', accountId: 1, brandNames: texts, active: true }];
  expect(columnOf({ advertisers }, 'advertisers#0', 'brandNames')).toEqual(['z, \uFF5E, \u{1F600}']);
  const creatives = texts.map((key) => ({ key, advertiserId: 1, name: key }));
  expect(columnOf({ creatives }, 'creatives#0', 'key')).toEqual(['z', '\uFF5E', '\u{1F600}']);
});

test('consecutive days are one interval, across the ends of months and leap days', () => {
  const dates = ['2024-03-01', '2024-02-28', '2024-02-29', '2024-03-03', '2023-12-31', '2024-01-01', '2024-03-03'];
  expect(describeDays(dates)).toEqual(['2023-12-31/2024-01-01', '2024-02-28/2024-03-01', '2024-03-03']);
  expect(describeDays([])).toEqual([]);
});

const engine = useEngine();

const delivery = (day: string, figures: LoadRow): FolderRows[string] =>
  [9, 10].map((hour) => ({
    daily_date: `2026-03-${day}`,
    hour,
    ad_group_id: 1000,
    impressions: 5,
    ...figures,
    keyword: figures.keyword === undefined ? '' : `${figures.keyword} ${hour}`,
  }));

const BEFORE = [
  ...delivery('01', { clicks: 4, cost: '0.5', keyword: 'chips', division_banner: 'North', users: ['u1'] }),
  ...delivery('02', { clicks: 9, cost: '0.25', keyword: 'chips', division_banner: 'North', users: ['u2'] }),
];

test.each<[string, FolderRows, readonly string[]]>([
  [
    'a measure on two days',
    { 'facts/pla/delivery': BEFORE.map(({ clicks: _, ...row }) => row) },
    ['facts/pla/delivery*: replaced days had values before, and have none now, of clicks (26 on 2 days)'],
  ],
  [
    'cost, keyword, users and the only division banner on a day',
    { 'facts/pla/delivery': delivery('01', { clicks: 4 }) },
    [
      'facts/pla/delivery*: replaced days had values before, and have none now, of cost (1 on 1 day), division_banner (on 1 day), keyword (on 1 day), users (on 1 day)',
    ],
  ],
  ['nothing, because it has fewer clicks', { 'facts/pla/delivery': BEFORE.map((row) => ({ ...row, clicks: 1 })) }, []],
  [
    'measures and dimensions of a day that it adds',
    { 'facts/pla/delivery': delivery('03', { cost: '0.5' }) },
    [
      'facts/pla/delivery*: lacks division_banner, keyword on 1 new day, unlike other facts: reports by it leave them out',
      'facts/pla/delivery*: lacks clicks on 1 new day, unlike the days before: reports leave them out',
    ],
  ],
  [
    'a user, and most contacts',
    { users: (NETWORK.users ?? []).slice(0, 1), contacts: [{ ...NETWORK.contacts?.[0], id: 9 }] },
    [
      'contacts.ndjson: lacks 2 of the 2 rows of contacts, such as 5, 6',
      'users.ndjson: lacks 1 of the 2 rows of users, such as u-cpg; their keys stop working',
    ],
  ],
])('a load or check warns when a folder loses %s', async (_, rows, expected) => {
  const table = await tableWith(engine, { ...NETWORK, 'facts/pla/delivery': BEFORE });
  expect((await loadRows(rows, table, { check: true })).warnings).toEqual(expected);
  expect((await loadRows(rows, table)).warnings).toEqual(expected);
});

test('a load warns of days on which a measure is more than what it is a part of', async () => {
  const table = await tableWith(engine, NETWORK);
  const bought = {
    daily_date: '2026-03-02',
    ad_group_id: 1000,
    halo_transactions: 1,
    halo_units: 2,
    halo_revenue: '3',
  };
  const rows = {
    'facts/pla/delivery': [
      ...delivery('01', { measurable_impressions: 5, viewable_impressions: 5 }),
      ...delivery('02', { measurable_impressions: 6, viewable_impressions: 7 }),
      ...delivery('03', { measurable_impressions: 4, viewable_impressions: 5 }),
    ],
    'facts/pla/conversions': [
      { ...bought, hour: 9, new_to_brand_transactions: 2, new_to_brand_units: 2, new_to_brand_revenue: '3.01' },
    ],
  };
  expect((await loadRows(rows, table)).warnings).toEqual([
    'facts/pla/delivery*: measurable_impressions is more than impressions on 1 advertiser day, such as 2026-03-02 of advertiser 10',
    'facts/pla/delivery*: viewable_impressions is more than measurable_impressions on 2 advertiser days, such as 2026-03-02 of advertiser 10',
    'facts/pla/conversions*: new_to_brand_transactions is more than halo_transactions on 1 advertiser day, such as 2026-03-02 of advertiser 10',
    'facts/pla/conversions*: new_to_brand_revenue is more than halo_revenue on 1 advertiser day, such as 2026-03-02 of advertiser 10',
  ]);
});
