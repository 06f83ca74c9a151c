import { MAX_PAGE_SIZE } from '../../../contract/report/report-limits.ts';
import { dayNumber, formatDay, parseDate, weekOf } from '../../../lib/calendar.ts';
import type { Calendar } from '../../../lib/relative-date.ts';
import type { Api } from '../app/api.ts';
import { DAY, type Row } from '../question/compare-rows.ts';
import { nameSome } from '../question/describe.ts';
import type { ReportQuestion } from '../question/question.ts';

/** Maximum number of days in the calendar: 53 weeks, which are a year and the days before it in its first week. */
const DAYS = 371;
/** Other days of the same weekday from which it is usual that an advertiser has delivery. */
const MIN_WEEKDAYS = 3;

interface DeliveredDay {
  readonly impressions: number;
  readonly transactions: number;
  /** Whether ad groups were scheduled; false in experiences where `time_live` is undefined. */
  readonly hasActivity: boolean;
}

/** What was delivered in one experience, by day. */
export interface Delivery {
  readonly experience: string;
  /** By day number; a day without rows is missing. */
  readonly days: ReadonlyMap<number, DeliveredDay>;
  /** The days of the calendar, from the first of a week to yesterday. */
  readonly first: number;
  readonly last: number;
  /** It may be after `last`. */
  readonly completeThrough: number | undefined;
  /** Days without delivery between the first with delivery and the last, or the day through which data is complete, at most `last`, if that is later. */
  readonly gaps: readonly number[];
  /** Why other days are partial, for example `no conversions`. */
  readonly partial: ReadonlyMap<number, readonly string[]>;
  /** The first day for which all advertisers with delivery were read. */
  readonly comparedFrom: number;
  /** How many advertisers have delivery, by day. */
  readonly advertisers: ReadonlyMap<number, number>;
  /** The version of the data. */
  readonly version: string;
}

/** The days with delivery of one advertiser. */
interface AdvertiserDays {
  readonly name: string;
  readonly days: ReadonlySet<number>;
}

/**
 * Reads, with two reports, which days have delivery, conversions and activity, and compares the advertisers that have delivery on them.
 * @throws EndcapError DATA_CHANGED if data is loaded between the two in every attempt
 */
export async function readDelivery(
  api: Pick<Api, 'report'>,
  experience: string,
  { today, weekStartsOn }: Calendar,
): Promise<Delivery> {
  const last = today - 1;
  const first = weekOf(last - DAYS + 7, weekStartsOn);
  const question = {
    startDate: formatDay(first),
    endDate: formatDay(last),
    advertiserIds: [],
    metrics: ['impressions', 'halo_exposed_transactions', 'time_live'],
    dimensions: [DAY],
    filters: [],
    sort: [],
  };
  const ofAdvertisers: ReportQuestion = {
    ...question,
    metrics: ['impressions'],
    dimensions: [DAY, 'advertiser_id', 'advertiser_name'],
    sort: [{ field: DAY, order: 'DESC' }],
  };
  const [{ data, meta }, latest] = await Promise.all([
    api.report(experience, question, { offset: 0, size: DAYS }),
    // the latest rows: of a year with 26 advertisers, or of a month with 300
    api.report(experience, ofAdvertisers, { offset: 0, size: MAX_PAGE_SIZE }),
  ]);
  const days = new Map(
    data.map((row) => [
      dayNumber(String(row[DAY])),
      {
        impressions: Number(row.impressions),
        transactions: Number(row.halo_exposed_transactions),
        hasActivity: typeof row.time_live === 'number',
      },
    ]),
  );
  const completeThrough = meta.dataCompleteThrough === null ? undefined : parseDate(meta.dataCompleteThrough);
  const isWhole = latest.data.length >= latest.totalCount;
  const comparedFrom = isWhole ? first : dayNumber(String(latest.data.at(-1)?.[DAY])) + 1; // the rest of that day may not have been read
  const advertisers = groupByAdvertiser(latest.data.filter((row) => dayNumber(String(row[DAY])) >= comparedFrom));
  return {
    experience,
    days,
    first,
    last,
    completeThrough,
    gaps: findGaps(days, completeThrough === undefined ? undefined : Math.min(completeThrough, last)),
    partial: findPartial(days, advertisers),
    comparedFrom,
    advertisers: countByDay(advertisers),
    version: meta.dataVersion,
  };
}

function groupByAdvertiser(rows: readonly Row[]): AdvertiserDays[] {
  const delivered = rows.filter(({ impressions }) => Number(impressions) > 0);
  return [...Map.groupBy(delivered, ({ advertiser_id: id }) => id).values()].map((own) => ({
    name: String(own[0]?.advertiser_name ?? own[0]?.advertiser_id),
    days: new Set(own.map((row) => dayNumber(String(row[DAY])))),
  }));
}

function countByDay(advertisers: readonly AdvertiserDays[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { days } of advertisers) for (const day of days) counts.set(day, (counts.get(day) ?? 0) + 1);
  return counts;
}

/** @returns the latest day with data; -Infinity if there is none */
export function latestDay({ days }: Pick<Delivery, 'days'>): number {
  return Math.max(...days.keys());
}

/**
 * @returns the days with delivery that are partial, with the reasons: a table with data on an earlier day has none, or an advertiser without delivery usually
 * has some on this weekday
 */
function findPartial(
  days: ReadonlyMap<number, DeliveredDay>,
  advertisers: readonly AdvertiserDays[],
): Map<number, readonly string[]> {
  const delivered = [...days].filter(([, { impressions }]) => impressions > 0).sort(([a], [b]) => a - b);
  const begins = (has: (day: DeliveredDay) => boolean) =>
    Math.min(...[...days].flatMap(([number, day]) => (has(day) ? [number] : [])));
  const tables = [
    { name: 'conversions', has: ({ transactions }: DeliveredDay) => transactions > 0 },
    { name: 'activity', has: ({ hasActivity }: DeliveredDay) => hasActivity },
  ].map((table) => ({ ...table, first: begins(table.has) }));
  const partial = new Map<number, readonly string[]>();
  for (const [number, day] of delivered) {
    const empty = tables.filter(({ first, has }) => number > first && !has(day)).map(({ name }) => `no ${name}`);
    const paused = advertisers.filter(({ days: own }) => isUnusualPause(number, own)).map(({ name }) => name);
    const reasons = paused.length === 0 ? empty : [...empty, `no delivery of ${nameSome(paused)}`];
    if (reasons.length > 0) partial.set(number, reasons);
  }
  return partial;
}

/** @returns whether the advertiser has delivery on the days before and after, and on every other such weekday from its first day to its last, but not on the day */
function isUnusualPause(day: number, own: ReadonlySet<number>): boolean {
  if (own.has(day) || !own.has(day - 1) || !own.has(day + 1)) return false;
  const [first, last] = [Math.min(...own), Math.max(...own)];
  const weekdays = [-1, 1].flatMap((sign) =>
    Array.from({ length: DAYS / 7 }, (_, week) => day + sign * 7 * (week + 1)).filter(
      (other) => other >= first && other <= last,
    ),
  );
  return weekdays.length >= MIN_WEEKDAYS && weekdays.every((other) => own.has(other));
}

/** @returns the days without impressions from the first with some to the last, or to the day through which data should be complete */
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
