import { describe, expect, test } from 'vitest';
import { dataset } from '../../support/facts.ts';
import { ask } from './ask.ts';

const apart = dataset({
  delivery: [{ date: '2025-03-01', ad_group_id: 1, impressions: 10 }],
  conversions: [{ date: '2025-03-02', ad_group_id: 2, halo_units: 3 }],
  activity: [{ date: '2025-03-04', ad_group_id: 3, live_seconds: 3600 }],
  market: [{ date: '2025-03-05', market_impressions: 1000 }],
});

describe('which rows exist', () => {
  test('those with a fact in a table that a requested metric needs', async () => {
    const report = await ask(apart, { metrics: ['impressions'], dimensions: ['ad_group_id'] });
    expect(report.data).toEqual([{ ad_group_id: 1, impressions: 10 }]);
  });

  test('several tables are merged by their keys', async () => {
    const report = await ask(apart, {
      metrics: ['impressions', 'halo_units', 'hours_live'],
      dimensions: ['ad_group_id'],
    });
    expect(report.data).toEqual([
      { ad_group_id: 1, impressions: 10, halo_units: 0, hours_live: 0 },
      { ad_group_id: 2, impressions: 0, halo_units: 3, hours_live: 0 },
      { ad_group_id: 3, impressions: 0, halo_units: 0, hours_live: 1 },
    ]);
  });

  test('a ratio needs the tables of both its sides', async () => {
    const report = await ask(apart, { metrics: ['clicked_conversion_rate'], dimensions: ['ad_group_id'] });
    expect(report.data.map((it) => it.ad_group_id)).toEqual([1, 2]);
  });

  test('a metric that is only filtered by needs its table too', async () => {
    const filters = [{ field: 'halo_units', operator: 'GREATER_THAN_OR_EQUAL', values: ['0'] }] as const;
    const report = await ask(apart, { metrics: ['impressions'], dimensions: ['ad_group_id'], filters });
    expect(report.data).toEqual([
      { ad_group_id: 1, impressions: 10 },
      { ad_group_id: 2, impressions: 0 },
    ]);
  });

  test('market makes no rows', async () => {
    const report = await ask(apart, { metrics: ['share_of_voice'], dimensions: ['daily_date'] });
    expect(report.data).toEqual([{ daily_date: '2025-03-01', share_of_voice: null }]);
  });

  test('without any metric: delivery, conversions and activity together', async () => {
    const report = await ask(apart, { dimensions: ['ad_group_id'] });
    expect(report.data).toEqual([{ ad_group_id: 1 }, { ad_group_id: 2 }, { ad_group_id: 3 }]);
  });

  test('attributes are no fact metrics: all three tables again', async () => {
    const report = await ask(apart, { metrics: ['ad_group_status'], dimensions: ['ad_group_id'] });
    expect(report.data).toEqual([
      { ad_group_id: 1, ad_group_status: 'ACTIVE' },
      { ad_group_id: 2, ad_group_status: 'ACTIVE' },
      { ad_group_id: 3, ad_group_status: null },
    ]);
  });

  test('a table that lacks a requested dimension adds no rows', async () => {
    const data = dataset({
      delivery: [{ date: '2025-03-01', placement_id: 1, impressions: 10 }],
      activity: [{ date: '2025-03-02', live_seconds: 3600 }],
    });
    const report = await ask(data, { metrics: ['impressions', 'hours_live'], dimensions: ['placement'] });
    expect(report.data).toEqual([{ placement: 'Search', impressions: 10, hours_live: null }]);
    expect((await ask(data, { metrics: ['hours_live'], dimensions: ['placement'] })).data).toEqual([]);
  });

  test('without metrics, tables that lack the dimension add none either', async () => {
    const data = dataset({
      delivery: [{ date: '2025-03-01' }],
      conversions: [{ date: '2025-03-01', conversion_source: 'ONLINE' }],
    });
    expect((await ask(data, { dimensions: ['conversion_source'] })).data).toEqual([{ conversion_source: 'ONLINE' }]);
  });

  test('days without facts have no row', async () => {
    const data = dataset({
      delivery: [
        { date: '2025-03-01', impressions: 1 },
        { date: '2025-03-03', impressions: 2 },
      ],
    });
    const report = await ask(data, { metrics: ['impressions'], dimensions: ['daily_date'] });
    expect(report.data).toEqual([
      { daily_date: '2025-03-01', impressions: 1 },
      { daily_date: '2025-03-03', impressions: 2 },
    ]);
  });

  test('a fact of zeros is a fact', async () => {
    const data = dataset({ delivery: [{ date: '2025-03-01' }] });
    const report = await ask(data, { metrics: ['impressions'], dimensions: ['daily_date'] });
    expect(report.data).toEqual([{ daily_date: '2025-03-01', impressions: 0 }]);
  });

  test('dimensions: [] is always one row', async () => {
    const report = await ask(dataset({}), { metrics: ['impressions', 'click_through_rate', 'ad_group_status'] });
    expect(report.data).toEqual([{ impressions: 0, click_through_rate: null, ad_group_status: null }]);
    expect(report.totalCount).toBe(1);
  });

  test('dimensions: [] is one row even where the filter leaves the metric no table', async () => {
    const filters = [{ field: 'conversion_source', operator: 'EQUALS', values: ['ONLINE'] }] as const;
    const report = await ask(apart, { metrics: ['impressions'], filters });
    expect(report.data).toEqual([{ impressions: null }]);
  });

  test('dimensions: [] is no row where a metric filter removes it', async () => {
    const filters = [{ field: 'impressions', operator: 'GREATER_THAN', values: ['10'] }] as const;
    const report = await ask(apart, { metrics: ['impressions'], filters });
    expect({ data: report.data, totalCount: report.totalCount, totals: report.totals }).toEqual({
      data: [],
      totalCount: 0,
      totals: { impressions: 0 },
    });
  });

  test('facts outside the window, of another experience or of another advertiser are not there', async () => {
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
    expect((await ask(data, { metrics: ['impressions'] })).data).toEqual([{ impressions: 6 }]);
  });
});
