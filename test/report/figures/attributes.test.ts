import { describe, expect, test } from 'vitest';
import { dataset } from '../../support/facts.ts';
import { run, warned } from './run.ts';

describe('attributes', () => {
  const data = dataset({
    campaigns: [
      {
        id: 10,
        advertiserId: 1,
        status: 'ENDED',
        startDate: '2025-01-01',
        endDate: '2025-06-30',
        budget: 99.5,
        budgetType: 'LIFETIME',
      },
      { id: 20, advertiserId: 1, status: 'ENDED', startDate: '2025-02-01' },
    ],
    ad_groups: [
      {
        id: 1,
        advertiserId: 1,
        campaignId: 10,
        status: 'ACTIVE',
        startDate: '2025-03-05',
        budget: 5,
        budgetType: 'DAILY',
      },
      { id: 2, advertiserId: 1, campaignId: 10, status: 'ACTIVE', budget: 5, budgetType: 'DAILY' },
      { id: 3, advertiserId: 1, campaignId: 20, status: 'FAILED' },
    ],
    delivery: [
      { date: '2025-03-01', ad_group_id: 1, impressions: 1 },
      { date: '2025-03-02', ad_group_id: 1, impressions: 1 },
      { date: '2025-03-02', ad_group_id: 2, impressions: 1 },
      { date: '2025-03-03', ad_group_id: 2, impressions: 1 },
      { date: '2025-03-03', ad_group_id: 3, impressions: 1 },
    ],
  });

  test('have the value of the row’s only ad group, and are null where there are several, even with equal values', async () => {
    const metrics = ['ad_group_budget', 'ad_group_status', 'campaign_budget', 'campaign_status'] as const;
    const report = await run(data, { metrics, dimensions: ['daily_date'] });
    expect(report.data).toEqual([
      {
        daily_date: '2025-03-01',
        ad_group_budget: 5,
        ad_group_status: 'ACTIVE',
        campaign_budget: 99.5,
        campaign_status: 'ENDED',
      },
      {
        daily_date: '2025-03-02',
        ad_group_budget: null,
        ad_group_status: null,
        campaign_budget: 99.5,
        campaign_status: 'ENDED',
      },
      {
        daily_date: '2025-03-03',
        ad_group_budget: null,
        ad_group_status: null,
        campaign_budget: null,
        campaign_status: null,
      },
    ]);
    expect(report.totals).toEqual({
      ad_group_budget: null,
      ad_group_status: null,
      campaign_budget: null,
      campaign_status: null,
    });
    expect(warned(report)).toEqual(metrics);
  });

  test('have all ten values in a report by ad group', async () => {
    const metrics = [
      ...([
        'ad_group_budget',
        'ad_group_budget_type',
        'ad_group_end_date',
        'ad_group_start_date',
        'ad_group_status',
      ] as const),
      ...([
        'campaign_budget',
        'campaign_budget_type',
        'campaign_end_date',
        'campaign_start_date',
        'campaign_status',
      ] as const),
    ];
    const filters = [{ field: 'ad_group_id', operator: 'IN', values: ['1', '3'] }] as const;
    const report = await run(data, { metrics, dimensions: ['ad_group_id'], filters });
    expect(report.data.map((row) => [row.ad_group_id, ...metrics.map((name) => row[name])])).toEqual([
      [1, 5, 'DAILY', '2025-06-30', '2025-03-05', 'ACTIVE', 99.5, 'LIFETIME', '2025-06-30', '2025-01-01', 'ENDED'],
      [3, null, null, null, '2025-02-01', 'FAILED', null, null, null, '2025-02-01', 'ENDED'],
    ]);
    expect(warned(report)).toEqual([]);
  });

  test('have the dates of the campaign for an ad group without its own, also in filters', async () => {
    const filters = [{ field: 'ad_group_start_date', operator: 'LESS_THAN', values: ['2025-02-01'] }] as const;
    const report = await run(data, { metrics: ['ad_group_start_date', 'impressions'], filters });
    expect(report.data).toEqual([{ ad_group_start_date: '2025-01-01', impressions: 2 }]);
  });

  test('depend only on facts of tables that make rows of the report', async () => {
    const both = dataset({
      delivery: [{ date: '2025-03-01', ad_group_id: 1, impressions: 1 }],
      conversions: [{ date: '2025-03-01', ad_group_id: 2, halo_units: 1 }],
    });
    const status = async (...metrics: ('impressions' | 'halo_units')[]) =>
      (await run(both, { metrics: ['ad_group_status', ...metrics], dimensions: ['daily_date'] })).data[0]
        ?.ad_group_status;
    expect(await status('impressions')).toBe('ACTIVE');
    expect(await status('halo_units')).toBe('ACTIVE');
    expect(await status('impressions', 'halo_units')).toBe(null);
    expect(await status()).toBe(null);
  });
});
