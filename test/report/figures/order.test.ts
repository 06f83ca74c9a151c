import { describe, expect, test } from 'vitest';
import { dataset } from '../../support/facts.ts';
import { run } from './run.ts';

describe('the sort order', () => {
  const data = dataset({
    delivery: [
      { date: '2025-03-01', ad_group_id: 10, keyword: 'b', impressions: 10, clicks: 5 },
      { date: '2025-03-01', ad_group_id: 2, keyword: 'a', impressions: 10, clicks: 1 },
      { date: '2025-03-01', ad_group_id: 1, keyword: 'B', impressions: 0 },
      { date: '2025-03-01', ad_group_id: 3, impressions: 20, clicks: 2 },
    ],
  });
  const ids = async (field: 'click_through_rate' | 'impressions' | 'keyword', order: 'ASC' | 'DESC') => {
    const metrics = ['click_through_rate', 'impressions'] as const;
    const report = await run(data, { metrics, dimensions: ['ad_group_id', 'keyword'], sort: [{ field, order }] });
    return report.data.map((row) => row.ad_group_id);
  };

  test('has nulls last, ascending and descending', async () => {
    // rates: 10 → 0.5, 2 → 0.1, 3 → 0.1, 1 → null; keywords: 10 → b, 2 → a, 1 → B, 3 → null
    expect(await ids('click_through_rate', 'ASC')).toEqual([2, 3, 10, 1]);
    expect(await ids('click_through_rate', 'DESC')).toEqual([10, 2, 3, 1]);
    expect(await ids('keyword', 'ASC')).toEqual([1, 2, 10, 3]);
    expect(await ids('keyword', 'DESC')).toEqual([10, 2, 1, 3]);
  });

  test('breaks ties by all dimensions ascending, also in descending order, with numbers compared as numbers', async () => {
    expect(await ids('impressions', 'ASC')).toEqual([1, 2, 10, 3]);
    expect(await ids('impressions', 'DESC')).toEqual([3, 2, 10, 1]);
  });

  test('is that of the dimensions where the request has no sort', async () => {
    const report = await run(data, { metrics: ['impressions'], dimensions: ['keyword', 'ad_group_id'] });
    expect(report.data.map((row) => row.keyword)).toEqual(['B', 'a', 'b', null]);
  });

  test('of text is by code point: a character beyond the basic plane comes after all others', async () => {
    const keywords = ['\u{1F600}', '\uFF5E', 'z', '\uFF5E\u{1D4B3}', '\uFF5E\uFFFD', null];
    const rows = keywords.map((keyword, at) => ({ date: '2025-03-01', keyword, ad_group_id: at, impressions: 1 }));
    const names = keywords.map((name, id) => ({ id, advertiserId: 1, campaignId: 10, name, status: name }));
    const request = { metrics: ['ad_group_status'], dimensions: ['keyword', 'ad_group_name'] } as const;
    const ascending = ['z', '\uFF5E', '\uFF5E\uFFFD', '\uFF5E\u{1D4B3}', '\u{1F600}'];
    for (const field of ['keyword', 'ad_group_name', 'ad_group_status'] as const) {
      const sorted = async (order: 'ASC' | 'DESC') => {
        const report = await run(dataset({ ad_groups: names, delivery: rows }), {
          ...request,
          sort: [{ field, order }],
        });
        return report.data.map((row) => row.keyword);
      };
      expect(await sorted('ASC')).toEqual([...ascending, null]);
      expect(await sorted('DESC')).toEqual([...ascending.toReversed(), null]);
    }
  });

  test('uses several fields in their order', async () => {
    const sort = [
      { field: 'impressions', order: 'DESC' },
      { field: 'ad_group_id', order: 'DESC' },
    ] as const;
    const report = await run(data, { metrics: ['impressions'], dimensions: ['ad_group_id'], sort });
    expect(report.data.map((row) => row.ad_group_id)).toEqual([3, 10, 2, 1]);
  });

  test('treats equal ratios as ties, whatever sums they come from', async () => {
    const pairs = [
      { ad_group_id: 1, cost: 0.3, clicks: 3 },
      { ad_group_id: 2, cost: 0.1, clicks: 1 },
      { ad_group_id: 3, cost: 0.7, clicks: 7 },
    ].map((row) => ({ ...row, date: '2025-03-01' }));
    const sort = [{ field: 'cost_per_click', order: 'DESC' }] as const;
    const report = await run(dataset({ delivery: pairs }), {
      metrics: ['cost_per_click'],
      dimensions: ['ad_group_id'],
      sort,
    });
    expect(report.data).toEqual([
      { ad_group_id: 1, cost_per_click: 0.1 },
      { ad_group_id: 2, cost_per_click: 0.1 },
      { ad_group_id: 3, cost_per_click: 0.1 },
    ]);
  });
});

describe('pages', () => {
  test('neither overlap nor skip where many rows tie', async () => {
    const data = dataset({
      // the hour decides the day and the ad group, so there are 24 rows
      delivery: Array.from({ length: 24 * 4 }, (_, at) => ({
        ...{ date: `2025-03-0${1 + (at % 4)}`, hour: at % 24, ad_group_id: 1 + (at % 3), impressions: at % 2 },
      })),
    });
    const request = { metrics: ['impressions'], dimensions: ['hour', 'daily_date', 'ad_group_id'] } as const;
    const sort = [{ field: 'impressions', order: 'DESC' }] as const;
    const whole = await run(data, { ...request, sort });
    const pages = await Promise.all(
      [0, 7, 14, 21, 28].map((offset) => run(data, { ...request, sort, pagination: { offset, size: 7 } })),
    );
    expect(whole.totalCount).toBe(24);
    expect(pages.flatMap((page) => page.data)).toEqual(whole.data);
    expect(pages.map((page) => page.totalCount)).toEqual([24, 24, 24, 24, 24]);
  });
});
