import { describe, expect, test } from 'vitest';
import type { LoadReport } from '../../../shared/load/check/load-report.ts';
import { readCommit } from '../../../shared/store/commit/commits.ts';
import { useEngine } from '../../support/use-engine.ts';
import { loadRows, tableWith } from '../support/load-rows.ts';
import { EXPECTED, FACTS, type FolderRows, NETWORK } from '../support/network-rows.ts';
import { readStoredNetwork, type StoredNetwork } from '../support/read-stored-network.ts';

const engine = useEngine();

const loadedTable = () => tableWith(engine, { ...NETWORK, ...FACTS });

/** Loads `rows` over NETWORK and FACTS, and expects to read EXPECTED with the members of `change` in place of its own; undefined = removed. */
async function expectChange(
  rows: FolderRows,
  change: { readonly [Part in keyof StoredNetwork]?: Readonly<Record<string, unknown>> },
): Promise<LoadReport> {
  const table = await loadedTable();
  const report = await loadRows(rows, table);
  const parts = Object.entries(EXPECTED).map(([part, members]) => [
    part,
    { ...members, ...change[part as keyof StoredNetwork] },
  ]); // the keys of EXPECTED
  expect(await readStoredNetwork(table)).toEqual(Object.fromEntries(parts));
  return report;
}

const DELIVERY = FACTS['facts/pla/delivery']?.[3];
/** DELIVERY as it is stored, without its users. */
const { users: _, ...DELIVERED } = { ...EXPECTED.facts['pla delivery 10 2026-03-03']?.[0] };

describe('loading again', () => {
  test('the same folder changes nothing, not even the commit', async () => {
    const table = await loadedTable();
    const before = await readCommit(table);
    const report = await loadRows({ ...NETWORK, ...FACTS }, table);
    expect(report).toMatchObject({ outcome: 'unchanged', problems: [] });
    expect(report.listings.map((listing) => listing.outcome)).toEqual(Object.keys(NETWORK).map(() => 'unchanged'));
    expect((await readCommit(table)).commit).toBe(before.commit);
    expect(await readStoredNetwork(table)).toEqual(EXPECTED);
  });

  test('the same rows in another order change nothing', async () => {
    const reversed = Object.entries(FACTS).map(([name, rows]) => [name, rows.toReversed()]);
    expect((await expectChange(Object.fromEntries(reversed), {})).outcome).toBe('unchanged');
  });

  test('facts of two folders have the same result as of one folder', async () => {
    const { table } = await engine.createTable();
    const { 'facts/carousel/delivery': carousel = [], ...others } = FACTS;
    await loadRows(NETWORK, table);
    await loadRows(others, table);
    await loadRows({ 'facts/carousel/delivery': carousel }, table);
    expect(await readStoredNetwork(table)).toEqual(EXPECTED);
  });
});

describe('the unit of replacement of facts', () => {
  test('is the day of one advertiser in one experience and table: its old rows are removed, everything else stays', async () => {
    await expectChange(
      { 'facts/pla/delivery': [{ ...DELIVERY, daily_date: '2026-03-02', hour: 3, impressions: 1, users: [] }] },
      {
        facts: {
          'pla delivery 10 2026-03-02': [{ ...DELIVERED, hour: 3, impressions: 1 }],
        },
      },
    );
  });

  test('a new day, a new month and a new experience are added', async () => {
    const bare = { hour: 1, ad_group_id: 1000, impressions: 1 };
    const expected = [{ hour: 1, ad_group_id: 1000, impressions: 1 }];
    await expectChange(
      {
        'facts/pla/delivery': [
          { ...bare, daily_date: '2026-03-04' },
          { ...bare, daily_date: '2026-02-28' },
        ],
        'facts/toa/delivery': [{ ...bare, daily_date: '2026-03-02' }],
      },
      {
        facts: {
          'pla delivery 10 2026-03-04': expected,
          'pla delivery 10 2026-02-28': expected,
          'toa delivery 10 2026-03-02': expected,
        },
        latestDelivery: { pla: '2026-03-04', toa: '2026-03-02' },
      },
    );
  });

  test('market is replaced by experience and day, for the whole platform', async () => {
    await expectChange(
      { 'facts/pla/market': [{ daily_date: '2026-03-02', hour: 8, impressions: 5 }] },
      { facts: { 'pla market 0 2026-03-02': [{ hour: 8, market_impressions: 5 }] } },
    );
  });

  test('market rows with equal keys keep the largest number of advertisers, because distinct ones cannot be added up', async () => {
    const row = { daily_date: '2026-03-02', hour: 8, keyword: 'oats', impressions: 5 };
    await expectChange(
      { 'facts/pla/market': [{ ...row, advertisers: 3 }, { ...row, advertisers: 4 }, row] },
      {
        facts: {
          'pla market 0 2026-03-02': [{ hour: 8, keyword: 'oats', market_impressions: 15, market_advertisers: 4 }],
        },
      },
    );
  });
});

