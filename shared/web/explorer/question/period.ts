import { formatDay, parseDate } from '../../../lib/calendar.ts';
import type { Comparison as ApiComparison, DayRange } from '../../../lib/compared-period.ts';
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

const COMPARISONS = ['none', 'previous', 'year'] as const;
export type Comparison = (typeof COMPARISONS)[number];

/** The comparison in the request. */
export const COMPARED = {
  previous: 'previousPeriod',
  year: 'previousYear',
} as const satisfies Readonly<Record<Exclude<Comparison, 'none'>, ApiComparison>>;

/** @returns the comparison of that name; undefined if it is not one */
export function comparisonOf(name: string): Comparison | undefined {
  return COMPARISONS.find((comparison) => comparison === name);
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
