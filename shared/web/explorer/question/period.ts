import { addMonths, dayNumber, daysInMonth, formatDay, monthOf, parseDate, weekOf } from '../../../lib/calendar.ts';

/** The periods that move with the data, in the order in which they are offered. */
export const PRESETS = {
  yesterday: 'Yesterday',
  last7: 'Last 7 days',
  last28: 'Last 28 days',
  last90: 'Last 90 days',
  monthToDate: 'Month to date',
  lastMonth: 'Last month',
  quarterToDate: 'Quarter to date',
  lastQuarter: 'Last quarter',
} as const;
export type Preset = keyof typeof PRESETS;

export type Period = { readonly preset: Preset } | { readonly startDate: string; readonly endDate: string };

/** First and last day as day numbers, both included. */
export interface DayRange {
  readonly first: number;
  readonly last: number;
}

const COMPARISONS = ['none', 'previous', 'year'] as const;
export type Comparison = (typeof COMPARISONS)[number];

/** @returns the comparison of that name; `none` if it is not one */
export function comparisonOf(name: string | null): Comparison {
  return COMPARISONS.find((comparison) => comparison === name) ?? 'none';
}

export function isPreset(name: string): name is Preset {
  return Object.hasOwn(PRESETS, name);
}

/** @param lastDay the latest day of presets: all end on it, except those of whole months and quarters */
export function resolvePeriod(period: Period, lastDay: number): DayRange {
  if (!('preset' in period)) return { first: dayNumber(period.startDate), last: dayNumber(period.endDate) };
  const next = lastDay + 1; // so that a month that ends on the last day is the last month
  switch (period.preset) {
    case 'yesterday':
      return { first: lastDay, last: lastDay };
    case 'last7':
      return { first: lastDay - 6, last: lastDay };
    case 'last28':
      return { first: lastDay - 27, last: lastDay };
    case 'last90':
      return { first: lastDay - 89, last: lastDay };
    case 'monthToDate':
      return { first: monthOf(lastDay), last: lastDay };
    case 'lastMonth':
      return { first: monthOf(monthOf(next) - 1), last: monthOf(next) - 1 };
    case 'quarterToDate':
      return { first: quarterOf(lastDay), last: lastDay };
    case 'lastQuarter':
      return { first: quarterOf(quarterOf(next) - 1), last: quarterOf(next) - 1 };
  }
}

/** @returns the range that a period is compared with: for whole months as many whole months, also where February has another number of days */
export function comparedRange({ first, last }: DayRange, comparison: Exclude<Comparison, 'none'>): DayRange {
  const isWholeMonths = monthOf(first) === first && monthOf(last + 1) === last + 1;
  if (comparison === 'year')
    return { first: addMonths(first, -12), last: isWholeMonths ? addMonths(last + 1, -12) - 1 : addMonths(last, -12) };
  const previousLast = first - 1;
  if (!isWholeMonths) return { first: first - (last - first + 1), last: previousLast };
  let previousFirst = first;
  for (let month = first; month <= last; month += daysInMonth(month)) previousFirst = monthOf(previousFirst - 1);
  return { first: previousFirst, last: previousLast };
}

/**
 * @param field the dimension, whose dates are days, Mondays of weeks or first days of months
 * @returns a function that returns the date of the compared range at the same position as a date of the range: its n-th day, week or month. If the
 * compared range is shorter, the date may be outside it
 */
export function alignDates(range: DayRange, compared: DayRange, field: string): (date: string) => string {
  if (field === 'month_date')
    return (date) => formatDay(addMonths(dayNumber(date), monthsFrom(range.first, compared.first)));
  const start = (day: number) => (field === 'week_date' ? weekOf(day) : day);
  const offset = start(compared.first) - start(range.first);
  return (date) => formatDay(dayNumber(date) + offset);
}

/**
 * @param through the day through which data is complete
 * @param delivered the dates with delivery
 * @returns the dates of the range without delivery, up to `through`
 */
export function missingDays({ first, last }: DayRange, through: number, delivered: ReadonlySet<string>): string[] {
  const days = Array.from({ length: Math.max(0, Math.min(last, through) - first + 1) }, (_, index) => first + index);
  return days.map(formatDay).filter((date) => !delivered.has(date));
}

/** @returns whether the texts are dates in order, of at most `max` days */
export function isRange(startDate: string, endDate: string, max: number): boolean {
  const [first, last] = [parseDate(startDate), parseDate(endDate)];
  return first !== undefined && last !== undefined && first <= last && last - first < max;
}

function quarterOf(day: number): number {
  const text = formatDay(day);
  const month = Math.floor((Number(text.slice(5, 7)) - 1) / 3) * 3 + 1;
  return dayNumber(`${text.slice(0, 4)}-${String(month).padStart(2, '0')}-01`);
}

function monthsFrom(first: number, other: number): number {
  const [a, b] = [formatDay(first), formatDay(other)].map(
    (text) => Number(text.slice(0, 4)) * 12 + Number(text.slice(5, 7)),
  );
  return (b ?? 0) - (a ?? 0);
}
