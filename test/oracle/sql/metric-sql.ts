import { CUSTOM_FIELDS } from '../../../shared/catalog/custom-fields.ts';
import { type DimensionName, isDimension } from '../../../shared/catalog/dimensions.ts';
import type { MetricName } from '../../../shared/catalog/metrics.ts';
import { EXPERIENCES, type Experience, experiencesIn, type ReportExperience } from '../../../shared/catalog/tables.ts';
import type { ReportQuery } from '../../../shared/report/query/query.ts';
import { DIMENSION_SQL, type Level, type SqlType } from './dimension-sql.ts';

/** The tables that make rows: fact tables, and planned cost (`planSql`). */
export const ROW_TABLES = ['delivery', 'conversions', 'activity', 'plan'] as const;
export type RowTable = (typeof ROW_TABLES)[number];

/** The levels by which each table can be broken down. Market has date, hour and slice, but makes no rows. */
const LEVELS: Readonly<Record<RowTable, readonly Level[]>> = {
  delivery: ['date', 'hour', 'slice', 'ad', 'ad group', 'campaign', 'advertiser', 'experience'],
  conversions: ['date', 'hour', 'slice', 'ad', 'purchase', 'ad group', 'campaign', 'advertiser', 'experience'],
  activity: ['date', 'hour', 'ad group', 'campaign', 'advertiser', 'experience'],
  plan: ['date', 'ad group', 'campaign', 'advertiser', 'experience'],
};

/** What is split into purchases of the advertised product and of others, `direct_…` and `other_…`, with its scale. */
const SPLIT_SCALES = {
  ...{ transactions: 1, units: 1, revenue: 1e6 },
  ...{ exposed_transactions: 1, exposed_units: 1, exposed_revenue: 1e6 },
};
export const SPLIT = Object.keys(SPLIT_SCALES);

/** @returns the parts of a column of the files */
export function partsOf(column: string): string[] {
  return column.startsWith('halo_') ? ['direct_', 'other_'].map((part) => column.replace('halo_', part)) : [];
}

/** The scale of each sum by table: the stored integer is the value × scale. */
export const SUMS: Readonly<Record<RowTable, Readonly<Record<string, number>>>> = {
  delivery: {
    ...customSums('delivery'),
    impressions: 1,
    clicks: 1,
    cost: 1e6,
    opportunities: 1,
    video_starts: 1,
    video_pauses: 1,
    video_first_quartile_views: 1,
    video_second_quartile_views: 1,
    video_third_quartile_views: 1,
    video_completes: 1,
    video_total_duration: 1e3,
    measurable_impressions: 1,
    viewable_impressions: 1,
    unidentified_impressions: 1,
  },
  conversions: {
    ...customSums('conversions'),
    halo_transactions: 1,
    halo_units: 1,
    halo_revenue: 1e6,
    halo_exposed_transactions: 1,
    halo_exposed_units: 1,
    halo_exposed_revenue: 1e6,
    new_to_brand_transactions: 1,
    new_to_brand_units: 1,
    new_to_brand_revenue: 1e6,
    ...Object.fromEntries(
      Object.entries(SPLIT_SCALES).flatMap(([of, scale]) => [
        [`direct_${of}`, scale],
        [`other_${of}`, scale],
      ]),
    ),
    unidentified_transactions: 1,
  },
  activity: { ...customSums('activity'), live_seconds: 1, scheduled_seconds: 1 },
  plan: {},
};

/** @returns the measures of declarations by name */
function customSums(table: RowTable): Record<string, number> {
  const own = Object.entries(CUSTOM_FIELDS.measures).filter(([, field]) => field.table === table);
  return Object.fromEntries(own.map(([name, { unit }]) => [name, { count: 1, currency: 1e6, seconds: 1e3 }[unit]]));
}

