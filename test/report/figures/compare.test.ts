import { describe, expect, test } from 'vitest';
import type { DimensionName } from '../../../shared/catalog/dimensions.ts';
import type { MetricName } from '../../../shared/catalog/metrics.ts';
import { dayNumber, formatDay } from '../../../shared/lib/calendar.ts';
import type { Filter } from '../../../shared/report/query/query.ts';
import { dataset } from '../../support/facts.ts';
import { run } from './run.ts';

/* More of compared periods is in compare.txt. */
const PERIOD = { startDate: '2025-03-10', endDate: '2025-03-12' } as const;
const compare = { startDate: '2025-03-03', endDate: '2025-03-05' } as const;
const ad = (date: string, ad_group_id: number, cost: number, clicks = 1) => ({
  ...{ date, ad_group_id, cost, clicks, impressions: 10, users: [`u${ad_group_id}`] },
});
/** Ad group 1 has both periods, 2 only the period, 3 only the one before. On March 5, nobody has data. */
const data = dataset({
  delivery: [
    ...[ad('2025-03-03', 1, 0.1), ad('2025-03-04', 3, 7), ad('2025-03-10', 1, 0.3)],
    ...[ad('2025-03-11', 2, 1), ad('2025-03-12', 1, 0.2, 0)],
  ],
});
const BY_AD_GROUP = { ...PERIOD, compare, dimensions: ['ad_group_id'], metrics: ['cost'] } as const;

test('a report with a compared period states the cost of both periods together before it reads facts', async () => {
  const costs: { rows: number; groups: number }[] = [];
  const onStart = (cost: { rows: number; groups: number }) => void costs.push(cost);
  await run(data, { ...BY_AD_GROUP, onStart });
  const { compare: _, ...alone } = BY_AD_GROUP;
  for (const period of [PERIOD, compare]) await run(data, { ...alone, ...period, onStart });
  const [both, ...each] = costs.map(({ rows, groups }) => [rows, groups]);
  expect(both).toEqual([0, 1].map((at) => (each[0]?.[at] ?? 0) + (each[1]?.[at] ?? 0)));
});

/** Rounded twice, of two ad groups that changed alike, 2 changed more. */
describe('changes that are equal as fractions are equal numbers, and dimensions break the tie', () => {
  const [before, now] = [compare.startDate, PERIOD.startDate];
  const placed = { market_advertisers: 9, market_impressions: 0 };
  /** Of ad groups 1 and 2, the columns of March 3 and 10. */
  type Facts = readonly (readonly [object, object])[];
  const ctr = (clicks: number, impressions: number) => ({ clicks, impressions });
  const alike: Facts = [
    [ctr(1, 2), ctr(2, 3)],
    [ctr(1, 3), ctr(4, 9)],
  ];
  const reach = (impressions: number, users: number) => ({
    ...{ impressions, users: Array.from({ length: users }, (_, i) => `u${i}`) },
  });
  test.each<[MetricName, by: 'change' | 'relativeChange', change: number, Facts]>([
    ['click_through_rate', 'relativeChange', 1 / 3, alike],
    [
      ...(['click_through_rate', 'change', 1 / 6] as const),
      [
        [ctr(1, 2), ctr(2, 3)],
        [ctr(1, 3), ctr(1, 2)],
      ],
    ],
    [
      ...(['frequency', 'relativeChange', 2] as const),
      [
        [reach(1, 1), reach(3, 1)],
        [reach(4, 3), reach(4, 1)],
      ],
    ],
    [
      ...(['cost', 'relativeChange', 3] as const),
      [
        [{ cost: 0.1 }, { cost: 0.4 }],
        [{ cost: 0.3 }, { cost: 1.2 }],
      ],
    ],
    [
      ...(['pacing', 'relativeChange', 3] as const),
      [
        [{ cost: 1 }, { cost: 4 }],
        [{ cost: 2 }, { cost: 8 }],
      ],
    ],
    ['share_of_voice', 'relativeChange', 1 / 3, alike],
    [
      'planned_cost',
      'relativeChange',
      2,
      [
        [{}, {}],
        [{}, {}],
      ],
    ],
  ])('%s by %s', async (metric, by, change, columns) => {
    const weekly = metric === 'planned_cost';
    const facts = columns.flatMap(([earlier, later], i) => [
      { date: before, ad_group_id: i + 1, placement_id: i + 1, ...earlier },
      { date: weekly ? PERIOD.endDate : now, ad_group_id: i + 1, placement_id: i + 1, ...later },
    ]);
    const tied = dataset({
      delivery: metric === 'share_of_voice' ? facts.map((row) => ({ ...row, impressions: Object(row).clicks })) : facts,
      market: facts.map((row) => ({ ...row, ...placed, market_impressions: Object(row).impressions })),
      campaigns: [{ id: 10, advertiserId: 1, startDate: weekly ? '2025-03-05' : '2025-01-01' }],
      ad_groups: [1, 2].map((id) => ({
        ...{ id, advertiserId: 1, campaignId: 10, budgetType: weekly ? 'WEEKLY' : 'DAILY' },
        budget: weekly ? 2 * id - 1 : 2 * id + 1,
      })),
      placements: [1, 2].map((id) => ({ id, name: `P${id}` })),
    });
    const dimensions = [metric === 'share_of_voice' ? 'placement' : 'ad_group_id'] as const;
    const days = weekly
      ? BY_AD_GROUP
      : { startDate: now, endDate: now, compare: { startDate: before, endDate: before } };
    for (const order of ['ASC', 'DESC'] as const) {
      const sort = [{ field: metric, order, by }] as const;
      const { data: rows } = await run(tied, { ...days, dimensions, metrics: [metric], sort });
      const column = `${metric}_${by === 'change' ? 'change' : 'relative_change'}`;
      expect(rows.map((row) => [String(Object.values(row)[0]).at(-1), row[column]])).toEqual([
        ['1', change],
        ['2', change],
      ]);
    }
  });
});

