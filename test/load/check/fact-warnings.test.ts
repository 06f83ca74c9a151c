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
  test('of no key of a creative if no creatives are loaded', async () => {
    const { creatives: _, freshness: _stated, ...network } = NETWORK;
    expect(await warningsOf({ ...network, 'facts/pla/delivery': [shown({ creative_key: 'unknown' })] })).toEqual([]);
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
});

test('market facts are loaded into a table without listings, without a warning', async () => {
  const rows = { 'facts/pla/market': [{ daily_date: '2026-03-02', hour: 9, impressions: 5 }] };
  expect(await load(rows, { check: false })).toMatchObject({ outcome: 'loaded', warnings: [] });
});
