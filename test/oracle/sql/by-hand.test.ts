import { describe, expect, test } from 'vitest';
import type { ReportQuery, ReportScope } from '../../../shared/report/query/query.ts';
import { type Dataset, dataset } from '../../support/facts.ts';
import { type OracleResult, openOracle } from './duckdb.ts';

/** Two advertisers with one budget each: 10 per day, complete through the 5th; 7 per week, complete through the 10th. */
const PLANS = {
  advertisers: [
    { id: 1, name: 'One', accountId: 1, accountIds: [1] },
    { id: 2, name: 'Two', accountId: 1, accountIds: [1] },
  ],
  campaigns: [
    { id: 10, advertiserId: 1, name: 'Spring', startDate: '2025-03-01' },
    { id: 20, advertiserId: 2, name: 'Summer', startDate: '2025-03-01' },
  ],
  ad_groups: [
    { id: 1, advertiserId: 1, campaignId: 10, budget: 10, budgetType: 'DAILY' },
    { id: 2, advertiserId: 2, campaignId: 20, budget: 7, budgetType: 'WEEKLY' },
  ],
  delivery: [
    { date: '2025-03-02', ad_group_id: 1, cost: 4, impressions: 40 },
    { date: '2025-03-03', ad_group_id: 1, cost: 2, impressions: 10 },
    { date: '2025-03-10', ad_group_id: 2, advertiserId: 2, cost: 9, impressions: 90 },
  ],
};
const FRESHNESS = [
  { experience: 'pla', advertiserId: 1, completeThrough: '2025-03-05' },
  { experience: 'pla', advertiserId: null, completeThrough: '2025-03-10' },
];

async function run(
  data: Dataset,
  parts: Partial<ReportQuery>,
  scope: Partial<ReportScope> = {},
): Promise<OracleResult> {
  const query: ReportQuery = {
    ...{ experience: 'pla', startDate: '2025-03-01', endDate: '2025-03-31', metrics: ['pacing'], dimensions: [] },
    ...{ filters: [], sort: [], pagination: { offset: 0, size: 100 } },
    ...parts,
  };
  const oracle = await openOracle(data);
  const result = await oracle.run(query, {
    accountIds: new Set([1]),
    advertiserIds: [1, 2],
    ownAdvertiserIds: [1, 2],
    ...scope,
  });
  oracle.close();
  return result;
}

const withFreshness = (freshness: typeof FRESHNESS): Dataset => {
  const { tables, facts } = dataset(PLANS);
  return { tables: { ...tables, freshness }, facts };
};

describe('the oracle', () => {
  test('counts the days of each budget through the last day with complete data of its advertiser', async () => {
    const { data } = await run(withFreshness(FRESHNESS), { dimensions: ['advertiser_id'] });
    expect(data).toEqual([
      { advertiser_id: 1, pacing: 6 / 50 },
      { advertiser_id: 2, pacing: 9 / 10 },
    ]);
  });

  test('computes totals as the one-row report, which counts days without a row, or over the rows that a metric filter keeps', async () => {
    const metrics = ['impressions', 'pacing', 'share_of_voice'] as const;
    const days = { metrics, dimensions: ['daily_date'] } as const;
    expect((await run(withFreshness(FRESHNESS), days)).totals).toEqual({
      impressions: 140,
      pacing: 15 / 60, // 50 through the 5th, 10 through the 10th
      share_of_voice: null,
    });
    const filters = [{ field: 'impressions', operator: 'GREATER_THAN', values: ['20'] }] as const;
    expect((await run(withFreshness(FRESHNESS), { ...days, filters })).totals).toEqual({
      impressions: 130,
      pacing: 13 / 12, // 10 + 1 of the 2nd, 1 of the 10th
      share_of_voice: null,
    });
  });

  test.each<[string, typeof FRESHNESS, number[], string | null]>([
    ['the earliest day of the report’s advertisers', FRESHNESS, [1, 2], '2025-03-05'],
    ['the day of all advertisers, where an advertiser has none of its own', FRESHNESS, [2, 3], '2025-03-10'],
    ['the latest day with delivery of any advertiser, where freshness has no row', [], [1], '2025-03-10'],
  ])('states as dataCompleteThrough %s', async (_, freshness, advertiserIds, through) => {
    expect((await run(withFreshness(freshness), {}, { advertiserIds })).dataCompleteThrough).toBe(through);
  });

  test('states null as dataCompleteThrough where the experience has neither delivery nor freshness', async () => {
    expect((await run(withFreshness(FRESHNESS), { experience: 'toa' })).dataCompleteThrough).toBe(null);
  });

  test('states the days without delivery, and null instead of 0 in a period without data', async () => {
    const metrics = ['impressions', 'unique_user_impressions', 'halo_units'] as const;
    const before = { metrics, dimensions: [], startDate: '2025-01-01', endDate: '2025-02-02' } as const;
    const nothing = { impressions: null, unique_user_impressions: null, halo_units: null };
    const result = await run(withFreshness([]), before);
    expect(result).toMatchObject({ data: [nothing], totals: nothing, through: '2025-03-10' });
    expect(result.missingDays).toHaveLength(33);
  });
});
