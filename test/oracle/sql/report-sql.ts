import { type DimensionName, isDimension } from '../../../shared/catalog/dimensions.ts';
import { isMetric, type MetricName } from '../../../shared/catalog/metrics.ts';
import { EXPERIENCES, experiencesIn } from '../../../shared/catalog/tables.ts';
import type { Filter, ReportQuery, ReportScope, ReportSettings } from '../../../shared/report/query/query.ts';
import { DIMENSION_SQL, joinsFor, ownersSql, type SqlType } from './dimension-sql.ts';
import { filterSql, quote, SQL_TYPES } from './filter-sql.ts';
import { nearSql } from './keyless-sql.ts';
import { measuresSql } from './measures-sql.ts';
import {
  ATTRIBUTES,
  dimensionsUsed,
  metricType,
  ROW_TABLES,
  type RowTable,
  SUMS,
  tableCovers,
  tablesNeeded,
} from './metric-sql.ts';
import { PLANNED, PLANS_TOTAL_SQL, planSql, plansSql } from './pacing-sql.ts';
import { shareSql } from './share-sql.ts';

/**
 * The rules of reports in SQL, over the tables of `openOracle`. Each fact table is filtered and grouped separately and joined by group number; every
 * metric is then an expression over the columns of one group. In the SQL, `g` is a group's number, `gr` the alias of the groups, `k0`, `k1`, … their
 * keys by dimension, `m_<metric>` their metrics, and `passing` the groups that the metric filters keep.
 * @param settings share_of_voice counts a market row only if at least `marketMinOthers` of its advertisers are not the caller's
 * @returns one statement. It returns the rows of the page in order, with their position from 1 among all rows of the result, and then a last row without
 * position: it has `total_count`, `complete_through`, LOADED_COLUMNS and, in reports with a metric filter, the totals of the kept rows. Without such a filter, its metrics
 * are null, because totals are the one-row report.
 */
export function reportSql(query: ReportQuery, scope: ReportScope, settings: SqlSettings): string {
  const { ctes: ofPeriod, needed } = periodSql(query, scope, settings);
  const groupConditions = groupFilters(query).map(({ field, ...condition }) =>
    filterSql(`m_${field}`, metricType(field), condition),
  );
  const filtered = groupConditions.length > 0;
  const ctes = [
    ...ofPeriod,
    `passing AS MATERIALIZED (SELECT * FROM measures WHERE ${['true', ...groupConditions].join(' AND ')})`,
    ...(filtered ? keptTotalsSql(query, needed) : []),
  ];
  const keys = query.dimensions.map((name, at) => ({ name, key: `k${at}`, type: DIMENSION_SQL[name].type }));
  const metrics = query.metrics.map((name) => `${asJsonValue(`m_${name}`, metricType(name))} AS ${name}`);
  const { offset, size } = query.pagination;
  const row = ['position', ...keys.map(({ name, key, type }) => `${asJsonValue(key, type)} AS ${name}`), ...metrics];
  const totalsRow = [
    'NULL',
    ...keys.map(() => 'NULL'),
    ...(filtered ? metrics : query.metrics.map(() => 'NULL')),
    '(SELECT count(*) FROM passing)',
    '(SELECT min(through)::VARCHAR FROM completeness)',
    ...LOADED_COLUMNS.map((column) => `(SELECT ${column} FROM loaded)`),
  ];
  return `WITH RECURSIVE ${ctes.join(',\n')}
    SELECT ${row.join(', ')}, NULL AS total_count, NULL AS complete_through, ${LOADED_COLUMNS.map((column) => `NULL AS ${column}`).join(', ')}
    FROM (SELECT *, row_number() OVER (ORDER BY ${orderSql(query)}) AS position FROM passing)
    WHERE position > ${offset} AND position <= ${offset + size}
    UNION ALL SELECT ${totalsRow.join(', ')}${filtered ? ' FROM measures_all' : ''}
    ORDER BY position NULLS LAST`;
}

/** What the SQL depends on besides the request and the scope. */
export type SqlSettings = Pick<ReportSettings, 'marketMinOthers' | 'minUsers'> & {
  /** `YYYY-MM-DD`; the day has not ended. */
  readonly today: string;
};

/** The groups of a report without the filters on metrics: CTEs that end in `measures`, and the metrics that it has. */
export interface PeriodSql {
  readonly ctes: readonly string[];
  readonly needed: readonly MetricName[];
}

