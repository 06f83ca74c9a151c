import { describe, expect, test } from 'vitest';
import type { Filter } from '../../../shared/report/query/query.ts';
import { dataset } from '../../support/facts.ts';
import { run, warned } from './run.ts';

const metrics = ['share_of_voice'] as const;
/** Advertisers of a market row: the own one and three others. */
const CROWD = { market_advertisers: 4 };

describe('share_of_voice', () => {
  const data = dataset({
    delivery: [
      { date: '2025-03-03', ad_group_id: 1, placement_id: 1, keyword: 'oats', impressions: 10 },
      { date: '2025-03-03', ad_group_id: 2, placement_id: 2, keyword: 'milk', impressions: 20 },
      { date: '2025-03-04', ad_group_id: 2, placement_id: 2, impressions: 30 },
    ],
    market: [
      { date: '2025-03-03', placement_id: 1, keyword: 'oats', market_impressions: 100, ...CROWD },
      { date: '2025-03-03', placement_id: 2, keyword: 'milk', market_impressions: 200, ...CROWD },
      { date: '2025-03-04', placement_id: 2, market_impressions: 300, ...CROWD },
      { date: '2025-03-05', placement_id: 1, keyword: 'oats', market_impressions: 400, ...CROWD },
      { date: '2025-03-03', placement_id: 3, keyword: 'jam', market_impressions: 10_000, ...CROWD },
    ],
  });

  test('in one row is own impressions / impressions of all advertisers in the slices with own impressions', async () => {
    const report = await run(data, { metrics });
    expect(report.data).toEqual([{ share_of_voice: 60 / 1000 }]);
    expect(report.meta.warnings).toEqual([]);
  });

  test('by dimensions of the market has the slice of each row as denominator, and all eligible slices in totals', async () => {
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
      { placement: 'Search', keyword: 'oats', share_of_voice: 10 / 500 },
    ]);
  });

  test('by week has the market of the week as denominator', async () => {
    const report = await run(data, { metrics, dimensions: ['week_date'] });
    expect(report.data).toEqual([{ week_date: '2025-03-03', share_of_voice: 60 / 1000 }]);
  });

  test('applies other dimensions to the numerator only; other filters also choose the eligible slices', async () => {
    const byAdGroup = await run(data, { metrics, dimensions: ['ad_group_id'] });
    expect(byAdGroup.data).toEqual([
      { ad_group_id: 1, share_of_voice: 10 / 1000 },
      { ad_group_id: 2, share_of_voice: 50 / 1000 },
    ]);
    expect(warned(byAdGroup)).toEqual([]);
    const filters = [{ field: 'ad_group_id', operator: 'EQUALS', values: ['1'] }] as const;
    expect((await run(data, { metrics, filters })).data).toEqual([{ share_of_voice: 10 / 500 }]);
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

  test('has a total where a dimension makes it undefined in rows', async () => {
    const report = await run(data, { metrics, dimensions: ['conversion_source'] });
    expect(report.data).toEqual([]);
    expect(report.totals).toEqual({ share_of_voice: 60 / 1000 });
  });

  test('is 0 in a row without own impressions, and null in a row without market', async () => {
    const more = dataset({
      conversions: [{ date: '2025-03-03', halo_units: 1 }],
      delivery: [{ date: '2025-03-04', impressions: 5 }],
      market: [{ date: '2025-03-03', market_impressions: 100, market_advertisers: 3 }],
    });
    const report = await run(more, { metrics: ['share_of_voice', 'halo_units'], dimensions: ['daily_date'] });
    expect(report.data).toEqual([
      { daily_date: '2025-03-03', share_of_voice: 0, halo_units: 1 },
      { daily_date: '2025-03-04', share_of_voice: null, halo_units: 0 },
    ]);
  });

  test('counts placements of equal name separately', async () => {
    const twins = dataset({
      placements: [
        { id: 1, name: 'Search' },
        { id: 3, name: 'Search' },
      ],
      delivery: [{ date: '2025-03-03', placement_id: 1, impressions: 10 }],
      market: [
        { date: '2025-03-03', placement_id: 1, market_impressions: 100, ...CROWD },
        { date: '2025-03-03', placement_id: 3, market_impressions: 900, ...CROWD },
      ],
    });
    expect((await run(twins, { metrics, dimensions: ['placement'] })).data).toEqual([
      { placement: 'Search', share_of_voice: 10 / 100 },
    ]);
  });
});

