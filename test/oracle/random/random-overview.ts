import type { Filter, ReportQuery } from '../../../shared/report/query/query.ts';
import type { Random } from './random.ts';

const FILTERS: readonly Filter[] = [
  { field: 'advertiser_name', operator: 'LIKE', values: ['Oak%'] },
  { field: 'advertiser_name', operator: 'EQUALS', values: ['elm 3'] },
  { field: 'month_date', operator: 'EQUALS', values: ['2026-02-01'] },
  { field: 'clicks', operator: 'GREATER_THAN', values: ['3'] },
  { field: 'accounts', operator: 'NOT_NULL', values: [] },
];
const METRICS = [
  ...(['impressions', 'clicks', 'cost', 'halo_units', 'halo_revenue', 'halo_roas', 'click_through_rate'] as const),
];
const DIMENSIONS = [
  ...(['advertiser_id', 'advertiser_name', 'accounts', 'daily_date', 'week_date', 'month_date'] as const),
  'experience_name' as const,
];

/** @returns a report of February and March 2026, or some days of them, which can be read from the rollups of shards */
export function randomOverview(random: Random): ReportQuery {
  return {
    experience: random.pick(['pla', 'toa', 'all']),
    startDate: random.pick(['2026-01-01', '2026-01-31', '2026-02-01']),
    endDate: random.pick(['2026-02-01', '2026-02-13', '2026-02-27', '2026-03-31', '2026-03-31']),
    metrics: random.sample(METRICS, 1 + random.int(4)),
    dimensions: random.sample(DIMENSIONS, random.int(4)),
    filters: random.sample(FILTERS, random.int(3)),
    sort: [],
    pagination: { offset: 0, size: 1_000 },
  };
}