export function periodSql(query: ReportQuery, scope: ReportScope, settings: SqlSettings, withParts = false): PeriodSql {
  const tables = rowTables(query);
  const needed = [...new Set([...query.metrics, ...filteredMetricNames(query)])].filter(
    (name) => query.metrics.includes(name) || !(name in ATTRIBUTES),
  );
  const planned = PLANNED.some((name) => needed.includes(name));
  const ctes = [
    ownersSql([...scope.accountIds]),
    experiencesSql(query),
    DELIVERED_SQL,
    completenessSql(scope, settings),
    planSql(query),
    reachSql(query),
    loadedSql(query, scope, settings),
    ...ROW_TABLES.map((table) => rowsSql(table, tables.includes(table), query, scope)),
    ...ROW_TABLES.map((table) => nearSql(table, tables.includes(table), query, scope)),
    groupsSql(tables, query),
    ...ROW_TABLES.map(
      (table) => `${table}_g AS MATERIALIZED (
        SELECT r.*, gr.g FROM ${table}_rows r JOIN groups gr ON ${sameKeys('r', 'gr', query.dimensions.length)})`,
    ),
    ...(planned ? [plansSql(query)] : []),
    ...(needed.includes('share_of_voice') ? [shareSql(query, scope, settings.marketMinOthers)] : []),
    ...measuresSql('', 'SELECT * FROM groups', needed, query, withParts),
  ];
  return { ctes, needed };
}

/** @returns CTEs with the measures over exactly the rows that `passing` has, as one group */
export function keptTotalsSql(query: ReportQuery, metrics: readonly MetricName[]): string[] {
  return [
    ...ROW_TABLES.map(
      (table) => `${table}_g_all AS (SELECT * REPLACE (1 AS g) FROM ${table}_g WHERE g IN (SELECT g FROM passing))`,
    ),
    ...(PLANNED.some((name) => metrics.includes(name)) ? [PLANS_TOTAL_SQL] : []),
    ...measuresSql('_all', 'SELECT 1 AS g', metrics, query),
  ];
}

/** @returns the filters that apply to groups: those on metrics other than attributes */
export function groupFilters(query: ReportQuery): (Filter & { readonly field: MetricName })[] {
  return query.filters.flatMap(({ field, ...rest }) =>
    isMetric(field) && !(field in ATTRIBUTES) ? [{ field, ...rest }] : [],
  );
}

const filteredMetricNames = (query: ReportQuery) => query.filters.map(({ field }) => field).filter(isMetric);

/** @returns the tables that make rows: those that a metric needs (all fact tables without any fact metric), except those that lack a dimension */
function rowTables(query: ReportQuery): RowTable[] {
  const metrics = [...query.metrics, ...filteredMetricNames(query)];
  const needed = new Set(metrics.flatMap(tablesNeeded));
  const tables = ROW_TABLES.filter((table) => (needed.size === 0 ? table !== 'plan' : needed.has(table)));
  return tables.filter((table) => tableCovers(table, dimensionsUsed(query)));
}

/** The experiences of the report: those whose name passes its filters, and all where none does. */
function experiencesSql(query: ReportQuery): string {
  const names = experiencesIn(query.experience).map((name) => `(${quote(name)})`);
  const filters = query.filters.filter(({ field }) => field === 'experience_name');
  const passes = filters.map((filter) => filterSql('experience', 'text', filter));
  return `experiences(experience) AS (VALUES ${names.join(', ')}),
    selected AS (SELECT experience FROM experiences WHERE ${['true', ...passes].join(' AND ')}),
    covered AS (FROM selected UNION ALL FROM experiences WHERE NOT EXISTS (FROM selected))`;
}

/** The days with delivery: rows without impressions are none, unless these are unknown. */
const DELIVERED_SQL = `delivered AS MATERIALIZED (
    SELECT DISTINCT advertiser_id, experience, day FROM delivery WHERE impressions IS DISTINCT FROM 0)`;

/** The day through which each advertiser's data is complete in each experience: from its own row of `freshness`, else the row for all advertisers, else the latest delivery of any before today; at most yesterday. */
function completenessSql(scope: ReportScope, { today }: SqlSettings): string {
  const day = `DATE ${quote(today)}`;
  const stated = (condition: string) =>
    `(SELECT completeThrough FROM freshness WHERE freshness.experience = e.experience AND ${condition})`;
  return `completeness AS MATERIALIZED (
    SELECT advertiser_id, e.experience, CASE WHEN stated >= ${day} THEN ${day} - 1 ELSE stated END AS through FROM (
    SELECT advertiser_id, e.experience, coalesce(${stated('advertiserId = advertiser_id')}, ${stated('advertiserId IS NULL AND "table" IS NULL')},
      (SELECT max(day) FROM delivered WHERE delivered.experience = e.experience AND day < ${day})) AS stated
    FROM experiences e, (SELECT unnest([${scope.advertiserIds.join(', ')}]::BIGINT[]) AS advertiser_id)) e)`;
}

