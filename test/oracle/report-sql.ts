import { type DimensionName, isDimension } from '../../shared/catalog/dimensions.ts';
import { isMetric, type MetricName } from '../../shared/catalog/metrics.ts';
import type { Filter, ReportQuery, ReportScope } from '../../shared/report/query.ts';
import { DIMENSION_SQL, joinsFor, ownersSql, type SqlType } from './dimension-sql.ts';
import { filterSql, quote, SQL_TYPES } from './filter-sql.ts';
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
import { PLANS_TOTAL_SQL, pacingSql } from './pacing-sql.ts';
import { shareSql } from './share-sql.ts';

/**
 * DESIGN §3 and §4 in SQL, over the tables of `openOracle`. Rows of each table are read by their own filters, grouped apart, and merged by a
 * group number; every metric is then an expression over the columns of one group.
 * @returns one statement: the page's rows in order, each with its position from 1; then a last row without position that has `total_count` and
 * `complete_through`, and as metrics the totals of the rows that a metric filter keeps (null without such a filter: then the totals are the one-row report)
 */
export function reportSql(query: ReportQuery, scope: ReportScope): string {
  const tables = rowTables(query);
  const wanted = [...new Set([...query.metrics, ...metricsFiltered(query)])].filter(
    (it) => query.metrics.includes(it) || !(it in ATTRIBUTES),
  );
  const after = metricFilters(query).map(({ field, ...it }) => filterSql(`m_${field}`, metricType(field), it));
  const filtered = after.length > 0;
  const paced = wanted.includes('pacing');
  const ctes = [
    ownersSql([...scope.accountIds]),
    completenessSql(query, scope),
    ...ROW_TABLES.map((table) => rowsSql(table, tables.includes(table), query, scope)),
    groupsSql(tables, query),
    ...ROW_TABLES.map(
      (table) => `${table}_g AS MATERIALIZED (
        SELECT r.*, gr.g FROM ${table}_rows r JOIN groups gr ON ${sameKeys('r', 'gr', query.dimensions.length)})`,
    ),
    ...(paced ? [pacingSql(query)] : []),
    ...(wanted.includes('share_of_voice') ? [shareSql(query)] : []),
    ...measuresSql('', 'SELECT * FROM groups', wanted, query),
    `alive AS MATERIALIZED (SELECT * FROM measures WHERE ${['true', ...after].join(' AND ')})`,
    ...(filtered ? keptTotalsSql(query, wanted) : []),
  ];
  const keys = query.dimensions.map((name, at) => ({ name, key: `k${at}`, type: DIMENSION_SQL[name].type }));
  const metrics = query.metrics.map((name) => `${shown(`m_${name}`, metricType(name))} AS ${name}`);
  const { offset, size } = query.pagination;
  const row = ['position', ...keys.map(({ name, key, type }) => `${shown(key, type)} AS ${name}`), ...metrics];
  const whole = [
    'NULL',
    ...keys.map(() => 'NULL'),
    ...(filtered ? metrics : query.metrics.map(() => 'NULL')),
    '(SELECT count(*) FROM alive)',
    '(SELECT min(through)::VARCHAR FROM completeness)',
  ];
  return `WITH ${ctes.join(',\n')}
    SELECT ${row.join(', ')}, NULL AS total_count, NULL AS complete_through
    FROM (SELECT *, row_number() OVER (ORDER BY ${orderSql(query)}) AS position FROM alive)
    WHERE position > ${offset} AND position <= ${offset + size}
    UNION ALL SELECT ${whole.join(', ')}${filtered ? ' FROM measures_all' : ''}
    ORDER BY position NULLS LAST`;
}

/** The measures over exactly the rows that the metric filters keep, as one group. */
function keptTotalsSql(query: ReportQuery, metrics: readonly MetricName[]): string[] {
  return [
    ...ROW_TABLES.map(
      (table) => `${table}_g_all AS (SELECT * REPLACE (1 AS g) FROM ${table}_g WHERE g IN (SELECT g FROM alive))`,
    ),
    ...(metrics.includes('pacing') ? [PLANS_TOTAL_SQL] : []),
    ...measuresSql('_all', 'SELECT 1 AS g', metrics, query),
  ];
}