/** [factor, numerator, denominator]: the metric is factor × numerator / denominator; `reached` is the number of users. */
const RATIOS: Partial<Readonly<Record<MetricName, readonly [number, string, string]>>> = {
  click_through_rate: [1, 'clicks', 'impressions'],
  clicked_conversion_rate: [1, 'halo_transactions', 'clicks'],
  viewed_conversion_rate: [1, 'halo_exposed_transactions', 'impressions'],
  clicked_order_value_avg: [1, 'halo_revenue', 'halo_transactions'],
  viewed_order_value_avg: [1, 'halo_exposed_revenue', 'halo_exposed_transactions'],
  clicked_unit_price_avg: [1, 'halo_revenue', 'halo_units'],
  viewed_unit_price_avg: [1, 'halo_exposed_revenue', 'halo_exposed_units'],
  cost_per_click: [1, 'cost', 'clicks'],
  cost_per_transaction: [1, 'cost', 'halo_transactions'],
  cost_per_thousand: [1000, 'cost', 'impressions'],
  halo_roas: [1, 'halo_revenue', 'cost'],
  direct_roas: [1, 'direct_revenue', 'cost'],
  acos: [1, 'cost', 'halo_revenue'],
  frequency: [1, 'impressions', 'reached'],
  halo_exposed_roas: [1, 'halo_exposed_revenue', 'cost'],
  win_rate: [1, 'impressions', 'opportunities'],
  video_first_quartile_view_rate: [1, 'video_first_quartile_views', 'video_starts'],
  video_second_quartile_view_rate: [1, 'video_second_quartile_views', 'video_starts'],
  video_third_quartile_view_rate: [1, 'video_third_quartile_views', 'video_starts'],
  video_complete_view_rate: [1, 'video_completes', 'video_starts'],
  video_view_through_rate: [1, 'video_completes', 'impressions'],
  video_average_duration_viewed: [1, 'video_total_duration', 'video_starts'],
  time_live: [1, 'live_seconds', 'scheduled_seconds'],
  measurable_rate: [1, 'measurable_impressions', 'impressions'],
  viewable_rate: [1, 'viewable_impressions', 'measurable_impressions'],
  viewable_cost_per_thousand: [1000, 'cost', 'viewable_impressions'],
  new_to_brand_rate: [1, 'new_to_brand_transactions', 'halo_transactions'],
  new_to_brand_revenue_share: [1, 'new_to_brand_revenue', 'halo_revenue'],
  cost_per_new_to_brand_transaction: [1, 'cost', 'new_to_brand_transactions'],
  ...Object.fromEntries(
    Object.entries(CUSTOM_FIELDS.ratios).map(([name, { of, to, factor = 1 }]) => [name, [factor, of, to] as const]),
  ),
};

interface SqlAttribute {
  readonly type: SqlType;
  /** @param ag, ca aliases of the ad group and of the campaign */
  readonly expression: (ag: string, ca: string) => string;
}

/** An ad group without dates of its own has the flight of its campaign. */
export const ATTRIBUTES: Partial<Readonly<Record<MetricName, SqlAttribute>>> = {
  ad_group_budget: { type: 'amount', expression: (ag) => `${ag}.budget` },
  ad_group_budget_type: { type: 'text', expression: (ag) => `${ag}.budgetType` },
  ad_group_start_date: { type: 'date', expression: (ag, ca) => `coalesce(${ag}.startDate, ${ca}.startDate)` },
  ad_group_end_date: { type: 'date', expression: (ag, ca) => `coalesce(${ag}.endDate, ${ca}.endDate)` },
  ad_group_status: { type: 'text', expression: (ag) => `${ag}.status` },
  campaign_budget: { type: 'amount', expression: (_, ca) => `${ca}.budget` },
  campaign_budget_type: { type: 'text', expression: (_, ca) => `${ca}.budgetType` },
  campaign_start_date: { type: 'date', expression: (_, ca) => `${ca}.startDate` },
  campaign_end_date: { type: 'date', expression: (_, ca) => `${ca}.endDate` },
  campaign_status: { type: 'text', expression: (_, ca) => `${ca}.status` },
};

function tableOf(measure: string): RowTable {
  if (measure === 'reached') return 'delivery';
  const table = ROW_TABLES.find((name) => measure in SUMS[name]);
  if (table === undefined) throw new Error(`no table has ${measure}`);
  return table;
}

/** @returns the tables that make rows for the metric; none for attributes */
export function tablesNeeded(metric: MetricName): readonly RowTable[] {
  if (metric in ATTRIBUTES) return [];
  if (metric === 'unique_user_conversions') return ['conversions'];
  if (metric === 'hours_live') return ['activity'];
  if (metric === 'planned_cost') return ['plan'];
  if (metric === 'pacing' || metric === 'remaining_planned_cost') return ['delivery', 'plan'];
  if (['unique_user_impressions', 'share_of_voice'].includes(metric)) return ['delivery'];
  const ratio = RATIOS[metric];
  return ratio === undefined ? [tableOf(metric)] : [...new Set([tableOf(ratio[1]), tableOf(ratio[2])])];
}

