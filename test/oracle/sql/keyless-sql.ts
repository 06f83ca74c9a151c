import { CUSTOM_FIELDS } from '../../../shared/catalog/custom-fields.ts';
import { type DimensionName, isDimension } from '../../../shared/catalog/dimensions.ts';
import { isMetric, type MetricName } from '../../../shared/catalog/metrics.ts';
import type { ReportQuery, ReportScope } from '../../../shared/report/query/query.ts';
import { DIMENSION_SQL, joinsFor } from './dimension-sql.ts';
import { filterSql, quote } from './filter-sql.ts';
import { ATTRIBUTES, definedIn, dimensionsUsed, ROW_TABLES, type RowTable, tablesNeeded } from './metric-sql.ts';

/** The columns that files of facts may lack, by what dimensions read: the fact row, or what is joined to it. */
const COLUMNS: readonly (readonly [RegExp, string])[] = [
  [
    /^f\.(hour|keyword|division_banner|entity_id|creative_key|match_type|search_term|conversion_source|purchased_entity_id)$/,
    '$1',
  ],
  ...Object.entries(CUSTOM_FIELDS.dimensions).map(([name]): [RegExp, string] => [new RegExp(`^f\\.(${name})$`), '$1']),
  [/^pl\..*/, 'placement_id'],
  [/^pr\..*/, 'entity_id'],
  [/^pp\..*/, 'purchased_entity_id'],
  [/^cr\..*/, 'creative_key'],
];

function columnsOf(dimensions: readonly DimensionName[]): string[] {
  return dimensions.flatMap((name) => {
    const { expression } = DIMENSION_SQL[name];
    return COLUMNS.flatMap(([read, column]) => (read.test(expression) ? expression.replace(read, column) : []));
  });
}

/** @returns the condition that the row's day is one on which the table lacks a column of the dimensions */
export function isKeyless(table: RowTable, dimensions: readonly DimensionName[]): string {
  const lacked = columnsOf(dimensions).map((column) => `contains(lacks, ',${table}/${column},')`);
  return `(${['false', ...lacked].join(' OR ')})`;
}

/** @returns the condition that neither of the two tables of a ratio lacks a column of the report on the row's day */
export function isKeyed(metric: MetricName, query: ReportQuery): string {
  const tables = tablesNeeded(metric);
  if (tables.length < 2) return 'true';
  return `NOT (${tables.map((table) => isKeyless(table, dimensionsUsed(query))).join(' OR ')})`;
}

/** The rows of a table that agree with a group in what all facts have: who, and when. */
const NEAR_LEVELS = ['date', 'ad group', 'campaign', 'advertiser', 'experience'];
const isNear = (name: DimensionName) => NEAR_LEVELS.includes(DIMENSION_SQL[name].level);

/** @returns a CTE with the rows that pass those filters of the report that are on what all facts have */
export function nearSql(table: RowTable, isUsed: boolean, query: ReportQuery, scope: ReportScope): string {
  const keys = query.dimensions.map(
    (name, at) => `${isNear(name) ? DIMENSION_SQL[name].expression : 'NULL'} AS k${at}`,
  );
  if (!isUsed || table === 'plan')
    return `${table}_near AS (SELECT '' AS experience, DATE '2000-01-01' AS day, NULL AS impressions, '' AS lacks${query.dimensions.map((_, at) => `, NULL AS k${at}`).join('')} WHERE false)`;
  const conditions = query.filters.flatMap((filter) => {
    if (isMetric(filter.field)) {
      const attribute = ATTRIBUTES[filter.field];
      return attribute === undefined ? [] : [filterSql(attribute.expression('ag', 'ca'), attribute.type, filter)];
    }
    if (!isDimension(filter.field) || !isNear(filter.field)) return [];
    return [filterSql(DIMENSION_SQL[filter.field].expression, DIMENSION_SQL[filter.field].type, filter)];
  });
  return `${table}_near AS MATERIALIZED (
    SELECT ${['f.experience', 'f.day', ...(table === 'delivery' ? ['f.impressions'] : []), "concat(',', array_to_string(f.lacks, ','), ',') AS lacks", ...keys].join(', ')}
    FROM ${table} f ${joinsFor([...keys, ...conditions], ['ag', 'ca'])}
    WHERE ${[
      'f.experience IN (FROM experiences)',
      `f.advertiser_id IN (${scope.advertiserIds.join(', ') || 'NULL'})`,
      `f.day BETWEEN DATE ${quote(query.startDate)} AND DATE ${quote(query.endDate)}`,
      ...conditions,
    ].join('\n AND ')})`;
}

