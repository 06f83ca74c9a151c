import { expect, test } from 'vitest';
import type { ReportQuery } from '../../../shared/report/query/query.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import { dataset } from '../../support/facts.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import { storedSource } from '../../support/stored-source.ts';

const dateOf = (day: number) => `2025-03-${String(day).padStart(2, '0')}`;
const days = Array.from({ length: 10 }, (_, i) => i + 1);
/** Both advertisers have ads each day; advertiser 1 sells on March 1, 4 and 7, and the other one each day. */
const DATA = dataset({
  advertisers: [1, 2].map((id) => ({ id, name: `A${id}`, accountId: 1, accountIds: [1] })),
  delivery: days.flatMap((day) => [1, 2].map((id) => ({ date: dateOf(day), advertiserId: id, impressions: 10 }))),
  conversions: [
    ...[1, 4, 7].map((day) => ({ date: dateOf(day), halo_revenue: 1 })),
    ...days.map((day) => ({ date: dateOf(day), advertiserId: 2, halo_revenue: 1 })),
  ],
});

/** A run without a day of the report is not read: of days that are stored alone, nothing is known before it. */
test.each([
  ['a rollup', {}, 9, []],
  ['a rollup', {}, 10, ['after 2025-03-07']],
  ['days of their own', { rollups: false, daysPerRun: 1 }, 8, []],
  ['days of their own', { rollups: false, daysPerRun: 1 }, 9, ['on any day']],
] as const)('days before the report count as far as they are read: %s', async (_, stored, end, expected) => {
  const scope = { accountIds: new Set([1]), advertiserIds: [1, 2], ownAdvertiserIds: [1, 2] };
  const query: ReportQuery = {
    ...{ experience: 'pla', startDate: dateOf(8), endDate: dateOf(end), metrics: ['halo_revenue'], dimensions: [] },
    ...{ filters: [], sort: [], pagination: { offset: 0, size: 10 } },
  };
  const { meta } = await runReport({ query, scope, settings: SETTINGS, source: await storedSource(DATA, stored) });
  const late = meta.warnings.filter(({ code }) => code === 'TABLE_LACKS_DAYS');
  const when = late.map(({ detail }) => /of advertiser 1 in pla (.*), while/.exec(detail)?.[1]);
  expect(when).toEqual(expected);
});
