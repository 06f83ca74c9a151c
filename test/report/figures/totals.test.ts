import { describe, expect, test } from 'vitest';
import { dataset } from '../../support/facts.ts';
import { run } from './run.ts';

describe('totals', () => {
  const data = dataset({
    delivery: [
      { date: '2025-03-01', ad_group_id: 1, impressions: 100, clicks: 10, cost: 2, users: ['ann', 'bob'] },
      { date: '2025-03-02', ad_group_id: 1, impressions: 300, clicks: 6, cost: 6, users: ['bob', 'cat'] },
      { date: '2025-03-03', ad_group_id: 2, impressions: 40, clicks: 1, cost: 1, users: ['dan'] },
    ],
  });
  const metrics = ['impressions', 'click_through_rate', 'unique_user_impressions', 'ad_group_status'] as const;
  const byDay = { metrics, dimensions: ['daily_date'] } as const;

  test('recompute ratios from sums, count users once, and have attributes only where all facts belong to one ad group', async () => {
    const report = await run(data, byDay);
    expect(report.totals).toEqual({
      ...{ impressions: 440, click_through_rate: 17 / 440 },
      ...{ unique_user_impressions: 4, ad_group_status: null },
    });
  });

  test('cover exactly the rows that a metric filter keeps', async () => {
    const filters = [{ field: 'impressions', operator: 'GREATER_THAN_OR_EQUAL', values: ['100'] }] as const;
    const report = await run(data, { ...byDay, filters });
    expect(report.totalCount).toBe(2);
    expect(report.totals).toEqual({
      ...{ impressions: 400, click_through_rate: 16 / 400 },
      ...{ unique_user_impressions: 3, ad_group_status: 'ACTIVE' },
    });
  });

  test('cover all rows of totalCount, not only the page', async () => {
    const report = await run(data, { ...byDay, pagination: { offset: 2, size: 1 } });
    expect(report.data.map((row) => row.daily_date)).toEqual(['2025-03-03']);
    expect(report.totalCount).toBe(3);
    expect(report.totals.impressions).toBe(440);
  });

  test('count each fact once, however many dimensions the rows have', async () => {
    const report = await run(data, { metrics: ['impressions'], dimensions: ['ad_group_id', 'daily_date', 'hour'] });
    expect(report.totals).toEqual({ impressions: 440 });
  });

  test('are 0 or null where a metric filter keeps no row', async () => {
    const filters = [{ field: 'impressions', operator: 'LESS_THAN', values: ['1'] }] as const;
    const report = await run(data, { ...byDay, filters });
    expect({ data: report.data, totalCount: report.totalCount, totals: report.totals }).toEqual({
      data: [],
      totalCount: 0,
      totals: { impressions: 0, click_through_rate: null, unique_user_impressions: 0, ad_group_status: null },
    });
  });
});

describe('distinct users', () => {
  const data = dataset({
    delivery: [
      { date: '2025-03-01', hour: 9, users: ['ann', 'bob'] },
      { date: '2025-03-01', hour: 21, users: ['ann'] },
      { date: '2025-03-02', hour: 9, users: ['ann', 'cat'] },
    ],
    conversions: [
      { date: '2025-03-02', users: ['cat'] },
      { date: '2025-03-09', users: ['cat', 'ann'] },
    ],
  });

  test('are counted once at the requested grain, never added up over days or hours', async () => {
    const metrics = ['unique_user_impressions', 'unique_user_conversions'] as const;
    expect((await run(data, { metrics })).data).toEqual([{ unique_user_impressions: 3, unique_user_conversions: 2 }]);
    expect((await run(data, { metrics, dimensions: ['daily_date'] })).data).toEqual([
      { daily_date: '2025-03-01', unique_user_impressions: 2, unique_user_conversions: 0 },
      { daily_date: '2025-03-02', unique_user_impressions: 2, unique_user_conversions: 1 },
      { daily_date: '2025-03-09', unique_user_impressions: 0, unique_user_conversions: 2 },
    ]);
    expect((await run(data, { metrics: ['unique_user_impressions'], dimensions: ['hour'] })).data).toEqual([
      { hour: 9, unique_user_impressions: 3 },
      { hour: 21, unique_user_impressions: 1 },
    ]);
  });
});
