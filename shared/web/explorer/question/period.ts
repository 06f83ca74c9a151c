import { parseDate } from '../../../lib/calendar.ts';
import type { Comparison, PeriodDays } from '../../../lib/compared-period.ts';
import { type Calendar, isDate, resolveDate } from '../../../lib/relative-date.ts';

/** First and last day, which may be relative. */
export interface Period {
  readonly startDate: string;
  readonly endDate: string;
}

const period = (startDate: string, endDate: string): Period => ({ startDate, endDate });

/** The periods that move with the data, by title, in the order in which they are offered. */
export const PRESETS: Readonly<Record<string, Period>> = {
  'Last complete day': period('latest', 'latest'),
  'Last 7 days': period('latest-6d', 'latest'),
  'Last 28 days': period('latest-27d', 'latest'),
  'Last 90 days': period('latest-89d', 'latest'),
  'Week to date': period('startOfLatestWeek', 'latest'),
  'Last week': period('startOfCompleteWeek', 'endOfCompleteWeek'),
  'Month to date': period('startOfLatestMonth', 'latest'),
  'Last month': period('startOfCompleteMonth', 'endOfCompleteMonth'),
  'Quarter to date': period('startOfLatestQuarter', 'latest'),
  'Last quarter': period('startOfCompleteQuarter', 'endOfCompleteQuarter'),
};

/** What the form offers to compare a period with, in this order; also two dates. */
export const COMPARISON_TITLES: Readonly<Record<Comparison, string>> = {
  previousMonth: 'The same days of the month before',
  previousPeriod: 'The period before',
  previousPeriodByWeekday: 'The same weekdays before',
  previousYear: 'The same dates of the year before',
  previousYearByWeekday: 'The same weekdays of the year before',
};

/** @returns the title of the preset; undefined if the period is none */
export function presetOf({ startDate, endDate }: Period): string | undefined {
  return Object.keys(PRESETS).find(
    (title) => PRESETS[title]?.startDate === startDate && PRESETS[title].endDate === endDate,
  );
}

/** @returns the name of a period whose days change with the data or with time; undefined if they are fixed */
export function nameOfMoving(period: Period): string | undefined {
  const { startDate, endDate } = period;
  const isFixed = [startDate, endDate].every((text) => parseDate(text) !== undefined);
  return isFixed ? undefined : (presetOf(period) ?? `${startDate} to ${endDate}`);
}

export function resolvePeriod({ startDate, endDate }: Period, calendar: Calendar): PeriodDays {
  return { first: resolveDate(startDate, calendar), last: resolveDate(endDate, calendar) };
}

/** @returns whether the texts are dates in order, of at most `max` days */
export function isRange({ startDate, endDate }: Period, max: number, calendar: Calendar): boolean {
  if (!isDate(startDate) || !isDate(endDate)) return false;
  const { first, last } = resolvePeriod({ startDate, endDate }, calendar);
  return first <= last && last - first < max;
}
