import { addMonths, dayNumber, formatDay, monthOf, quarterOf, type Weekday, weekOf } from './calendar.ts';
import { keysOf } from './keys-of.ts';

/** First and last day as day numbers, both included. */
export interface PeriodDays {
  readonly first: number;
  readonly last: number;
}

/** The periods that a period can be compared with, and what they are. */
export const COMPARISONS = {
  previousPeriod: 'as many days directly before; for whole months, as many whole months',
  previousPeriodByWeekday: 'the latest earlier days on the same weekdays, by whole weeks before',
  previousYear: 'the same dates one year before',
  previousYearByWeekday: 'the same weekdays 364 days before',
  previousMonth: 'the same days of the month before',
} as const;
export type Comparison = keyof typeof COMPARISONS;
export const COMPARISON_NAMES = keysOf(COMPARISONS);

/**
 * @returns the range that a range is compared with. For whole months, the previous period, year and month are whole months, too, whatever their lengths; other dates that
 * do not exist are the last day of their month
 * @throws RangeError before the accepted years
 */
export function comparedRange({ first, last }: PeriodDays, comparison: Comparison): PeriodDays {
  const days = last - first + 1;
  const isWholeMonths = monthOf(first) === first && monthOf(last + 1) === last + 1;
  const shiftDays = (count: number) => ({ first: first - count, last: last - count });
  const shiftMonths = (count: number) => ({
    first: addMonths(first, -count),
    last: isWholeMonths ? addMonths(last + 1, -count) - 1 : addMonths(last, -count),
  });
  switch (comparison) {
    case 'previousPeriod':
      return isWholeMonths ? shiftMonths(monthsFrom(first, last + 1)) : shiftDays(days);
    case 'previousPeriodByWeekday':
      return shiftDays(Math.ceil(days / 7) * 7);
    case 'previousYear':
      return shiftMonths(12);
    case 'previousYearByWeekday':
      return shiftDays(364);
    case 'previousMonth':
      return shiftMonths(1);
  }
}

/**
 * @param field the dimension, whose dates are days, or first days of weeks, months or quarters
 * @returns a function that returns the date of the compared range at the same position as a date of the range: its n-th day, week, month or quarter. If the
 * compared range is shorter, the date may be outside it
 */
export function alignDates(
  range: PeriodDays,
  compared: PeriodDays,
  field: string,
  weekStartsOn: Weekday,
): (date: string) => string {
  const from = startOfUnit(range.first, field, weekStartsOn);
  const to = startOfUnit(compared.first, field, weekStartsOn);
  if (field === 'month_date' || field === 'quarter_date')
    return (date) => formatDay(addMonths(dayNumber(date), monthsFrom(from, to)));
  return (date) => formatDay(dayNumber(date) + to - from);
}

/** @returns the value of the date dimension for the day, as a day number */
export function startOfUnit(day: number, field: string, weekStartsOn: Weekday): number {
  if (field === 'week_date') return weekOf(day, weekStartsOn);
  if (field === 'month_date') return monthOf(day);
  return field === 'quarter_date' ? quarterOf(day) : day;
}

function monthsFrom(first: number, other: number): number {
  const [a, b] = [first, other].map((day) => {
    const text = formatDay(day);
    return Number(text.slice(0, 4)) * 12 + Number(text.slice(5, 7));
  });
  return (b ?? 0) - (a ?? 0);
}
