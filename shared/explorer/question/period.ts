import { dayNumber, daysInMonth, formatDay, monthOf, parseDate, weekOf } from '../../lib/calendar.ts';

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

export type Comparison = 'none' | 'previous' | 'year';

export function isPreset(name: string): name is Preset {
  return Object.hasOwn(PRESETS, name);
}

/** @param lastDay the latest day with data, on which the presets end */
export function resolvePeriod(period: Period, lastDay: number): DayRange {
  if (!('preset' in period)) return { first: dayNumber(period.startDate), last: dayNumber(period.endDate) };
  const today = lastDay + 1;
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
      return { first: monthOf(monthOf(today) - 1), last: monthOf(today) - 1 };
    case 'quarterToDate':
      return { first: quarterOf(lastDay), last: lastDay };
    case 'lastQuarter':
      return { first: quarterOf(quarterOf(today) - 1), last: quarterOf(today) - 1 };
  }
}

/** @returns the range that a period is compared with; whole months are compared with whole months */
export function comparedRange({ first, last }: DayRange, comparison: Exclude<Comparison, 'none'>): DayRange {
  if (comparison === 'year') return { first: yearBefore(first), last: yearBefore(last) };
  const isWholeMonths = monthOf(first) === first && monthOf(last + 1) === last + 1;
  const previousLast = first - 1;
  if (!isWholeMonths) return { first: first - (last - first + 1), last: previousLast };
  let previousFirst = first;
  for (let month = first; month <= last; month += daysInMonth(month)) previousFirst = monthOf(previousFirst - 1);
  return { first: previousFirst, last: previousLast };
}

/**
 * @param field the dimension, whose dates are days, Mondays of weeks or first days of months
 * @returns a function that returns the date of the compared range at the same position as a date of the range: its n-th day, week or month
 */
export function alignDates(range: DayRange, compared: DayRange, field: string): (date: string) => string {
  if (field === 'month_date')
    return (date) => formatDay(addMonths(dayNumber(date), monthsFrom(range.first, compared.first)));
  const start = (day: number) => (field === 'week_date' ? weekOf(day) : day);
  const offset = start(compared.first) - start(range.first);
  return (date) => formatDay(dayNumber(date) + offset);
}

/**
 * @param through the latest day with data
 * @param delivered the dates with delivery
 * @returns the days of the range without delivery, up to the latest day with data
 */
export function missingDays({ first, last }: DayRange, through: number, delivered: ReadonlySet<string>): string[] {
  const days = Array.from({ length: Math.max(0, Math.min(last, through) - first + 1) }, (_, index) => first + index);
  return days.map(formatDay).filter((date) => !delivered.has(date));
}

export function daysOf({ first, last }: DayRange): number {
  return last - first + 1;
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

/** February 29 becomes February 28. */
function yearBefore(day: number): number {
  const text = formatDay(day);
  const year = String(Number(text.slice(0, 4)) - 1);
  return parseDate(`${year}${text.slice(4)}`) ?? dayNumber(`${year}-02-28`);
}

function monthsFrom(first: number, other: number): number {
  const [a, b] = [formatDay(first), formatDay(other)].map(
    (text) => Number(text.slice(0, 4)) * 12 + Number(text.slice(5, 7)),
  );
  return (b ?? 0) - (a ?? 0);
}

function addMonths(month: number, count: number): number {
  const text = formatDay(month);
  const total = Number(text.slice(0, 4)) * 12 + Number(text.slice(5, 7)) - 1 + count;
  return dayNumber(
    `${String(Math.floor(total / 12)).padStart(4, '0')}-${String((total % 12) + 1).padStart(2, '0')}-01`,
  );
}
