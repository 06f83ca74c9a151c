import { expect, test } from 'vitest';
import { PLATFORM_ID } from '../../../shared/layout/partitions.ts';
import type { ReportQuery } from '../../../shared/report/query/query.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import type { Table } from '../../../shared/store/table/table.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import { useEngine } from '../../support/use-engine.ts';
import { FACTS, type FolderRows, NETWORK } from '../support/network-rows.ts';
import { checkRollups, load, openSource, withoutRollups } from './check-rollups.ts';

const engine = useEngine();

test('the rollup of large days equals them after days are replaced, added and deleted, and gives the same reports', async () => {
  const { table } = await engine.createTable();
  const steps: FolderRows[] = [
    LARGE_MONTH,
    { 'facts/pla/delivery': delivery(3).slice(7) },
    { 'facts/pla/delivery': delivery(20), 'facts/pla/conversions': conversions(21) },
    { deletions: [{ experience: 'pla', table: 'delivery', advertiserId: 10, day: '2026-03-02' }] },
    { 'facts/pla/activity': [{ daily_date: '2026-03-05', hour: 4, ad_group_id: 1000, live_seconds: 60 }] },
  ];
  for (const rows of steps) {
    expect(await load(table, rows)).toBe('loaded');
    await checkMonth(table);
  }
});

const ROWS = 4_000;

/** Rows of one day: each has a keyword of its own; without it they have 120 keys, 24 hours × 5 banners, because ad group and placement follow from the hour. */
function delivery(day: number): FolderRows[string] {
  return Array.from({ length: ROWS }, (_, row) => ({
    ...{ daily_date: `2026-03-${String(day).padStart(2, '0')}`, hour: row % 24, ad_group_id: 1000 + (row % 2) },
    ...{
      placement_id: 1 + (row % 2),
      division_banner: `b${row % 5}`,
      keyword: `word ${(row * 7_919) % 100_003}`,
      impressions: 1 + ((row * row) % 97),
    },
    ...{ clicks: row % 2, cost: (((row * 31) % 89) - 10) / 8, users: [`u${row % 50}`] },
  }));
}

const conversions = (day: number): FolderRows[string] =>
  (FACTS['facts/pla/conversions'] ?? []).map((row) => ({
    ...row,
    daily_date: `2026-03-${String(day).padStart(2, '0')}`,
  }));

const LARGE_MONTH: FolderRows = {
  ...NETWORK,
  'facts/pla/delivery': [2, 3, 4].flatMap((day) => delivery(day)),
  'facts/pla/conversions': [2, 3, 4].flatMap(conversions),
};
const scope = { accountIds: new Set([1]), advertiserIds: [10], ownAdvertiserIds: [10] };

/** Compares the stored rollups with the sums of the days, and reports that read rollups with the same reports from days. */
async function checkMonth(table: Table): Promise<void> {
  const source = await openSource(table);
  await checkRollups(source, [PLATFORM_ID, 10, 11]);
  const days = withoutRollups(source);
  for (const key of ['hour', 'division_banner', 'keyword', undefined] as const) {
    for (const [startDate, endDate] of [
      ['2026-03-03', '2026-03-03'],
      ['2026-02-20', '2026-03-31'],
    ] as const) {
      const query: ReportQuery = {
        ...{ experience: 'pla', startDate, endDate, sort: [], pagination: { offset: 0, size: 10_000 } },
        dimensions: ['daily_date', 'ad_group_name', ...(key === undefined ? [] : [key])],
        metrics: ['impressions', 'cost', 'click_through_rate', 'halo_units', 'halo_roas', 'unique_user_impressions'],
        filters: key === 'hour' ? [{ field: 'hour', operator: 'LESS_THAN', values: ['13'] }] : [],
      };
      const withoutShoppers = query.metrics.slice(0, 5);
      for (const metrics of [query.metrics, withoutShoppers]) {
        const input = { query: { ...query, metrics }, scope, settings: SETTINGS };
        expect(await runReport({ ...input, source })).toEqual(await runReport({ ...input, source: days }));
      }
    }
  }
}