/** @returns the dimensions that the report groups or filters by */
export function dimensionsUsed(query: ReportQuery): DimensionName[] {
  return [...query.dimensions, ...query.filters.map(({ field }) => field).filter(isDimension)];
}

/** @returns whether the table has all the dimensions */
export function tableCovers(table: RowTable, dimensions: readonly DimensionName[]): boolean {
  return dimensions.every((dimension) => {
    const { level, tables } = DIMENSION_SQL[dimension];
    return tables === undefined ? LEVELS[table].includes(level) : tables.includes(table);
  });
}

/** @param dimensions all that the report groups or filters by @returns whether the metric is defined by all of them */
export function isDefined(metric: MetricName, dimensions: readonly DimensionName[]): boolean {
  return tablesNeeded(metric).every((table) => tableCovers(table, dimensions));
}

const hasMeaning = (measure: string, experience: Experience): boolean => {
  if (experience === 'toa') return !['opportunities', 'scheduled_seconds'].includes(measure);
  return experience !== 'pla' || !measure.startsWith('video_');
};

/** @returns the experiences in which the metric is defined */
export function definedIn(metric: MetricName): readonly Experience[] {
  const declared = CUSTOM_FIELDS.ratios[metric];
  if (declared !== undefined)
    return EXPERIENCES.filter((name) => hasMeaning(declared.of, name) && hasMeaning(declared.to, name));
  if (['opportunities', 'win_rate', 'share_of_voice', 'time_live'].includes(metric)) return ['pla', 'carousel'];
  return metric.startsWith('video_') ? ['toa', 'carousel'] : ['pla', 'toa', 'carousel'];
}

/**
 * @param row the alias of a row that says, in `in_<experience>`, which experiences have data in the period
 * @param key the experience of the group, in a report by experience
 * @returns the condition that some experience has data in which the metric is defined: that of the group, if it has one
 */
export function hasData(metric: MetricName, row: string, key?: string): string {
  const table = reachedTable(metric);
  const own = (name: Experience) =>
    (key === undefined ? '' : ` AND coalesce(${key} = '${name}', true)`) +
    (table === undefined ? '' : ` AND ${row}.known_${table}_${name}`);
  return `(${definedIn(metric)
    .map((name) => `${row}.in_${name}${own(name)}`)
    .join(' OR ')})`;
}

/** @returns the table of a sum or number of users, which is unknown outside the days of the table */
export function reachedTable(metric: MetricName): RowTable | undefined {
  const isCounted = isZeroWithoutFacts(metric) && !metric.endsWith('planned_cost');
  return isCounted ? tablesNeeded(metric)[0] : undefined;
}

/**
 * @param row the alias of a row with the columns `has_<experience>`: whether its group has such facts; of a group without facts, whether it has such planned cost, or some of no single experience; null without both
 * @returns the condition that the metric is defined in an experience of the group
 */
export function isCovered(metric: MetricName, row: string): string {
  return `coalesce(${definedIn(metric)
    .map((name) => `${row}.has_${name}`)
    .join(' OR ')}, true)`;
}

/**
 * @returns the name of the column with the sum of the measure over the experiences of the report in which the metric is defined; over all facts of the group
 * where that is all of them. A ratio has sums over the days that have both of its measures
 */
export function sumColumn(measure: string, metric: MetricName, experience: ReportExperience): string {
  const defined = definedIn(metric);
  const own = experiencesIn(experience).every((name) => defined.includes(name))
    ? measure
    : `${measure}_in_${defined.join('_')}`;
  const beside = besideOf(measure, metric);
  return beside === undefined ? own : `${own}_beside_${beside}`;
}

/** @returns whether the metric divides two measures */
export function isRatio(metric: MetricName): boolean {
  return RATIOS[metric] !== undefined && metric !== 'frequency';
}

/** @returns the other measure of a ratio, which divides over the days that have both */
export function besideOf(measure: string, metric: MetricName): string | undefined {
  if (metric === 'direct_roas' && ['halo_revenue', 'other_revenue'].includes(measure)) return 'cost';
  const [, numerator, denominator] = RATIOS[metric] ?? [];
  const other = measure === numerator ? denominator : numerator;
  return ![numerator, denominator].includes(measure) || other === 'reached' ? undefined : other;
}