/** The days of the report on which each table is known in an experience: from the first to the last day of anybody, or to a later one that freshness states. */
function reachSql(query: ReportQuery): string {
  const dates = query.filters.flatMap((filter) => {
    if (!isDimension(filter.field) || DIMENSION_SQL[filter.field].level !== 'date') return [];
    return [filterSql(DIMENSION_SQL[filter.field].expression, DIMENSION_SQL[filter.field].type, filter)];
  });
  const spans = REACHED.map(
    (
      table,
    ) => `SELECT '${table}' AS tab, experience, min(day) AS first, greatest(max(day), max(completeThrough)) AS last
      FROM ${table} LEFT JOIN (FROM freshness WHERE "table" = '${table}') USING (experience) GROUP BY experience`,
  );
  const period = `generate_series(DATE ${quote(query.startDate)}, DATE ${quote(query.endDate)}, INTERVAL 1 DAY)`;
  return `period_days AS (SELECT unnest(${period})::DATE AS day),
    passing_days AS (FROM period_days f WHERE ${['true', ...dates].join(' AND ')}),
    covered_days AS (FROM passing_days UNION ALL FROM period_days WHERE NOT EXISTS (FROM passing_days)),
    reach_spans AS (FROM (${spans.join(' UNION ALL ')}) SEMI JOIN covered USING (experience)),
    reach_days AS MATERIALIZED (
    SELECT tab, s.experience, f.day FROM reach_spans s, covered_days f WHERE f.day BETWEEN s.first AND s.last)`;
}

const REACHED = ['delivery', 'conversions', 'activity'] as const;

/** The first and latest day with delivery of anybody, and the days of the period up to the latest one that have none of anybody or of the advertisers, joined by commas; and what the other tables lack. */
const LOADED_COLUMNS = ['data_from', 'data_through', 'missing_days', 'gap_days', 'tables'] as const;

/** Also one row that says of each experience, in `in_<experience>`, whether anybody has facts in it on any day of the period. */
function loadedSql(
  { startDate, endDate }: ReportQuery,
  { advertiserIds }: ReportScope,
  { today }: SqlSettings,
): string {
  const period = `DATE ${quote(startDate)} AND DATE ${quote(endDate)}`;
  const inPeriod = (['delivery', 'conversions', 'activity'] as const).map(
    (table) => `SELECT experience FROM ${table} WHERE day BETWEEN ${period}`,
  );
  const flags = EXPERIENCES.map(
    (name) => `${quote(name)} IN (SELECT experience FROM covered SEMI JOIN facts_in USING (experience)) AS in_${name}`,
  );
  const known = REACHED.flatMap((table) =>
    EXPERIENCES.map(
      (name) =>
        `EXISTS (FROM reach_days WHERE tab = '${table}' AND experience = ${quote(name)}) AS known_${table}_${name}`,
    ),
  );
  const delivered = '(SELECT day FROM delivered SEMI JOIN experiences USING (experience))';
  const own = `(SELECT day FROM delivered SEMI JOIN experiences USING (experience) WHERE advertiser_id IN (${advertiserIds.join(', ') || 'NULL'}))`;
  const daysWithout = (days: string) => `(SELECT string_agg(day::DATE::VARCHAR, ',' ORDER BY day)
        FROM generate_series(DATE ${quote(startDate)}, DATE ${quote(endDate)}, INTERVAL 1 DAY) AS days(day)
        WHERE day <= (SELECT max(day) FROM ${delivered}) AND day < DATE ${quote(today)} AND day::DATE NOT IN ${days})`;
  const late = (['conversions', 'activity', 'market'] as const).map((table) => {
    const ofTable = `(SELECT experience, day FROM ${table} SEMI JOIN experiences USING (experience))`;
    return `(SELECT CASE WHEN through IS NOT NULL THEN concat_ws(' ', '${table}', through, len(days), array_to_string(days[:31], ',')) END
        FROM (SELECT min(last)::DATE::VARCHAR AS through FROM (SELECT max(day) AS last FROM ${ofTable} GROUP BY experience)),
          (SELECT coalesce(list_sort(list(DISTINCT day::DATE::VARCHAR)), []) AS days
            FROM (SELECT experience, day FROM delivered SEMI JOIN ${ofTable} USING (experience) WHERE day BETWEEN ${period} AND day < DATE ${quote(today)} EXCEPT FROM ${ofTable})))`;
  });
  return `facts_in AS (${inPeriod.join(' UNION ')}),
  data_in AS MATERIALIZED (SELECT ${[...flags, ...known].join(', ')}),
  loaded AS MATERIALIZED (
    SELECT (SELECT min(day)::VARCHAR FROM ${delivered}) AS data_from, (SELECT max(day)::VARCHAR FROM ${delivered}) AS data_through,
      ${daysWithout(delivered)} AS missing_days, ${daysWithout(own)} AS gap_days,
      concat_ws(';', ${late.join(', ')}) AS tables)`;
}

