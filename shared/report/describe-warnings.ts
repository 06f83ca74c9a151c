import { type DimensionName, dimensionOf } from '../catalog/dimensions.ts';
import { PLATFORM_ID } from '../catalog/partitions.ts';
import type { BaseColumn } from '../catalog/tables.ts';
import type { KeyValue } from '../columns/column.ts';
import { addMonths, dayNumber, formatDay, monthOf, quarterOf, type Weekday, weekOf } from '../lib/calendar.ts';
import { sortTexts } from '../lib/compare-text.ts';
import { quoteText } from '../lib/quote-text.ts';
import { warnRows, warnUndefined, warnUnidentified } from './finish/describe-report.ts';
import type { MarketShares } from './market/read-market-shares.ts';
import { warnPacing } from './pacing/warn-pacing.ts';
import { checkFilters } from './plan/check-filters.ts';
import type { Joins } from './plan/joins.ts';
import { warnLoadedPeriod, warnRunningDay, warnTables } from './plan/loaded-period.ts';
import { NAMES } from './plan/names.ts';
import type { Plan } from './plan/plan-report.ts';
import { warnKeyless, warnUnmeasured } from './plan/unmeasured.ts';
import type { ReportQuery, ReportScope, ReportSettings, ReportWarning } from './query/query.ts';
import { date, days, list, text, titles, warn } from './query/warning.ts';
import type { AxisCodes } from './scan/axes.ts';
import type { GroupedFacts } from './scan/scan-facts.ts';
import type { SeenValues } from './scan/seen-values.ts';
import type { PreparedReport, ScannedReport } from './scan-report.ts';
import { add } from './sums/exact-numbers.ts';
import type { TotalFacts } from './total-report.ts';

/** @returns the warnings that are known before facts are read */
export function warnPrepared(settings: ReportSettings, prepared: PreparedReport): ReportWarning[] {
  const { plan } = prepared;
  const cut = warnPartialUnits(plan.query, settings.weekStartsOn);
  return [...warnDates(settings, prepared), ...cut, ...checkFilters(plan.query), ...warnUndefined(plan)];
}

/** @param total of the kept groups @param isCompared whether the period is compared with another one, in whose rows its cut weeks then are @returns the warnings about the kept groups and their facts */
export function describeWarnings(
  settings: ReportSettings,
  { prepared, rows, lateTables, scanned }: ScannedReport,
  total: TotalFacts,
  seen: SeenValues,
  kept: Uint32Array,
  isCompared: boolean,
): ReportWarning[] {
  const { plan, selected, completeDays, joins } = prepared;
  const widest = widestPlan(prepared);
  const valuesOf = (field: DimensionName) => valuesIn(rows, field, kept);
  return [
    ...warnDates(settings, prepared, scanned.selected),
    ...lateTables,
    ...warnPartialUnits(plan.query, settings.weekStartsOn, isCompared ? undefined : valuesOf),
    ...checkFilters(plan.query),
    ...seen.warnings(),
    ...warnRows(plan, rows.facts, kept),
    ...warnUnidentified(widest, total.facts),
    ...warnNamesakes(plan, rows, joins, selected, kept),
    ...warnMarket(rows.shares, settings.marketMinOthers),
    ...warnPacing(
      { ...widest, query: plan.query },
      total.pacing,
      plan.groupConditions.length > 0 ? kept : undefined,
      completeDays,
      joins,
      settings,
    ),
  ];
}

/** @param withRows the advertisers with rows that pass the filters, where they are known */
function warnDates(
  { weekStartsOn }: ReportSettings,
  prepared: PreparedReport,
  withRows?: ReadonlySet<number>,
): ReportWarning[] {
  const { plan, loaded, unmeasured, advertiserName } = prepared;
  const widest = widestPlan(prepared);
  return [
    ...warnLoadedPeriod(plan, loaded, weekStartsOn),
    ...warnRunningDay(plan, loaded),
    ...warnTables(widest, loaded),
    ...warnUnmeasured(widest, unmeasured, advertiserName, plan.planned ? undefined : withRows),
    ...warnKeyless(plan, unmeasured),
  ];
}

