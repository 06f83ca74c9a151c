import { type DayRange, parseRanges, rangesOf } from '../../catalog/day-ranges.ts';
import { dimensionOf } from '../../catalog/dimensions.ts';
import { metricOf } from '../../catalog/metrics.ts';
import { type DayList, PLATFORM_ID } from '../../catalog/partitions.ts';
import { ROLLUP_TABLES } from '../../catalog/rollup-keys.ts';
import { inputsOf } from '../../catalog/rules.ts';
import { type Experience, experiencesIn, type FactTable, measureOf } from '../../catalog/tables.ts';
import { formatDay, type Weekday } from '../../lib/calendar.ts';
import type { ReportEnvelope, ReportWarning } from '../query/query.ts';
import { date, days, list, MAX_LISTED_DAYS, period as periodOf, text, titles, warn } from '../query/warning.ts';
import { coveredExperiences, metricsOf, type Plan } from './plan-report.ts';
import type { FactSources } from './shards.ts';

const OTHER_TABLES = ['conversions', 'activity', 'market'] as const satisfies readonly FactTable[];
/** What reports sum. */
const LISTS_WITH_ROWS: readonly DayList[] = [...ROLLUP_TABLES, 'undelivered'];

/** The days of a fact table in an experience. */
interface TableDays {
  readonly table: (typeof OTHER_TABLES)[number];
  readonly experience: Experience;
  readonly firstDay: number;
  readonly lastDay: number;
  /** The days of the period that have delivery of any advertiser in the experience, and no row of the table. */
  readonly missingDays: readonly number[];
}

/** Which days of the report's period have data of any advertiser. */
interface LoadedPeriod {
  /** @returns whether any day of the period has delivery, conversions or activity in one of the experiences */
  readonly hasData: (experiences: readonly Experience[]) => boolean;
  /** @returns whether the day has such data in an experience of the report; days need not be in the period */
  readonly hasDataOn: (day: number) => boolean;
  /** Whether the period includes today, and anybody has such data on it. */
  readonly isRunning: boolean;
  readonly today: number;
  /** The days of the period without delivery, up to the latest day that has some: later ones are not due yet. */
  readonly missingDays: readonly number[];
  /** The other fact tables that have rows of any advertiser. */
  readonly tables: readonly TableDays[];
  /** As responses state it. */
  readonly data: ReportEnvelope['meta']['data'];
}

/** @param today it has not ended, so nothing of it is missing */
export function findLoadedPeriod({ query, period }: Plan, facts: FactSources, today: number): LoadedPeriod {
  const { firstDay, lastDay } = period;
  const platform = facts.heads.get(PLATFORM_ID);
  const reported = experiencesIn(query.experience);
  const platformRanges = (experiences: readonly Experience[], tables: readonly DayList[]) =>
    experiences.flatMap((name) => tables.flatMap((table) => platform?.days?.get(name)?.get(table) ?? []));
  const hasDataIn = (experiences: readonly Experience[], from: number, to: number) =>
    platformRanges(experiences, LISTS_WITH_ROWS).some(([first, last]) => first <= to && last >= from);
  const delivery = platformRanges(reported, ['delivery']).sort(([a], [b]) => a - b);
  const from = delivery[0]?.[0];
  const through = delivery.length === 0 ? undefined : Math.max(...delivery.map(([, last]) => last));
  const dueDays = Math.max(0, Math.min(lastDay, through ?? firstDay - 1, today - 1) - firstDay + 1);
  const daysWithout = (ranges: Iterable<DayRange>) => {
    const isDelivered = new Uint8Array(dueDays);
    for (const [first, last] of ranges)
      if (last >= firstDay) isDelivered.fill(1, Math.max(0, first - firstDay), last - firstDay + 1);
    return [...isDelivered.keys()].filter((at) => isDelivered[at] === 0).map((at) => firstDay + at);
  };
  const missingDays = daysWithout(delivery);
  const gapDays = daysWithout(deliveryOf(facts, reported));
  const tables = reported.flatMap((experience) => {
    const undelivered = new Set(daysWithout(platformRanges([experience], ['delivery'])));
    return OTHER_TABLES.flatMap((table): TableDays[] => {
      const ranges = platformRanges([experience], [table]);
      const [tableFirst, lastDay] = [ranges[0]?.[0], ranges.at(-1)?.[1]];
      if (tableFirst === undefined || lastDay === undefined) return [];
      return [
        {
          table,
          experience,
          firstDay: tableFirst,
          lastDay,
          missingDays: daysWithout(ranges).filter((day) => !undelivered.has(day)),
        },
      ];
    });
  });
  const data = {
    from: from === undefined ? null : formatDay(from),
    through: through === undefined ? null : formatDay(through),
    missingDays: missingDays.slice(0, MAX_LISTED_DAYS).map(formatDay),
    missingDayCount: missingDays.length,
    gaps: rangesOf(gapDays).map(([first, last]) => ({ from: formatDay(first), through: formatDay(last) })),
    gapDayCount: gapDays.length,
    tables: OTHER_TABLES.flatMap((table) => {
      const own = tables.filter((days) => days.table === table);
      if (own.length === 0) return [];
      const [missing, lastDay] = [missingIn(own), Math.min(...own.map((days) => days.lastDay))];
      const listed = missing.slice(0, MAX_LISTED_DAYS).map(formatDay);
      return [{ table, through: formatDay(lastDay), missingDays: listed, missingDayCount: missing.length }];
    }),
  };
  return {
    hasData: (experiences) => hasDataIn(experiences, firstDay, lastDay),
    hasDataOn: (day) => hasDataIn(reported, day, day),
    isRunning: today >= firstDay && today <= lastDay && hasDataIn(reported, today, today),
    ...{ today, missingDays, tables, data },
  };
}