/** A number of rows of a group: SQL that counts them, by the name of the column. */
interface KeyPart {
  readonly name: string;
  readonly columns: readonly string[];
  readonly sql: string;
}

/** @returns the numbers of rows that `knownSql` reads, for all metrics */
export function keyParts(suffix: '' | '_all', query: ReportQuery): KeyPart[] {
  const near = query.dimensions.flatMap((name, at) => (isNear(name) ? [at] : []));
  const sets = [...new Set(['impressions', 'opportunities', 'video_starts'] as const)].map((name) => definedIn(name));
  return ROW_TABLES.filter((table) => table !== 'plan').flatMap((table) => {
    const count = (name: string, condition: string): [string, string][] =>
      sets.map((set) => {
        const isIn = `experience IN (${set.map(quote).join(', ')})`;
        return [`${table}_${name}_${set.join('_')}`, `count(*) FILTER (WHERE ${isIn} AND ${condition})`];
      });
    const keyless = isKeyless(table, dimensionsUsed(query));
    const own = [...count('keyless', keyless), ...count('null', isKeyless(table, query.dimensions))];
    const around = [...count('near_keyless', keyless), ...count('near_keyed', `NOT ${keyless}`)];
    const list = (columns: readonly [string, string][]) => columns.map(([name, sql]) => `${sql} AS ${name}`).join(', ');
    const groups = suffix === '' ? 'groups' : 'passing';
    const same = ['true', ...near.map((at) => `gr.k${at} IS NOT DISTINCT FROM n.k${at}`)].join(' AND ');
    return [
      {
        name: `${table}_keyless${suffix}`,
        columns: own.map(([name]) => name),
        sql: `SELECT g, ${list(own)} FROM ${table}_g${suffix} GROUP BY g`,
      },
      {
        name: `${table}_around${suffix}`,
        columns: around.map(([name]) => name),
        sql: `SELECT ${suffix === '' ? 'gr.g' : '1 AS g'}, ${around.map(([name]) => `coalesce(sum(n.${name}), 0) AS ${name}`).join(', ')}
          FROM ${groups} gr JOIN (SELECT ${[...near.map((at) => `k${at}`), list(around)].join(', ')} FROM ${table}_near GROUP BY ALL) n
          ON ${same} GROUP BY ALL`,
      },
    ];
  });
}

/**
 * @returns the condition that the metric is known in the group. A sum is not, if the group has no rows, and all rows around it are of days without a column of the
 * report. A ratio of two tables is not, if the group has rows of a day without one of its dimensions.
 */
export function knownSql(metric: MetricName, isRatio: boolean): string {
  const tables = tablesNeeded(metric);
  const [table] = tables;
  if (table === undefined || tables.includes('plan') || metric === 'share_of_voice') return 'true';
  const set = definedIn(metric).join('_');
  if (tables.length === 2) return tables.map((name) => `${name}_null_${set} = 0`).join(' AND ');
  if (isRatio) return 'true';
  const count = (name: string) => `coalesce(${table}_${name}_${set}, 0)`; // of totals over no rows there is none
  return `(${count('keyless')} > 0 OR ${count('near_keyed')} > 0 OR ${count('near_keyless')} = 0)`;
}
