import { describe, expect, test } from 'vitest';
import { dayNumber, formatDay, monthOf, weekOf } from '../../../shared/lib/calendar.ts';
import { comparedRange } from '../../../shared/lib/compared-period.ts';
import type { ReportHeader } from '../../../shared/web/explorer/app/api.ts';
import { changeOf, comparedMetrics, compareRows } from '../../../shared/web/explorer/question/compare-rows.ts';
import { Formatter } from '../../../shared/web/explorer/question/format.ts';

import { cellOf } from '../../../shared/web/explorer/table/columns.ts';
import { CATALOGUE } from './support.ts';

const range = (startDate: string, endDate: string) => ({ first: dayNumber(startDate), last: dayNumber(endDate) });

describe('rows of two periods', () => {
  const input = {
    rows: [
      { campaign_name: 'a', daily_date: '2026-02-09', cost: 3, halo_roas: 2 },
      { campaign_name: 'b', daily_date: '2026-02-10', cost: 1, halo_roas: null },
    ],
    previous: [
      { campaign_name: 'a', daily_date: '2026-02-02', cost: 2, halo_roas: 1 },
      { campaign_name: 'c', daily_date: '2026-02-03', cost: 5, halo_roas: 4 },
    ],
    isComplete: true,
    range: range('2026-02-09', '2026-02-15'),
    compared: range('2026-02-02', '2026-02-08'),
    weekStartsOn: 'Monday' as const,
    dimensions: [
      { name: 'campaign_name', type: 'text' },
      { name: 'daily_date', type: 'date' },
    ],
    metrics: [
      { name: 'cost', isZeroWithoutFacts: true },
      { name: 'halo_roas', isZeroWithoutFacts: false },
    ],
  };

  test('are joined by their dimensions, dates by position; a missing row has sums of 0', () => {
    expect(compareRows(input)).toEqual([
      { row: input.rows[0], previous: { campaign_name: 'a', daily_date: '2026-02-09', cost: 2, halo_roas: 1 } },
      { row: input.rows[1], previous: { cost: 0, halo_roas: null } }, // a row by day is not new: the compared day has no facts
      {
        row: { campaign_name: 'c', daily_date: '2026-02-10', cost: 0, halo_roas: null },
        previous: { campaign_name: 'c', daily_date: '2026-02-10', cost: 5, halo_roas: 4 },
        isEnded: true,
      },
    ]);
  });

  test('have null instead of sums of 0 on a day without delivery', () => {
    const delivered = new Set(['2026-02-02', '2026-02-09']);
    expect(compareRows({ ...input, delivered }).slice(1)).toEqual([
      { row: input.rows[1], previous: { cost: null, halo_roas: null } },
      {
        row: { campaign_name: 'c', daily_date: '2026-02-10', cost: null, halo_roas: null },
        previous: { campaign_name: 'c', daily_date: '2026-02-10', cost: 5, halo_roas: 4 },
        isEnded: true,
      },
    ]);
  });

  test('are new if the compared period has no row of their name, and say so in each cell', () => {
    const dimensions = [{ name: 'campaign_name', type: 'text' }];
    const rows = compareRows({ ...input, dimensions });
    expect(rows.map(({ isNew }) => isNew)).toEqual([undefined, true, undefined]);
    const cost = { name: 'cost', role: 'metric', type: 'decimal', unit: 'USD' } as ReportHeader; // what a cell reads of it
    const roas = { ...cost, name: 'halo_roas', unit: 'ratio' };
    const shown = (header: ReportHeader) =>
      rows.map((row) => cellOf(header, row, new Formatter('en-US'), new Map()).change);
    expect(shown(cost)).toEqual(['+$1.00 (+50%)', 'new', '−$5.00 (−100%)']);
    expect(shown(roas)).toEqual(['+1.00 (+100%)', 'new', '–']);
  });

  test('say why they have no value: of a row of the compared period only, that this period does not have it', () => {
    const rows = compareRows({ ...input, delivered: new Set(['2026-02-09', '2026-02-10']) }).slice(1);
    const warned = new Map([['campaign_status', 'Several campaigns.']]);
    const hints = (header: object) =>
      rows.map((row) => cellOf(header as ReportHeader, row, new Formatter('en-US'), warned).hint); // as above
    const ofRow = 'This period has no such row.';
    expect(hints({ name: 'halo_roas', role: 'metric', unit: 'ratio' })).toEqual([
      'There is no value here, or the denominator is 0.',
      ofRow,
    ]);
    expect(hints({ name: 'campaign_status', role: 'metric', unit: null })).toEqual(['Several campaigns.', ofRow]);
    expect(hints({ name: 'campaign_budget_type', role: 'metric', unit: null })).toEqual([
      'There is no value here, or there are several.',
      ofRow,
    ]);
    expect(hints({ name: 'placement', role: 'dimension', unit: null })).toEqual(
      Array(2).fill('The facts of this row have no value here.'),
    );
  });

  test('have no value of a metric that is undefined in the report, where one period has no row', () => {
    const headers = ['cost', 'clicks', 'halo_roas'].map((name) => ({ name, role: 'metric' }));
    const warnings = [
      { code: 'NOT_AT_THIS_GRAIN', field: 'cost' },
      { code: 'PART_OF_THE_MARKET', field: 'clicks' },
    ];
    const metrics = comparedMetrics(headers, warnings, CATALOGUE);
    expect(compareRows({ ...input, metrics, rows: [] })[0]?.row).toMatchObject({
      cost: null,
      clicks: 0,
      halo_roas: null,
    });
  });

  test('are compared only where both periods have a row, if not all rows were read', () => {
    expect(compareRows({ ...input, isComplete: false }).map(({ previous }) => previous?.cost)).toEqual([2, undefined]);
  });

  test('change by a difference, and by a fraction of the earlier value unless that is 0', () => {
    expect(changeOf(3, 2)).toEqual({ difference: 1, fraction: 0.5 });
    expect(changeOf(3, 0)).toEqual({ difference: 3, fraction: undefined });
    expect([changeOf(null, 2), changeOf(2, undefined), changeOf('a', 'b')]).toEqual([undefined, undefined, undefined]);
  });
});