/** @returns the days that are missing in any experience, ascending */
const missingIn = (tables: readonly TableDays[]): number[] =>
  [...new Set(tables.flatMap(({ missingDays }) => missingDays))].sort((a, b) => a - b);

/** @returns a warning for each fact table that lacks days which metrics of the report read */
export function warnTables(plan: Plan, { tables }: LoadedPeriod): ReportWarning[] {
  const names = metricsOf(plan);
  return OTHER_TABLES.flatMap((table): ReportWarning[] => {
    const late = tables.flatMap((own) => {
      if (own.table !== table || !plan.experiences.includes(own.experience)) return [];
      // what is outside the reach of other tables is unknown: see `warnUnmeasured`
      const isDue = (day: number) => table === 'market' || (day >= own.firstDay && day <= own.lastDay);
      const missingDays = own.missingDays.filter(isDue);
      return missingDays.length === 0 ? [] : [{ ...own, missingDays }];
    });
    const reads = names.filter((name) => {
      const { measures, shoppersOf } = inputsOf(metricOf(name));
      const isRead =
        shoppersOf.some((own) => own === table) || measures.some((measure) => measureOf(measure).table === table);
      return isRead && late.some(({ experience }) => coveredExperiences(plan, name).includes(experience));
    });
    if (reads.length === 0) return [];
    const missing = missingIn(late);
    const end = Math.min(...late.map(({ lastDay }) => lastDay));
    const ends = Number(missing.at(-1)) > end ? text` (the latest day is ${date(formatDay(end))})` : '';
    const where = late.map(({ experience }) => experience).join(' and ');
    const when = text`${days(missing.map(formatDay))}${ends}`;
    const phrase = text`No advertiser has rows of ${table} in ${where} on ${when}: missing in ${titles(reads)}.`;
    return [warn('TABLE_LACKS_DAYS', ['daily_date', ...reads], phrase)];
  });
}

/** Yields the days with delivery of the report's advertisers. */
function* deliveryOf({ heads, shards }: FactSources, experiences: readonly Experience[]): Iterable<DayRange> {
  for (const name of experiences) {
    for (const [id, { days }] of heads) if (id !== PLATFORM_ID) yield* days?.get(name)?.get('delivery') ?? [];
    for (const { shard, advertiserIds } of shards)
      for (const id of advertiserIds) yield* parseRanges(shard.days.get(id)?.get(name) ?? '');
  }
}

/** @returns a warning if the period includes today and some of its data */
export function warnRunningDay({ query }: Pick<Plan, 'query'>, { today, isRunning }: LoadedPeriod): ReportWarning[] {
  if (!isRunning) return [];
  const compared = query.compare ? ', and changes compare it with whole days' : '';
  const start = text`${date(formatDay(today))} has not ended: its figures are of a part of the day${compared}.`;
  return [warn('DAY_NOT_ENDED', ['daily_date'], text`${start} End the report on the day before to leave it out.`)];
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
        : text`delivery in ${where} is from ${date(data.from)} to ${date(data.through ?? data.from)}`;
    const phrase = text`No data ${some}was loaded for ${periodOf(startDate, endDate)}, so sums are null: ${known}.`;
    return [warn('NO_DATA_IN_PERIOD', ['daily_date'], phrase)];
  }
  if (missingDays.length === 0) return [];
  const incomplete = query.dimensions.flatMap((name) => {
    const { ofDay, title } = dimensionOf(name);
    const values = new Set(missingDays.map((day) => ofDay?.(day, weekStartsOn)));
    const dates = [...values].filter((value) => typeof value === 'string'); // a weekday is no date
    return dates.length === 0 ? [] : text` Incomplete values of ${title}: ${list(dates.map(date), MAX_LISTED_DAYS)}.`;
  });
  const count = missingDays.length === 1 ? 'a day' : `${missingDays.length} days`;
  const when = text`${days(missingDays.map(formatDay))}.${list(incomplete, incomplete.length, '')}`;
  return [warn('MISSING_DAYS', ['daily_date'], text`No advertiser has delivery on ${count} of the period: ${when}`)];
}
