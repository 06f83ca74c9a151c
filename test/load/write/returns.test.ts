import { expect, test } from 'vitest';
import { runReport } from '../../../shared/report/run-report.ts';
import { readCommit } from '../../../shared/store/commit/commits.ts';
import { openSegmentSource } from '../../../shared/store/segment-source.ts';
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
