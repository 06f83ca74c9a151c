import { describe, expect, test } from 'vitest';
import { dayNumber, formatDay, todayIn, type Weekday } from '../../shared/lib/calendar.ts';
import { alignDates, comparedRange } from '../../shared/lib/compared-period.ts';
import { DATE_PATTERN, isDate, resolveDate } from '../../shared/lib/relative-date.ts';

const resolve = (text: string, today: string, weekStartsOn: Weekday = 'Monday', latest?: string) =>
  formatDay(
    resolveDate(text, {
      today: dayNumber(today),
      weekStartsOn,
      latest: latest === undefined ? undefined : dayNumber(latest),
    }),
  );

describe('a relative date', () => {
  test.each([
    ['today', '2026-03-01', '2026-03-01'],
    ['yesterday', '2026-03-01', '2026-02-28'],
    ['yesterday', '2024-03-01', '2024-02-29'],
    ['today-28d', '2026-03-01', '2026-02-01'],
    ['today+1w', '2026-03-01', '2026-03-08'],
    ['today-1m', '2026-03-31', '2026-02-28'],
    ['yesterday-1m', '2026-03-31', '2026-02-28'],
    ['today-1y', '2024-02-29', '2023-02-28'],
    ['today+999d', '2026-03-01', '2028-11-24'],
    ['startOfWeek', '2026-03-01', '2026-02-23'],
    ['endOfWeek', '2026-03-01', '2026-03-01'],
    ['endOfWeek-1w', '2026-03-02', '2026-03-01'],
    ['startOfMonth', '2026-03-31', '2026-03-01'],
    ['startOfMonth-1m', '2026-03-31', '2026-02-01'],
    ['startOfMonth-7d', '2026-03-31', '2026-02-22'],
    ['endOfMonth', '2024-02-10', '2024-02-29'],
    ['endOfMonth-1m', '2026-03-31', '2026-02-28'],
    ['endOfMonth-1m', '2024-03-31', '2024-02-29'],
    ['endOfMonth-1m', '2026-02-28', '2026-01-31'],
    ['endOfMonth-1y', '2025-02-10', '2024-02-29'],
    ['endOfMonth-1d', '2026-03-15', '2026-03-30'],
    ['startOfQuarter', '2026-05-10', '2026-04-01'],
    ['endOfQuarter-3m', '2026-05-10', '2026-03-31'],
    ['endOfQuarter-1m', '2026-05-10', '2026-03-31'],
    ['endOfQuarter+1m', '2026-05-10', '2026-06-30'],
    ['endOfWeek-1m', '2026-03-04', '2026-02-08'],
    ['endOfYear-1m', '2026-03-04', '2025-12-31'],
    ['endOfQuarter-1w', '2026-05-10', '2026-06-23'],
    ['endOfQuarter', '2026-12-31', '2026-12-31'],
    ['startOfYear-1y', '2026-01-01', '2025-01-01'],
    ['endOfYear', '2026-01-01', '2026-12-31'],
  ])('%s is, on %s, %s', (text, today, date) => {
    expect(resolve(text, today)).toBe(date);
  });

  test.each([
    ['latest', '2026-02-27'],
    ['latest-27d', '2026-01-31'],
    ['startOfLatestMonth', '2026-02-01'],
    ['endOfLatestMonth-1m', '2026-01-31'],
    ['startOfLatestWeek', '2026-02-23'],
    ['startOfMonth', '2026-03-01'],
    ['startOfCompleteWeek', '2026-02-16'],
    ['endOfCompleteWeek', '2026-02-22'],
    ['endOfCompleteMonth', '2026-01-31'],
    ['startOfCompleteMonth-1m', '2025-12-01'],
    ['startOfCompleteQuarter', '2025-10-01'],
    ['endOfCompleteYear', '2025-12-31'],
  ])('%s is, with data through 2026-02-27, %s', (text, date) => {
    expect(resolve(text, '2026-03-02', 'Monday', '2026-02-27')).toBe(date);
  });

  test.each<[string, string, Weekday, string]>([
    ['2026-02-28', 'Month', 'Monday', '2026-02-01 2026-02-28'],
    ['2026-03-01', 'Month', 'Monday', '2026-02-01 2026-02-28'],
    ['2026-03-01', 'Week', 'Monday', '2026-02-23 2026-03-01'],
    ['2026-03-01', 'Week', 'Sunday', '2026-02-22 2026-02-28'],
    ['2026-12-31', 'Quarter', 'Monday', '2026-10-01 2026-12-31'],
    ['2026-12-30', 'Year', 'Monday', '2025-01-01 2025-12-31'],
  ])('of data through %s has, as its last complete %s from %s, %s', (latest, unit, weekStartsOn, days) => {
    const dates = [`startOfComplete${unit}`, `endOfComplete${unit}`];
    expect(dates.map((text) => resolve(text, '2027-03-02', weekStartsOn, latest)).join(' ')).toBe(days);
  });

  /** Data of a day that is loaded while it lasts. */
  test('of the latest day is at most that of yesterday', () => {
    expect(resolve('latest', '2026-03-01', 'Monday', '2026-03-01')).toBe('2026-02-28');
  });

  test('of the latest day is that of yesterday if there is no data', () => {
    expect(['latest', 'startOfLatestMonth'].map((text) => resolve(text, '2026-03-01'))).toEqual([
      '2026-02-28',
      '2026-02-01',
    ]);
  });

  test.each<[Weekday, string, string]>([
    ['Monday', '2026-02-23', '2026-03-01'],
    ['Saturday', '2026-02-28', '2026-03-06'],
    ['Sunday', '2026-03-01', '2026-03-07'],
  ])('of a week that starts on %s is, on a Sunday, %s to %s', (weekStartsOn, first, last) => {
    expect(['startOfWeek', 'endOfWeek'].map((text) => resolve(text, '2026-03-01', weekStartsOn))).toEqual([
      first,
      last,
    ]);
  });

  test('is in the platform’s time zone, also when clocks change', () => {
    const days = (time: string) =>
      ['America/New_York', 'UTC', 'Pacific/Auckland'].map((zone) => todayIn(zone, new Date(time)));
    expect(days('2026-03-08T04:59:59Z').map(formatDay)).toEqual(['2026-03-07', '2026-03-08', '2026-03-08']);
    expect(days('2026-03-09T03:59:59Z').map(formatDay)).toEqual(['2026-03-08', '2026-03-09', '2026-03-09']); // 23 hours long in New York
    expect(days('2026-11-02T04:59:59Z').map(formatDay)).toEqual(['2026-11-01', '2026-11-02', '2026-11-02']); // 25 hours long
  });
});

