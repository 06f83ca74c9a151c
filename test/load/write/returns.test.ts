import { expect, test } from 'vitest';
import type { ReportRow } from '../../../shared/report/query/query.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import { readCommit } from '../../../shared/store/commit/commits.ts';
import { openSegmentSource } from '../../../shared/store/segment-source.ts';
import type { Table } from '../../../shared/store/table/table.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import { useEngine } from '../../support/use-engine.ts';
import { loadRows, outcomeOf, tableWith } from '../support/load-rows.ts';
import { NETWORK } from '../support/network-rows.ts';

const engine = useEngine();
const KEY = { daily_date: '2026-03-01', ad_group_id: 1000 };

test('returns and credits are loaded, sorted, filtered and divided as they are; counts are not negative', async () => {
  const table = await tableWith(engine, {
    ...NETWORK,
    'facts/pla/delivery': [
      { ...KEY, hour: 1, impressions: 100, clicks: 4, cost: 2 },
      { ...KEY, hour: 2, impressions: 50, cost: -0.5 },
      { ...KEY, hour: 3, clicks: 1, cost: 1.25 },
      { ...KEY, hour: 3, cost: -1.25 },
    ],
    'facts/pla/conversions': [
      { ...KEY, hour: 1, halo_units: 2, halo_exposed_units: 3, halo_revenue: 7, halo_exposed_revenue: 9 },
      { ...KEY, hour: 2, halo_units: -1, halo_exposed_units: -1, halo_revenue: -3.5, halo_exposed_revenue: -3.5 },
      { ...KEY, hour: 3, halo_exposed_units: -1, halo_exposed_revenue: -2 }, // of a purchase after a view
    ],
  });
  const report = await runReport({
    query: {
      ...{ experience: 'pla', startDate: '2026-03-01', endDate: '2026-03-01', dimensions: ['hour'] },
      metrics: ['cost', 'halo_exposed_units', 'halo_roas', 'clicked_unit_price_avg', 'viewed_unit_price_avg'],
      filters: [{ field: 'halo_exposed_units', operator: 'LESS_THAN', values: ['0'] }],
      sort: [{ field: 'cost', order: 'ASC' }],
      pagination: { offset: 0, size: 10 },
    },
    scope: { accountIds: new Set([1]), advertiserIds: [10], ownAdvertiserIds: [10] },
    settings: SETTINGS,
    source: openSegmentSource(table, await readCommit(table)),
  });
  const price = { clicked_unit_price_avg: 3.5 };
  expect(report.data).toEqual([
    { hour: 2, cost: -0.5, halo_exposed_units: -1, halo_roas: 7, ...price, viewed_unit_price_avg: 3.5 },
    {
      ...{ hour: 3, cost: 0, halo_exposed_units: -1, halo_roas: null },
      clicked_unit_price_avg: null,
      viewed_unit_price_avg: 2,
    },
  ]);
  expect(report.totals).toEqual({
    ...{ cost: -0.5, halo_exposed_units: -2, halo_roas: 7 },
    ...{ ...price, viewed_unit_price_avg: 2.75 },
  });
  const { changes } = await loadRows({ 'facts/pla/delivery': [{ ...KEY, hour: 1, cost: -3 }] }, table);
  expect(changes?.find((change) => change.table === 'delivery')?.cost).toEqual({ before: 1.5, after: -3 });
  expect(await outcomeOf({ 'facts/pla/delivery': [{ ...KEY, hour: 1, clicks: -1 }] }, table)).toEqual([
    'rejected',
    'facts/pla/delivery.ndjson:1: clicks must be an integer ≥ 0, not -1',
  ]);
});

/** The largest single value, and a small one that a sum of doubles would lose. */
const LARGEST = '9007199254.740991';
const row = (daily_date: string, cost: string, hour = 0) => ({ daily_date, hour, ad_group_id: 1000, cost });
const DAYS = ['2026-03-01', '2026-03-02', '2026-03-03'].map((day) => [
  ...[1, 2, 3].map(() => row(day, LARGEST)), // equal keys
  ...Array.from({ length: 20 }, (_, hour) => row(day, '0.000003', hour)),
]);

async function costs(table: Table, dimensions: readonly ('daily_date' | 'hour')[]): Promise<readonly ReportRow[]> {
  const report = await runReport({
    query: {
      ...{ experience: 'pla', startDate: '2026-03-01', endDate: '2026-03-31', filters: [], sort: [] },
      ...{ metrics: ['cost'], dimensions, pagination: { offset: 0, size: 2 } },
    },
    scope: { accountIds: new Set([1]), advertiserIds: [10], ownAdvertiserIds: [10] },
    settings: SETTINGS,
    source: openSegmentSource(table, await readCommit(table)),
  });
  return [...report.data, { ...report.totals, isTotal: 1 }];
}

test('sums of more than 2^53 micros are loaded and reported exactly, in one folder or in several', async () => {
  const delivery = { 'facts/pla/delivery': DAYS.flat() };
  const whole = await tableWith(engine, { ...NETWORK, ...delivery });
  expect((await loadRows(delivery, whole)).outcome).toBe('unchanged');
  const apart = await tableWith(engine, NETWORK);
  for (const day of DAYS) expect((await loadRows({ 'facts/pla/delivery': day }, apart)).problems).toEqual([]);
  // a day costs 3 × LARGEST + 20 × 0.000003; hour 0 of all days, 9 × LARGEST + 3 × 0.000003
  for (const table of [whole, apart]) {
    const total = { cost: Number('81064793292.669099'), isTotal: 1 };
    expect(await costs(table, [])).toEqual([{ cost: total.cost }, total]);
    expect(await costs(table, ['daily_date'])).toEqual([
      { daily_date: '2026-03-01', cost: Number('27021597764.223033') },
      { daily_date: '2026-03-02', cost: Number('27021597764.223033') },
      total,
    ]);
    expect(await costs(table, ['hour'])).toEqual([
      { hour: 0, cost: Number('81064793292.668928') },
      { hour: 1, cost: 0.000009 },
      total,
    ]);
  }
});

/** A row with equal keys that is summed in doubles would lose the 0.000002: the sum before the credit exceeds 2^53. */
test('credits are summed exactly where they cancel what exceeds 2^53, by day and from rollups', async () => {
  const delivery = ['2026-03-01', '2026-03-02'].flatMap((day) => [
    ...[LARGEST, '0.000002', `-${LARGEST}`].map((cost) => row(day, cost)), // equal keys
    ...Array.from({ length: 20 }, (_, hour) => row(day, hour % 2 === 0 ? '-3.5' : '1.25', hour)),
  ]);
  const table = await tableWith(engine, { ...NETWORK, 'facts/pla/delivery': delivery });
  const day = 0.000002 - 22.5;
  const total = { cost: Number((2 * day).toFixed(6)), isTotal: 1 };
  expect(await costs(table, [])).toEqual([{ cost: total.cost }, total]);
  expect(await costs(table, ['daily_date'])).toEqual([
    { daily_date: '2026-03-01', cost: Number(day.toFixed(6)) },
    { daily_date: '2026-03-02', cost: Number(day.toFixed(6)) },
    total,
  ]);
  expect(await costs(table, ['hour'])).toEqual([
    { hour: 0, cost: Number((0.000004 - 7).toFixed(6)) },
    { hour: 1, cost: 2.5 },
    total,
  ]);
});
