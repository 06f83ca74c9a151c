import { describe, expect, test } from 'vitest';
import type { LoadReport } from '../../../shared/load/check/load-report.ts';
import { type LoadOptions, loadFolder } from '../../../shared/load/load-folder.ts';
import { useTable } from '../../support/use-engine.ts';
import { userIdKey } from '../../support/user-id-key.ts';
import { folderOf, writeRows } from '../support/folder.ts';
import { type FolderRows, NETWORK } from '../support/network-rows.ts';

const made = useTable();

async function load(rows: FolderRows, options: Partial<LoadOptions> = {}, format = 'ndjson'): Promise<LoadReport> {
  using folder = folderOf(rows, format);
  return await loadFolder({
    userIdKey,
    folder: folder.path,
    table: made.table,
    timeZone: 'America/New_York',
    check: true,
    ...options,
  });
}

/** @returns the warnings of the check of a folder that can be loaded */
async function warningsOf(...given: Parameters<typeof load>): Promise<readonly string[]> {
  const { outcome, warnings } = await load(...given);
  expect(outcome).toBe('checked');
  return warnings;
}

const ROW = { daily_date: '2026-03-02', hour: 9, ad_group_id: 1000 };
const shown = (row: object) => ({ ...ROW, impressions: 1, ...row });

