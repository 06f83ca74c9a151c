import type { ReportSettings } from '../../shared/report/query/query.ts';

export const SETTINGS: ReportSettings = {
  timezone: 'America/New_York',
  currency: 'USD',
  attribution: { windowDays: 14, basis: 'conversion day' },
  marketMinOthers: 3,
  weekStartsOn: 'Monday',
};

/** The body of a valid report request, for tests to change. */
export const GOOD_REPORT = {
  filters: [],
  startDate: '2026-02-01',
  endDate: '2026-02-02',
  pagination: { offset: 0, size: 10 },
  advertiserIds: [],
  metrics: ['clicks'],
  dimensions: ['daily_date'],
  sort: [],
};
