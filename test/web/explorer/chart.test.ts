import { describe, expect, test } from 'vitest';
import { dayNumber, formatDay } from '../../../shared/lib/calendar.ts';
import { planChart } from '../../../shared/web/explorer/chart/plan-chart.ts';
import type { ComparedRow, Row } from '../../../shared/web/explorer/question/compare-rows.ts';
import type { ChartKind } from '../../../shared/web/explorer/question/question.ts';
import type { ReportHeader } from '../../../shared/web/explorer/service/api.ts';
import type { Result } from '../../../shared/web/explorer/service/use-result.ts';
import { CATALOGUE } from './support.ts';

const RANGE = { first: dayNumber('2025-01-01'), last: dayNumber('2025-12-31') };

/** @returns the plan of a report whose columns are those of its first row */
function planOf(
  chart: ChartKind,
  rows: readonly Row[],
  toCompared = (row: Row): ComparedRow => ({ row, previous: undefined }),
  warnings: readonly object[] = [],
) {
  const headers = Object.keys(rows[0] ?? {}).map((name) => {
    const role = CATALOGUE.metric(name) === undefined ? 'dimension' : 'metric';
    return { ...CATALOGUE.field(name), role } as ReportHeader; // what a plan reads of it
  });
  const result = {
    question: { chart },
    request: { startDate: '2025-01-01', endDate: '2025-12-31', sort: [] },
    page: {
      headers,
      totalCount: rows.length,
      meta: { dataCompleteThrough: '2025-12-31', data: { from: '2025-01-01', gaps: [] }, warnings },
    },
    rows: rows.map(toCompared),
  } as unknown as Result; // as above
  return planChart(result, CATALOGUE);
}

/** @returns a row for each pair of `columns` and `rows` */
function cross(columns: number, rows: number, toRow: (column: number, row: number) => Row): Row[] {
  return Array.from({ length: columns * rows }, (_, index) => toRow(Math.floor(index / rows), index % rows));
}

describe('a heat map', () => {
  test('of more dates and rows than it draws states both', () => {
    const rows = cross(130, 45, (day, row) => ({
      daily_date: formatDay(RANGE.first + day),
      campaign_name: `c${row}`,
      clicks: 1,
    }));
    const { panels, notes } = planOf('heat', rows);
    expect(panels[0]?.marks).toHaveLength(120 * 40);
    expect(panels[0]?.series).toEqual(Array.from({ length: 40 }, (_, row) => `c${row}`));
    expect(notes).toEqual([
      'Columns: the first 120 of 130 values of Day; the table has all.',
      `Rows: the first 40 of 45 values of ${CATALOGUE.titleOf('campaign_name')}; the table has all.`,
    ]);
  });

  test('has a row for every hour between the first and the last, and no note', () => {
    const rows = cross(2, 2, (day, row) => ({
      daily_date: formatDay(RANGE.first + day),
      hour: row * 3 + 1,
      clicks: 1,
    }));
    const { panels, notes } = planOf('heat', rows);
    expect([panels[0]?.series, notes]).toEqual([['1', '2', '3', '4'], []]);
  });

  test.each(['daily_date', 'weekday'])('of hours and %s leaves out days without hours, and says so', (name) => {
    const rows = cross(2, 3, (day, row) => ({
      [name]: name === 'weekday' ? day + 1 : formatDay(RANGE.first + day),
      hour: [3, null, 1][row] ?? null,
      clicks: 1,
    }));
    const { panels, notes } = planOf('heat', rows);
    expect([panels[0]?.series, panels[0]?.marks.length]).toEqual([['1', '2', '3'], 4]);
    expect(notes).toEqual(['Not drawn: days without hours; the table has them.']);
  });

  test('has weekdays by name, in their order', () => {
    const rows = cross(2, 3, (hour, row) => ({ hour, weekday: [7, 1, 3][row] ?? 2, clicks: 1 }));
    expect(planOf('heat', rows).panels[0]?.series).toEqual(['Monday', 'Wednesday', 'Sunday']);
  });

  test('has no rows for the numbers between ids, which are not a sequence', () => {
    const rows = cross(2, 2, (day, row) => ({
      week_date: formatDay(RANGE.first + 5 + 7 * day),
      campaign_id: 60_001 + row * 1_000,
      clicks: 1,
    }));
    expect(planOf('heat', rows).panels[0]?.series).toEqual(['60001', '61001']);
  });
});

