import {
  columnOf,
  type DayColumn,
  type Experience,
  experiencesIn,
  isKeyIn,
  keyIn,
  type Measure,
  TABLES_WITH_SHOPPERS,
  tableOf,
  UNIDENTIFIED,
} from '../../catalog/tables.ts';
import { type DayRange, daysOfRanges } from '../../layout/day-ranges.ts';
import { type FactHead, PLATFORM_ID } from '../../layout/partitions.ts';
import { formatDay } from '../../lib/calendar.ts';
import type { ReportScope } from '../query/query.ts';
import type { Joins } from './joins.ts';
import { dateTestOf, daysOf } from './plan-reads.ts';
import type { Plan } from './plan-report.ts';
import { findReach, type Reach } from './reach.ts';

type Dates = ReadonlySet<string>;

/** The days of a report with rows that lack a measure which it sums, or a key by which it groups or filters. */
export interface Unmeasured {
  readonly reach: Reach;
  readonly columns: ReadonlySet<DayColumn>;
  /** @returns the days on which rows of the advertiser lack the column; undefined if there are none */
  datesOf(advertiserId: number, experience: Experience | null, column: DayColumn): Dates | undefined;
  /** @param among the advertisers that count @returns the days on which rows of any of them lack the column in the experience, and these advertisers where others do not; none for all */
  lackingIn(
    column: DayColumn,
    experience: Experience,
    among?: ReadonlySet<number>,
  ): { readonly dates: Dates; readonly of: readonly number[] };
}

/**
 * @param plans those of the report, which have the same period and row conditions
 * @param scope with the advertisers that pass the report's filters
 */
export function findUnmeasured(
  plans: readonly [Plan, ...Plan[]],
  heads: ReadonlyMap<number, FactHead>,
  joins: Joins,
  { advertiserIds }: ReportScope,
): Unmeasured {
  const [plan] = plans;
  const isReported = dateTestOf(plan, joins, plan.rowConditions);
  const days = daysOf(plan, joins, plan.rowConditions);
  // without any that passes the filters, totals are those of an empty report
  const experiences = plan.experiences.length > 0 ? plan.experiences : experiencesIn(plan.query.experience);
  const reach = findReach(experiences, heads.get(PLATFORM_ID), joins, days, daysOf(plan, joins, []));
  const lateOf = (column: DayColumn, experience: Experience | null) => {
    const table = tableOf(column);
    return isKeyIn(table, column) ? undefined : reach.lateDates(table, experience);
  };
  const read = plans.flatMap(({ scans, axes, rowConditions }) =>
    scans.flatMap(({ table, sums }) => [
      ...sums.map(({ measure, experiences }) => ({ column: measure, experiences })),
      ...[...axes, ...rowConditions].map(({ base }) => ({ column: keyIn(table, base), experiences: plan.experiences })),
    ]),
  );
  const found = new Map<string, Dates>();
  const late = read.filter(({ column, experiences }) => experiences.some((name) => lateOf(column, name)));
  const columns = new Set<DayColumn>(late.map(({ column }) => column));
  for (const id of advertiserIds) {
    const own = heads.get(id)?.unmeasured;
    if (own === undefined) continue;
    for (const { column, experiences } of read) {
      for (const experience of plan.experiences.filter((name) => experiences.includes(name))) {
        const dates = daysOfRanges(own.get(experience)?.get(columnOf(column)) ?? [])
          .map(formatDay)
          .filter(isReported);
        if (dates.length === 0) continue;
        columns.add(column);
        found.set(`${id}/${experience}/${column}`, new Set(dates).union(lateOf(column, experience) ?? new Set()));
      }
    }
  }
  return {
    ...{ reach, columns },
    datesOf: (id, experience, column) => found.get(`${id}/${experience}/${column}`) ?? lateOf(column, experience),
    lackingIn: (column, experience, among) => {
      const counted = advertiserIds.filter((id) => among?.has(id) ?? true);
      const lacking = counted.flatMap((id) => {
        const dates = found.get(`${id}/${experience}/${column}`);
        return dates === undefined ? [] : [{ id, dates }];
      });
      const late = lateOf(column, experience);
      const present = counted.filter((id) => heads.get(id)?.months.get(experience)?.get(tableOf(column))?.length);
      const dates = new Set([...(late ?? []), ...lacking.flatMap((own) => [...own.dates])]);
      const isOfSome = late === undefined && lacking.length < present.length;
      return { dates, of: isOfSome ? lacking.map(({ id }) => id) : [] };
    },
  };
}

/** @returns the measures of which a part has no user ids on days of the report */
export function findPartlyIdentified(
  { experiences, period }: Plan,
  heads: ReadonlyMap<number, FactHead>,
  { advertiserIds }: ReportScope,
): ReadonlySet<Measure> {
  const isInPeriod = ([first, last]: DayRange) => first <= period.lastDay && last >= period.firstDay;
  const partial = TABLES_WITH_SHOPPERS.map((table) => UNIDENTIFIED[table]).filter(({ part }) =>
    advertiserIds.some((id) =>
      experiences.some((name) => heads.get(id)?.unmeasured?.get(name)?.get(part)?.some(isInPeriod)),
    ),
  );
  return new Set(partial.map(({ whole }) => whole));
}
