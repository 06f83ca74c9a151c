import { describe, expect, test } from 'vitest';
import { dayNumber, formatDay } from '../../../shared/lib/calendar.ts';
import { type PRESETS, resolvePeriod } from '../../../shared/web/explorer/question/period.ts';

type Preset = keyof typeof PRESETS;

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
});
