import { describe, expect, test } from 'vitest';
import type { ReportQuery } from '../../../shared/report/query/query.ts';
import { dataset } from '../../support/facts.ts';
import { runWithGaps } from './run.ts';

/** Clicks are missing on March 2 in pla and on all days in toa, revenue on March 3, and live seconds always. */
const DATA = dataset({
  campaigns: [{ id: 10, advertiserId: 1, name: 'Spring', status: 'ACTIVE', startDate: '2025-03-01' }],
  ad_groups: [1, 2].map((id) => ({
    ...{ id, advertiserId: 1, campaignId: 10, name: `Group ${id}`, status: 'ACTIVE' },
    ...{ budget: 10, budgetType: 'DAILY' },
  })),
  delivery: [
    { date: '2025-03-01', impressions: 10, clicks: 2, cost: 4 },
    { date: '2025-03-02', impressions: 30, cost: 5, unmeasured: ['clicks'] },
    { date: '2025-03-02', ad_group_id: 2, impressions: 20, cost: 5, unmeasured: ['clicks'] },
    { date: '2025-03-03', impressions: 40, clicks: 1, unmeasured: ['cost'] },
    { date: '2025-03-03', experience: 'toa', impressions: 7, cost: 1, unmeasured: ['clicks'] },
  ],
  conversions: [
    { date: '2025-03-01', halo_transactions: 1, halo_revenue: 8 },
    { date: '2025-03-02', halo_transactions: 1, unmeasured: ['halo_revenue'] },
    { date: '2025-03-03', halo_transactions: 4, halo_revenue: 16, unmeasured: ['halo_exposed_transactions'] },
  ],
  activity: [{ date: '2025-03-01', scheduled_seconds: 3600, unmeasured: ['live_seconds'] }],
});