test('bars of hours and campaigns are in the order of the rows, each with its names', () => {
  const rows = [3, 1].map((hour) => ({ hour, campaign_name: `c${hour}`, clicks: hour }));
  const { panels, isOrdered } = planOf('bar', rows);
  expect([isOrdered, panels[0]?.marks.map(({ x }) => x)]).toEqual([false, ['3 · c3', '1 · c1']]);
});

test('small multiples of more bars than they draw say how many there are', () => {
  const rows = cross(2, 12, (placement, campaign) => ({
    campaign_name: `c${campaign}`,
    placement: `p${placement}`,
    clicks: 1,
  }));
  const { panels, notes } = planOf('multiples', rows);
  expect(panels[0]?.marks).toHaveLength(2 * 10);
  expect(notes).toEqual(['Bars of the first 10 of up to 12 rows in each chart, in the table’s order.']);
});

describe('direct and other purchases by product', () => {
  const rows = [1, 2].map((n) => ({ entity_name: `p${n}`, direct_revenue: n, other_revenue: 10 * n, cost: 5 }));

  test('are one stack in two colours, whichever comes first', () => {
    for (const shown of [
      rows,
      rows.map(({ entity_name, other_revenue, direct_revenue }) => ({ entity_name, other_revenue, direct_revenue })),
    ]) {
      const { kind, series, panels } = planOf('auto', shown);
      expect([kind, panels.length, [...series].sort()]).toEqual([
        'stack',
        1,
        ['Direct revenue (click)', 'Other revenue (click)'],
      ]);
      expect(panels[0]?.marks.map(({ x, value }) => [x, value])).toContainEqual(['p2', 20]);
    }
    expect(planOf('auto', rows).notes).toEqual(['Not drawn: Cost.']);
  });

  test('are no stack alone, or after another metric', () => {
    const [alone, after] = [
      rows.map(({ entity_name, direct_revenue }) => ({ entity_name, direct_revenue })),
      rows.map(({ entity_name, cost, ...parts }) => ({ entity_name, cost, ...parts })),
    ];
    expect([planOf('stack', alone).kind, planOf('stack', after).kind]).toEqual(['bar', 'bar']);
  });
});

test('a scatter plot states how many rows have no point', () => {
  const rows = [1, 2, 3].map((cost) => ({ campaign_name: `c${cost}`, cost, halo_roas: cost === 2 ? null : 1.5 }));
  expect(planOf('scatter', rows).notes).toEqual([
    `Not drawn: 1 row that has no value of Cost or of ${CATALOGUE.titleOf('halo_roas')}.`,
  ]);
});

test('a chart without the compared period says so, and one with it does not', () => {
  const rows = [1, 2].map((cost) => ({ campaign_name: `c${cost}`, cost, clicks: 1 }));
  const both = (row: Row) => ({ row, previous: row });
  const note = 'The compared period is not drawn; the table has it.';
  expect(planOf('scatter', rows, both)).toMatchObject({ isCompared: false, notes: [note] });
  expect(planOf('bar', rows, both)).toMatchObject({ isCompared: true, notes: [] });
});