describe('the unit of replacement of listings', () => {
  test('is the whole file: dependent data are derived again from the files loaded before', async () => {
    const [beta, acme] = NETWORK.accounts ?? [];
    const accounts = [{ ...beta, name: 'Beta two' }, { ...acme }, { id: 3, name: 'Gamma' }];
    await expectChange(
      { accounts },
      {
        listings: {
          'accounts u-agency': [
            { id: 1, name: 'Ácme', active: true },
            { id: 2, name: 'Beta two', active: false },
          ],
        },
        tables: {
          'accounts 0': [
            { id: 1, name: 'Ácme' },
            { id: 2, name: 'Beta two' },
            { id: 3, name: 'Gamma' },
          ],
        },
      },
    );
  });

  test('users alone: accounts are listed for the new users, and no longer for removed users', async () => {
    const users = [{ userId: 'u-new', name: 'Nina', userType: 'CPG', accountIds: [2] }];
    await expectChange(
      { users },
      {
        listings: {
          'accounts u-agency': undefined,
          'accounts u-cpg': undefined,
          'accounts u-new': [{ id: 2, name: 'Beta, "Inc."', active: false }],
        },
        users: {
          'u-agency': undefined,
          'u-cpg': undefined,
          'u-new': { userId: 'u-new', name: 'Nina', userType: 'CPG', accountIds: [2] },
        },
      },
    );
  });

  test('advertisers alone: an advertiser that changes accounts is listed and reported by its new owner, its ad groups with it', async () => {
    const [eleven] = NETWORK.advertisers ?? [];
    const advertisers = [{ ...eleven }, { id: 10, name: 'Ten', accountId: 2 }];
    const ten = { id: 10, name: 'Ten', accountId: 2, active: true };
    const [listedEleven] = EXPECTED.listings['advertisers 2'] ?? [];
    const [, eleventh] = EXPECTED.tables['advertisers 0'] ?? [];
    await expectChange(
      { advertisers },
      {
        listings: { 'advertisers 1': [listedEleven], 'advertisers 2': [ten, listedEleven] },
        owned: { 1: [11], 2: [10, 11] },
        adGroups: {
          1000: { advertiserId: 10, accountIds: [2], products: [20, 21] },
          1001: { advertiserId: 10, accountIds: [2], products: [20] },
        },
        tables: { 'advertisers 0': [{ id: 10, name: 'Ten', accountId: 2, accountIds: '2' }, eleventh] },
      },
    );
  });

  test('products alone: an archived product of an ad group is no longer shown, and keeps its name in reports', async () => {
    const products = [{ id: 23, advertiserId: 10, upc: '13', name: 'Bran' }];
    const listed = [{ id: 23, upc: '0000000000013', name: 'Bran', available: true }];
    const chosen = Object.keys(EXPECTED.listings).filter((name) => name.startsWith('products 10#'));
    const report = await expectChange(
      { products },
      {
        listings: {
          'products 10': listed,
          'products 11': undefined,
          ...Object.fromEntries(chosen.map((name) => [name, undefined])),
        },
        adGroups: {
          1000: { advertiserId: 10, accountIds: [1], products: [23] },
          1001: { advertiserId: 10, accountIds: [1], products: [] },
          1100: { advertiserId: 11, accountIds: [1, 2], products: [] },
        },
        tables: { 'products 10': [...(EXPECTED.tables['products 10'] ?? []), { upc: '0000000000013', name: 'Bran' }] },
      },
    );
    expect(report.warnings).toEqual(['products.ndjson: 3 products are no longer listed; reports keep their names']);
  });

  test('an ad group with facts may be left out: it is archived, and the facts stay', async () => {
    const adGroups = NETWORK.ad_groups?.filter((adGroup) => adGroup.id !== 1001) ?? [];
    const [wide, narrow] = EXPECTED.tables['ad_groups 10'] ?? [];
    const chosen = Object.keys(EXPECTED.listings).filter((name) => name.startsWith('products 10#'));
    await expectChange(
      { ad_groups: adGroups },
      {
        listings: Object.fromEntries(chosen.map((name) => [name, undefined])),
        adGroups: { 1001: undefined },
        tables: { 'ad_groups 10': [wide, { ...narrow, archived: 1 }] },
      },
    );
  });

  test('an empty file empties its listing, with a warning', async () => {
    const report = await expectChange(
      { contacts: [], creatives: [] },
      {
        listings: { 'contacts 1': undefined, 'contacts 2': undefined },
      },
    );
    expect(report.warnings).toEqual([
      'creatives.ndjson: 1 creative is no longer listed; reports keep its name',
      'contacts.ndjson: no rows, so the listing contacts is empty now',
      'creatives.ndjson: no rows, so the listing creatives is empty now',
    ]);
  });
});
