import { describe, expect, test } from 'vitest';
import type { Filter } from '../../../shared/report/query/query.ts';
import { dataset } from '../../support/facts.ts';
import { run, warned } from './run.ts';

describe('a filter on a dimension has the same effect as grouping by it', () => {
  const data = dataset({
    delivery: [{ date: '2025-03-01', impressions: 100, cost: 4 }],
    conversions: [
      { date: '2025-03-01', conversion_source: 'ONLINE', halo_transactions: 2, halo_revenue: 10 },
      { date: '2025-03-02', conversion_source: 'IN_STORE', halo_transactions: 5, halo_revenue: 70 },
    ],
  });
  const filters = [{ field: 'conversion_source', operator: 'EQUALS', values: ['ONLINE'] }] as const;

  test('so a metric whose table lacks the dimension is null with a warning', async () => {
    const report = await run(data, { metrics: ['halo_transactions', 'impressions', 'cost_per_transaction'], filters });
    expect(report.data).toEqual([{ halo_transactions: 2, impressions: null, cost_per_transaction: null }]);
    expect(report.totals).toEqual({ halo_transactions: 2, impressions: null, cost_per_transaction: null });
    expect(warned(report)).toEqual(['impressions', 'cost_per_transaction']);
  });

  test('so a table that lacks the dimension makes no rows', async () => {
    const metrics = ['halo_revenue', 'impressions'] as const;
    const report = await run(data, { metrics, dimensions: ['daily_date'], filters });
    expect(report.data).toEqual([{ daily_date: '2025-03-01', halo_revenue: 10, impressions: null }]);
    expect((await run(data, { metrics: ['impressions'], dimensions: ['daily_date'], filters })).data).toEqual([]);
    expect((await run(data, { dimensions: ['daily_date'], filters })).data).toEqual([{ daily_date: '2025-03-01' }]);
  });

  test('so a filter on a metric that is undefined compares with null', async () => {
    const isNull = await run(data, {
      metrics: ['halo_revenue'],
      filters: [...filters, { field: 'impressions', operator: 'IS_NULL', values: [] }],
    });
    expect(isNull.data).toEqual([{ halo_revenue: 10 }]);
    const isSmall = await run(data, {
      metrics: ['halo_revenue'],
      filters: [...filters, { field: 'impressions', operator: 'LESS_THAN', values: ['1000'] }],
    });
    expect(isSmall.data).toEqual([]);
    expect(warned(isSmall)).toEqual(['impressions', 'impressions']); // why there is no row, and why it is undefined
  });
});

describe('filters apply', () => {
  const data = dataset({
    ad_groups: [
      { id: 1, advertiserId: 1, campaignId: 10, status: 'ACTIVE', budget: 5, budgetType: 'DAILY' },
      { id: 2, advertiserId: 1, campaignId: 10, status: 'PAUSED' },
    ],
    delivery: [
      { date: '2025-03-01', ad_group_id: 1, impressions: 30 },
      { date: '2025-03-01', ad_group_id: 2, impressions: 40 },
      { date: '2025-03-02', ad_group_id: 1, impressions: 60 },
    ],
  });
  const byDay = { metrics: ['impressions'], dimensions: ['daily_date'] } as const;

  test('before grouping, on an attribute metric', async () => {
    const filters = [{ field: 'ad_group_status', operator: 'EQUALS', values: ['ACTIVE'] }] as const;
    expect((await run(data, { ...byDay, filters })).data).toEqual([
      { daily_date: '2025-03-01', impressions: 30 },
      { daily_date: '2025-03-02', impressions: 60 },
    ]);
  });

  test('after grouping, on any other metric', async () => {
    const filters = [{ field: 'impressions', operator: 'BETWEEN', values: ['65', '70'] }] as const;
    expect((await run(data, { ...byDay, filters })).data).toEqual([{ daily_date: '2025-03-01', impressions: 70 }]);
  });

  test('all together, even on the same field', async () => {
    const filters: Filter[] = [
      { field: 'ad_group_budget', operator: 'IS_NULL', values: [] },
      { field: 'daily_date', operator: 'GREATER_THAN_OR_EQUAL', values: ['2025-03-01'] },
      { field: 'daily_date', operator: 'LESS_THAN', values: ['2025-03-02'] },
    ];
    expect((await run(data, { ...byDay, filters })).data).toEqual([{ daily_date: '2025-03-01', impressions: 40 }]);
  });
});

