import { describe, expect, test } from 'vitest';
import { dayNumber, formatDay } from '../../shared/lib/calendar.ts';
import { readLastCompleteDay } from '../../shared/report/plan/completeness.ts';
import type { ReportQuery } from '../../shared/report/query/query.ts';
import { type Dataset, type DatasetParts, dataset } from '../support/facts.ts';
import { SETTINGS } from '../support/report-settings.ts';
import { storedSource } from '../support/stored-source.ts';
import { runWithGaps } from './figures/run.ts';

const OWN: DatasetParts['delivery'] = [{ date: '2025-03-01', impressions: 5 }];
/** Delivery of so many other advertisers in toa, one day each, with a gap between them. */
const rivals = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    ...{ experience: 'toa' as const, advertiserId: 2 + i, ad_group_id: 20 + i },
    ...{ date: formatDay(dayNumber('2025-03-01') + 2 * i), impressions: 7, video_starts: 1 },
  }));
const network = (count: number, own = OWN): Dataset => dataset({ delivery: [...(own ?? []), ...rivals(count)] });
const SCOPE = { accountIds: new Set([1]), advertiserIds: [1], ownAdvertiserIds: [1] };
const METRICS = ['impressions', 'video_starts', 'share_of_voice'] as const;
const report = (data: Dataset, changes: Partial<ReportQuery> = {}, marketMinOthers = 3) =>
  runWithGaps(data, { experience: 'toa', endDate: '2025-03-07', metrics: METRICS, marketMinOthers, ...changes });
const lastDay = async (data: Dataset) =>
  readLastCompleteDay(await storedSource(data), 'toa', SCOPE, SETTINGS, dayNumber('2025-06-01'));

describe('an experience in which the report’s advertisers have nothing', () => {
  test.each<[string, Partial<ReportQuery>]>([
    ['a report', {}],
    ['a report by day', { dimensions: ['daily_date'] }],
    ['a comparison', { compare: { startDate: '2025-02-22', endDate: '2025-02-28' } }],
    ['a report of all experiences', { experience: 'all', dimensions: ['experience_name'] }],
  ])('is as if it were empty while fewer than three others have facts: %s', async (_, changes) => {
    const empty = await report(network(0), changes);
    expect(await report(network(1), changes)).toEqual(empty);
    expect(await report(network(2), changes)).toEqual(empty);
    expect(await report(network(3), changes)).not.toEqual(empty);
    expect(await report(network(1), changes, 1)).not.toEqual(empty);
  });

  test('has no last complete day then', async () => {
    expect(await lastDay(network(2))).toBeUndefined();
    expect(await lastDay(network(3))).toBe(dayNumber('2025-03-05'));
  });
});

test('an experience in which they have facts shows the days with delivery of anybody', async () => {
  const own: DatasetParts['delivery'] = [{ experience: 'toa', date: '2025-03-02', impressions: 5 }];
  const { meta } = await report(network(2, own));
  expect(meta).toMatchObject({
    data: { from: '2025-03-01', through: '2025-03-03' },
    dataCompleteThrough: '2025-03-03',
  });
  expect(await lastDay(network(2, own))).toBe(dayNumber('2025-03-03'));
});
