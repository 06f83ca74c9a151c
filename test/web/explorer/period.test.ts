import { describe, expect, test } from 'vitest';
import { dayNumber, formatDay } from '../../../shared/lib/calendar.ts';
import {
  alignDates,
  comparedRange,
  PRESETS,
  type Preset,
  resolvePeriod,
} from '../../../shared/web/explorer/question/period.ts';

const range = (startDate: string, endDate: string) => ({ first: dayNumber(startDate), last: dayNumber(endDate) });
/** Not the day after the last day of the presets, which must not depend on it. */
const CALENDAR = { today: dayNumber('2026-04-10'), weekStartsOn: 'Monday' } as const;
const days = ({ first, last }: { first: number; last: number }) => [formatDay(first), formatDay(last)];

describe('the days of a preset depend on the day through which data is complete', () => {
  test.each<[Preset, string, string, string]>([
    ['yesterday', '2026-03-01', '2026-03-01', '2026-03-01'],
    ['last7', '2026-03-01', '2026-02-23', '2026-03-01'],
    ['last28', '2026-03-01', '2026-02-02', '2026-03-01'],
    ['last90', '2026-03-01', '2025-12-02', '2026-03-01'],
    ['weekToDate', '2026-03-01', '2026-02-23', '2026-03-01'],
    ['lastWeek', '2026-03-01', '2026-02-23', '2026-03-01'], // a Sunday
    ['lastWeek', '2026-02-28', '2026-02-16', '2026-02-22'],
    ['monthToDate', '2026-03-01', '2026-03-01', '2026-03-01'],
    ['monthToDate', '2026-02-28', '2026-02-01', '2026-02-28'],
    ['lastMonth', '2026-03-01', '2026-02-01', '2026-02-28'],
    ['lastMonth', '2026-02-28', '2026-02-01', '2026-02-28'], // data ends yesterday, so today is March 1
    ['lastMonth', '2026-01-15', '2025-12-01', '2025-12-31'],
    ['quarterToDate', '2026-05-10', '2026-04-01', '2026-05-10'],
    ['lastQuarter', '2026-02-10', '2025-10-01', '2025-12-31'],
  ])('%s, with data through %s, is %s to %s', (preset, lastDay, first, last) => {
    expect(days(resolvePeriod({ preset }, dayNumber(lastDay), CALENDAR))).toEqual([first, last]);
  });

  test('and on the first day of the week', () => {
    const sunday = { ...CALENDAR, weekStartsOn: 'Sunday' } as const;
    const resolve = (preset: Preset) => days(resolvePeriod({ preset }, dayNumber('2026-03-01'), sunday));
    expect(resolve('weekToDate')).toEqual(['2026-03-01', '2026-03-01']);
    expect(resolve('lastWeek')).toEqual(['2026-02-22', '2026-02-28']);
  });

  test('while relative dates depend on today', () => {
    const lastMonth = { startDate: 'startOfMonth-1m', endDate: 'endOfMonth-1m' };
    expect(days(resolvePeriod(lastMonth, dayNumber('2026-01-05'), CALENDAR))).toEqual(['2026-03-01', '2026-03-31']);
  });

  test('and every preset has a name', () => {
    expect(Object.values(PRESETS).every((title) => title.length > 3)).toBe(true);
  });
});

describe('a period is compared', () => {
  test.each([
    ['with as many days before it', '2026-02-02', '2026-03-01', 'previous', '2026-01-05', '2026-02-01'],
    ['with the whole month before a whole month', '2026-03-01', '2026-03-31', 'previous', '2026-02-01', '2026-02-28'],
    [
      'with the whole quarter before a whole quarter',
      '2026-01-01',
      '2026-03-31',
      'previous',
      '2025-10-01',
      '2025-12-31',
    ],
    ['with the same dates a year before', '2026-02-02', '2026-03-01', 'year', '2025-02-02', '2025-03-01'],
    ['with the whole February of a leap year', '2025-02-01', '2025-02-28', 'year', '2024-02-01', '2024-02-29'],
    ['with February 28 for February 29', '2024-02-29', '2024-02-29', 'year', '2023-02-28', '2023-02-28'],
  ] as const)('%s', (_, first, last, comparison, comparedFirst, comparedLast) => {
    expect(days(comparedRange(range(first, last), comparison))).toEqual([comparedFirst, comparedLast]);
  });
});

describe('dates are aligned by their position', () => {
  test.each([
    ['daily_date', '2026-02-02', '2026-03-01', 'previous', '2026-02-10', '2026-01-13'],
    ['week_date', '2026-02-02', '2026-03-01', 'previous', '2026-02-09', '2026-01-12'],
    ['week_date', '2026-01-01', '2026-03-31', 'year', '2026-01-05', '2025-01-06'],
    ['month_date', '2026-01-01', '2026-03-31', 'previous', '2026-02-01', '2025-11-01'],
    ['month_date', '2026-01-01', '2026-12-31', 'year', '2026-12-01', '2025-12-01'],
    ['quarter_date', '2026-04-01', '2026-09-30', 'previous', '2026-07-01', '2026-01-01'],
  ] as const)(
    '%s from %s to %s against the %s: %s is compared with %s',
    (field, first, last, comparison, date, other) => {
      const period = range(first, last);
      expect(alignDates(period, comparedRange(period, comparison), field, 'Monday')(date)).toBe(other);
    },
  );
});