describe('operators', () => {
  const keywords: readonly (string | null)[] = ['Oat milk', 'oat_milk', 'oats 100%', 'jam', null];
  const data = dataset({
    delivery: keywords.map((keyword, at) => ({ date: '2025-03-01', keyword, impressions: 10 ** at })),
  });
  const select = async (
    operator: Filter['operator'],
    values: readonly string[],
    field: Filter['field'] = 'keyword',
  ) => {
    const filters = [{ field, operator, values }];
    const report = await run(data, { metrics: ['impressions'], dimensions: ['keyword'], filters });
    const left = new Set(report.data.map((row) => row.keyword));
    return keywords.filter((keyword) => left.has(keyword));
  };

  test.each([
    ['EQUALS', ['jam'], ['jam']],
    ['EQUALS', ['Jam'], []],
    ['EQUALS', ['jam', 'oat_milk'], ['oat_milk', 'jam']],
    ['IN', ['jam', 'Oat milk', 'tea'], ['Oat milk', 'jam']],
    ['NOT_EQUALS', ['jam'], ['Oat milk', 'oat_milk', 'oats 100%', null]],
    ['NOT_IN', ['jam', 'oat_milk', 'oats 100%'], ['Oat milk', null]],
    ['GREATER_THAN', ['oat_milk'], ['oats 100%']],
    ['GREATER_THAN_OR_EQUAL', ['oat_milk'], ['oat_milk', 'oats 100%']],
    ['LESS_THAN', ['jam'], ['Oat milk']],
    ['LESS_THAN_OR_EQUAL', ['jam'], ['Oat milk', 'jam']],
    ['BETWEEN', ['jam', 'oat_milk'], ['oat_milk', 'jam']],
    ['CONTAINS', ['OAT'], ['Oat milk', 'oat_milk', 'oats 100%']],
    ['CONTAINS', ['100%', 'JAM'], ['oats 100%', 'jam']],
    ['CONTAINS', ['o%s'], []],
    ['NOT_CONTAINS', ['oat', '%'], ['jam', null]],
    ['STARTS_WITH', ['OAT ', 'j'], ['Oat milk', 'jam']],
    ['STARTS_WITH', ['milk', '%'], []],
    ['LIKE', ['0\\%'], ['oats 100%']],
    ['LIKE', ['%\\%'], ['oats 100%']],
    ['LIKE', ['o%\\%%'], ['oats 100%']],
    ['NOT_LIKE', ['\\%'], ['Oat milk', 'oat_milk', 'jam', null]],
    ['LIKE', ['OAT'], ['Oat milk', 'oat_milk', 'oats 100%']],
    ['LIKE', ['milk'], ['Oat milk', 'oat_milk']],
    ['LIKE', ['milk%'], []],
    ['LIKE', ['%MILK'], ['Oat milk', 'oat_milk']],
    ['LIKE', ['o%s%'], ['oats 100%']],
    ['LIKE', ['t_m'], ['oat_milk']],
    ['LIKE', ['j.m'], []],
    ['LIKE', ['%'], ['Oat milk', 'oat_milk', 'oats 100%', 'jam']],
    ['LIKE_IN', ['jam', '%100%'], ['oats 100%', 'jam']],
    ['NOT_LIKE', ['oat%'], ['jam', null]],
    ['IS_NULL', [], [null]],
    ['NOT_NULL', [], ['Oat milk', 'oat_milk', 'oats 100%', 'jam']],
  ] as const)(
    'compare text exactly, and patterns ignoring case: keyword %s %j keeps %j',
    async (operator, values, left) => {
      expect(await select(operator, values)).toEqual(left);
    },
  );

  test.each([
    ['EQUALS', ['100'], ['oats 100%']],
    ['LESS_THAN', ['9'], ['Oat milk']],
    ['BETWEEN', ['10', '1000'], ['oat_milk', 'oats 100%', 'jam']],
    ['NOT_IN', ['1', '10', '100'], ['jam', null]],
    ['IS_NULL', [], []],
  ] as const)('compare metrics as numbers: impressions %s %j keeps %j', async (operator, values, left) => {
    expect(await select(operator, values, 'impressions')).toEqual(left);
  });

  test.each([
    ['GREATER_THAN', ['\uFF5E'], ['\u{1F600}']],
    ['GREATER_THAN_OR_EQUAL', ['\u{1F600}'], ['\u{1F600}']],
    ['LESS_THAN', ['\u{1F600}'], ['z', '\uFF5E']],
    ['LESS_THAN_OR_EQUAL', ['\uFF5E'], ['z', '\uFF5E']],
    ['BETWEEN', ['z', '\uFFFD'], ['z', '\uFF5E']],
  ] as const)('compare text by code point: %s %j keeps %j', async (operator, values, left) => {
    const texts = ['z', '\uFF5E', '\u{1F600}'];
    const rows = texts.map((keyword) => ({ date: '2025-03-01', keyword, impressions: 1 }));
    const filters = [{ field: 'keyword', operator, values }] as const;
    const report = await run(dataset({ delivery: rows }), { dimensions: ['keyword'], filters });
    expect(report.data.map((row) => row.keyword)).toEqual(left);
  });

  test('compare ids of ad groups as integers, and dates as days', async () => {
    const numbers = dataset({
      delivery: [2, 10].map((ad_group_id) => ({ date: '2025-03-01', ad_group_id, impressions: 1 })),
    });
    const filters = [{ field: 'ad_group_id', operator: 'LESS_THAN', values: ['9'] }] as const;
    expect((await run(numbers, { dimensions: ['ad_group_id'], filters })).data).toEqual([{ ad_group_id: 2 }]);
    const week = [{ field: 'week_date', operator: 'EQUALS', values: ['2025-02-24'] }] as const;
    expect((await run(numbers, { dimensions: ['month_date'], filters: week })).data).toEqual([
      { month_date: '2025-03-01' },
    ]);
  });
});

