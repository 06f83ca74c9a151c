import { MAX_PAGE_SIZE } from '../../../contract/report/report-limits.ts';
import { dayNumber, formatDay, parseDate, weekOf } from '../../../lib/calendar.ts';
import type { Calendar } from '../../../lib/relative-date.ts';
import { DAY, type Row } from '../question/compare-rows.ts';
import type { Api } from '../service/api.ts';

/** Maximum number of days that are shown: 53 weeks, which are a year and the days before it in its first week. */
const DAYS = 371;

interface DeliveredDay {
  readonly impressions: number;
  readonly transactions: number;
  /** Whether ad groups were scheduled; false in experiences where `time_live` is undefined. */
  readonly hasActivity: boolean;
}

export interface Delivery {
  readonly experience: string;
  /** By day number; a day without rows is missing. */
  readonly days: ReadonlyMap<number, DeliveredDay>;
  /** The days that are shown, from the first of a week to yesterday. */
  readonly first: number;
  readonly last: number;
  /** It may be after `last`. */
  readonly completeThrough: number | undefined;
  /** Days without delivery after the first with some, up to the last or the last complete one. */
  readonly gaps: readonly number[];
  /** Why other days are partial, for example `no conversions`. */
  readonly partial: ReadonlyMap<number, readonly string[]>;
  /** How many advertisers have delivery, by day; of the latest days. */
  readonly advertisers: ReadonlyMap<number, number>;
}

/** Reads, with two reports, what was delivered on which days, and of how many advertisers on the latest. */
export async function readDelivery(
  api: Pick<Api, 'report'>,
  experience: string,
  { today, weekStartsOn }: Calendar,
): Promise<Delivery> {
  const last = today - 1;
  const first = weekOf(last - DAYS + 7, weekStartsOn);
  const period = { startDate: formatDay(first), endDate: formatDay(last), advertiserIds: [], filters: [] };
  const metrics = ['impressions', 'halo_exposed_transactions', 'time_live'];
  const byDay = { ...period, metrics, dimensions: [DAY], sort: [] };
  const byAdvertiser = {
    ...period,
    metrics: ['impressions'],
    dimensions: [DAY, 'advertiser_id'],
    sort: [{ field: DAY, order: 'DESC' as const }],
  };
  const [{ data, meta }, latest] = await Promise.all([
    api.report(experience, byDay, { offset: 0, size: DAYS }),
    api.report(experience, byAdvertiser, { offset: 0, size: MAX_PAGE_SIZE }),
  ]);
  const days = new Map(
    data.map((row) => [
      dayOf(row),
      {
        impressions: Number(row.impressions),
        transactions: Number(row.halo_exposed_transactions),
        hasActivity: typeof row.time_live === 'number',
      },
    ]),
  );
  const completeThrough = meta.dataCompleteThrough === null ? undefined : parseDate(meta.dataCompleteThrough);
  const delivering = Map.groupBy(
    latest.data.filter(({ impressions }) => Number(impressions) > 0),
    dayOf,
  );
  const [cut] = latest.data.length < latest.totalCount ? latest.data.slice(-1) : [];
  if (cut !== undefined) delivering.delete(dayOf(cut)); // the rest of this day is on the next page
  return {
    experience,
    days,
    first,
    last,
    completeThrough,
    gaps: findGaps(days, completeThrough === undefined ? undefined : Math.min(completeThrough, last)),
    partial: findPartial(days),
    advertisers: new Map([...delivering].map(([day, rows]) => [day, rows.length])),
  };
}

function dayOf(row: Row): number {
  return dayNumber(String(row[DAY]));
}

/** @returns the latest day with data; -Infinity if there is none */
export function latestDay({ days }: Pick<Delivery, 'days'>): number {
  return Math.max(...days.keys());
}

/** @returns the days with delivery that are partial, with the reasons: a table with data on an earlier day has none */
function findPartial(days: ReadonlyMap<number, DeliveredDay>): Map<number, readonly string[]> {
  const begins = (has: (day: DeliveredDay) => boolean) =>
    Math.min(...[...days].flatMap(([number, day]) => (has(day) ? [number] : [])));
  const tables = [
    { name: 'conversions', has: ({ transactions }: DeliveredDay) => transactions > 0 },
    { name: 'activity', has: ({ hasActivity }: DeliveredDay) => hasActivity },
  ].map((table) => ({ ...table, first: begins(table.has) }));
  const partial = new Map<number, readonly string[]>();
  for (const [number, day] of [...days].sort(([a], [b]) => a - b)) {
    const empty = tables.filter(({ first, has }) => number > first && !has(day)).map(({ name }) => `no ${name}`);
    if (day.impressions > 0 && empty.length > 0) partial.set(number, empty);
  }
  return partial;
}

/** @returns the days without impressions from the first with some to the last, or to the last complete one */
function findGaps(
  days: ReadonlyMap<number, Pick<DeliveredDay, 'impressions'>>,
  completeThrough: number | undefined,
): number[] {
  const delivered = [...days].flatMap(([day, { impressions }]) => (impressions > 0 ? [day] : []));
  if (delivered.length === 0) return [];
  const [from, to] = [Math.min(...delivered), Math.max(...delivered, completeThrough ?? Number.NEGATIVE_INFINITY)];
  const has = new Set(delivered);
  return Array.from({ length: to - from + 1 }, (_, index) => from + index).filter((day) => !has.has(day));
}
