import { formatDay, parseDate } from '../../../lib/calendar.ts';
import type { Comparison, DayRange } from '../../../lib/compared-period.ts';
import { type Calendar, isDate, resolveDate } from '../../../lib/relative-date.ts';

/**
 * The periods that move with the data, in the order in which they are offered. They end on the last day and begin on
 * `first`, relative to it; or they are the whole `unit` before the day after the last day, so that a month that ends on
 * the last day is the last month.
 */
export const PRESETS = {
  yesterday: { title: 'Yesterday', first: 'today' },
  last7: { title: 'Last 7 days', first: 'today-6d' },
  last28: { title: 'Last 28 days', first: 'today-27d' },
  last90: { title: 'Last 90 days', first: 'today-89d' },
  weekToDate: { title: 'Week to date', first: 'startOfWeek' },
  lastWeek: { title: 'Last week', unit: 'Week-1w' },
  monthToDate: { title: 'Month to date', first: 'startOfMonth' },
  lastMonth: { title: 'Last month', unit: 'Month-1m' },
  quarterToDate: { title: 'Quarter to date', first: 'startOfQuarter' },
  lastQuarter: { title: 'Last quarter', unit: 'Quarter-3m' },
} as const;
type Preset = keyof typeof PRESETS;

/** The dates may be relative. */
export type Period = { readonly preset: Preset } | { readonly startDate: string; readonly endDate: string };

/** What the form offers to compare a period with. */
export const COMPARISON_TITLES = {
  previousPeriod: 'The period before',
  previousYear: 'The year before',
} as const satisfies Partial<Readonly<Record<Comparison, string>>>;

/** @returns the name of a period whose days change with the data or with time; undefined if they are fixed */
export function nameOfMoving(period: Period): string | undefined {
  if ('preset' in period) return PRESETS[period.preset].title;
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
  const preset = PRESETS[period.preset];
  if ('unit' in preset) return range(`startOf${preset.unit}`, `endOf${preset.unit}`, lastDay + 1);
  return range(preset.first, 'today', lastDay);
}

/** @returns the days of the range without delivery, up to the one through which data is complete */
export function missingDays({ first, last }: DayRange, through: number, delivered: ReadonlySet<string>): number[] {
  const days = Array.from({ length: Math.max(0, Math.min(last, through) - first + 1) }, (_, index) => first + index);
  return days.filter((day) => !delivered.has(formatDay(day)));
}

/** @returns whether the texts are dates in order, of at most `max` days */
export function isRange(startDate: string, endDate: string, max: number, calendar: Calendar): boolean {
  if (!isDate(startDate) || !isDate(endDate)) return false;
  const [first, last] = [resolveDate(startDate, calendar), resolveDate(endDate, calendar)];
  return first <= last && last - first < max;
}
