import type { AttributeMetric } from '../../catalog/definitions.ts';
import { AMOUNT_COLUMNS, PLATFORM_TABLES } from '../../catalog/dimension-tables.ts';
import { type DimensionName, dimensionOf, isDimension } from '../../catalog/dimensions.ts';
import { isMetric, type MetricName, metricOf } from '../../catalog/metrics.ts';
import { isPattern } from '../../catalog/operators.ts';
import { experiencesOf, explainUndefined, rowSourcesOf, type UndefinedMetric } from '../../catalog/rules.ts';
import {
  type BaseColumn,
  type DayColumn,
  type Experience,
  experiencesIn,
  type FactTable,
  type Measure,
  measureOf,
  tableHas,
} from '../../catalog/tables.ts';
import type { KeyValue } from '../../columns/column.ts';
import { dayNumber, monthsBetween } from '../../lib/calendar.ts';
import type { Filter, ReportQuery } from '../query/query.ts';
import { type BaseTest, type Condition, compileFilters, EQUALITY, rememberResults } from './conditions.ts';
import { planSums, type ScannedSum } from './plan-sums.ts';

/** The dimensions of the report that one base column determines: rows of one advertiser with equal base values have equal values of all of them. */
export interface Axis {
  readonly base: BaseColumn;
  readonly dimensions: readonly DimensionName[];
}

/** The filters on one dimension or attribute metric. */
interface FieldFilters extends Omit<Condition, 'passes'> {
  readonly field: DimensionName | MetricName;
}

/** The filters on all fields that one base column determines, which apply to rows before they are grouped. */
export interface RowCondition {
  readonly base: BaseColumn;
  readonly fields: readonly FieldFilters[];
  readonly passes: BaseTest;
}

/** The filters on any other metric, which apply to groups after all their facts are summed. */
interface GroupCondition extends Condition {
  readonly metric: MetricName;
}

/** One pass over a fact table whose rows make groups: the sums to make there, and whether to count shoppers. */
export interface TableScan {
  readonly table: FactTable;
  readonly sums: readonly ScannedSum[];
  readonly shoppers: boolean;
  /** Shoppers are also counted on the days alone that have the measure, which some days lack. */
  readonly shoppersOnDaysWith?: Measure | undefined;
}

/**
 * Where a budget and its cost count. `rows`: in rows and totals. Campaign budgets, which are for all ad groups of the campaign together, may count
 * less: `total` is in totals only, because a dimension separates ad groups of a campaign, and `nowhere` is not at all, because a filter does.
 */
export type BudgetScope = 'rows' | 'total' | 'nowhere';

/** What a report needs of the planned cost. */
interface PlannedCost {
  readonly campaignBudgets: BudgetScope;
  /** Those of campaigns with ad groups of several experiences. */
  readonly mixedBudgets: BudgetScope;
  /** Whether to sum the cost of what is planned, for pacing. */
  readonly isPaced: boolean;
}

/** What a report needs to read and compute. It depends only on the request and the catalogue. */
export interface Plan {
  readonly query: ReportQuery;
  /** The numbers of the first and the last day, and the months (`YYYY-MM`). */
  readonly period: { readonly firstDay: number; readonly lastDay: number; readonly months: readonly string[] };
  /** The experiences of the report that pass its filters. */
  readonly experiences: readonly Experience[];
  readonly axes: readonly Axis[];
  readonly rowConditions: readonly RowCondition[];
  readonly groupConditions: readonly GroupCondition[];
  readonly scans: readonly TableScan[];
  /** Whether to read market, for share_of_voice. */
  readonly market: boolean;
  /** Undefined where the report needs no planned cost. Otherwise it has rows of it. */
  readonly planned: PlannedCost | undefined;
  /** Whether the scan must record the ad group and campaign of each group, for attribute metrics. */
  readonly attributes: boolean;
  /** The requested or filtered metrics that are undefined, with the reason. They are null in every row. */
  readonly undefinedMetrics: ReadonlyMap<MetricName, UndefinedMetric>;
  /** The experiences that a metric covers, where it is undefined in others of the report. */
  readonly partialMetrics: ReadonlyMap<MetricName, readonly Experience[]>;
  /** The measures and keys that some day of the report lacks. */
  readonly unmeasured: ReadonlySet<DayColumn>;
}