describe('a filter on a UPC may omit leading zeros, except in patterns', () => {
  const data = dataset({
    delivery: [
      { date: '2025-03-01', entity_id: '0000000001111', impressions: 1 },
      { date: '2025-03-01', entity_id: '0000000011112', impressions: 2 },
    ],
  });
  test.each([
    ['EQUALS', ['1111'], [1]],
    ['NOT_IN', ['001111', '7'], [2]],
    ['BETWEEN', ['1111', '1112'], [1]],
    ['GREATER_THAN', ['1111'], [2]],
    ['LIKE', ['1111'], [1, 2]],
    ['EQUALS', ['1111x'], []],
  ] as const)('%s %j keeps the rows with %j impressions', async (operator, values, impressions) => {
    const filters = [{ field: 'entity_id', operator, values: [...values] }] as const;
    const report = await run(data, { metrics: ['impressions'], dimensions: ['entity_id'], filters });
    expect(report.data.map((row) => row.impressions)).toEqual(impressions);
  });
});

describe('a filter on a product id finds GTIN-14, and other ids as they are loaded', () => {
  const ids = ['12345678901231', '1234567890123', '42', 'B00EXAMPLE'];
  const data = dataset({
    delivery: ids.map((entity_id, i) => ({ date: '2025-03-01', entity_id, impressions: i + 1 })),
  });
  test.each([
    ['EQUALS', ['12345678901231'], [1]],
    ['EQUALS', ['01234567890123'], [2]],
    ['IN', ['42', 'B00EXAMPLE'], [3, 4]],
    ['NOT_IN', ['42', '1234567890123'], [1, 4]],
  ] as const)('%s %j keeps the rows with %j impressions', async (operator, values, impressions) => {
    const filters = [{ field: 'entity_id', operator, values: [...values] }] as const;
    const report = await run(data, { metrics: ['impressions'], dimensions: ['entity_id'], filters });
    expect(report.data.map((row) => Number(row.impressions)).sort()).toEqual(impressions);
  });
});

