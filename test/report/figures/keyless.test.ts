import { describe, expect, test } from 'vitest';
import type { ReportQuery } from '../../../shared/report/query/query.ts';
import { dataset } from '../../support/facts.ts';
import { runWithGaps } from './run.ts';

const KEYLESS = { unmeasured: ['conversions/keyword', 'conversions/hour'], hour: null } as const;

/** Conversions have no keyword and no hour on March 2 and 3; ad group 2 has conversions on these days only. */
const DATA = dataset({
  delivery: [
    { date: '2025-03-01', keyword: 'tv', impressions: 10, cost: 4 },
    { date: '2025-03-01', keyword: 'hifi', impressions: 10, cost: 1 },
    { date: '2025-03-02', keyword: 'tv', impressions: 30, cost: 5 },
    { date: '2025-03-02', impressions: 5, cost: 3 },
    { date: '2025-03-03', ad_group_id: 2, keyword: 'tv', impressions: 20, cost: 6 },
  ],
  conversions: [
    { date: '2025-03-01', keyword: 'tv', halo_revenue: 8, users: ['a'] },
    { date: '2025-03-01', halo_revenue: 1 },
    { date: '2025-03-02', halo_revenue: 16, halo_units: 2, users: ['b'], ...KEYLESS },
    { date: '2025-03-03', ad_group_id: 2, halo_revenue: 32, halo_units: 4, users: ['c'], ...KEYLESS },
  ],
});
const TV = { field: 'keyword', operator: 'EQUALS', values: ['tv'] } as const;
const MARCH_2 = { startDate: '2025-03-02', endDate: '2025-03-02' };

describe.each([false, true])('a table that lacks a dimension on some days, with rollups: %s', (rollups) => {
  const run = (parts: Partial<ReportQuery>) =>
    runWithGaps(DATA, { endDate: '2025-03-03', metrics: ['cost', 'halo_revenue', 'halo_roas'], rollups, ...parts });

  test.each<[string, Partial<ReportQuery>, (string | number | null)[][], (number | null)[]]>([
    [
      'leaves them out in rows with a value, and keeps them in the row without one, which has no ratio',
      { dimensions: ['keyword'] },
      [
        ['hifi', 1, 0, 0],
        ['tv', 15, 8, 2],
        [null, 3, 49, null],
      ],
      [19, 57, 3],
    ],
    [
      'has null where no other day is left',
      { dimensions: ['keyword'], ...MARCH_2 },
      [
        ['tv', 5, null, null],
        [null, 3, 16, null],
      ],
      [8, 16, 2],
    ],
    [
      'also by day, where each row has its own',
      { dimensions: ['daily_date', 'keyword'] },
      [
        ['2025-03-01', 'hifi', 1, 0, 0],
        ['2025-03-01', 'tv', 4, 8, 2],
        ['2025-03-01', null, 0, 1, null],
        ['2025-03-02', 'tv', 5, null, null],
        ['2025-03-02', null, 3, 16, null],
        ['2025-03-03', 'tv', 6, null, null],
        ['2025-03-03', null, 0, 32, null],
      ],
      [19, 57, 3],
    ],
    [
      'also by ad group: what has conversions on these days only is unknown',
      { dimensions: ['ad_group_id', 'keyword'] },
      [
        [1, 'hifi', 1, 0, 0],
        [1, 'tv', 9, 8, 2],
        [1, null, 3, 17, null],
        [2, 'tv', 6, null, null],
        [2, null, 0, 32, null],
      ],
      [19, 57, 3],
    ],
    ['also under a filter on it', { filters: [TV] }, [[15, 8, 2]], [15, 8, 2]],
    ['and null under a filter with no day left', { filters: [TV], ...MARCH_2 }, [[5, null, null]], [5, null, null]],
    [
      'keeps the amount under a filter that null passes, and a ratio leaves it out on both sides',
      { filters: [{ field: 'keyword', operator: 'NOT_EQUALS', values: ['tv'] }] },
      [[4, 49, 1]],
      [4, 49, 1],
    ],
    [
      'by hour, as by any other dimension',
      { dimensions: ['hour'] },
      [
        [0, 19, 9, 9 / 5],
        [null, 0, 48, null],
      ],
      [19, 57, 3],
    ],
    [
      'keeps ratios of the same table, and counts users as it sums',
      { dimensions: ['keyword'], metrics: ['clicked_unit_price_avg', 'unique_user_conversions'], ...MARCH_2 },
      [[null, 8, 1]],
      [8, 1],
    ],
    [
      'says nothing of a dimension that it has',
      { dimensions: ['ad_group_id'] },
      [
        [1, 13, 25, 25 / 13],
        [2, 6, 32, 32 / 6],
      ],
      [19, 57, 3],
    ],
  ])('%s', async (_, parts, rows, totals) => {
    const { data, totals: found } = await run(parts);
    expect(data.map((row) => Object.values(row))).toEqual(rows);
    expect(Object.values(found)).toEqual(totals);
  });

  test('is named with the dimension, the days and the metrics', async () => {
    const warningsOf = async (parts: Partial<ReportQuery>) =>
      (await run(parts)).meta.warnings.filter(({ code }) => code === 'NOT_MEASURED');
    const detail =
      'No row of conversions had keyword on 2025-03-02, 2025-03-03: rows with a value of it leave these days out of halo_revenue, halo_roas, and the row without one has no ratio of two tables.';
    expect(await warningsOf({ dimensions: ['keyword'] })).toEqual([
      {
        ...{ code: 'NOT_MEASURED', field: 'keyword', detail, drop: ['keyword'], things: [] },
        fields: ['keyword', 'halo_revenue', 'halo_roas'],
        dates: [{ from: '2025-03-02', to: '2025-03-03' }],
        message:
          'No row of conversions had Keyword on Mar 2 – 3, 2025: rows with a value of it leave these days out of Revenue (click), Return on ad spend (click), and the row without one has no ratio of two tables.',
      },
    ]);
    expect(await warningsOf({ filters: [TV] })).toMatchObject([{ detail }]);
    expect(await warningsOf({ dimensions: ['keyword'], metrics: ['cost'] })).toEqual([]);
    expect(await warningsOf({ dimensions: ['ad_group_id'] })).toEqual([]);
    expect(await warningsOf({ dimensions: ['keyword'], endDate: '2025-03-01' })).toEqual([]);
  });

  test('adds rows that keywords without sales are not: a filter on a metric drops what is unknown', async () => {
    const { data } = await run({
      dimensions: ['keyword'],
      filters: [{ field: 'halo_revenue', operator: 'EQUALS', values: ['0'] }],
    });
    expect(data.map(({ keyword }) => keyword)).toEqual(['hifi']);
    const unknown = await run({
      dimensions: ['keyword'],
      filters: [{ field: 'halo_revenue', operator: 'EQUALS', values: ['0'] }],
      ...MARCH_2,
    });
    expect(unknown.data).toEqual([]);
  });
});