/** The fact tables whose rows make groups. */
const ROW_TABLES: readonly FactTable[] = ['delivery', 'conversions', 'activity'];

/**
 * @param rowConditions those of another plan of the same filters, which then remember a value's result for both
 * @returns the plan of a report over days that lack nothing; the function does no I/O
 */
export function planReport(
  query: ReportQuery,
  rowConditions: readonly RowCondition[] = planRowConditions(query),
): Plan {
  const { dimensions, metrics } = fieldsOf(query);
  const experiences = passingExperiences(query, rowConditions);
  const reported = experiences.length > 0 ? experiences : experiencesIn(query.experience);
  const undefinedMetrics = new Map<MetricName, UndefinedMetric>();
  const partialMetrics = new Map<MetricName, readonly Experience[]>();
  for (const name of metrics) {
    const reason = explainUndefined(name, reported, dimensions);
    if (reason !== undefined) undefinedMetrics.set(name, reason);
    const covered = experiencesOf(name).filter((experience) => reported.includes(experience));
    if (covered.length > 0 && covered.length < reported.length) partialMetrics.set(name, covered);
  }
  const defined = metrics.filter((name) => !undefinedMetrics.has(name));
  const [firstDay, lastDay] = [dayNumber(query.startDate), dayNumber(query.endDate)];
  const plan = {
    query,
    period: { firstDay, lastDay, months: monthsBetween(firstDay, lastDay) },
    experiences,
    axes: planAxes(query.dimensions),
    rowConditions,
    groupConditions: planGroupConditions(query.filters),
    scans: [],
    market: defined.includes('share_of_voice'),
    planned: defined.some((name) => rowSourcesOf(metricOf(name)).includes('plan'))
      ? { ...placeCampaignBudgets(query), isPaced: defined.some(isPaced) }
      : undefined,
    attributes: query.metrics.some((name) => metricOf(name).kind === 'attribute'),
    undefinedMetrics,
    partialMetrics,
    unmeasured: new Set<DayColumn>(),
  };
  return leaveOut(plan, plan.unmeasured, new Set());
}

/**
 * @param unmeasured the columns that some day of the report lacks
 * @param partlyIdentified the measures to sum for metrics of users that leave out a part of them
 * @returns the plan with the sums of days that have what each metric needs
 */
export function leaveOut(plan: Plan, unmeasured: Plan['unmeasured'], partlyIdentified: ReadonlySet<Measure>): Plan {
  const { query, rowConditions } = plan;
  const { dimensions, metrics } = fieldsOf(query);
  const experiences = plan.experiences.length > 0 ? plan.experiences : experiencesIn(query.experience);
  const sums = planSums(metricsOf(plan), { ...plan, experiences, unmeasured }, partlyIdentified);
  const bases = [...dimensions.map((name) => dimensionOf(name).base), ...rowConditions.map(({ base }) => base)];
  return { ...plan, unmeasured, scans: planScans(metrics, sums, bases) };
}

/** @returns whether the metric needs the cost of what has a plan */
export function isPaced(name: MetricName): boolean {
  return ['remaining', 'pacing'].includes(metricOf(name).kind);
}

/**
 * Totals are the one-row report of the same request. Most of it is the sum of the rows; the rest must be scanned separately.
 * @param plan the plan of the request
 * @param totalPlan the plan of the same request without dimensions
 * @returns the plan of what the rows do not accumulate: tables that lack one of the dimensions, and metrics that are undefined with them;
 * undefined where nothing is missing
 */
export function planMissing(plan: Plan, totalPlan: Plan): Plan | undefined {
  const planned = plan.planned === undefined ? totalPlan.planned : undefined;
  const scans = totalPlan.scans.flatMap((scan): TableScan[] => {
    const rowScan = plan.scans.find(({ table }) => table === scan.table);
    if (rowScan === undefined) return [scan];
    const sums = scan.sums.filter(({ name }) => !rowScan.sums.some((sum) => sum.name === name));
    const shoppers = scan.shoppers && !rowScan.shoppers;
    const isPaced = planned?.isPaced === true && scan.table === 'delivery';
    return sums.length > 0 || shoppers || isPaced ? [{ ...scan, sums, shoppers }] : [];
  });
  return scans.length === 0 && planned === undefined ? undefined : { ...totalPlan, scans, planned, market: false };
}

