import {
  addMonths,
  dayNumber,
  formatDay,
  monthOf,
  quarterOf,
  todayIn,
  type Weekday,
  weekOf,
} from '../../../shared/lib/calendar.ts';
import { addOffset, resolveDate } from '../../../shared/lib/relative-date.ts';
import type { Client, Experience, FieldCatalogue } from '../../../shared/web/client/client.ts';

/** First and last day, `YYYY-MM-DD`. */
interface Period {
  readonly startDate: string;
  readonly endDate: string;
}

interface PeriodOptions {
  /** Length of the period in days, weeks or months, such as `28d`, `4w` or `3m`. It ends on `to`, or else on the last day with complete data. */
  readonly last?: string | undefined;
  /** `YYYY-MM-DD` or a relative date. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/**
 * @param settings those of the platform, which `/metadata/fields` states
 * @returns the period of the options. It ends on `to`, or else on the last complete day, or yesterday if the experience has no data. It begins on `from`, or
 * else has the length `last`, by default 7 days
 * @throws Error if a date or period is invalid, `from` and `last` are combined, or the first day is after the last
 */
export async function findPeriod(
  { last, ...given }: PeriodOptions,
  client: Client,
  experience: Experience,
  { timezone, weekStartsOn }: FieldCatalogue['meta'],
): Promise<Period> {
  if (last !== undefined && given.from !== undefined)
    throw new Error(`a first day, ${given.from}, and a period, ${last}, cannot be combined: use one of them`);
  const today = todayIn(timezone);
  const [from, to] = [given.from, given.to].map((text) =>
    text === undefined ? undefined : formatDay(resolveDate(text, { today, weekStartsOn })),
  );
  if (from !== undefined && to !== undefined && from > to)
    throw new Error(`the first day, ${from}, is after the last, ${to}`);
  const endDate = to ?? (await lastCompleteDay(client, experience)) ?? formatDay(today - 1);
  if (from !== undefined && from > endDate)
    throw new Error(`the first day, ${from}, is after ${endDate}, on which a report without a last day ends`);
  return { startDate: from ?? firstDay(last ?? '7d', endDate), endDate };
}

/**
 * @param last such as `28d`, `4w` or `3m`
 * @param end `YYYY-MM-DD`
 * @returns the first day of that period, `YYYY-MM-DD`
 * @throws Error if `last` is not a period
 */
export function firstDay(last: string, end: string): string {
  if (!/^[1-9]\d{0,3}[dwm]$/.test(last))
    throw new Error(`${last} is not a period; periods are numbers of days, weeks or months: 28d, 4w, 3m`);
  // counted from the day after the end: 3m that end on 2026-03-01 begin on 2025-12-02
  return formatDay(addOffset(dayNumber(end) + 1, `-${last}`));
}

const UNITS = [
  { dimension: 'week_date', name: 'week', startOf: weekOf, nextOf: (start: number) => start + 7 },
  { dimension: 'month_date', name: 'month', startOf: monthOf, nextOf: (start: number) => addMonths(start, 1) },
  { dimension: 'quarter_date', name: 'quarter', startOf: quarterOf, nextOf: (start: number) => addMonths(start, 3) },
] as const;

/** @returns a note for each week, month or quarter that lies only partly in the period */
export function describePartialUnits(
  { startDate, endDate }: Period,
  dimensions: readonly string[],
  weekStartsOn: Weekday,
): string[] {
  const [first, last] = [dayNumber(startDate), dayNumber(endDate)];
  const units = UNITS.filter(({ dimension }) => dimensions.includes(dimension));
  return units.flatMap(({ dimension, name, startOf, nextOf }) => {
    const starts = [...new Set([first, last].map((day) => startOf(day, weekStartsOn)))];
    return starts.flatMap((start) => {
      const whole = nextOf(start) - start;
      const days = Math.min(last, start + whole - 1) - Math.max(first, start) + 1;
      if (days === whole) return [];
      return [`${dimension}: the ${name} of ${formatDay(start)} has only ${days} of its ${whole} days in the period`];
    });
  });
}

/** @returns the last day with complete data in the experience, which every report states; null if it has no data */
export async function lastCompleteDay(client: Client, experience: Experience): Promise<string | null> {
  const query = { startDate: 'yesterday', endDate: 'yesterday', metrics: ['impressions'] } as const;
  const { meta } = await client.report(experience, query, { size: 1 });
  return meta.dataCompleteThrough;
}