/** @returns the filters that act on groups: those on metrics that are no attributes */
export function metricFilters(query: ReportQuery): (Filter & { readonly field: MetricName })[] {
  return query.filters.flatMap(({ field, ...rest }) =>
    isMetric(field) && !(field in ATTRIBUTES) ? [{ field, ...rest }] : [],
  );
}

const metricsFiltered = (query: ReportQuery) => query.filters.map((it) => it.field).filter(isMetric);

/** "Which rows exist": the tables that a metric needs, all three without any fact metric, less those that lack a dimension. */
function rowTables(query: ReportQuery): RowTable[] {
  const metrics = [...query.metrics, ...metricsFiltered(query)];
  const needed = new Set(metrics.flatMap(tablesNeeded));
  const asked = needed.size === 0 ? ROW_TABLES : ROW_TABLES.filter((it) => needed.has(it));
  return asked.filter((it) => tableCovers(it, dimensionsUsed(query)));
}

/** The day through which each advertiser's data is complete: its own row of `freshness`, else everyone's, else anyone's latest delivery. */
function completenessSql(query: ReportQuery, scope: ReportScope): string {
  const experience = quote(query.experience);
  const stated = (condition: string) =>
    `(SELECT completeThrough FROM freshness WHERE experience = ${experience} AND ${condition})`;
  return `completeness AS MATERIALIZED (
    SELECT advertiser_id, coalesce(${stated('advertiserId = advertiser_id')}, ${stated('advertiserId IS NULL')},
      (SELECT max(day) FROM delivery WHERE experience = ${experience})) AS through
    FROM (SELECT unnest([${scope.advertiserIds.join(', ')}]::BIGINT[]) AS advertiser_id))`;
}

/** The table's rows in the report with their keys k0, k1, …; none at all where the table makes no rows. */
function rowsSql(table: RowTable, used: boolean, query: ReportQuery, scope: ReportScope): string {
  const measures = Object.keys(SUMS[table]);
  const columns = ['rid', 'ad_group_id', ...measures].map((it) => `f.${it}`);
  if (!used) {
    const keys = query.dimensions.map((_, at) => `NULL AS k${at}`);
    const nothing = [...columns, 'NULL::BIGINT AS campaign_id', ...keys].join(', ');
    return `${table}_rows AS (SELECT ${nothing} FROM ${table} f WHERE false)`;
  }
  const keys = query.dimensions.map((name, at) => `${DIMENSION_SQL[name].expression} AS k${at}`);
  const before = query.filters.flatMap((filter) => {
    if (isDimension(filter.field)) {
      const { expression, type } = DIMENSION_SQL[filter.field];
      return [filterSql(expression, type, filter)];
    }
    const attribute = ATTRIBUTES[filter.field];
    return attribute === undefined ? [] : [filterSql(attribute.expression('ag', 'ca'), attribute.type, filter)];
  });
  return `${table}_rows AS MATERIALIZED (
    SELECT ${[...columns, 'ca.id AS campaign_id', ...keys].join(', ')}
    FROM ${table} f ${joinsFor([...keys, ...before], ['ag', 'ca'])}
    WHERE ${[
      `f.experience = ${quote(query.experience)}`,
      `f.advertiser_id IN (${scope.advertiserIds.join(', ')})`,
      `f.day BETWEEN DATE ${quote(query.startDate)} AND DATE ${quote(query.endDate)}`,
      ...before,
    ].join('\n AND ')})`;
}

/** `dimensions: []` is always one row; otherwise the distinct keys of all rows, numbered. */
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

/** Nulls last either way; ties broken by all dimensions ascending. */
function orderSql(query: ReportQuery): string {
  const column = (field: DimensionName | MetricName) =>
    isMetric(field) ? `m_${field}` : `k${query.dimensions.indexOf(field)}`;
  const asked = query.sort.map(({ field, order }) => `${column(field)} ${order} NULLS LAST`);
  const ties = query.dimensions.map((_, at) => `k${at} ASC NULLS LAST`);
  return [...asked, ...ties, '1'].join(', ');
}

function shown(column: string, type: SqlType): string {
  if (type === 'date') return `strftime(${column}, '%Y-%m-%d')`;
  return type === 'text' ? column : `${column}::DOUBLE`;
}
