import { describe, expect, test } from 'vitest';
import { METRIC_NAMES } from '../../../shared/catalog/metrics.ts';
import { dataset } from '../../support/facts.ts';
import { run, warned } from './run.ts';

const NOT_IN_TOA = ['opportunities', 'win_rate', 'share_of_voice', 'time_live'] as const;
const VIDEO_METRICS = METRIC_NAMES.filter((name) => name.startsWith('video_'));

describe('null and zero', () => {
  const data = dataset({
    delivery: [{ date: '2025-03-01', ad_group_id: 1, impressions: 200, clicks: 0, cost: 0.5 }],
    conversions: [{ date: '2025-03-01', ad_group_id: 2, halo_transactions: 2, halo_revenue: 30 }],
  });

  test('a sum or a count of users without matching facts is 0', async () => {
    const metrics = ['impressions', 'unique_user_impressions', 'halo_revenue', 'unique_user_conversions'] as const;
    const report = await run(data, { metrics, dimensions: ['ad_group_id'] });
    expect(report.data).toEqual([
      { ad_group_id: 1, impressions: 200, unique_user_impressions: 0, halo_revenue: 0, unique_user_conversions: 0 },
      { ad_group_id: 2, impressions: 0, unique_user_impressions: 0, halo_revenue: 30, unique_user_conversions: 0 },
    ]);
  });

  test('a ratio is null where its denominator is 0, and 0 where only its numerator is', async () => {
    const metrics = ['click_through_rate', 'cost_per_click', 'cost_per_transaction', 'halo_roas'] as const;
    const report = await run(data, { metrics, dimensions: ['ad_group_id'] });
    expect(report.data).toEqual([
      { ad_group_id: 1, click_through_rate: 0, cost_per_click: null, cost_per_transaction: null, halo_roas: 0 },
      { ad_group_id: 2, click_through_rate: null, cost_per_click: null, cost_per_transaction: 0, halo_roas: null },
    ]);
    expect(warned(report)).toEqual([]);
  });

  test('an attribute alone has rows of what has facts, and is null in a period without data', async () => {
    const listed = dataset({
      campaigns: [10, 20].map((id) => ({ id, advertiserId: 1, status: 'ACTIVE' })),
      ad_groups: [10, 20].map((id) => ({ id: id / 10, advertiserId: 1, campaignId: id })),
      delivery: [{ date: '2025-03-01', ad_group_id: 1, impressions: 1 }],
    });
    const status = { metrics: ['campaign_status'] } as const;
    const { data: rows } = await run(listed, { ...status, dimensions: ['campaign_id'] });
    expect(rows).toEqual([{ campaign_id: 10, campaign_status: 'ACTIVE' }]);
    const empty = { startDate: '2025-04-01', endDate: '2025-04-01' };
    expect((await run(listed, { ...status, ...empty })).data).toEqual([{ campaign_status: null }]);
  });

  test('a metric that is undefined in the experience is null in every row and in the totals, with one warning', async () => {
    const report = await run(data, { metrics: ['video_starts', 'impressions'], dimensions: ['ad_group_id'] });
    expect(report.data).toEqual([{ ad_group_id: 1, video_starts: null, impressions: 200 }]);
    expect(report.totals).toEqual({ video_starts: null, impressions: 200 });
    expect(warned(report)).toEqual(['video_starts']);
  });

  test.each([
    ['toa', NOT_IN_TOA],
    ['pla', VIDEO_METRICS],
    ['carousel', []],
  ] as const)('exactly these metrics are undefined in %s: %j', async (experience, without) => {
    const everything = dataset({
      delivery: [
        {
          ...{ experience, date: '2025-03-01', impressions: 1, opportunities: 1 },
          ...{ video_starts: 1, video_completes: 1, video_total_duration: 2.5 },
        },
      ],
      activity: [{ experience, date: '2025-03-01', live_seconds: 1, scheduled_seconds: 1 }],
      market: [{ experience, date: '2025-03-01', market_impressions: 4, market_advertisers: 4 }],
    });
    const report = await run(everything, { experience, metrics: METRIC_NAMES });
    const nulls = [...NOT_IN_TOA, ...VIDEO_METRICS].filter((name) => report.data[0]?.[name] === null);
    expect(nulls).toEqual(without);
    expect(warned(report)).toEqual(without);
  });

  test('delivery metrics are undefined with purchased products, and activity metrics with keywords', async () => {
    const delivered = await run(data, {
      metrics: ['halo_revenue', 'impressions', 'halo_roas'],
      dimensions: ['purchased_entity_id'],
    });
    expect(delivered.data).toEqual([
      { purchased_entity_id: null, halo_revenue: 30, impressions: null, halo_roas: null },
    ]);
    expect(delivered.meta.warnings.map(({ field, drop }) => ({ field, drop }))).toEqual([
      { field: 'impressions', drop: ['purchased_entity_id'] },
      { field: 'halo_roas', drop: ['purchased_entity_id'] },
    ]);
    const active = await run(data, { metrics: ['impressions', 'time_live'], dimensions: ['keyword'] });
    expect(active.data).toEqual([{ keyword: null, impressions: 200, time_live: null }]);
  });

  test('money is exact to the micro, and ratios, hours and seconds are rounded only once', async () => {
    const delivery = [
      { date: '2025-03-01', cost: 0.1, impressions: 3, video_total_duration: 0.001, video_starts: 1 },
      { date: '2025-03-02', cost: 0.2, impressions: 3, video_total_duration: 1.25, video_starts: 1 },
    ].map((row) => ({ ...row, experience: 'carousel' as const }));
    const activity = [
      { date: '2025-03-01', experience: 'carousel', live_seconds: 5400, scheduled_seconds: 7200 },
      { date: '2025-03-01', experience: 'carousel', hour: 1, live_seconds: 0, scheduled_seconds: 3600 },
    ] as const;
    const report = await run(dataset({ delivery, activity }), {
      experience: 'carousel',
      metrics: [
        ...(['cost', 'cost_per_thousand', 'video_total_duration'] as const),
        ...(['video_average_duration_viewed', 'hours_live', 'time_live'] as const),
      ],
    });
    expect(report.data).toEqual([
      {
        ...{ cost: 0.3, cost_per_thousand: 50, video_total_duration: 1.251 },
        ...{ video_average_duration_viewed: 0.6255, hours_live: 1.5, time_live: 0.5 },
      },
    ]);
  });
});
