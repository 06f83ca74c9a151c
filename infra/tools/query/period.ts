import type { Client, Experience } from '../../../shared/client/client.ts';
import { dayNumber, daysInMonth, formatDay, monthOf, parseDate, weekOf } from '../../../shared/lib/calendar.ts';
import { yesterdayIn } from '../../../shared/lib/yesterday.ts';

/** First and last day, `YYYY-MM-DD`. */
export interface Period {
  readonly startDate: string;
  readonly endDate: string;
}

export interface PeriodOptions {
  /** Such as `28d`, `4w` or `3m`: days, weeks or months up to the last day with complete data. */
  readonly last?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** @throws an error that says what is wrong with the options */
export async function findPeriod(options: PeriodOptions, client: Client, experience: Experience): Promise<Period> {
  const { last, from, to } = options;
  if (last !== undefined && from !== undefined)
    throw new Error(`a first day, ${from}, and a period, ${last}, cannot be combined: use one of them`);
  const wrong = [from, to].find((day) => day !== undefined && parseDate(day) === undefined);
  if (wrong !== undefined) throw new Error(`${wrong} is not a day; days are written 2026-03-01`);
  if (from !== undefined && to !== undefined && from > to)
    throw new Error(`the first day, ${from}, is after the last, ${to}`);
  const endDate = to ?? (await lastCompleteDay(client, experience));
  if (from !== undefined && from > endDate)
    throw new Error(`the data of ${experience} ends on ${endDate}, before the first day, ${from}`);
  return { startDate: from ?? firstDay(last ?? '7d', endDate), endDate };
}

/** @returns the first of the days, weeks or months that end with `end` */
export function firstDay(last: string, end: string): string {
  const [, digits, unit] = /^([1-9]\d{0,3})([dwm])$/.exec(last) ?? [];
  const count = Number(digits);
  const endDay = parseDate(end) ?? 0;
  if (unit === 'd') return formatDay(endDay - count + 1);
  if (unit === 'w') return formatDay(endDay - 7 * count + 1);
  if (unit !== 'm')
    throw new Error(`${last} is not a period; periods are numbers of days, weeks or months: 28d, 4w, 3m`);
  const next = new Date((endDay + 1) * 86_400_000);
  const month = Date.UTC(next.getUTCFullYear(), next.getUTCMonth() - count, 1);
  const days = new Date(Date.UTC(next.getUTCFullYear(), next.getUTCMonth() - count + 1, 0)).getUTCDate();
  return formatDay(month / 86_400_000 + Math.min(next.getUTCDate(), days) - 1);
}

const CALENDAR = [
  { dimension: 'week_date', name: 'week', startOf: weekOf, daysFrom: () => 7 },
  { dimension: 'month_date', name: 'month', startOf: monthOf, daysFrom: daysInMonth },
] as const;

/** @returns a note for each week or month in the report's rows that the period cuts: its figures are not those of the whole week or month */
export function describeCuts({ startDate, endDate }: Period, dimensions: readonly string[]): string[] {
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

/** @returns the last day with complete data in the experience, which every report states; yesterday if it has none */
export async function lastCompleteDay(client: Client, experience: Experience): Promise<string> {
  const { timezone } = (await client.fields()).meta;
  const yesterday = yesterdayIn(timezone);
  const query = { startDate: yesterday, endDate: yesterday, metrics: ['impressions'] } as const;
  const { meta } = await client.report(experience, query, { size: 1 });
  return meta.dataCompleteThrough ?? yesterday;
}
