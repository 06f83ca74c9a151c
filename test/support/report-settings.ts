import type { ReportSettings } from '../../shared/report/query/query.ts';

export const SETTINGS: ReportSettings = {
  timezone: 'America/New_York',
  currency: 'USD',
  attribution: { windowDays: 14, basis: 'conversion day' },
  marketMinOthers: 3,
  weekStartsOn: 'Monday',
};
