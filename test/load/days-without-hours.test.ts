import { expect, test } from 'vitest';
import { loadFolder } from '../../shared/load/load-folder.ts';
import { formatProblem } from '../../shared/load/schema/problems.ts';
import type { LoadRow } from '../real/write-folder.ts';
import { useEngine } from '../support/use-engine.ts';
import { userIdKey } from '../support/user-id-key.ts';
import { folderOf } from './support/folder.ts';
import { loadRows, outcomeOf, tableWith } from './support/load-rows.ts';
import { FACTS, NETWORK } from './support/network-rows.ts';
import { parquetFolderOf } from './support/parquet-folder.ts';
import { readStoredNetwork } from './support/read-stored-network.ts';

const engine = useEngine();

const day = (impressions: number, ...hours: number[]): LoadRow[] => {
  const row = { daily_date: '2026-03-05', ad_group_id: 1000, impressions };
  return hours.length === 0 ? [row] : hours.map((hour) => ({ ...row, hour }));
};
const delivery = (rows: readonly LoadRow[]) => ({ 'facts/pla/delivery': rows });

test.each<[string, LoadRow[], LoadRow[], string[]]>([
  [
    'that had hours is a warning of a lost dimension',
    day(5, 0, 9),
    day(10),
    ['facts/pla/delivery*: replaced days had values before, and have none now, of hour (on 1 day)'],
  ],
  ['that had none is no warning', day(10), day(9), []],
  ['that has hours now is no warning', day(10), day(5, 9, 10), []],
  [
    'that had more than twice the impressions is a warning',
    day(1_000),
    day(10),
    [
      'facts/pla/delivery*: 1 advertiser day with fewer hours or less than half of the impressions, such as 2026-03-05 of advertiser 10: a day without hours with 1,000 impressions before, a day without hours with 10 impressions now; --replace hours keeps hours that the folder does not have',
    ],
  ],
])('the replacement of a day %s', async (_, before, after, warnings) => {
  const table = await tableWith(engine, { ...NETWORK, ...delivery(before) });
  const report = await loadRows(delivery(after), table);
  expect([report.outcome, ...report.problems, ...report.warnings]).toEqual(['loaded', ...warnings]);
  const stored = after.map(({ daily_date: _day, ...row }) => row);
  const { facts } = await readStoredNetwork(table);
  expect(facts).toEqual({ 'pla delivery 10 2026-03-05': stored });
  expect((await loadRows(delivery(after), table)).outcome).toBe('unchanged');
});

test('hours cannot be added to a day without hours, whose rows would be counted twice', async () => {
  const table = await tableWith(engine, { ...NETWORK, ...FACTS, ...delivery(day(10)) });
  const before = await readStoredNetwork(table);
  for (const accept of [false, true]) {
    const { outcome, problems } = await loadRows(delivery(day(5, 0)), table, { replace: 'hours', accept });
    expect([outcome, ...problems.map(formatProblem)]).toEqual([
      'rejected',
      'facts/pla/delivery*: 1 advertiser day stored without hours, such as 2026-03-05 of advertiser 10: a day without hours with 10 impressions before, 1 hour with 5 impressions now: load whole days, without --replace hours',
    ]);
  }
  expect(await readStoredNetwork(table)).toEqual(before);
  const deletions = [{ experience: 'pla', table: 'delivery', day: '2026-03-05' }];
  expect(await outcomeOf({ ...delivery(day(5, 0)), deletions }, table, { replace: 'hours' })).toEqual(['loaded']);
});

const clicked = (rows: readonly LoadRow[]) => rows.map((row) => ({ ...row, clicks: 2 }));

test.each<[string, LoadRow[], LoadRow[]]>([
  ['lack a measure of the stored ones', clicked(day(5, 0)), day(7, 1)],
  ['have a measure that the stored ones lack', day(5, 0), clicked(day(7, 1))],
])('hours that %s are a warning, because the sums are those of some hours', async (_, before, after) => {
  const table = await tableWith(engine, { ...NETWORK, ...delivery(before) });
  expect(await loadRows(delivery(after), table, { replace: 'hours' })).toMatchObject({
    outcome: 'loaded',
    warnings: [
      'facts/pla/delivery*: 1 advertiser day with hours that have other measures, such as 2026-03-05 of advertiser 10: 1 hour with 5 impressions before, 2 hours with 12 impressions now; sums of these are those of some hours',
    ],
  });
});

test('no row without an hour is in an hour that clocks skip', async () => {
  const { table } = await engine.createTable();
  const row = { daily_date: '2026-04-24', ad_group_id: 1000, impressions: 1 }; // in Cairo, midnight is skipped
  expect((await loadRows({ ...NETWORK, ...delivery([row]) }, table, { timeZone: 'Africa/Cairo' })).warnings).toEqual(
    [],
  );
});

test.each(['csv', 'ndjson', 'parquet'])('all tables are loaded without hours from %s', async (format) => {
  const { table } = await engine.createTable();
  const rows = {
    ...NETWORK,
    ...delivery(day(10)),
    'facts/pla/conversions': [{ daily_date: '2026-03-05', ad_group_id: 1000, halo_exposed_units: 2 }],
    'facts/pla/activity': [{ daily_date: '2026-03-05', ad_group_id: 1000, live_seconds: 7 }],
    'facts/pla/market': [{ daily_date: '2026-03-05', impressions: 90, advertisers: 4 }],
  };
  using folder = format === 'parquet' ? await parquetFolderOf(rows) : folderOf(rows, format);
  const report = await loadFolder({ userIdKey, folder: folder.path, table, timeZone: 'UTC' });
  expect([report.outcome, ...report.problems]).toEqual(['loaded']);
  expect((await readStoredNetwork(table)).facts).toEqual({
    'pla delivery 10 2026-03-05': [{ ad_group_id: 1000, impressions: 10 }],
    'pla conversions 10 2026-03-05': [{ ad_group_id: 1000, halo_exposed_units: 2 }],
    'pla activity 10 2026-03-05': [{ ad_group_id: 1000, live_seconds: 7 }],
    'pla market 0 2026-03-05': [{ market_impressions: 90, market_advertisers: 4 }],
  });
});
