import { type Experience, experiencesIn, type FactTable } from '../../catalog/tables.ts';
import { type DayRange, parseRanges, rangesOf } from '../../layout/day-ranges.ts';
import { type DayList, PLATFORM_ID } from '../../layout/partitions.ts';
import { ROLLUP_TABLES } from '../../layout/rollup-keys.ts';
import { formatDay } from '../../lib/calendar.ts';
import type { ReportEnvelope } from '../query/query.ts';
import { MAX_LISTED_DAYS } from '../query/query.ts';
import type { Plan } from './plan-report.ts';
import type { FactSources } from './shards.ts';

export const OTHER_TABLES = ['conversions', 'activity', 'market'] as const satisfies readonly FactTable[];
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
export interface LoadedPeriod {
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
export const missingIn = (tables: readonly TableDays[]): number[] =>
  [...new Set(tables.flatMap(({ missingDays }) => missingDays))].sort((a, b) => a - b);

/** Yields the days with delivery of the report's advertisers. */
function* deliveryOf({ heads, shards }: FactSources, experiences: readonly Experience[]): Iterable<DayRange> {
  for (const name of experiences) {
    for (const [id, { days }] of heads) if (id !== PLATFORM_ID) yield* days?.get(name)?.get('delivery') ?? [];
    for (const { shard, advertiserIds } of shards)
      for (const id of advertiserIds) yield* parseRanges(shard.days.get(id)?.get(name) ?? '');
  }
}