describe('share_of_voice ignores the market where the report’s advertisers have no impressions', () => {
  const data = dataset({
    delivery: [
      { date: '2025-03-03', placement_id: 1, keyword: 'oats', impressions: 10 },
      { date: '2025-03-03', placement_id: 1, keyword: 'plums', impressions: 0, clicks: 1 },
    ],
    market: [
      { date: '2025-03-03', placement_id: 1, keyword: 'oats', market_impressions: 100, ...CROWD },
      { date: '2025-03-03', placement_id: 1, keyword: 'plums', market_impressions: 500, ...CROWD },
      { date: '2025-03-03', placement_id: 1, keyword: 'peach snacks', market_impressions: 700, ...CROWD },
    ],
  });
  const like = (...values: string[]): Filter[] => [{ field: 'keyword', operator: 'LIKE_IN', values }];

  test('a filter on what was never bought gets exactly the response of an unknown value', async () => {
    const unknown = await run(data, { metrics, filters: like('no such keyword%') });
    expect(unknown.data).toEqual([{ share_of_voice: null }]);
    expect(unknown.meta.warnings).toEqual([
      {
        code: 'NO_OWN_IMPRESSIONS',
        field: 'share_of_voice',
        detail:
          'share_of_voice is null: it compares placements, division banners and keywords in which your advertisers have impressions, and this report has none.',
        drop: [],
      },
    ]);
    for (const pattern of ['p%', 'peach%', 'plums', '%snacks']) {
      expect(await run(data, { metrics, filters: like(pattern) })).toEqual(unknown);
    }
  });

  test('a filter that adds what was never bought changes nothing', async () => {
    const known = await run(data, { metrics, filters: like('oats') });
    expect(known.data).toEqual([{ share_of_voice: 10 / 100 }]);
    expect(await run(data, { metrics, filters: like('oats', 'p%') })).toEqual(known);
  });
});