test('an absolute date is itself', () => {
  expect(resolve('2024-02-29', '2026-03-01')).toBe('2024-02-29');
});

test.each([
  '',
  'now',
  'Today',
  'today-28',
  'today-0d',
  'today-1000d',
  'today -1d',
  'startOfDay',
  'today-1d-1d',
  '2026-02-29',
  '2026-02-01-1d',
])('"%s" is rejected with the forms that are accepted', (text) => {
  expect(isDate(text)).toBe(false);
  expect(() => resolve(text, '2026-03-01')).toThrow(`${text} is not a date; it must be an existing date in the format`);
});

test('the pattern for clients matches the forms of dates', () => {
  const texts = ['2026-03-01', 'today', 'endOfQuarter-3m', 'endOfLatestYear', 'today-28', 'x2026-03-01', 'todayx'];
  expect(texts.map((text) => new RegExp(DATE_PATTERN).test(text))).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});

const range = (startDate: string, endDate: string) => ({ first: dayNumber(startDate), last: dayNumber(endDate) });
const days = ({ first, last }: { first: number; last: number }) => [formatDay(first), formatDay(last)];

describe('a period is compared with', () => {
  test.each([
    ['previousPeriod', '2026-02-02', '2026-03-01', '2026-01-05', '2026-02-01'],
    ['previousPeriod', '2026-03-01', '2026-03-31', '2026-02-01', '2026-02-28'],
    ['previousPeriod', '2026-01-01', '2026-03-31', '2025-10-01', '2025-12-31'],
    ['previousPeriodByWeekday', '2026-02-02', '2026-03-01', '2026-01-05', '2026-02-01'],
    ['previousPeriodByWeekday', '2026-03-01', '2026-03-31', '2026-01-25', '2026-02-24'],
    ['previousYear', '2026-02-02', '2026-03-01', '2025-02-02', '2025-03-01'],
    ['previousYear', '2025-02-01', '2025-02-28', '2024-02-01', '2024-02-29'],
    ['previousYear', '2025-02-01', '2025-04-30', '2024-02-01', '2024-04-30'],
    ['previousYear', '2024-02-29', '2024-02-29', '2023-02-28', '2023-02-28'],
    ['previousYearByWeekday', '2026-03-02', '2026-03-08', '2025-03-03', '2025-03-09'],
    ['previousMonth', '2026-03-01', '2026-03-17', '2026-02-01', '2026-02-17'],
    ['previousMonth', '2026-03-01', '2026-03-30', '2026-02-01', '2026-02-28'],
    ['previousMonth', '2026-02-01', '2026-02-28', '2026-01-01', '2026-01-31'],
    ['previousMonth', '2026-02-01', '2026-03-31', '2026-01-01', '2026-02-28'],
  ] as const)('%s: %s to %s with %s to %s', (comparison, first, last, comparedFirst, comparedLast) => {
    expect(days(comparedRange(range(first, last), comparison))).toEqual([comparedFirst, comparedLast]);
  });
});

describe('dates are aligned by their position', () => {
  test.each([
    ['daily_date', '2026-02-02', '2026-03-01', 'previousPeriod', '2026-02-10', '2026-01-13'],
    ['week_date', '2026-02-02', '2026-03-01', 'previousPeriod', '2026-02-09', '2026-01-12'],
    ['week_date', '2026-01-01', '2026-03-31', 'previousYear', '2026-01-05', '2025-01-06'],
    ['month_date', '2026-01-01', '2026-03-31', 'previousPeriod', '2026-02-01', '2025-11-01'],
    ['month_date', '2026-01-01', '2026-12-31', 'previousYear', '2026-12-01', '2025-12-01'],
    ['quarter_date', '2026-04-01', '2026-09-30', 'previousPeriod', '2026-07-01', '2026-01-01'],
  ] as const)('%s from %s to %s, %s: %s is compared with %s', (field, first, last, comparison, date, other) => {
    const period = range(first, last);
    expect(alignDates(period, comparedRange(period, comparison), field, 'Monday')(date)).toBe(other);
  });
});
