import { type DayRange, parseRanges, rangesOf } from '../../catalog/day-ranges.ts';
import { dimensionOf } from '../../catalog/dimensions.ts';
import { PLATFORM_ID } from '../../catalog/partitions.ts';
import { ROLLUP_TABLES } from '../../catalog/rollup-keys.ts';
import { type Experience, experiencesIn, type FactTable } from '../../catalog/tables.ts';
import { formatDay, type Weekday } from '../../lib/calendar.ts';
import type { ReportEnvelope, ReportWarning } from '../query/query.ts';
import type { Plan } from './plan-report.ts';
import type { FactSources } from './shards.ts';

/** Further missing days are only counted. */
const MAX_LISTED_DAYS = 31;

/** Which days of the report's period have data of any advertiser. */
interface LoadedPeriod {
  /** @returns whether any day of the period has delivery, conversions or activity in one of the experiences */
  readonly hasData: (experiences: readonly Experience[]) => boolean;
  /** @returns whether the day has such data in an experience of the report; days need not be in the period */
  readonly hasDataOn: (day: number) => boolean;
  /** The days of the period without delivery, up to the latest day that has some: later ones are not due yet. */
  readonly missingDays: readonly number[];
  /** As responses state it. */
  readonly data: ReportEnvelope['meta']['data'];
}

export function findLoadedPeriod({ query, period }: Plan, facts: FactSources): LoadedPeriod {
  const { firstDay, lastDay } = period;
  const platform = facts.heads.get(PLATFORM_ID);
  const reported = experiencesIn(query.experience);
  const platformRanges = (experiences: readonly Experience[], tables: readonly FactTable[]) =>
    experiences.flatMap((name) => tables.flatMap((table) => platform?.days?.get(name)?.get(table) ?? []));
  const hasDataIn = (experiences: readonly Experience[], from: number, to: number) =>
    platformRanges(experiences, ROLLUP_TABLES).some(([first, last]) => first <= to && last >= from);
  const delivery = platformRanges(reported, ['delivery']).sort(([a], [b]) => a - b);
  const from = delivery[0]?.[0];
  const through = delivery.length === 0 ? undefined : Math.max(...delivery.map(([, last]) => last));
  const dueDays = Math.max(0, Math.min(lastDay, through ?? firstDay - 1) - firstDay + 1);
  const daysWithout = (ranges: Iterable<DayRange>) => {
    const isDelivered = new Uint8Array(dueDays);
    for (const [first, last] of ranges)
      if (last >= firstDay) isDelivered.fill(1, Math.max(0, first - firstDay), last - firstDay + 1);
    return [...isDelivered.keys()].filter((at) => isDelivered[at] === 0).map((at) => firstDay + at);
  };
  const missingDays = daysWithout(delivery);
  const gapDays = daysWithout(deliveryOf(facts, reported));
  const data = {
    from: from === undefined ? null : formatDay(from),
    through: through === undefined ? null : formatDay(through),
    missingDays: missingDays.slice(0, MAX_LISTED_DAYS).map(formatDay),
    missingDayCount: missingDays.length,
    gaps: rangesOf(gapDays).map(([first, last]) => ({ from: formatDay(first), through: formatDay(last) })),
    gapDayCount: gapDays.length,
  };
  return {
    hasData: (experiences) => hasDataIn(experiences, firstDay, lastDay),
    hasDataOn: (day) => hasDataIn(reported, day, day),
    missingDays,
    data,
  };
}

/** Yields the days with delivery of the report's advertisers. */
function* deliveryOf({ heads, shards }: FactSources, experiences: readonly Experience[]): Iterable<DayRange> {
  for (const name of experiences) {
    for (const [id, { days }] of heads) if (id !== PLATFORM_ID) yield* days?.get(name)?.get('delivery') ?? [];
    for (const { shard, advertiserIds } of shards)
      for (const id of advertiserIds) yield* parseRanges(shard.days.get(id)?.get(name) ?? '');
  }
}

/** @returns a warning if the period has no data in the experiences that pass the filters, or days without delivery */
export function warnLoadedPeriod(
  { query, experiences }: Pick<Plan, 'query' | 'experiences'>,
  { hasData, missingDays, data }: LoadedPeriod,
  weekStartsOn: Weekday,
): ReportWarning[] {
  const { startDate, endDate, experience } = query;
  const all = experiencesIn(experience);
  if (!hasData(experiences.length > 0 ? experiences : all)) {
    const some = experiences.length > 0 && experiences.length < all.length ? `in ${experiences.join(' and ')} ` : '';
    const where = experience === 'all' ? 'any experience' : experience;
    const known =
      data.from === null
        ? `there is no delivery in ${where}`
        : `delivery in ${where} is from ${data.from} to ${data.through}`;
    const detail = `No data ${some}was loaded for ${startDate} to ${endDate}, so sums are null: ${known}.`;
    return [{ code: 'NO_DATA_IN_PERIOD', field: 'daily_date', detail, drop: [] }];
  }
  if (missingDays.length === 0) return [];
  const days = listDates(missingDays.map(formatDay));
  const incomplete = query.dimensions.flatMap((name) => {
    const { ofDay, title } = dimensionOf(name);
    const values = new Set(missingDays.map((day) => ofDay?.(day, weekStartsOn)));
    const dates = [...values].filter((value) => typeof value === 'string'); // a weekday is no date
    return dates.length === 0 ? [] : ` Incomplete values of ${title}: ${listDates(dates)}.`;
  });
  const detail = `No advertiser has delivery on ${missingDays.length === 1 ? 'a day' : `${missingDays.length} days`} of the period: ${days}.${incomplete.join('')}`;
  return [{ code: 'MISSING_DAYS', field: 'daily_date', detail, drop: [] }];
}

function listDates(dates: readonly string[]): string {
  const more = dates.length - MAX_LISTED_DAYS;
  return dates.slice(0, MAX_LISTED_DAYS).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