/** @returns a CTE with the table's rows in the report and their keys k0, k1, …; it is empty where the table makes no rows */
function rowsSql(table: RowTable, used: boolean, query: ReportQuery, scope: ReportScope): string {
  const measures = Object.keys(SUMS[table]);
  const own = table === 'plan' ? ['numerator', 'denominator', 'is_paced'] : measures;
  const adGroup =
    table === 'plan' ? "CASE f.kind WHEN 'ad group' THEN f.ad_group_id END AS ad_group_id" : 'f.ad_group_id';
  const lacks = table === 'plan' ? "''::VARCHAR AS lacks" : "concat(',', array_to_string(f.lacks, ','), ',') AS lacks";
  const columns = ['f.rid', 'f.experience', lacks, adGroup, ...own.map((column) => `f.${column}`)];
  if (!used) {
    const keys = query.dimensions.map((_, at) => `NULL AS k${at}`);
    const nothing = [...columns, 'NULL::BIGINT AS campaign_id', ...keys].join(', ');
    return `${table}_rows AS (SELECT ${nothing} FROM ${table} f WHERE false)`;
  }
  const keys = query.dimensions.map((name, at) => `${DIMENSION_SQL[name].expression} AS k${at}`);
  const rowConditions = query.filters.flatMap((filter) => {
    if (isDimension(filter.field)) {
      const { expression, type } = DIMENSION_SQL[filter.field];
      return [filterSql(expression, type, filter)];
    }
    const attribute = ATTRIBUTES[filter.field];
    return attribute === undefined ? [] : [filterSql(attribute.expression('ag', 'ca'), attribute.type, filter)];
  });
  return `${table}_rows AS MATERIALIZED (
    SELECT ${[...columns, 'ca.id AS campaign_id', ...keys].join(', ')}
    FROM ${table} f ${joinsFor([...keys, ...rowConditions], ['ag', 'ca'])}
    WHERE ${[
      ...(table === 'plan' ? [] : ['f.experience IN (FROM experiences)']),
      `f.advertiser_id IN (${scope.advertiserIds.join(', ') || 'NULL'})`,
      `f.day BETWEEN DATE ${quote(query.startDate)} AND DATE ${quote(query.endDate)}`,
      ...rowConditions,
    ].join('\n AND ')})`;
}

/** @returns a CTE with the numbered distinct keys of all rows; a single group if there are no dimensions */
function groupsSql(tables: readonly RowTable[], query: ReportQuery): string {
  if (query.dimensions.length === 0) return 'groups AS (SELECT 1 AS g)';
  const keys = query.dimensions.map((_, at) => `k${at}`).join(', ');
  if (tables.length === 0) {
    const none = query.dimensions
      .map((name, at) => `NULL::${SQL_TYPES[DIMENSION_SQL[name].type]} AS k${at}`)
      .join(', ');
    return `groups AS (SELECT 1 AS g, ${none} WHERE false)`;
  }
  const union = tables.map((table) => `SELECT DISTINCT ${keys} FROM ${table}_rows`).join(' UNION ');
  return `groups AS MATERIALIZED (SELECT row_number() OVER () AS g, * FROM (${union}))`;
}

function sameKeys(a: string, b: string, count: number): string {
  const same = Array.from({ length: count }, (_, at) => `${a}.k${at} IS NOT DISTINCT FROM ${b}.k${at}`);
  return ['true', ...same].join(' AND ');
}

/** Nulls come last in both orders, and all dimensions ascending break ties. */
function orderSql(query: ReportQuery): string {
  const column = (field: DimensionName | MetricName) =>
    isMetric(field) ? `m_${field}` : `k${query.dimensions.indexOf(field)}`;
  const requested = query.sort.map(({ field, order }) => `${column(field)} ${order} NULLS LAST`);
  const ties = query.dimensions.map((_, at) => `k${at} ASC NULLS LAST`);
  return [...requested, ...ties, '1'].join(', ');
}

/** @returns SQL for the value as the JSON of a report has it: dates as text, numbers as doubles */
export function asJsonValue(column: string, type: SqlType): string {
  if (type === 'date') return `strftime(${column}, '%Y-%m-%d')`;
  return type === 'text' ? column : `${column}::DOUBLE`;
}
