import { describe, expect, test } from 'vitest';
import { dataset } from '../../support/facts.ts';
import { ask } from './ask.ts';

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

  test('ratios are recomputed from sums, users are counted once, attributes ask for one ad group', async () => {
    const report = await ask(data, byDay);
    expect(report.totals).toEqual({
      ...{ impressions: 440, click_through_rate: 17 / 440 },
      ...{ unique_user_impressions: 4, ad_group_status: null },
    });
  });

  test('cover exactly the rows that a metric filter leaves', async () => {
    const filters = [{ field: 'impressions', operator: 'GREATER_THAN_OR_EQUAL', values: ['100'] }] as const;
    const report = await ask(data, { ...byDay, filters });
    expect(report.totalCount).toBe(2);
    expect(report.totals).toEqual({
      ...{ impressions: 400, click_through_rate: 16 / 400 },
      ...{ unique_user_impressions: 3, ad_group_status: 'ACTIVE' },
    });
  });

  test('cover all of totalCount, not the page alone', async () => {
    const report = await ask(data, { ...byDay, pagination: { offset: 2, size: 1 } });
    expect(report.data.map((it) => it.daily_date)).toEqual(['2025-03-03']);
    expect(report.totalCount).toBe(3);
    expect(report.totals.impressions).toBe(440);
  });

  test('do not count a fact twice whose row is one of many', async () => {
    const report = await ask(data, { metrics: ['impressions'], dimensions: ['ad_group_id', 'daily_date', 'hour'] });
    expect(report.totals).toEqual({ impressions: 440 });
  });

  test('are those of no rows where the filter leaves none', async () => {
    const filters = [{ field: 'impressions', operator: 'LESS_THAN', values: ['1'] }] as const;
    const report = await ask(data, { ...byDay, filters });
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

  test('are counted once at the asked grain, never added up over days or hours', async () => {
    const metrics = ['unique_user_impressions', 'unique_user_conversions'] as const;
    expect((await ask(data, { metrics })).data).toEqual([{ unique_user_impressions: 3, unique_user_conversions: 2 }]);
    expect((await ask(data, { metrics, dimensions: ['daily_date'] })).data).toEqual([
      { daily_date: '2025-03-01', unique_user_impressions: 2, unique_user_conversions: 0 },
      { daily_date: '2025-03-02', unique_user_impressions: 2, unique_user_conversions: 1 },
      { daily_date: '2025-03-09', unique_user_impressions: 0, unique_user_conversions: 2 },
    ]);
    expect((await ask(data, { metrics: ['unique_user_impressions'], dimensions: ['hour'] })).data).toEqual([
      { hour: 9, unique_user_impressions: 3 },
      { hour: 21, unique_user_impressions: 1 },
    ]);
  });
});
