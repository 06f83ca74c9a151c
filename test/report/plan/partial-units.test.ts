import { expect, test } from 'vitest';
import type { Weekday } from '../../../shared/lib/calendar.ts';
import { warnPartialUnits } from '../../../shared/report/plan/partial-units.ts';

const warn = (period: string, dimensions: Parameters<typeof warnPartialUnits>[0]['dimensions'], start: Weekday) => {
  const [startDate = '', endDate = ''] = period.split('..');
  return warnPartialUnits({ startDate, endDate, dimensions }, start).map(({ field, detail }) => `${field}: ${detail}`);
};

test.each<[string, Parameters<typeof warn>[1], Weekday, string[]]>([
  ['2026-03-22..2026-03-28', ['week_date'], 'Sunday', []],
  ['2026-02-01..2026-02-28', ['month_date', 'daily_date'], 'Monday', []],
  ['2026-02-01..2026-02-28', ['daily_date', 'hour'], 'Monday', []],
  [
    '2026-02-01..2026-02-28',
    ['week_date', 'quarter_date'],
    'Saturday',
    [
      'week_date: The period has only 6 of the 7 days of the week of 2026-01-31, and 1 of the 7 days of the week of 2026-02-28.',
      'quarter_date: The period has only 28 of the 90 days of the quarter of 2026-01-01.',
    ],
  ],
  [
    '2026-02-10..2026-02-12',
    ['month_date'],
    'Monday',
    ['month_date: The period has only 3 of the 28 days of the month of 2026-02-01.'],
  ],
])('%s by %j, with weeks from %s, cuts %j', (period, dimensions, start, expected) => {
  expect(warn(period, dimensions, start)).toEqual(expected);
});
