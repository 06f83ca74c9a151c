import { type DayRange, daysOfRanges } from '../../catalog/day-ranges.ts';
import { dimensionOf, isDimension } from '../../catalog/dimensions.ts';
import { isMetric, type MetricName, metricOf } from '../../catalog/metrics.ts';
import { type FactHead, PLATFORM_ID } from '../../catalog/partitions.ts';
import { inputsOf } from '../../catalog/rules.ts';
import {
  columnOf,
  type DayColumn,
  type Experience,
  isKeyIn,
  keyIn,
  type Measure,
  TABLES_WITH_SHOPPERS,
  tableOf,
  UNIDENTIFIED,
} from '../../catalog/tables.ts';
import { formatDay } from '../../lib/calendar.ts';
import { sortTexts } from '../../lib/compare-text.ts';
import type { ReportScope, ReportWarning } from '../query/query.ts';
import {
  type AdvertiserName,
  advertisers,
  list,
  days as listDays,
  type Phrase,
  text,
  titleOf,
  titles,
  warn,
} from '../query/warning.ts';
import type { Joins } from './joins.ts';
import { dateTestOf, daysOf } from './plan-reads.ts';
import { coveredExperiences, metricsOf, type Plan } from './plan-report.ts';
import { findReach, type Reach } from './reach.ts';

type Dates = ReadonlySet<string>;

/** The days of a report with rows that lack a measure which it sums, or a key by which it groups or filters. */
export interface Unmeasured {
  readonly reach: Reach;
  readonly columns: ReadonlySet<DayColumn>;
  /** Whether only some advertisers lack a column. */
  readonly isOfSome: boolean;
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
  const reach = findReach(plan.experiences, heads.get(PLATFORM_ID), joins, days, daysOf(plan, joins, []));
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
    isOfSome: found.size > 0 && advertiserIds.length > 1,
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

/** @param plan that of the rows @returns a warning for each table that lacks dimensions of the report on some days */
export function warnKeyless(plan: Plan, unmeasured: Unmeasured): ReportWarning[] {
  const { dimensions, filters } = plan.query;
  const fields = [...dimensions, ...filters.map(({ field }) => field).filter(isDimension)];
  return plan.scans.flatMap(({ table }): ReportWarning[] => {
    const names = metricsOf(plan, table);
    const lacked = [...new Set(fields)].flatMap((field) => {
      const column = keyIn(table, dimensionOf(field).base);
      const dates = new Set(plan.experiences.flatMap((name) => [...unmeasured.lackingIn(column, name).dates]));
      return dates.size === 0
        ? []
        : [{ field, phrase: text`${titles([field])} on ${listDays(sortTexts([...dates]))}` }];
    });
    const [first] = lacked;
    if (names.length === 0 || first === undefined) return [];
    const keys = list(
      lacked.map(({ phrase }) => phrase),
      lacked.length,
      '; ',
    );
    const left = text`rows with a value of it leave these days out of ${titles(names)}`;
    const others = 'the row without one has no ratio of two tables';
    const phrase = text`No row of ${table} had ${keys}: ${left}, and ${others}.`;
    const drop = lacked.map(({ field }) => field);
    return [warn('NOT_MEASURED', [first.field, ...drop.slice(1), ...names], phrase, drop)];
  });
}

/** @returns a warning that names the metrics which leave out days without their measures, and these days */
export function warnUnmeasured(
  plan: Plan,
  unmeasured: Unmeasured,
  nameOf?: AdvertiserName,
  among?: ReadonlySet<number>,
): ReportWarning[] {
  const lacks = new Map<
    string,
    { readonly column: DayColumn; readonly experience: Experience; readonly where: Phrase }
  >();
  const names = metricsOf(plan).filter((name) => {
    const { measures, shoppersOf } = inputsOf(metricOf(name));
    const inputs = [...measures, ...shoppersOf.map((table) => UNIDENTIFIED[table].part)];
    const lacking = inputs.flatMap((measure) =>
      coveredExperiences(plan, name).flatMap((experience) => {
        const { dates, of } = unmeasured.lackingIn(measure, experience, among);
        const owners = of.length === 0 ? '' : text` of ${advertisers(of, nameOf)}`;
        const where = text`${owners} on ${listDays(sortTexts([...dates]))}`;
        return dates.size === 0 ? [] : [{ column: columnOf(measure), experience, where }];
      }),
    );
    for (const own of lacking) lacks.set(`${own.column}/${own.experience}`, own);
    return lacking.length > 0;
  });
  if (names.length === 0) return [];
  const alike = Map.groupBy(lacks.values(), ({ column, where }) => `${column}${where.detail}`);
  const lists = [...alike.values()].flatMap((all) => {
    const [first] = all;
    const isEverywhere = all.length === plan.experiences.length;
    const names = isEverywhere ? '' : ` in ${all.map(({ experience }) => experience).join(' and ')}`;
    return first === undefined ? [] : [text`${describeMeasure(first.column)}${names}${first.where}`];
  });
  const left = text`these days are left out of ${list(names.map(describeMetric))}`;
  return [
    warn('NOT_MEASURED', ['daily_date', ...names], text`No file had ${list(lists, lists.length, '; ')}: ${left}.`),
  ];
}

function describeMeasure(name: string): Phrase {
  return { detail: name, message: isMetric(name) ? titleOf(name) : name.replaceAll('_', ' ') };
}

function describeMetric(name: MetricName): Phrase {
  return text`${titles([name])}${metricOf(name).kind === 'distinct' ? ' (rows without user ids)' : ''}`;
}

/** @returns the measures of which a part has no user ids on days of the report */
export function findWholes(
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
