import { dayNumber, formatDay, parseDate, weekOf } from '../../lib/calendar.ts';
import { yesterdayIn } from '../../lib/yesterday.ts';
import type { Api } from '../app/api.ts';

/** Days that the calendar covers: a year, and the rest of its first week. */
const DAYS = 371;

export interface DeliveredDay {
  readonly date: string;
  readonly impressions: number;
  readonly transactions: number;
}

/** What was delivered in one experience, by day. */
export interface Delivery {
  readonly experience: string;
  /** By day number; a day without rows is missing. */
  readonly days: ReadonlyMap<number, DeliveredDay>;
  /** The days of the calendar, from a Monday to yesterday. */
  readonly first: number;
  readonly last: number;
  readonly completeThrough: number | undefined;
  /** Days without delivery between the first and the last with delivery, or the latest with data. */
  readonly gaps: readonly number[];
}

/** Reads, with one report, which days have delivery and conversions. */
export async function readDelivery(api: Api, experience: string, timeZone: string): Promise<Delivery> {
  const last = dayNumber(yesterdayIn(timeZone));
  const first = weekOf(last - DAYS + 7);
  const question = {
    startDate: formatDay(first),
    endDate: formatDay(last),
    advertiserIds: [],
    metrics: ['impressions', 'halo_exposed_transactions'],
    dimensions: ['daily_date'],
    filters: [],
    sort: [],
  };
  const { data, meta } = await api.report(experience, question, { offset: 0, size: 1000 });
  const rows = data.map((row) => ({
    date: String(row.daily_date),
    impressions: Number(row.impressions),
    transactions: Number(row.halo_exposed_transactions),
  }));
  const days = new Map(rows.map((row) => [dayNumber(row.date), row]));
  const completeThrough = meta.dataCompleteThrough === null ? undefined : parseDate(meta.dataCompleteThrough);
  return { experience, days, first, last, completeThrough, gaps: findGaps(days, completeThrough) };
}

/** @returns the days without impressions from the first with some to the last, or to the day through which data should be complete */
export function findGaps(
  days: ReadonlyMap<number, Pick<DeliveredDay, 'impressions'>>,
  completeThrough: number | undefined,
): number[] {
  const delivered = [...days].flatMap(([day, { impressions }]) => (impressions > 0 ? [day] : []));
  if (delivered.length === 0) return [];
  const [from, to] = [Math.min(...delivered), Math.max(...delivered, completeThrough ?? Number.NEGATIVE_INFINITY)];
  const has = new Set(delivered);
  return Array.from({ length: to - from + 1 }, (_, index) => from + index).filter((day) => !has.has(day));
}
