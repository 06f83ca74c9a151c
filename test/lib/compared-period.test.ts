import { describe, expect, test } from 'vitest';
import { dayNumber, formatDay } from '../../shared/lib/calendar.ts';
import { alignDates, comparedRange } from '../../shared/lib/compared-period.ts';

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