describe.each([false, true])('a measure that files of some days lack, with rollups: %s', (rollups) => {
  const run = (parts: Partial<ReportQuery>) => runWithGaps(DATA, { endDate: '2025-03-03', rollups, ...parts });

  test.each<[string, Partial<ReportQuery>, (string | number | null)[][], (number | null)[]]>([
    [
      'a sum has the other days, and is null in rows of these days alone',
      { metrics: ['clicks', 'impressions'], dimensions: ['daily_date'] },
      [
        ['2025-03-01', 2, 10],
        ['2025-03-02', null, 50],
        ['2025-03-03', 1, 40],
      ],
      [3, 100],
    ],
    [
      'also in a row that has no other day',
      { metrics: ['clicks'], dimensions: ['ad_group_id'] },
      [
        [1, 3],
        [2, null],
      ],
      [3],
    ],
    [
      'a ratio divides over the days that have both sides',
      { metrics: ['click_through_rate', 'cost_per_click', 'cost_per_thousand'] },
      [[3 / 50, 2, (1000 * 14) / 60]],
      [3 / 50, 2, (1000 * 14) / 60],
    ],
    [
      'also of two tables: neither side has a day that lacks the other',
      { metrics: ['halo_roas', 'cost_per_transaction', 'halo_revenue', 'cost'] },
      [[2, 7, 24, 14]],
      [2, 7, 24, 14],
    ],
    ['a measure of no day is null', { metrics: ['hours_live', 'time_live'] }, [[null, null]], [null, null]],
    [
      'pacing and what is left of a plan leave out the plan of days whose cost is unknown',
      { metrics: ['planned_cost', 'remaining_planned_cost', 'pacing'], dimensions: ['daily_date'] },
      [
        ['2025-03-01', 20, 16, 0.2],
        ['2025-03-02', 20, 10, 0.5],
        ['2025-03-03', 20, null, null],
      ],
      [60, 26, 0.35],
    ],
    [
      'the days of one experience are not those of another',
      { experience: 'all', metrics: ['clicks'], dimensions: ['experience_name'], startDate: '2025-03-03' },
      [
        ['pla', 1],
        ['toa', null],
      ],
      [1],
    ],
    [
      'a filter keeps no unknown sum, and sorting places it last',
      {
        ...{ metrics: ['clicks'], dimensions: ['daily_date'], sort: [{ field: 'clicks', order: 'ASC' }] },
        filters: [{ field: 'clicks', operator: 'LESS_THAN', values: ['9'] }],
      },
      [
        ['2025-03-03', 1],
        ['2025-03-01', 2],
      ],
      [3],
    ],
    [
      'converted users are unknown where no row has ids, nor the measure by which they would be missed',
      { metrics: ['unique_user_conversions', 'halo_transactions'], dimensions: ['daily_date'] },
      [
        ['2025-03-01', 0, 1],
        ['2025-03-02', 0, 1],
        ['2025-03-03', null, 4],
      ],
      [0, 6],
    ],
    [
      'sorted alone',
      { metrics: ['clicks'], dimensions: ['daily_date'], sort: [{ field: 'clicks', order: 'DESC' }] },
      [
        ['2025-03-01', 2],
        ['2025-03-03', 1],
        ['2025-03-02', null],
      ],
      [3],
    ],
  ])('%s', async (_, parts, rows, totals) => {
    const { data, totals: found, meta } = await run(parts);
    expect(data.map((row) => Object.values(row))).toEqual(rows);
    expect(Object.values(found)).toEqual(totals);
    expect(meta.warnings.map(({ code }) => code).filter((code) => code === 'NOT_MEASURED')).toHaveLength(1);
  });

  test.each<[string, Partial<ReportQuery>, string | undefined]>([
    [
      'the metrics, the columns and their days',
      { metrics: ['impressions', 'click_through_rate', 'halo_roas'] },
      'No file had clicks on 2025-03-02; halo_revenue on 2025-03-02; cost on 2025-03-03: these days are left out of click_through_rate, halo_roas.',
    ],
    [
      'those of a compared period',
      {
        metrics: ['clicks'],
        startDate: '2025-03-03',
        compare: { startDate: '2025-03-02', endDate: '2025-03-02' },
      },
      'In the compared period: No file had clicks on 2025-03-02: these days are left out of clicks.',
    ],
    [
      'a metric that is undefined in the rows, because of the totals',
      { metrics: ['halo_transactions', 'clicks'], dimensions: ['purchased_entity_id'] },
      'No file had clicks on 2025-03-02: these days are left out of clicks.',
    ],
    [
      'what counts users',
      { metrics: ['frequency', 'unique_user_conversions'] },
      'No file had halo_exposed_transactions on 2025-03-03: these days are left out of unique_user_conversions (rows without user ids).',
    ],
    [
      'nothing of a metric that is undefined everywhere',
      {
        ...{ metrics: ['clicks', 'halo_transactions'], dimensions: ['purchased_entity_id'] },
        filters: [{ field: 'halo_transactions', operator: 'GREATER_THAN', values: ['0'] }],
      },
      undefined,
    ],
    ['nothing where the metrics need none', { metrics: ['impressions', 'halo_transactions'] }, undefined],
    ['nothing of other days', { metrics: ['clicks'], startDate: '2025-03-03' }, undefined],
    ['nothing where it has no meaning', { metrics: ['opportunities'], experience: 'toa' }, undefined],
  ])('a warning names %s', async (_, parts, detail) => {
    const { meta } = await run(parts);
    const warnings = meta.warnings.filter(({ code }) => code === 'NOT_MEASURED');
    expect(warnings.map((warning) => warning.detail)).toEqual(detail === undefined ? [] : [detail]);
  });

  test('the warning has the metrics and days, and for people their titles', async () => {
    const { meta } = await run({ metrics: ['impressions', 'click_through_rate', 'halo_roas'] });
    expect(meta.warnings.find(({ code }) => code === 'NOT_MEASURED')).toMatchObject({
      message:
        'No file had Clicks on Mar 2, 2025; Revenue (click) on Mar 2, 2025; Cost on Mar 3, 2025: these days are left out of Click-through rate, Return on ad spend (click).',
      fields: ['daily_date', 'click_through_rate', 'halo_roas'],
      dates: [{ from: '2025-03-02', to: '2025-03-03' }],
    });
  });
});