describe('LIKE matches the written form of numbers and dates', () => {
  const data = dataset({
    ad_groups: [
      { id: 1_234, advertiserId: 1, campaignId: 10, budget: 0.5, startDate: '2025-02-28' },
      { id: 12_340, advertiserId: 1, campaignId: 10, budget: 1500, startDate: '2025-03-01' },
    ],
    delivery: [
      { date: '2025-03-09', ad_group_id: 1_234, hour: 2, entity_id: '0000000001111', impressions: 1_000, cost: 0.25 },
      { date: '2025-03-10', ad_group_id: 12_340, hour: 12, entity_id: '0000000111100', impressions: 8_000, cost: 2 },
    ],
  });
  const [first, second] = ['2025-03-09', '2025-03-10'];

  test.each([
    ['daily_date', 'LIKE', ['2025-03-0%'], [first]],
    ['daily_date', 'NOT_LIKE', ['%-10'], [first]],
    ['month_date', 'LIKE', ['2025-03-%'], [first, second]],
    ['week_date', 'LIKE', ['03-10'], [second]],
    ['hour', 'LIKE', ['2'], [first, second]],
    ['hour', 'LIKE', ['2%'], [first]],
    ['hour', 'LIKE', ['02'], []],
    ['ad_group_id', 'LIKE', ['%1234'], [first]],
    ['ad_group_id', 'LIKE_IN', ['12,340', '%40'], [second]],
    ['entity_id', 'LIKE', ['000000000%'], [first]],
    ['entity_id', 'LIKE', ['1111%'], []],
    ['entity_id', 'LIKE', ['%1111'], [first]],
    ['ad_group_budget', 'LIKE', ['0.5'], [first]],
    ['ad_group_budget', 'LIKE', ['.50'], []],
    ['ad_group_budget', 'LIKE', ['1500%'], [second]],
    ['ad_group_start_date', 'LIKE', ['2025-02-%'], [first]],
    ['impressions', 'LIKE', ['%000'], [first, second]],
    ['impressions', 'LIKE', ['1,000'], []],
    ['cost', 'LIKE', ['%.25'], [first]],
    ['cost', 'LIKE', ['2.0'], []],
    ['cost_per_thousand', 'LIKE', ['0.25'], [first, second]],
    ['cost_per_thousand', 'NOT_LIKE', ['0.25%'], []],
  ] as const)('%s %s %j keeps the days %j', async (field, operator, values, days) => {
    const filters = [{ field, operator, values }] as const;
    const report = await run(data, { metrics: ['impressions'], dimensions: ['daily_date'], filters });
    expect(report.data.map((row) => row.daily_date)).toEqual(days);
  });
});

describe('unique users above the exact limit', () => {
  const users = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}${at}`);
  const data = dataset({
    delivery: [
      { date: '2025-03-01', ad_group_id: 1, users: users('b', 9_000) },
      { date: '2025-03-01', ad_group_id: 2, users: users('bb', 9_010) },
      { date: '2025-03-01', ad_group_id: 3, users: users('c', 8_192) },
    ],
  });
  const request = { metrics: ['unique_user_impressions'], dimensions: ['ad_group_id'] } as const;
  const ids = async (parts: Parameters<typeof run>[1]) =>
    (await run(data, { ...request, ...parts })).data.map((row) => row.ad_group_id);

  test('are sorted by the estimate, even where its order differs from that of the true numbers', async () => {
    const { data: rows } = await run(data, request);
    const [more = 0, less = 0, exact = 0] = rows.map((row) => Number(row.unique_user_impressions));
    expect(more).toBeGreaterThan(less); // the estimate for 9,000 users is larger than that for 9,010
    expect(exact).toBe(8_192);
    const sort = [{ field: 'unique_user_impressions', order: 'DESC' }] as const;
    expect(await ids({ sort })).toEqual([1, 2, 3]);
  });

  test('are filtered by the estimate that the report shows', async () => {
    const { data: rows } = await run(data, request);
    const shown = rows.map((row) => String(row.unique_user_impressions));
    const only = (operator: 'EQUALS' | 'LIKE', values: readonly string[]): Filter[] => [
      { field: 'unique_user_impressions', operator, values },
    ];
    expect(await ids({ filters: only('EQUALS', ['9000', '9010']) })).toEqual([]);
    expect(await ids({ filters: only('EQUALS', shown) })).toEqual([1, 2, 3]);
    expect(await ids({ filters: only('LIKE', shown.slice(1, 2)) })).toEqual([2]);
  });
});