describe('the series of a chart', () => {
  /** Series 0 to 11, whose costs rise and whose clicks fall. */
  const rows = cross(2, 12, (day, row) => ({
    daily_date: formatDay(RANGE.first + day),
    campaign_name: `c${row}`,
    cost: 10 + row,
    clicks: 100 - row,
    click_through_rate: 0.5,
  }));
  const largest = ['c11', 'c10', 'c9', 'c8', 'c7', 'c6', 'c5'];

  test('are the largest of the first metric in all panels; the others are added up where values can be', () => {
    const { panels, series, notes } = planOf('line', rows);
    expect(panels.map((panel) => panel.series)).toEqual([[...largest, '(other)'], [...largest, '(other)'], largest]);
    expect(series).toEqual([...largest, '(other)']);
    const others = panels[1]?.marks.filter((mark) => mark.series === '(other)').slice(0, 2);
    expect(others?.map(({ value }) => value)).toEqual([490, 490]);
    expect(notes).toEqual([
      'The 7 largest of 12 series by Cost; the table has all.',
      `(other): the other 5 series, added up; not in ${CATALOGUE.titleOf('click_through_rate')}, which cannot be added up.`,
    ]);
  });

  test('have the same colours in lines and in stacks', () => {
    expect(planOf('stack', rows).series).toEqual(planOf('line', rows).series);
  });

  test('of small multiples are the largest only, because a sum of the others would make them small', () => {
    const { series, notes } = planOf('multiples', rows);
    expect(series).toEqual([...largest, 'c4']);
    expect(notes[0]).toBe('The 8 largest of 12 series by Cost; the table has all.');
  });

  test('of values that cannot be added up are the largest, without the others', () => {
    const rates = rows.map(({ cost, clicks, ...row }) => ({ ...row, click_through_rate: Number(cost) / 100 }));
    const { series, notes } = planOf('line', rates);
    expect(series).toEqual([...largest, 'c4']);
    expect(notes).toEqual([
      `The 8 largest of 12 series by ${CATALOGUE.titleOf('click_through_rate')}; the table has all.`,
    ]);
  });

  test('have one colour each: of more metrics than there are colours, the last are not drawn', () => {
    const metrics = CATALOGUE.metrics.filter(({ unit, kind }) => unit === 'count' && kind === 'sum').slice(0, 10);
    const values = Object.fromEntries(metrics.map(({ name }) => [name, 1]));
    const { series, notes } = planOf(
      'line',
      [0, 1].map((day) => ({ daily_date: formatDay(RANGE.first + day), ...values })),
    );
    const titles = metrics.map(({ title }) => title);
    expect(series).toEqual(titles.slice(0, 8));
    expect(notes).toEqual([`Not drawn: ${titles.slice(8).join(', ')}.`]);
  });
});

test.each([
  ['campaign_name', 'campaign_id'],
  ['creative_name', 'creative_key'],
])('things of one %s are told apart by their %s, which is no dimension of the chart', (name, id) => {
  const days = ['2025-02-01', '2025-02-02'];
  const things = [
    ['Spring', 1],
    ['Spring', 2],
    ['Autumn', 3],
  ] as const;
  const rows = things.flatMap(([text, key]) =>
    days.map((daily_date) => ({ [name]: text, [id]: key, daily_date, cost: 1 })),
  );
  expect(planOf('line', rows).series).toEqual(['Spring (1)', 'Spring (2)', 'Autumn']);
});

test('hours of weekdays are a heat map', () => {
  const rows = cross(24, 7, (hour, weekday) => ({ hour, weekday: weekday + 1, clicks: hour }));
  expect(planOf('auto', rows)).toMatchObject({ kind: 'heat', axis: { name: 'hour' } });
});

test('budgets, which are per day or of a whole flight, are not drawn on one scale', () => {
  const rows = [1, 2].map((campaign_id) => ({ campaign_id, campaign_budget: 10 ** campaign_id, planned_cost: 5 }));
  expect(planOf('auto', rows).panels.map(({ title }) => title)).toEqual(['Planned cost']);
});

describe('dates of which the period has a part', () => {
  const weeks = ['2024-12-30', '2025-12-15', '2025-12-22', '2025-12-29'].map((week_date) => ({ week_date, clicks: 1 }));
  const cut = { code: 'PARTIAL_UNIT', field: 'week_date', dates: [{ from: '2025-12-29', to: '2025-12-31' }] };
  const ofCompared = { ...cut, dates: [{ from: '2025-12-22', to: '2025-12-24' }] };
  const both = { ...cut, dates: [{ from: '2025-01-01', to: '2025-12-31' }] };
  const ofMonths = { ...cut, field: 'month_date' };
  const running = { code: 'DAY_NOT_ENDED', field: 'daily_date', dates: [{ from: '2025-12-30', to: '2025-12-30' }] };
  const note = 'Dashed: figures of a part of the days.';

  test.each([
    ['a cut week, and not what is cut of other dimensions', 'line', [cut, ofMonths], ['2025-12-29'], [note]],
    ['no week that is cut in the compared period', 'line', [cut, ofCompared], ['2025-12-29'], [note]],
    ['the first and the last week of a period of both', 'line', [both], ['2024-12-30', '2025-12-29'], [note]],
    ['the week of the running day', 'bar', [running], ['2025-12-29'], [note]],
    ['no other dates', 'line', [{ ...cut, code: 'MISSING_DAYS' }], [], []],
  ] as const)('are dashed: %s', (_, kind, warnings, dates, notes) => {
    const plan = planOf(kind, weeks, undefined, warnings);
    expect([[...plan.partial], plan.notes]).toEqual([dates, notes]);
  });
});