/** @returns what the request groups by and reports, or filters by */
function fieldsOf({ dimensions, metrics, filters }: ReportQuery) {
  const filtered = filters.map(({ field }) => field);
  return {
    dimensions: [...dimensions, ...filtered.filter(isDimension)],
    metrics: [...new Set([...metrics, ...filtered.filter(isMetric)])],
  };
}

/** @returns the requested or filtered metrics that are defined and read the table, by default any */
export function metricsOf({ query, undefinedMetrics }: Plan, table?: FactTable): MetricName[] {
  return fieldsOf(query).metrics.filter((name) => {
    const isRead = table === undefined || rowSourcesOf(metricOf(name)).includes(table);
    return isRead && !undefinedMetrics.has(name);
  });
}

/** @returns the experiences that the metric covers: those of the report in which it is defined */
export function coveredExperiences(
  { query, experiences, partialMetrics }: Pick<Plan, 'query' | 'experiences' | 'partialMetrics'>,
  metric: MetricName,
): readonly Experience[] {
  // without any that passes the filters, there are no rows, and totals are those of an empty report
  return partialMetrics.get(metric) ?? (experiences.length > 0 ? experiences : experiencesIn(query.experience));
}

/** @returns the experiences of the report whose name passes its filters */
function passingExperiences(query: ReportQuery, conditions: readonly RowCondition[]): readonly Experience[] {
  const tests = conditions.filter(({ base }) => base === 'experience');
  const values = { valueOf: (_field: unknown, _advertiserId: number, base: KeyValue) => base }; // the name is the base value
  return experiencesIn(query.experience).filter((name) => tests.every(({ passes }) => passes(values, 0, name)));
}

/** @returns the measures to read for the scan in the experience */
export function measuresOf(
  { planned }: Pick<Plan, 'planned'>,
  { table, sums }: TableScan,
  experience: Experience,
): string[] {
  const measures = sums.filter(({ experiences }) => experiences.includes(experience)).map(({ measure }) => measure);
  return [...new Set([...measures, ...(planned?.isPaced && table === 'delivery' ? ['cost'] : [])])];
}

/** @returns the months of the period in each experience that passes the filters */
export function monthsOf({ experiences, period }: Plan): { readonly experience: Experience; readonly month: string }[] {
  return experiences.flatMap((experience) => period.months.map((month) => ({ experience, month })));
}

/** @returns the base columns that the report groups by, filters by, or needs to identify ad groups */
export function basesOf(plan: Plan): BaseColumn[] {
  const bases: BaseColumn[] = [...plan.axes, ...plan.rowConditions].map(({ base }) => base);
  return plan.attributes || plan.planned?.isPaced ? [...bases, 'ad_group_id'] : bases;
}

/** @returns the definition of an attribute metric; undefined for any other metric */
export function attributeOf(name: MetricName): AttributeMetric | undefined {
  const definition = metricOf(name);
  return definition.kind === 'attribute' ? definition : undefined;
}

/** @returns whether the field, a dimension or an attribute, has amounts, which are in micros until rows are written */
export function isAmount(field: DimensionName | MetricName): boolean {
  const column = isDimension(field) ? dimensionOf(field).join?.column : attributeOf(field)?.column;
  return column !== undefined && AMOUNT_COLUMNS.has(column);
}

function planAxes(dimensions: readonly DimensionName[]): Axis[] {
  const byBase = Map.groupBy(dimensions, (name) => dimensionOf(name).base);
  const axes = [...byBase].map(([base, names]) => ({ base, dimensions: names }));
  // the axes that are constant within a day take the high bits of packed keys, so that its groups are near one another in memory
  const [varying, constant] = [
    axes.filter(({ base }) => !isConstant(base)),
    axes.filter(({ base }) => isConstant(base)),
  ];
  return [...varying, ...constant];
}

/** @returns whether the column has one value in a day; in a run or rollup dates vary, and in a shard advertisers */
export const isConstant = (base: BaseColumn): boolean =>
  base === 'date' || base === 'advertiser' || base === 'experience';

