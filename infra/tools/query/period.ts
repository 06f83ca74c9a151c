import type { Client, Experience } from '../../../shared/client/client.ts';
import { formatDay, parseDate } from '../../../shared/lib/calendar.ts';
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
  const endDate = to ?? (await lastCompleteDay(client, experience));
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

/** @returns the last day with complete data in the experience, which every report states; yesterday if it has none */
export async function lastCompleteDay(client: Client, experience: Experience): Promise<string> {
  const { timezone } = (await client.fields()).meta;
  const yesterday = yesterdayIn(timezone);
  const query = { startDate: yesterday, endDate: yesterday, metrics: ['impressions'] } as const;
  const { meta } = await client.report(experience, query, { size: 1 });
  return meta.dataCompleteThrough ?? yesterday;
}
