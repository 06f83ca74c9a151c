import { expect, test } from 'vitest';
import type { FactTable } from '../../../shared/catalog/tables.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import { readCommit } from '../../../shared/store/commit/commits.ts';
import { openSegmentSource } from '../../../shared/store/segment-source.ts';
import type { Table } from '../../../shared/store/table/table.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import { useEngine } from '../../support/use-engine.ts';
import { outcomeOf, tableWith } from '../support/load-rows.ts';
import { NETWORK } from '../support/network-rows.ts';

const engine = useEngine();

const delivery = (day: number, impressions: number, users: string[] = [], hour = 0) => ({
  ...{ daily_date: `2026-03-0${day}`, hour, ad_group_id: 1000, impressions, users },
});
const conversions = (day: number, halo_exposed_transactions: number, users: string[] = []) => ({
  ...{ daily_date: `2026-03-0${day}`, hour: 0, ad_group_id: 1000, halo_exposed_transactions, users },
});

/** @returns reach, frequency and converted users by day and in total over the month, as texts, and the warnings */
async function report(table: Table, endDate = '2026-03-31') {
  const metrics = ['unique_user_impressions', 'frequency', 'unique_user_conversions'] as const;
  const { data, totals, meta } = await runReport({
    query: {
      ...{ experience: 'pla', startDate: '2026-03-01', endDate, filters: [], sort: [] },
      ...{ metrics, dimensions: ['daily_date'], pagination: { offset: 0, size: 100 } },
    },
    scope: { accountIds: new Set([1]), advertiserIds: [10], ownAdvertiserIds: [10] },
    settings: SETTINGS,
    source: openSegmentSource(table, await readCommit(table)),
  });
  const rows = [...data, { daily_date: 'total', ...totals }].map((row) =>
    ['daily_date', ...metrics].map((name) => String(row[name])).join(' '),
  );
  return [...rows, ...meta.warnings.flatMap(({ code, detail }) => (code === 'WITHOUT_USER_IDS' ? detail : []))];
}

/** @returns the days of each run, and whether it has what rows without users have */
async function runsOf(table: Table, facts: FactTable, column: string) {
  const ref = { advertiserId: 10, experience: 'pla', table: facts, month: '2026-03' } as const;
  const [manifest] = await openSegmentSource(table, await readCommit(table)).manifests([ref]);
  return manifest?.runs.map(({ days, columns }) => [days.map(({ day }) => day), columns.has(column)]);
}

const load = async (table: Table, rows: readonly object[], options = {}) =>
  expect(await outcomeOf({ 'facts/pla/delivery': rows.map((row) => ({ ...row })) }, table, options)).toEqual([
    'loaded',
  ]);

test('users are counted in days and rollups among the rows that have any, also where these have equal keys', async () => {
  const table = await tableWith(engine, {
    ...NETWORK,
    'facts/pla/delivery': [delivery(1, 6, ['a', 'b']), delivery(1, 4), delivery(2, 5), delivery(3, 2, ['a'])],
    'facts/pla/conversions': [conversions(1, 2, ['a']), conversions(2, 3), conversions(3, -1)],
  });
  const expected = [
    ...['2026-03-01 2 3 1', '2026-03-02 null null null', '2026-03-03 1 2 0', 'total 2 4 1'],
    'unique_user_impressions, frequency leave out 9 of 17 impressions, whose rows have no user ids; they are null where none has.',
    'unique_user_conversions leaves out 3 of 4 exposed transactions, whose rows have no user ids; it is null where none has.',
  ];
  expect(await report(table)).toEqual(expected);
  expect(await report(table, '2026-03-03')).toEqual(expected); // a period that is too short for the users of rollups
  expect(await runsOf(table, 'delivery', 'unidentified_impressions')).toEqual([[[1, 2, 3], true]]);
  expect(await runsOf(table, 'conversions', 'unidentified_transactions')).toEqual([[[1, 2, 3], true]]);
});

test('a day that is loaded again or by hours has what its present rows have, and nothing is stored where all rows have users', async () => {
  const table = await tableWith(engine, { ...NETWORK, 'facts/pla/delivery': [delivery(1, 6, ['a']), delivery(2, 1)] });
  const days = async () => (await report(table)).filter((text) => text.startsWith('2026'));
  expect(await days()).toEqual(['2026-03-01 1 6 null', '2026-03-02 null null null']);
  await load(table, [delivery(1, 4, [], 1)], { replace: 'hours' });
  expect(await days()).toEqual(['2026-03-01 1 6 null', '2026-03-02 null null null']);
  expect((await report(table)).at(-1)).toMatch('unique_user_impressions, frequency leave out 5 of 11 impressions');
  await load(table, [delivery(1, 4, ['b'], 1)], { replace: 'hours' });
  expect(await days()).toEqual(['2026-03-01 2 5 null', '2026-03-02 null null null']);
  await load(table, [delivery(2, 1, ['a'])]);
  expect(await report(table)).toEqual(['2026-03-01 2 5 null', '2026-03-02 1 1 null', 'total 2 5.5 null']);
  expect(await runsOf(table, 'delivery', 'unidentified_impressions')).toEqual([[[1, 2], false]]);
});