describe('a load warns', () => {
  test('of hours that the platform’s zone does not have, in any table that has hours', async () => {
    const rows = [
      shown({ daily_date: '2026-03-08', hour: 1 }),
      shown({ daily_date: '2026-03-08', hour: 2 }),
      shown({ daily_date: '2026-03-08', hour: 3 }),
      shown({ daily_date: '2025-03-09', hour: 2 }),
      shown({ daily_date: '2026-03-08', hour: 2, keyword: 'another' }),
      shown({ daily_date: '2024-03-10', hour: 2 }),
      shown({ daily_date: '2026-11-01', hour: 1 }),
    ];
    const market = [{ daily_date: '2026-03-08', hour: 2, impressions: 5 }];
    const facts = { ...NETWORK, 'facts/pla/delivery': rows, 'facts/toa/market': market };
    const clock = () => Date.parse('2026-12-01');
    expect(await warningsOf(facts, { clock })).toEqual([
      'facts/pla/delivery*: rows in an hour that clocks in America/New_York skip on that day: 4, such as hour 2 of 2026-03-08 (facts/pla/delivery.ndjson:2)',
      'facts/toa/market*: rows in an hour that clocks in America/New_York skip on that day: 1, such as hour 2 of 2026-03-08 (facts/toa/market.ndjson:1)',
    ]);
    expect((await load(facts, { clock, timeZone: 'UTC' })).warnings).toEqual([]);
  });

  test('of days that have not begun in the platform’s zone', async () => {
    const row = { daily_date: '2026-03-05', hour: 1, ad_group_id: 1000, live_seconds: 1, scheduled_seconds: 1 };
    const facts = { ...NETWORK, 'facts/pla/activity': [row] };
    const clock = () => Date.parse('2026-03-05T02:00:00Z'); // still the fourth in New York
    expect(await warningsOf(facts, { clock })).toEqual([
      'facts of days after today, 2026-03-04 in America/New_York: the latest is 2026-03-05',
    ]);
    expect((await load(facts, { clock, timeZone: 'UTC' })).warnings).toEqual([]);
  });

  test('of keys that no creative has', async () => {
    const rows = [
      shown({ creative_key: 'k1' }),
      shown({ ad_group_id: 1100, creative_key: 'unknown' }),
      shown({ ad_group_id: 1100 }),
    ];
    expect(await warningsOf({ ...NETWORK, 'facts/toa/delivery': rows }, {}, 'csv')).toEqual([
      'facts/toa/delivery*: rows with a creative_key that no creative has: 1, such as unknown in an ad group of advertiser 11 (facts/toa/delivery.csv:3)',
    ]);
  });

  test('of no key of a creative if no creatives are loaded', async () => {
    const { creatives: _, ...network } = NETWORK;
    expect(await warningsOf({ ...network, 'facts/pla/delivery': [shown({ creative_key: 'unknown' })] })).toEqual([]);
  });

  test('of entities that are not a product of the advertiser; purchased ones may be any advertiser’s', async () => {
    const rows = [
      shown({ entity_id: '12' }),
      shown({ entity_id: '0000000000011' }),
      shown({ ad_group_id: 1100, entity_id: '11' }), // both advertisers have it
      shown({ ad_group_id: 1100, entity_id: '12' }),
      shown({ ad_group_id: 1100, entity_id: '12', hour: 8 }),
      shown({ entity_id: '99' }),
      shown({ entity_id: '98' }),
      shown({}),
    ];
    const converted = [{ ...ROW, purchased_entity_id: '99', halo_exposed_units: 1 }];
    const facts = { ...NETWORK, 'facts/pla/delivery': rows, 'facts/pla/conversions': converted };
    expect(await warningsOf(facts)).toEqual([
      'facts/pla/delivery*: rows with an entity_id that is no product of the advertiser: 4, such as 0000000000012 in an ad group of advertiser 11 (facts/pla/delivery.ndjson:4)',
    ]);
  });

  test('once per kind of warning, however many rows and threads there are', async () => {
    const rows = Array.from({ length: 60_000 }, (_, i) =>
      shown({
        daily_date: '2026-03-08',
        hour: i % 24, // 2,500 rows have hour 2
        ad_group_id: 1100,
        entity_id: String(100 + (i % 500)),
        creative_key: 'unknown',
      }),
    );
    using folder = folderOf(NETWORK);
    writeRows(folder, { 'facts/pla/delivery': rows.slice(0, 40_000) }, 'csv');
    writeRows(folder, { 'facts/pla/delivery-more': rows.slice(40_000) }, 'ndjson');
    folder.write('columns.json', '{"filesAddUp": true}');
    const options = { folder: folder.path, table: made.table, timeZone: 'America/New_York', check: true };
    const expected = [
      'facts/pla/delivery*: rows in an hour that clocks in America/New_York skip on that day: 2,500, such as hour 2 of 2026-03-08 (facts/pla/delivery-more.ndjson:11)',
      'facts/pla/delivery*: rows with a creative_key that no creative has: 60,000, such as unknown in an ad group of advertiser 11 (facts/pla/delivery-more.ndjson:1)',
      'facts/pla/delivery*: rows with an entity_id that is no product of the advertiser: 60,000, such as 0000000000100 in an ad group of advertiser 11 (facts/pla/delivery-more.ndjson:1)',
    ];
    for (const threads of [0, 3]) {
      expect((await loadFolder({ userIdKey, ...options, limits: { threads } })).warnings).toEqual(expected);
    }
  });

  test('of nothing if the folder is rejected', async () => {
    const rows = [shown({ ad_group_id: 1100, creative_key: 'unknown' }), shown({ hour: 24 })];
    expect(await load({ ...NETWORK, 'facts/pla/delivery': rows })).toMatchObject({ outcome: 'rejected', warnings: [] });
  });

  test('of the same facts if creatives and products were loaded before', async () => {
    await load(NETWORK, { check: false });
    const rows = [
      shown({ entity_id: '12', creative_key: 'k1' }),
      shown({ ad_group_id: 1100, entity_id: '12', creative_key: 'unknown' }),
    ];
    expect(await warningsOf({ 'facts/pla/delivery': rows })).toEqual([
      expect.stringContaining('unknown in an ad group of advertiser 11'),
      expect.stringContaining('0000000000012 in an ad group of advertiser 11'),
    ]);
  });
});

test('market facts are loaded into a table without listings, without a warning', async () => {
  const rows = { 'facts/pla/market': [{ daily_date: '2026-03-02', hour: 9, impressions: 5 }] };
  expect(await load(rows, { check: false })).toMatchObject({ outcome: 'loaded', warnings: [] });
});