describe('rows of periods of different lengths', () => {
  const START = {
    daily_date: (day: number) => day,
    week_date: (day: number) => weekOf(day, 'Monday'),
    month_date: monthOf,
  };
  type DateField = keyof typeof START;

  /** @returns the joined rows of two reports by these fields, in which every day has a cost of 1 and is complete */
  const compare = (
    period: readonly [string, string],
    other: readonly [string, string],
    fields: readonly DateField[],
  ) => {
    const rowsOf = ({ first, last }: { first: number; last: number }) => {
      const days = Array.from({ length: last - first + 1 }, (_, index) => first + index);
      const dated = days.map((day) => fields.map((field) => [field, formatDay(START[field](day))]));
      const groups = Map.groupBy(dated, (dates) => JSON.stringify(dates));
      return [...groups.values()].map((own) => ({ ...Object.fromEntries(own[0] ?? []), cost: own.length }));
    };
    const [now, before] = [range(...period), range(...other)];
    return compareRows({
      rows: rowsOf(now),
      previous: rowsOf(before),
      isComplete: true,
      range: now,
      compared: before,
      weekStartsOn: 'Monday',
      dimensions: fields.map((name) => ({ name, type: 'date' })),
      metrics: [{ name: 'cost', isZeroWithoutFacts: true }],
    });
  };
  const MARCH = ['2026-03-01', '2026-03-31'] as const;
  const FEBRUARY = ['2026-02-01', '2026-02-28'] as const;
  const JANUARY = ['2026-01-01', '2026-01-31'] as const;

  /** March 29 to 31 were compared with 0, as if February had such days. */
  test('the last dates of a longer period have nothing to compare with', () => {
    const days = compare(MARCH, FEBRUARY, ['daily_date']);
    expect(days.slice(-4).map(({ row, previous }) => [row.daily_date, previous?.cost])).toEqual([
      ['2026-03-28', 1],
      ['2026-03-29', null],
      ['2026-03-30', null],
      ['2026-03-31', null],
    ]);
    const weeks = compare(MARCH, FEBRUARY, ['week_date']);
    expect(weeks.slice(-2).map(({ row, previous, isNew }) => [row.week_date, previous?.cost, isNew])).toEqual([
      ['2026-03-23', 6, undefined],
      ['2026-03-30', null, undefined],
    ]);
  });

  /** The period has 4 weeks, the compared one 5, of which the last was left out. */
  test.each([
    [
      ['2026-02-02', '2026-03-01'],
      ['2025-02-02', '2025-03-01'],
    ],
    [
      ['2025-02-02', '2025-03-01'],
      ['2026-02-02', '2026-03-01'],
    ],
  ] as const)('equally long periods lose no week: %j against %j', (period, other) => {
    const weeks = compare(period, other, ['week_date']);
    const sum = (figures: readonly unknown[]) => figures.reduce<number>((total, cost) => total + Number(cost ?? 0), 0);
    expect(sum(weeks.map(({ row }) => row.cost))).toBe(28);
    expect(sum(weeks.map(({ previous }) => previous?.cost))).toBe(28);
  });

  /** Rows of March 1 to 3 followed, with the figures of the end of January. */
  test.each([
    [FEBRUARY, JANUARY, 28],
    [['2025-02-01', '2025-02-28'], ['2024-02-01', '2024-02-29'], 28],
  ] as const)('the last dates of a longer compared period are left out: %j against %j', (period, other, count) => {
    const days = compare(period, other, ['daily_date']);
    expect(days.map(({ row }) => row.daily_date).at(-1)).toBe(period[1]);
    expect(days).toHaveLength(count);
  });

  /** The offset of 90 days is no multiple of 7, so each day was looked up in a week that it is not in. */
  test('a row with a day has the week and the month of the compared day', () => {
    const last = dayNumber('2026-03-31');
    const period = { first: last - 89, last };
    const { first, last: end } = comparedRange(period, 'previousPeriod');
    const days = compare(
      [formatDay(period.first), formatDay(last)],
      [formatDay(first), formatDay(end)],
      ['daily_date', 'week_date', 'month_date'],
    );
    expect(days.filter(({ previous }) => previous?.cost !== 1)).toEqual([]);
    expect(days).toHaveLength(90);
  });
});

test('the rounding of binary fractions is not a change', () => {
  expect(changeOf(0.1 + 0.2, 0.3)?.difference).toBe(0);
  expect(changeOf(0.300_001, 0.3)?.difference).toBeCloseTo(0.000_001, 12);
});