describe('share_of_voice withholds cells with too few other advertisers', () => {
  const advertisers = [1, 2, 3].map((id) => ({ id, name: `Advertiser ${id}`, accountId: 1, accountIds: [1] }));
  const cell = { date: '2025-03-03', hour: 9, placement_id: 1, keyword: 'oats' } as const;
  const data = dataset({
    advertisers,
    delivery: [
      { ...cell, impressions: 10 },
      { ...cell, advertiserId: 2, impressions: 5 },
      { ...cell, advertiserId: 3, impressions: 0, clicks: 1 },
      { ...cell, hour: 10, impressions: 30 },
      { ...cell, hour: 11, impressions: 40 },
    ],
    market: [
      { ...cell, market_impressions: 100, market_advertisers: 4 },
      { ...cell, hour: 10, market_impressions: 300, market_advertisers: 4 },
      { ...cell, hour: 11, market_impressions: 400 },
      { ...cell, hour: 12, market_impressions: 900, market_advertisers: 3 },
      { ...cell, hour: 13, market_impressions: 5_000, market_advertisers: 2 },
    ],
  });
  const own = [1, 2, 3];

  test('on both sides, and states which part of the impressions it covers', async () => {
    const report = await run(data, { metrics, ownAdvertiserIds: own });
    // hour 9 has two others, hour 11 an unknown number, and hour 13 two; hours 10 and 12 have three
    expect(report.data).toEqual([{ share_of_voice: 30 / 1200 }]);
    expect(report.meta.warnings).toEqual([
      {
        code: 'PART_OF_THE_MARKET',
        field: 'share_of_voice',
        detail:
          'share_of_voice covers 30 of 85 impressions: it leaves out hours of a placement, division banner and keyword in which fewer than 3 other advertisers had impressions, or for which the market has no figures.',
        drop: [],
      },
    ]);
    const byHour = await run(data, { metrics, dimensions: ['hour'], ownAdvertiserIds: own });
    expect(byHour.data).toEqual([
      { hour: 9, share_of_voice: null },
      { hour: 10, share_of_voice: 30 / 300 },
      { hour: 11, share_of_voice: null },
    ]);
    expect(byHour.totals).toEqual({ share_of_voice: 30 / 1200 });
    expect(byHour.meta.warnings).toEqual(report.meta.warnings);
  });

  test('those without any other advertiser if one other is enough', async () => {
    const { meta } = await run(data, { metrics, ownAdvertiserIds: own, marketMinOthers: 1 });
    expect(meta.warnings.map(({ detail }) => detail)).toEqual([
      'share_of_voice covers 45 of 85 impressions: it leaves out hours of a placement, division banner and keyword in which no other advertiser had impressions, or for which the market has no figures.',
    ]);
  });

  test('whichever of the caller’s advertisers the report covers: all of them are known to the caller', async () => {
    const ofOne = { metrics, dimensions: ['hour'] as const, ownAdvertiserIds: own, advertiserIds: [1] };
    expect((await run(data, ofOne)).data[0]).toEqual({ hour: 9, share_of_voice: null });
    const filters = [{ field: 'advertiser_id', operator: 'EQUALS', values: ['1'] }] as const;
    expect((await run(data, { ...ofOne, advertiserIds: own, filters })).data[0]).toEqual({
      hour: 9,
      share_of_voice: null,
    });
    const alone = await run(data, { ...ofOne, ownAdvertiserIds: [1] });
    expect(alone.data[0]).toEqual({ hour: 9, share_of_voice: 10 / 100 });
  });

  test('where an agency owns most advertisers of a row, by the number of those that it does not own', async () => {
    const many = Array.from({ length: 12 }, (_, i) => i + 1);
    const agency = dataset({
      advertisers: many.map((id) => ({ id, name: `Advertiser ${id}`, accountId: 1, accountIds: [1] })),
      delivery: many.map((id) => ({ ...cell, advertiserId: id, impressions: id })),
      market: [{ ...cell, market_impressions: 1_000, market_advertisers: 14 }],
    });
    const of = async (ownAdvertiserIds: number[]) =>
      (await run(agency, { metrics, ownAdvertiserIds, advertiserIds: [1] })).data[0]?.share_of_voice;
    expect(await of(many)).toBe(null);
    expect(await of(many.slice(0, 11))).toBe(1 / 1_000);
  });

  test('by the setting: 0 counts all rows, also those without a number of advertisers', async () => {
    const share = async (marketMinOthers: number) =>
      (await run(data, { metrics, ownAdvertiserIds: own, marketMinOthers })).data[0]?.share_of_voice;
    expect(await share(4)).toBe(null);
    expect(await share(2)).toBe(45 / 6_300);
    expect(await share(1)).toBe(45 / 6_300);
    expect(await share(0)).toBe(85 / 6_700);
  });

  test('by the largest number of advertisers, where the files have several rows of a cell, because the numbers cannot be added up', async () => {
    const split = dataset({
      delivery: [{ ...cell, impressions: 10 }],
      market: [
        { ...cell, market_impressions: 60, market_advertisers: 2 },
        { ...cell, market_impressions: 40, market_advertisers: 3 },
      ],
    });
    expect((await run(split, { metrics })).data).toEqual([{ share_of_voice: null }]);
    expect((await run(split, { metrics, marketMinOthers: 2 })).data).toEqual([{ share_of_voice: 10 / 100 }]);
  });
});
