import { expect, test } from 'vitest';
import type { ReportQuery } from '../../shared/report/query/query.ts';
import { runReport } from '../../shared/report/run-report.ts';
import { readCommit } from '../../shared/store/commit/commits.ts';
import { openSegmentSource } from '../../shared/store/segment-source.ts';
import type { Table } from '../../shared/store/table/table.ts';
import { SETTINGS } from '../support/report-settings.ts';
import { useEngine } from '../support/use-engine.ts';
import { loadRows } from './support/load-rows.ts';

const engine = useEngine();
const NETWORK = {
  accounts: [{ id: 1, name: 'Acme' }],
  advertisers: [{ id: 10, name: 'Acme Foods', accountId: 1 }],
  campaigns: [{ id: 100, name: 'Spring', advertiserId: 10, status: 'ACTIVE', startDate: '2026-01-01' }],
  ad_groups: [{ id: 1_000, name: 'One', campaignId: 100, status: 'ACTIVE' }],
};
const on = (day: number, hour = 0) => ({ daily_date: `2026-02-0${day}`, hour, ad_group_id: 1_000 });
const METRICS = ['clicks', 'halo_transactions', 'halo_exposed_transactions', 'halo_exposed_roas', 'halo_roas'] as const;

/** @returns the metrics of each day, and the totals */
async function figures(table: Table) {
  const query: ReportQuery = {
    ...{ experience: 'pla', startDate: '2026-02-01', endDate: '2026-02-03', metrics: METRICS, filters: [] },
    ...{ dimensions: ['daily_date'], sort: [], pagination: { offset: 0, size: 10 } },
  };
  const source = openSegmentSource(table, await readCommit(table));
  const scope = { accountIds: new Set([1]), advertiserIds: [10], ownAdvertiserIds: [10] };
  const { data, totals } = await runReport({ query, scope, settings: SETTINGS, source });
  return [...data, totals].map((row) => METRICS.map((name) => row[name]));
}

test('attribution to clicks alone or to views alone is loaded, and the other is unknown', async () => {
  const { table } = await engine.createTable();
  const report = await loadRows(
    {
      ...NETWORK,
      'facts/pla/delivery': [1, 2].map((day) => ({ ...on(day), impressions: 9, clicks: 2, cost: 2 })),
      'facts/pla/conversions_1': [{ ...on(1), halo_transactions: 1, halo_revenue: 8 }],
      'facts/pla/conversions_2': [{ ...on(2), halo_exposed_transactions: 3, halo_exposed_revenue: 10 }],
    },
    table,
  );
  expect([report.outcome, report.problems]).toEqual(['loaded', []]);
  expect(await figures(table)).toEqual([
    [2, 1, null, null, 4],
    [2, null, 3, 5, null],
    [4, 1, 3, 5, 4],
  ]);
});

test('a column that is lost is unknown on the days of the load, until it returns', async () => {
  const { table } = await engine.createTable();
  const delivery = [1, 2, 3].map((day) => ({ ...on(day), impressions: 9, clicks: day, cost: 1 }));
  await loadRows({ ...NETWORK, 'facts/pla/delivery': delivery }, table);
  const clicks = async () => (await figures(table)).map(([count]) => count);
  expect(await clicks()).toEqual([1, 2, 3, 6]);
  const lost = delivery.slice(1).map((row) => ({ ...row, clicks: undefined }));
  await loadRows({ 'facts/pla/delivery': lost }, table);
  expect(await clicks()).toEqual([1, null, null, 1]);
  const hours = [{ ...on(3, 7), impressions: 1, clicks: 4 }];
  await loadRows({ 'facts/pla/delivery': hours }, table, { replace: 'hours' });
  expect(await clicks()).toEqual([1, null, 4, 5]);
  await loadRows({ 'facts/pla/delivery': delivery }, table);
  expect(await clicks()).toEqual([1, 2, 3, 6]);
});