describe('periods of different lengths', () => {
  const every = Array.from({ length: 520 }, (_, index) => formatDay(dayNumber('2025-01-01') - 370 + index));
  const daily = dataset({ delivery: every.map((date) => ({ date, clicks: 1, impressions: 1 })) });
  type Dates = readonly [startDate: string, endDate: string];
  const rowsOf = async (period: Dates, other: Dates, dimensions: readonly DimensionName[]) => {
    const [[startDate, endDate], [from, to]] = [period, other];
    const compare = { startDate: from, endDate: to };
    return (await run(daily, { startDate, endDate, compare, dimensions, metrics: ['clicks'] })).data;
  };
  const [MARCH, FEBRUARY] = [['2025-03-01', '2025-03-31'] as const, ['2025-02-01', '2025-02-28'] as const];
  const JANUARY = ['2025-01-01', '2025-01-31'] as const;

  /** March 29 to 31 were compared with 0, as if February had such days. */
  test('the last dates of a longer period have nothing to compare with', async () => {
    const days = await rowsOf(MARCH, FEBRUARY, ['daily_date']);
    expect(days.map((row) => row.clicks_before)).toEqual([...Array(28).fill(1), null, null, null]);
    const weeks = await rowsOf(MARCH, FEBRUARY, ['week_date']);
    expect(weeks.slice(-2).map((row) => [row.week_date, row.clicks_before])).toEqual([
      ['2025-03-24', 5],
      ['2025-03-31', null],
    ]);
  });

  /** Lengths were compared in days, so rows of March 9 or April 1 followed, and the last unit was compared with 0. */
  test.each<[unit: DimensionName, period: Dates, other: Dates, rows: readonly (readonly [string, number | null])[]]>([
    ['week_date', ['2025-03-03', '2025-03-09'], ['2025-02-23', '2025-03-01'], [['2025-03-03', 1]]],
    [
      ...(['week_date', ['2025-02-23', '2025-03-01'], ['2025-03-03', '2025-03-09']] as const),
      [
        ['2025-02-17', 7],
        ['2025-02-24', null],
      ],
    ],
    ['month_date', MARCH, ['2025-02-10', '2025-03-10'], [['2025-03-01', 19]]],
    [
      ...(['month_date', ['2025-02-10', '2025-03-10'], MARCH] as const),
      [
        ['2025-02-01', 31],
        ['2025-03-01', null],
      ],
    ],
    ['quarter_date', MARCH, ['2024-12-20', '2025-01-17'], [['2025-01-01', 12]]],
    [
      ...(['quarter_date', ['2024-12-20', '2025-01-17'], MARCH] as const),
      [
        ['2024-10-01', 31],
        ['2025-01-01', null],
      ],
    ],
    [
      ...(['daily_date', ['2025-03-01', '2025-03-02'], ['2025-02-01', '2025-02-01']] as const),
      [
        ['2025-03-01', 1],
        ['2025-03-02', null],
      ],
    ],
    ['daily_date', ['2025-03-01', '2025-03-01'], ['2025-02-01', '2025-02-02'], [['2025-03-01', 1]]],
    ['hour', ['2025-03-01', '2025-03-01'], ['2025-02-01', '2025-02-02'], [['0', 2]]],
  ])('are compared by the n-th %s: %j with %j', async (unit, period, other, expected) => {
    const rows = await rowsOf(period, other, [unit]);
    expect(rows.map((row) => [String(row[unit]), row.clicks_before])).toEqual(expected);
  });

  test('comparedTotals cover the whole compared period, or with a filter on a metric the rows', async () => {
    const compare = { startDate: '2025-03-03', endDate: '2025-03-09' };
    const weeks = { startDate: '2025-02-23', endDate: '2025-02-23', compare, metrics: ['clicks'] } as const;
    const totalOf = async (...filters: readonly Filter[]) => {
      const report = await run(daily, { ...weeks, dimensions: ['daily_date'], filters });
      return [report.totalCount, report.comparedTotals];
    };
    expect(await totalOf()).toEqual([1, { clicks: 7 }]);
    expect(await totalOf({ field: 'clicks', operator: 'EQUALS', values: ['1'] })).toEqual([1, { clicks: 1 }]);
  });

  /** Rows of March 1 to 3 followed, with the figures of the end of January. */
  test('the last dates of a longer compared period are left out', async () => {
    const days = await rowsOf(FEBRUARY, JANUARY, ['daily_date']);
    expect([days.length, days.at(-1)?.daily_date]).toEqual([28, FEBRUARY[1]]);
  });

  /** The offset of 90 days is no multiple of 7, so each day was looked up in a week that it is not in. */
  test('a row with a day has the week and the month of the compared day', async () => {
    const dimensions = ['daily_date', 'week_date', 'month_date', 'weekday'] as const;
    const days = await rowsOf(['2025-01-01', '2025-03-31'], ['2024-10-03', '2024-12-31'], dimensions);
    expect(days.filter((row) => row.clicks_before !== 1)).toEqual([]);
    expect(days).toHaveLength(90);
  });
});
