import { describe, expect, test } from 'vitest';
import { dataset } from '../../support/facts.ts';
import { run } from './run.ts';

const disjoint = dataset({
  delivery: [{ date: '2025-03-01', ad_group_id: 1, impressions: 10 }],
  conversions: [{ date: '2025-03-02', ad_group_id: 2, halo_units: 3 }],
  activity: [{ date: '2025-03-04', ad_group_id: 3, live_seconds: 3600 }],
  market: [{ date: '2025-03-05', market_impressions: 1000 }],
});

describe('rows of a report', () => {
  test('exist where a table that a requested metric needs has a fact', async () => {
    const report = await run(disjoint, { metrics: ['impressions'], dimensions: ['ad_group_id'] });
    expect(report.data).toEqual([{ ad_group_id: 1, impressions: 10 }]);
  });

  test('exist where any of several tables has a fact, and join facts with equal keys', async () => {
    const report = await run(disjoint, {
      metrics: ['impressions', 'halo_units', 'hours_live'],
      dimensions: ['ad_group_id'],
    });
    expect(report.data).toEqual([
      { ad_group_id: 1, impressions: 10, halo_units: 0, hours_live: 0 },
      { ad_group_id: 2, impressions: 0, halo_units: 3, hours_live: 0 },
      { ad_group_id: 3, impressions: 0, halo_units: 0, hours_live: 1 },
    ]);
  });

  test('exist where the table of either side of a ratio has a fact', async () => {
    const report = await run(disjoint, { metrics: ['clicked_conversion_rate'], dimensions: ['ad_group_id'] });
    expect(report.data.map((row) => row.ad_group_id)).toEqual([1, 2]);
  });

  test('exist where the table of a filtered metric has a fact', async () => {
    const filters = [{ field: 'halo_units', operator: 'GREATER_THAN_OR_EQUAL', values: ['0'] }] as const;
    const report = await run(disjoint, { metrics: ['impressions'], dimensions: ['ad_group_id'], filters });
    expect(report.data).toEqual([
      { ad_group_id: 1, impressions: 10 },
      { ad_group_id: 2, impressions: 0 },
    ]);
  });

  test('do not exist where only market has facts', async () => {
    const report = await run(disjoint, { metrics: ['share_of_voice'], dimensions: ['daily_date'] });
    expect(report.data).toEqual([{ daily_date: '2025-03-01', share_of_voice: null }]);
  });

  test('exist in a report without metrics where delivery, conversions or activity has a fact', async () => {
    const report = await run(disjoint, { dimensions: ['ad_group_id'] });
    expect(report.data).toEqual([{ ad_group_id: 1 }, { ad_group_id: 2 }, { ad_group_id: 3 }]);
  });

  test('exist in a report of attribute metrics where delivery, conversions or activity has a fact', async () => {
    const report = await run(disjoint, { metrics: ['ad_group_status'], dimensions: ['ad_group_id'] });
    expect(report.data).toEqual([
      { ad_group_id: 1, ad_group_status: 'ACTIVE' },
      { ad_group_id: 2, ad_group_status: 'ACTIVE' },
      { ad_group_id: 3, ad_group_status: null },
    ]);
  });

  test('do not come from a table that lacks a requested dimension', async () => {
    const data = dataset({
      delivery: [{ date: '2025-03-01', placement_id: 1, impressions: 10 }],
      activity: [{ date: '2025-03-02', live_seconds: 3600 }],
    });
    const report = await run(data, { metrics: ['impressions', 'hours_live'], dimensions: ['placement'] });
    expect(report.data).toEqual([{ placement: 'Search', impressions: 10, hours_live: null }]);
    expect((await run(data, { metrics: ['hours_live'], dimensions: ['placement'] })).data).toEqual([]);
  });

  test('do not come from a table that lacks a requested dimension, even without metrics', async () => {
    const data = dataset({
      delivery: [{ date: '2025-03-01' }],
      conversions: [{ date: '2025-03-01', conversion_source: 'ONLINE' }],
    });
    expect((await run(data, { dimensions: ['conversion_source'] })).data).toEqual([{ conversion_source: 'ONLINE' }]);
  });

  test('do not exist for days without facts', async () => {
    const data = dataset({
      delivery: [
        { date: '2025-03-01', impressions: 1 },
        { date: '2025-03-03', impressions: 2 },
      ],
    });
    const report = await run(data, { metrics: ['impressions'], dimensions: ['daily_date'] });
    expect(report.data).toEqual([
      { daily_date: '2025-03-01', impressions: 1 },
      { daily_date: '2025-03-03', impressions: 2 },
    ]);
  });

  test('exist for a fact whose measures are all 0', async () => {
    const data = dataset({ delivery: [{ date: '2025-03-01' }] });
    const report = await run(data, { metrics: ['impressions'], dimensions: ['daily_date'] });
    expect(report.data).toEqual([{ daily_date: '2025-03-01', impressions: 0 }]);
  });

  test('without dimensions are exactly one, even without facts', async () => {
    const report = await run(dataset({}), { metrics: ['impressions', 'click_through_rate', 'ad_group_status'] });
    expect(report.data).toEqual([{ impressions: 0, click_through_rate: null, ad_group_status: null }]);
    expect(report.totalCount).toBe(1);
  });

  test('without dimensions are exactly one, even where no table of a metric has the filtered dimension', async () => {
    const filters = [{ field: 'conversion_source', operator: 'EQUALS', values: ['ONLINE'] }] as const;
    const report = await run(disjoint, { metrics: ['impressions'], filters });
    expect(report.data).toEqual([{ impressions: null }]);
  });

  test('without dimensions are none where the row fails a metric filter', async () => {
    const filters = [{ field: 'impressions', operator: 'GREATER_THAN', values: ['10'] }] as const;
    const report = await run(disjoint, { metrics: ['impressions'], filters });
    expect({ data: report.data, totalCount: report.totalCount, totals: report.totals }).toEqual({
      data: [],
      totalCount: 0,
      totals: { impressions: 0 },
    });
  });

  test('do not include facts outside the period, of another experience or of another advertiser', async () => {
    const data = dataset({
      delivery: [
        { date: '2025-02-28', impressions: 1 },
        { date: '2025-03-01', impressions: 2 },
        { date: '2025-03-31', impressions: 4 },
        { date: '2025-04-01', impressions: 8 },
        { date: '2025-03-10', impressions: 16, experience: 'toa' },
        { date: '2025-03-10', impressions: 32, advertiserId: 2 },
      ],
    });
    expect((await run(data, { metrics: ['impressions'] })).data).toEqual([{ impressions: 6 }]);
  });
});
