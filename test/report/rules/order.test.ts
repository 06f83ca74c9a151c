import { describe, expect, test } from 'vitest';
import { dataset } from '../../support/facts.ts';
import { ask } from './ask.ts';

describe('sort', () => {
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
    const report = await ask(data, { metrics, dimensions: ['ad_group_id', 'keyword'], sort: [{ field, order }] });
    return report.data.map((it) => it.ad_group_id);
  };

  test('nulls come last, ascending and descending', async () => {
    // rates: 10 → 0.5, 2 → 0.1, 3 → 0.1, 1 → null; keywords: 10 → b, 2 → a, 1 → B, 3 → null
    expect(await ids('click_through_rate', 'ASC')).toEqual([2, 3, 10, 1]);
    expect(await ids('click_through_rate', 'DESC')).toEqual([10, 2, 3, 1]);
    expect(await ids('keyword', 'ASC')).toEqual([1, 2, 10, 3]);
    expect(await ids('keyword', 'DESC')).toEqual([10, 2, 1, 3]);
  });

  test('ties are broken by all dimensions ascending, numbers as numbers, whichever way the sort goes', async () => {
    expect(await ids('impressions', 'ASC')).toEqual([1, 2, 10, 3]);
    expect(await ids('impressions', 'DESC')).toEqual([3, 2, 10, 1]);
  });

  test('without a sort, rows come by their dimensions, in the order asked for', async () => {
    const report = await ask(data, { metrics: ['impressions'], dimensions: ['keyword', 'ad_group_id'] });
    expect(report.data.map((it) => it.keyword)).toEqual(['B', 'a', 'b', null]);
  });

  test('text is ordered by code point: a character beyond the basic plane comes after all others', async () => {
    const keywords = ['\u{1F600}', '\uFF5E', 'z', '\uFF5E\u{1D4B3}', '\uFF5E\uFFFD', null];
    const rows = keywords.map((keyword, at) => ({ date: '2025-03-01', keyword, ad_group_id: at, impressions: 1 }));
    const names = keywords.map((name, id) => ({ id, advertiserId: 1, campaignId: 10, name, status: name }));
    const asked = { metrics: ['ad_group_status'], dimensions: ['keyword', 'ad_group_name'] } as const;
    const ascending = ['z', '\uFF5E', '\uFF5E\uFFFD', '\uFF5E\u{1D4B3}', '\u{1F600}'];
    for (const field of ['keyword', 'ad_group_name', 'ad_group_status'] as const) {
      const sorted = async (order: 'ASC' | 'DESC') => {
        const report = await ask(dataset({ ad_groups: names, delivery: rows }), { ...asked, sort: [{ field, order }] });
        return report.data.map((it) => it.keyword);
      };
      expect(await sorted('ASC')).toEqual([...ascending, null]);
      expect(await sorted('DESC')).toEqual([...ascending.toReversed(), null]);
    }
  });

  test('several fields sort in turn', async () => {
    const sort = [
      { field: 'impressions', order: 'DESC' },
      { field: 'ad_group_id', order: 'DESC' },
    ] as const;
    const report = await ask(data, { metrics: ['impressions'], dimensions: ['ad_group_id'], sort });
    expect(report.data.map((it) => it.ad_group_id)).toEqual([3, 10, 2, 1]);
  });

  test('equal ratios are ties, whatever sums they come from', async () => {
    const pairs = [
      { ad_group_id: 1, cost: 0.3, clicks: 3 },
      { ad_group_id: 2, cost: 0.1, clicks: 1 },
      { ad_group_id: 3, cost: 0.7, clicks: 7 },
    ].map((it) => ({ ...it, date: '2025-03-01' }));
    const sort = [{ field: 'cost_per_click', order: 'DESC' }] as const;
    const report = await ask(dataset({ delivery: pairs }), {
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
      delivery: Array.from({ length: 24 * 4 }, (_, at) => ({
        ...{ date: `2025-03-0${1 + (at % 4)}`, hour: at % 24, ad_group_id: 1 + (at % 3), impressions: at % 2 },
      })),
    });
    const asked = { metrics: ['impressions'], dimensions: ['hour', 'daily_date', 'ad_group_id'] } as const;
    const sort = [{ field: 'impressions', order: 'DESC' }] as const;
    const whole = await ask(data, { ...asked, sort });
    const pages = await Promise.all(
      [0, 7, 14, 21, 28].map((offset) => ask(data, { ...asked, sort, pagination: { offset, size: 7 } })),
    );
    expect(whole.totalCount).toBe(24);
    expect(pages.flatMap((it) => it.data)).toEqual(whole.data);
    expect(pages.map((it) => it.totalCount)).toEqual([24, 24, 24, 24, 24]);
  });
});