/** @returns the plan by which the totals are defined, which may have metrics that rows do not have */
function widestPlan({ plan, totalPlan }: PreparedReport): Plan {
  return plan.groupConditions.length > 0 ? plan : totalPlan;
}

/**
 * A filter on what the caller never bought gets the same warning as one on an unknown value: without own impressions, no market was looked at.
 * @returns the warning that states which part of the report's impressions share_of_voice covers, unless it covers all, or that there are none
 */
function warnMarket(shares: MarketShares | undefined, minOthers: number): ReportWarning[] {
  if (shares === undefined) return [];
  const { covered, withheld, hasWholeDays, unknownDays } = shares;
  const impressions = add(covered, withheld);
  const share = titles(['share_of_voice']);
  const dates = sortTexts([...new Set(Array.from(unknownDays, (day) => day.replace(/.*\//, '')))]);
  const left = text`No file had ${titles(['impressions'])} on ${days(dates)}: these days are left out of ${share}.`;
  const unknown = dates.length === 0 ? [] : [warn('NOT_MEASURED', ['daily_date', 'share_of_voice'], left)];
  if (impressions === 0 && unknown.length > 0) return unknown;
  if (impressions === 0) {
    const phrase = text`${share} is null: it compares placements, division banners and keywords in which your advertisers have impressions, and this report has none.`;
    return [warn('NO_OWN_IMPRESSIONS', ['share_of_voice'], phrase)];
  }
  if (withheld === 0) return unknown;
  const few = minOthers === 1 ? 'no other advertiser' : `fewer than ${minOthers} other advertisers`;
  const reason = minOthers === 0 ? '' : `in which ${few} had impressions, or `;
  const whole = hasWholeDays ? ', or that have rows with and without hours on a day' : '';
  const part = `${covered.toLocaleString('en-US')} of ${impressions.toLocaleString('en-US')} impressions`;
  const phrase = text`${share} covers ${part}: it leaves out hours of a placement, division banner and keyword ${reason}for which the market has no figures${whole}.`;
  return [...unknown, warn('PART_OF_THE_MARKET', ['share_of_voice'], phrase)];
}

const UNITS = [
  { field: 'week_date', name: 'week', startOf: weekOf, nextOf: (start: number) => start + 7 },
  { field: 'month_date', name: 'month', startOf: monthOf, nextOf: (start: number) => addMonths(start, 1) },
  { field: 'quarter_date', name: 'quarter', startOf: quarterOf, nextOf: (start: number) => addMonths(start, 3) },
] as const;

/** @param rowValues returns the values that a dimension has in rows; all, if there is no such function @returns one warning for each requested dimension whose first or last week, month or quarter has days outside the period */
export function warnPartialUnits(
  { startDate, endDate, dimensions }: Pick<ReportQuery, 'startDate' | 'endDate' | 'dimensions'>,
  weekStartsOn: Weekday,
  rowValues?: (field: DimensionName) => ReadonlySet<KeyValue>,
): ReportWarning[] {
  const [first, last] = [dayNumber(startDate), dayNumber(endDate)];
  return UNITS.flatMap(({ field, name, startOf, nextOf }) => {
    if (!dimensions.includes(field)) return [];
    const values = rowValues?.(field);
    const units = new Set([first, last].map((day) => startOf(day, weekStartsOn)));
    const starts = [...units].filter((start) => values?.has(formatDay(start)) ?? true);
    const partial = starts.flatMap((start) => {
      const whole = nextOf(start) - start;
      const [from, to] = [Math.max(first, start), Math.min(last, start + whole - 1)];
      const days = to - from + 1;
      const part = text`${days} of the ${whole} days of the ${name} of ${date(formatDay(start))}`;
      return days === whole ? [] : [{ ...part, dates: [{ from: formatDay(from), to: formatDay(to) }] }];
    });
    if (partial.length === 0) return [];
    return [warn('PARTIAL_UNIT', [field], text`The period has only ${list(partial, partial.length, ', and ')}.`)];
  });
}

/**
 * @param selected the advertisers that no filter excludes
 * @param kept the groups that are rows of the report
 * @returns one warning per dimension some of whose names in the rows or in filters stand for several things of these advertisers that pass the
 * filters; none where the ids of the things are dimensions
 */
function warnNamesakes(
  { query: { dimensions, filters }, rowConditions }: Plan,
  { axes, table }: Pick<GroupedFacts, 'axes' | 'table'>,
  joins: Joins,
  { advertiserIds }: ReportScope,
  kept: Uint32Array,
): ReportWarning[] {
  const isByAdvertiser = dimensions.includes('advertiser_id') || dimensions.includes('advertiser_name');
  return [...NAMES].flatMap(([field, [noun, id]]): ReportWarning[] => {
    const compared = filters.filter((filter) => filter.field === field).flatMap(({ values }) => values);
    if (!(dimensions.includes(field) || compared.length > 0) || dimensions.some((name) => name === id)) return [];
    const { base: column } = dimensionOf(field);
    const axis = axes.find(({ axis }) => axis.dimensions.includes(field));
    const conditions = rowConditions.filter((condition) => condition.base === column);
    const passing = [...thingsOf(column, axis, joins, advertiserIds)].filter((thing) =>
      conditions.every(({ passes }) => passes(joins, ...thing)),
    );
    const things = new Map<KeyValue, ReadonlySet<string | number>>();
    for (const part of Map.groupBy(
      passing,
      ([owner]) => isByAdvertiser && field !== 'advertiser_name' && owner,
    ).values())
      for (const [name, own] of Map.groupBy(part, (thing) => joins.valueOf(field, ...thing))) {
        const ids = new Set(own.flatMap(([owner, base]) => (id ? joins.valueOf(id, owner, base) : base) ?? []));
        if (ids.size > (things.get(name)?.size ?? 1)) things.set(name, ids);
      }
    const present = axis === undefined ? compared : valuesIn({ axes, table }, field, kept);
    const shared = sortTexts(
      [...new Set(present)].filter((name) => typeof name === 'string' && things.has(name)).map(String),
    );
    const [first] = shared;
    if (first === undefined) return [];
    const others = shared.length === 1 ? '' : `, and ${shared.length - 1} other names stand for several`;
    const ids = [...(things.get(first) ?? [])].sort((a, b) => (a < b ? -1 : 1)); // rollups have them in another order
    const which = text`${quoteText(first)} is the name of ${ids.length} ${noun}${others}${id ? text`; add ${titles([id])}` : ''}.`;
    return [warn('SHARED_NAME', [field], { ...which, things: ids.map((own) => ({ id: own, name: first })) })];
  });
}

/** @returns the values of the dimension in the groups */
function valuesIn(
  { axes, table }: Pick<GroupedFacts, 'axes' | 'table'>,
  field: DimensionName,
  groups: Uint32Array,
): ReadonlySet<KeyValue> {
  const index = axes.findIndex(({ axis }) => axis.dimensions.includes(field));
  const values = axes[index]?.valuesOf(field);
  return new Set(Array.from(groups, (group) => values?.[table.codeAt(group, index)] ?? null));
}

/** @returns what may have the names of a base column, with its advertiser: what the rows have; all that the advertisers have, where rows are not by it */
function thingsOf(
  base: BaseColumn,
  axis: AxisCodes | undefined,
  joins: Joins,
  advertiserIds: readonly number[],
): Iterable<readonly [number, KeyValue]> {
  if (axis !== undefined) return axis.bases();
  if (base === 'advertiser') return advertiserIds.map((id) => [id, id] as const);
  if (base === 'placement_id') return Array.from(joins.keys('placements', PLATFORM_ID), (id) => [0, id] as const);
  if (base === 'creative_key') return []; // whose table has those of others, too
  const table = base === 'ad_group_id' ? 'ad_groups' : 'products';
  return advertiserIds.flatMap((id) => Array.from(joins.keys(table, id), (key) => [id, key] as const));
}
