import { describe, expect, test } from 'vitest';
import { dataset } from '../../support/facts.ts';
import { run, warned } from './run.ts';

describe('share_of_voice', () => {
  const data = dataset({
    delivery: [
      { date: '2025-03-03', ad_group_id: 1, placement_id: 1, keyword: 'oats', impressions: 10 },
      { date: '2025-03-03', ad_group_id: 2, placement_id: 2, keyword: 'milk', impressions: 20 },
      { date: '2025-03-04', ad_group_id: 2, placement_id: 2, impressions: 30 },
    ],
    market: [
      { date: '2025-03-03', placement_id: 1, keyword: 'oats', market_impressions: 100 },
      { date: '2025-03-03', placement_id: 2, keyword: 'milk', market_impressions: 200 },
      { date: '2025-03-04', placement_id: 2, market_impressions: 300 },
      { date: '2025-03-05', placement_id: 3, market_impressions: 400 },
    ],
  });
  const metrics = ['share_of_voice'] as const;

  test('in one row is own impressions / impressions of all advertisers', async () => {
    expect((await run(data, { metrics })).data).toEqual([{ share_of_voice: 60 / 1000 }]);
  });

  test('by dimensions of the market has the slice of each row as denominator, and the whole market in totals', async () => {
    const byDay = await run(data, { metrics, dimensions: ['daily_date'] });
    expect(byDay.data).toEqual([
      { daily_date: '2025-03-03', share_of_voice: 30 / 300 },
      { daily_date: '2025-03-04', share_of_voice: 30 / 300 },
    ]);
    expect(byDay.totals).toEqual({ share_of_voice: 60 / 1000 });
    const byPlacement = await run(data, { metrics, dimensions: ['placement', 'keyword'] });
    expect(byPlacement.data).toEqual([
      { placement: 'Home', keyword: 'milk', share_of_voice: 20 / 200 },
      { placement: 'Home', keyword: null, share_of_voice: 30 / 300 },
      { placement: 'Search', keyword: 'oats', share_of_voice: 10 / 100 },
    ]);
  });

  test('by week has the market of the week as denominator', async () => {
    const report = await run(data, { metrics, dimensions: ['week_date'] });
    expect(report.data).toEqual([{ week_date: '2025-03-03', share_of_voice: 60 / 1000 }]);
  });

  test('applies other dimensions and filters to the numerator only', async () => {
    const byAdGroup = await run(data, { metrics, dimensions: ['ad_group_id'] });
    expect(byAdGroup.data).toEqual([
      { ad_group_id: 1, share_of_voice: 10 / 1000 },
      { ad_group_id: 2, share_of_voice: 50 / 1000 },
    ]);
    expect(warned(byAdGroup)).toEqual([]);
    const filters = [{ field: 'ad_group_id', operator: 'EQUALS', values: ['1'] }] as const;
    expect((await run(data, { metrics, filters })).data).toEqual([{ share_of_voice: 10 / 1000 }]);
    const notPla = [{ field: 'experience_name', operator: 'NOT_EQUALS', values: ['pla'] }] as const;
    expect((await run(data, { metrics, filters: notPla })).data).toEqual([{ share_of_voice: 0 }]);
  });

  test('applies filters on dimensions of the market to both sides', async () => {
    const filters = [{ field: 'placement', operator: 'EQUALS', values: ['Home'] }] as const;
    const report = await run(data, { metrics, dimensions: ['ad_group_id'], filters });
    expect(report.data).toEqual([{ ad_group_id: 2, share_of_voice: 50 / 500 }]);
    expect(report.totals).toEqual({ share_of_voice: 50 / 500 });
  });

  test('has no total but a warning in reports with a metric filter', async () => {
    const filters = [{ field: 'impressions', operator: 'GREATER_THAN', values: ['40'] }] as const;
    const report = await run(data, { metrics, dimensions: ['ad_group_id'], filters });
    expect(report.data).toEqual([{ ad_group_id: 2, share_of_voice: 50 / 1000 }]);
    expect(report.totals).toEqual({ share_of_voice: null });
    expect(report.meta.warnings.map((warning) => warning.code)).toEqual(['NO_TOTAL_WITH_METRIC_FILTER']);
  });

  test('is 0 in a row without own impressions, and null in a slice without market', async () => {
    const more = dataset({
      conversions: [{ date: '2025-03-03', halo_units: 1 }],
      delivery: [{ date: '2025-03-04', impressions: 5 }],
      market: [{ date: '2025-03-03', market_impressions: 100 }],
    });
    const report = await run(more, { metrics: ['share_of_voice', 'halo_units'], dimensions: ['daily_date'] });
    expect(report.data).toEqual([
      { daily_date: '2025-03-03', share_of_voice: 0, halo_units: 1 },
      { daily_date: '2025-03-04', share_of_voice: null, halo_units: 0 },
    ]);
  });
});