function planRowConditions({ filters, hasTextIds }: ReportQuery): RowCondition[] {
  const fields = [...Map.groupBy(filters, ({ field }) => field)].flatMap(([field, own]) => {
    if (!isDimension(field) && attributeOf(field) === undefined) return [];
    const { base, type } = isDimension(field)
      ? dimensionOf(field)
      : { base: 'ad_group_id' as const, type: metricOf(field).type };
    const padded = hasTextIds ? own : own.map(padValues);
    return [{ base, field, ...compileFilters(padded, type, isAmount(field)) }];
  });
  return [...Map.groupBy(fields, ({ base }) => base)].map(([base, own]) => {
    const test: BaseTest = (values, advertiserId, value) =>
      own.every(({ field, passes }) => passes(values.valueOf(field, advertiserId, value)));
    const isPerAdvertiser = own.some(({ field }) => dependsOnAdvertiser(field));
    const passes = own.every(isLookUp) ? test : rememberResults(test, isPerAdvertiser);
    const counts = own.map(({ field, filters, searches }) => ({ field, filters, searches }));
    return { base, fields: counts, passes };
  });
}

/** @returns whether testing a value takes so little time that its result is not remembered */
function isLookUp({ field, filters, searches }: FieldFilters): boolean {
  return filters === 1 && searches === 0 && !(isDimension(field) && dimensionOf(field).join);
}

/** @returns whether the same base value may have different values of the field for different advertisers */
export function dependsOnAdvertiser(field: DimensionName | MetricName): boolean {
  if (!isDimension(field)) return attributeOf(field) !== undefined;
  const table = dimensionOf(field).join?.table;
  return table !== undefined && !PLATFORM_TABLES.includes(table);
}

/**
 * @returns the filter with the leading zeros of UPCs, which people often omit; patterns are unchanged, because they match the text as it is written. Equality
 * also finds the text as it is, because a platform may have other product ids.
 */
export function padValues(filter: Filter): Filter {
  const { digits } = isDimension(filter.field) ? dimensionOf(filter.field) : {};
  if (digits === undefined || isPattern(filter.operator)) return filter;
  const pad = (text: string) => (/^[0-9]+$/.test(text) ? text.replace(/^0+/, '').padStart(digits, '0') : text);
  const padded = filter.values.map(pad);
  return { ...filter, values: EQUALITY.has(filter.operator) ? [...new Set([...padded, ...filter.values])] : padded };
}

function planGroupConditions(filters: readonly Filter[]): GroupCondition[] {
  return [...Map.groupBy(filters, ({ field }) => field)].flatMap(([metric, own]): GroupCondition[] => {
    if (isDimension(metric) || attributeOf(metric) !== undefined) return [];
    return [{ metric, ...compileFilters(own, metricOf(metric).type) }];
  });
}

/**
 * A group exists where a table that a requested or filtered metric needs has rows; without any such table, where any of ROW_TABLES has rows.
 * A table that lacks a grouped or filtered base column makes no groups and is not read.
 * @param sums those of all tables
 * @param bases the base columns of all groups and row conditions
 */
function planScans(
  metrics: readonly MetricName[],
  { sums, shoppersOf }: ReturnType<typeof planSums>,
  bases: readonly BaseColumn[],
): TableScan[] {
  const needed = new Set(metrics.flatMap((name) => rowSourcesOf(metricOf(name))));
  const tables = needed.size === 0 ? ROW_TABLES : ROW_TABLES.filter((table) => needed.has(table));
  return tables
    .filter((table) => bases.every((base) => tableHas(table, base)))
    .map((table) => ({
      table,
      sums: sums.filter(({ measure }) => measureOf(measure).table === table),
      shoppers: shoppersOf.has(table),
      shoppersOnDaysWith: shoppersOf.get(table),
    }));
}

function placeCampaignBudgets({
  dimensions,
  filters,
}: ReportQuery): Pick<PlannedCost, 'campaignBudgets' | 'mixedBudgets'> {
  const place = (separates: (field: DimensionName | MetricName) => boolean): BudgetScope => {
    if (filters.some(({ field }) => separates(field))) return 'nowhere';
    return dimensions.some(separates) ? 'total' : 'rows';
  };
  return {
    campaignBudgets: place(splitsCampaigns),
    mixedBudgets: place((field) => field === 'experience_name' || splitsCampaigns(field)),
  };
}

/** @returns whether the field, with which planned cost is defined, may differ between ad groups of the same campaign */
export function splitsCampaigns(field: DimensionName | MetricName): boolean {
  if (!isDimension(field)) return attributeOf(field)?.entity === 'ad_group';
  return field === 'ad_group_id' || dimensionOf(field).join?.table === 'ad_groups';
}