/**
 * @returns the metric as an expression over the columns of one group: the sums by name (0 where there are no facts), reached, converted, spent, planned
 * (fractions as text), own, market, and the aliases ag (its only ad group), agc (the campaign of ag) and ca (its only campaign)
 */
export function metricSql(metric: MetricName): string {
  const attribute = attributeSql(metric);
  return attribute ?? `quotient(${fractionSql(metric).join(', ')})`; // one division of exact integers, rounded once to the nearest double (see duckdb.ts)
}

function attributeSql(metric: MetricName): string | undefined {
  return ATTRIBUTES[metric]?.expression('ag', metric.startsWith('campaign') ? 'ca' : 'agc');
}

/** @returns numerator and denominator of the metric's exact value, as texts of the same columns; of a metric that is not a number, any */
export function fractionSql(metric: MetricName): readonly [numerator: string, denominator: string] {
  const [numerator, denominator] = quotientOf(metric);
  const split = SPLIT.find((of) => metric === `direct_${of}` || metric === `other_${of}`);
  const of = metric === 'direct_roas' ? 'revenue' : split;
  if (of !== undefined) {
    const isUnknown = `halo_${of} <> 0 AND direct_${of} = 0 AND other_${of} = 0`;
    return [`CASE WHEN NOT (${isUnknown}) THEN (${numerator})::VARCHAR END`, `(${denominator})::VARCHAR`];
  }
  return [`(${numerator})::VARCHAR`, `(${denominator})::VARCHAR`];
}

function quotientOf(metric: MetricName): readonly [string, string] {
  const attribute = attributeSql(metric);
  if (attribute !== undefined)
    return [metricType(metric) === 'amount' ? `(${attribute}::DECIMAL(38, 6) * 1000000)::HUGEINT` : '0', '1000000'];
  if (metric === 'unique_user_impressions') return usersSql('reached', 'unidentified_impressions');
  if (metric === 'unique_user_conversions') return usersSql('converted', 'unidentified_transactions');
  if (metric === 'frequency') return ['impressions - unidentified_impressions', FREQUENT_SQL];
  if (metric === 'share_of_voice') return ['own', 'market'];
  if (metric === 'planned_cost') return ["coalesce(planned, '0')", '1000000'];
  if (metric === 'remaining_planned_cost') return ["coalesce(paced, '0/1') || '+' || (-spent) || '/1'", '1000000'];
  if (metric === 'pacing') return ['spent', 'paced'];
  if (metric === 'hours_live') return ['live_seconds', '3600'];
  const ratio = RATIOS[metric];
  if (ratio === undefined) return [metric, String(scaleOf(metric))];
  const [factor, numerator, denominator] = ratio;
  return [`${factor * scaleOf(denominator)} * ${numerator}`, `${scaleOf(numerator)} * ${denominator}`];
}

/** Null where none of what there is has user ids, or that is unknown, and where there are fewer users than are shown. */
function usersSql(users: string, unidentified: string): readonly [string, string] {
  const isHidden = `${users} > 0 AND ${users} < getvariable('min_users')`;
  return [users, `CASE WHEN ${users} = 0 AND coalesce(${unidentified}, 1) > 0 OR ${isHidden} THEN 0 ELSE 1 END`];
}

/** Users of days with impressions; 0 where they are too few to be shown. */
const FREQUENT_SQL = "CASE WHEN reached_measured < getvariable('min_users') THEN 0 ELSE reached_measured END";

/** @returns whether few users make the metric null */
export function countsUsers(metric: MetricName): boolean {
  return metric === 'frequency' || metric.startsWith('unique_user_');
}

/** @returns whether the metric is 0 where there are no facts, in a period with data */
export function isZeroWithoutFacts(metric: MetricName): boolean {
  const isSum = metric === 'hours_live' || ROW_TABLES.some((table) => metric in SUMS[table]);
  return isSum || metric.startsWith('unique_user_') || metric.endsWith('planned_cost');
}

/** @returns the SQL type by which values of the metric are compared */
export function metricType(metric: MetricName): SqlType {
  return ATTRIBUTES[metric]?.type ?? 'decimal';
}

function scaleOf(measure: string): number {
  return SUMS[tableOf(measure)][measure] ?? 1;
}
