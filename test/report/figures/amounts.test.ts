import { describe, expect, test } from 'vitest';
import type { ReportQuery } from '../../../shared/report/query/query.ts';
import { dataset } from '../../support/facts.ts';
import { adGroup, campaign } from './budgets.ts';
import { run } from './run.ts';

/** Doubles near these amounts are further apart than a millionth. */
const [FIRST, SECOND, LARGEST] = ['8600000000.000001', '8600000000.000002', '9007199254.740991'];

describe('amounts of listings are exact', () => {
  test('so that a budget and the same cost pace 1', async () => {
    const data = dataset({
      campaigns: [campaign({})],
      ad_groups: [adGroup(1, { budget: LARGEST, budgetType: 'DAILY' })],
      delivery: [8_000_000_000, 1_007_199_254.740991].map((cost) => ({ date: '2025-03-01', cost })),
    });
    const report = await run(data, { metrics: ['pacing', 'planned_cost'] });
    expect(report.data).toEqual([{ pacing: 1, planned_cost: Number(LARGEST) }]);
  });

  const orders = dataset({
    campaigns: [campaign({ budget: FIRST }), { ...campaign({ budget: SECOND }), id: 20 }],
    ad_groups: [adGroup(1, {}), { ...adGroup(2, {}), campaignId: 20 }],
    insertion_orders: [
      { campaignId: 10, advertiserId: 1, ioTotalAmount: FIRST },
      { campaignId: 20, advertiserId: 1, ioTotalAmount: SECOND },
    ],
    delivery: [1, 2].map((id) => ({ date: '2025-03-01', ad_group_id: id, clicks: id })),
  });
  const clicksOf = async (change: Partial<ReportQuery>) =>
    (await run(orders, { metrics: ['clicks'], ...change })).data.map(({ clicks }) => clicks);

  test('so that two that are a millionth apart are two rows, in their order', async () => {
    expect(await clicksOf({ dimensions: ['io_total_amount'] })).toEqual([1, 2]);
    const sort = [{ field: 'io_total_amount', order: 'DESC' }] as const;
    expect(await clicksOf({ dimensions: ['io_total_amount'], sort })).toEqual([2, 1]);
  });

  test('so that rows are in the order of a budget', async () => {
    const ordered = (order: 'ASC' | 'DESC') =>
      clicksOf({
        ...{ metrics: ['clicks', 'campaign_budget'], dimensions: ['campaign_id'] },
        sort: [{ field: 'campaign_budget', order }],
      });
    expect(await ordered('ASC')).toEqual([1, 2]);
    expect(await ordered('DESC')).toEqual([2, 1]);
  });

  test.each(['io_total_amount', 'campaign_budget'] as const)('in filters on %s', async (field) => {
    const filtered = (operator: 'EQUALS' | 'GREATER_THAN' | 'LIKE', text: string) =>
      clicksOf({ filters: [{ field, operator, values: [text] }] });
    expect(await filtered('EQUALS', FIRST)).toEqual([1]);
    expect(await filtered('EQUALS', SECOND)).toEqual([2]);
    expect(await filtered('GREATER_THAN', FIRST)).toEqual([2]);
    expect(await filtered('LIKE', '8600000000%')).toEqual([3]);
  });
});

const data = dataset({
  delivery: [
    { date: '2025-03-01', impressions: 6, cost: 4, users: ['a', 'b'] },
    { date: '2025-03-02', impressions: 3, cost: 2, users: ['b'] },
    { date: '2025-03-03', cost: 1 },
  ],
  conversions: [{ date: '2025-03-01', halo_revenue: 24 }],
});

test('frequency divides impressions by the users of the row, each of whom counts once in totals; acos divides cost by revenue', async () => {
  const report = await run(data, { metrics: ['frequency', 'acos'], dimensions: ['daily_date'] });
  expect(report.data).toEqual([
    { daily_date: '2025-03-01', frequency: 3, acos: 4 / 24 },
    { daily_date: '2025-03-02', frequency: 3, acos: null },
    { daily_date: '2025-03-03', frequency: null, acos: null },
  ]);
  expect(report.totals).toEqual({ frequency: 9 / 2, acos: 7 / 24 });
  expect(report.headers.map(({ name, standardError }) => [name, standardError])).toEqual([
    ['daily_date', undefined],
    ['frequency', expect.any(Number)],
    ['acos', undefined],
  ]);
});

test('a filter on frequency selects rows, also if it is not requested', async () => {
  const filters = [{ field: 'frequency', operator: 'GREATER_THAN', values: ['4'] }] as const;
  expect((await run(data, { metrics: ['impressions'], filters })).data).toEqual([{ impressions: 9 }]);
});
