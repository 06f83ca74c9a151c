import {
  addMonths,
  dayNumber,
  daysInMonth,
  formatDay,
  monthOf,
  parseDate,
  quarterOf,
  type Weekday,
  weekOf,
} from '../../../lib/calendar.ts';
import { type Calendar, isDate, resolveDate } from '../../../lib/relative-date.ts';

/** The periods that move with the data, in the order in which they are offered. */
export const PRESETS = {
  yesterday: 'Yesterday',
  last7: 'Last 7 days',
  last28: 'Last 28 days',
  last90: 'Last 90 days',
  weekToDate: 'Week to date',
  lastWeek: 'Last week',
  monthToDate: 'Month to date',
  lastMonth: 'Last month',
  quarterToDate: 'Quarter to date',
  lastQuarter: 'Last quarter',
} as const;
export type Preset = keyof typeof PRESETS;

/** The first day of those that end on the last day, relative to it. */
const TO_DATE: Partial<Readonly<Record<Preset, string>>> = {
  yesterday: 'today',
  last7: 'today-6d',
  last28: 'today-27d',
  last90: 'today-89d',
  weekToDate: 'startOfWeek',
  monthToDate: 'startOfMonth',
  quarterToDate: 'startOfQuarter',
};
/** The whole periods, relative to the day after the last day, so that a month that ends on the last day is the last month. */
const WHOLE: Partial<Readonly<Record<Preset, string>>> = {
  lastWeek: 'Week-1w',
  lastMonth: 'Month-1m',
  lastQuarter: 'Quarter-3m',
};

/** The dates may be relative. */
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

/** @returns the name of a period whose days change with the data or with time; undefined if they are fixed */
export function nameOfMoving(period: Period): string | undefined {
  if ('preset' in period) return PRESETS[period.preset];
  const { startDate, endDate } = period;
  const isFixed = [startDate, endDate].every((text) => parseDate(text) !== undefined);
  return isFixed ? undefined : `${startDate} to ${endDate}`;
}

/** @param lastDay the latest day of presets: all end on it, except those of whole weeks, months and quarters */
export function resolvePeriod(period: Period, lastDay: number, calendar: Calendar): DayRange {
  const range = (startDate: string, endDate: string, today: number): DayRange => ({
    first: resolveDate(startDate, { ...calendar, today }),
    last: resolveDate(endDate, { ...calendar, today }),
  });
  if (!('preset' in period)) return range(period.startDate, period.endDate, calendar.today);
  const unit = WHOLE[period.preset];
  if (unit !== undefined) return range(`startOf${unit}`, `endOf${unit}`, lastDay + 1);
  return range(TO_DATE[period.preset] ?? 'today', 'today', lastDay);
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
 * @param field the dimension, whose dates are days, or first days of weeks, months or quarters
 * @returns a function that returns the date of the compared range at the same position as a date of the range: its n-th day, week, month or quarter. If the
 * compared range is shorter, the date may be outside it
 */
export function alignDates(
  range: DayRange,
  compared: DayRange,
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
export function isRange(startDate: string, endDate: string, max: number, calendar: Calendar): boolean {
  if (!isDate(startDate) || !isDate(endDate)) return false;
  const [first, last] = [resolveDate(startDate, calendar), resolveDate(endDate, calendar)];
  return first <= last && last - first < max;
}

function monthsFrom(first: number, other: number): number {
  const [a, b] = [formatDay(first), formatDay(other)].map(
    (text) => Number(text.slice(0, 4)) * 12 + Number(text.slice(5, 7)),
  );
  return (b ?? 0) - (a ?? 0);
}
