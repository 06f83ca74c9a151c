import {
  addMonths,
  dayNumber,
  daysInMonth,
  formatDay,
  monthOf,
  parseDate,
  weekOf,
  yesterdayIn,
} from '../../../shared/lib/calendar.ts';
import type { Client, Experience } from '../../../shared/web/client/client.ts';

/** First and last day, `YYYY-MM-DD`. */
export interface Period {
  readonly startDate: string;
  readonly endDate: string;
}

interface PeriodOptions {
  /** Length of the period in days, weeks or months, such as `28d`, `4w` or `3m`. It ends on `to`, or else on the last day with complete data. */
  readonly last?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/**
 * @returns the period of the options. It ends on `to`, or else on the last complete day, or yesterday if the experience has no data. It begins on `from`, or
 * else has the length `last`, by default 7 days
 * @throws Error if a date or period is invalid, `from` and `last` are combined, or the first day is after the last
 */
export async function findPeriod(options: PeriodOptions, client: Client, experience: Experience): Promise<Period> {
  const { last, from, to } = options;
  if (last !== undefined && from !== undefined)
    throw new Error(`a first day, ${from}, and a period, ${last}, cannot be combined: use one of them`);
  const wrong = [from, to].find((day) => day !== undefined && parseDate(day) === undefined);
  if (wrong !== undefined) throw new Error(`${wrong} is not a day; days are written 2026-03-01`);
  if (from !== undefined && to !== undefined && from > to)
    throw new Error(`the first day, ${from}, is after the last, ${to}`);
  const endDate = to ?? (await lastCompleteDay(client, experience)) ?? (await yesterdayOf(client));
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
  const [, digits, unit] = /^([1-9]\d{0,3})([dwm])$/.exec(last) ?? [];
  const count = Number(digits);
  const endDay = dayNumber(end);
  if (unit === 'd') return formatDay(endDay - count + 1);
  if (unit === 'w') return formatDay(endDay - 7 * count + 1);
  if (unit !== 'm')
    throw new Error(`${last} is not a period; periods are numbers of days, weeks or months: 28d, 4w, 3m`);
  // counted from the day after the end: 3m that end on 2026-03-01 begin on 2025-12-02
  return formatDay(addMonths(endDay + 1, -count));
}

const CALENDAR = [
  { dimension: 'week_date', name: 'week', startOf: weekOf, daysFrom: () => 7 },
  { dimension: 'month_date', name: 'month', startOf: monthOf, daysFrom: daysInMonth },
] as const;

/** @returns a note for each week or month that lies only partly in the period */
export function describePartialUnits({ startDate, endDate }: Period, dimensions: readonly string[]): string[] {
  const [first, last] = [dayNumber(startDate), dayNumber(endDate)];
  const units = CALENDAR.filter(({ dimension }) => dimensions.includes(dimension));
  return units.flatMap(({ dimension, name, startOf, daysFrom }) => {
    const starts = [...new Set([startOf(first), startOf(last)])];
    return starts.flatMap((start) => {
      const whole = daysFrom(start);
      const days = Math.min(last, start + whole - 1) - Math.max(first, start) + 1;
      if (days === whole) return [];
      return [`${dimension}: the ${name} of ${formatDay(start)} has only ${days} of its ${whole} days in the period`];
    });
  });
}

/** @returns the last day with complete data in the experience, which every report states; null if it has no data */
export async function lastCompleteDay(client: Client, experience: Experience): Promise<string | null> {
  const day = await yesterdayOf(client);
  const query = { startDate: day, endDate: day, metrics: ['impressions'] } as const;
  const { meta } = await client.report(experience, query, { size: 1 });
  return meta.dataCompleteThrough;
}

async function yesterdayOf(client: Client): Promise<string> {
  return yesterdayIn((await client.fields()).meta.timezone);
}
