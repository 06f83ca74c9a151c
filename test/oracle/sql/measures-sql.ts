import type { MetricName } from '../../../shared/catalog/metrics.ts';
import { EXPERIENCES } from '../../../shared/catalog/tables.ts';
import type { ReportQuery } from '../../../shared/report/query/query.ts';
import { DIMENSION_SQL } from './dimension-sql.ts';
import { quote, SQL_TYPES } from './filter-sql.ts';
import { isKeyed, keyParts, knownSql } from './keyless-sql.ts';
import {
  besideOf,
  definedIn,
  dimensionsUsed,
  fractionSql,
  hasData,
  isCovered,
  isDefined,
  isRatio,
  metricSql,
  metricType,
  ROW_TABLES,
  type RowTable,
  reachedTable,
  SUMS,
  sumColumn,
} from './metric-sql.ts';

/**
 * The metrics of each group g of `groups`; null where a metric is undefined, and all of them in a period without data. Only columns that the metrics use are
 * aggregated.
 * @param suffix `_all` for the totals of the rows that a metric filter keeps, where share_of_voice is null
 * @param withParts also numerator and denominator of the exact values, p_<metric> and q_<metric>
 * @returns CTEs that end in `measures<suffix>(g, keys, m_<metric>, …)`. They need the CTEs `<table>_g<suffix>` (fact rows with their g),
 * `plans<suffix>`, `shares` and `data_in`.
 */
export function measuresSql(
  suffix: '' | '_all',
  groups: string,
  metrics: readonly MetricName[],
  query: ReportQuery,
  withParts = false,
): string[] {
  const used = dimensionsUsed(query);
  const values = metrics.flatMap((name) => {
    const isNull = !isDefined(name, used) || (suffix === '_all' && name === 'share_of_voice');
    const [numerator, denominator] = fractionSql(name);
    const parts = [
      { name, column: `p_${name}`, sql: isNull ? 'NULL::VARCHAR' : numerator },
      { name, column: `q_${name}`, sql: isNull ? 'NULL::VARCHAR' : denominator },
    ];
    const value = { name, column: `m_${name}`, sql: isNull ? `NULL::${SQL_TYPES[metricType(name)]}` : metricSql(name) };
    const columns = withParts ? [value, ...parts] : [value];
    const known = isNull ? 'true' : knownSql(name, isRatio(name));
    return columns.map((column) => ({
      ...column,
      sql: `CASE WHEN ${known} THEN ${withPartialSums(column.sql, name, query)} END`,
    }));
  });
  const mentioned = (column: string) => values.some((value) => new RegExp(`\\b${column}\\b`).test(value.sql));
  const sums = ROW_TABLES.map((table) => {
    const all = Object.keys(SUMS[table]).flatMap((measure) =>
      metrics.map((name): [string, string] => [
        sumColumn(measure, name, query.experience),
        sumSql(measure, query, name),
      ]),
    );
    const whole = Object.keys(SUMS[table]).map((measure): [string, string] => [measure, sumSql(measure, query)]);
    return { table, columns: new Map([...all, ...whole].filter(([column]) => mentioned(column))) };
  });
  const parts: Part[] = [
    ...sums.filter((sum) => sum.columns.size > 0).map((sum) => sumPart(sum.table, sum.columns, suffix)),
    ...(mentioned('reached') ? [usersPart('delivery', 'reached', suffix)] : []),
    ...(mentioned('reached_measured')
      ? [usersPart('delivery', 'reached_measured', suffix, 'impressions IS NOT NULL')]
      : []),
    ...(mentioned('converted') ? [usersPart('conversions', 'converted', suffix)] : []),
    ...keyParts(suffix, query).filter(({ columns }) => columns.some(mentioned)),
  ];
  const zero = parts.flatMap(({ name, columns }) =>
    columns.map((column) => `CASE WHEN ${name}.g IS NULL THEN 0 ELSE ${column} END AS ${column}`),
  );
  const joined = [
    ...(['planned', 'paced'].some(mentioned) ? [`LEFT JOIN plans${suffix} USING (g)`] : []),
    ...(mentioned('market') ? [`LEFT JOIN shares USING (g)`] : []),
    ...(['ag', 'agc', 'ca'].some(mentioned) ? [onlyOwnersSql(suffix)] : []),
  ];
  return [
    ...parts.map((part) => `${part.name} AS (${part.sql})`),
    `present${suffix} AS (SELECT g, ${EXPERIENCES.map(hasExperience).join(', ')}
      FROM (${ROW_TABLES.map((table) => `SELECT g, experience, ${table !== 'plan'} AS is_fact FROM ${table}_g${suffix}`).join(' UNION ALL ')}) GROUP BY g)`,
    `facts${suffix} AS (SELECT ${['gr.*', ...EXPERIENCES.map((name) => `has_${name}`), ...zero].join(', ')}
      FROM (${groups}) gr LEFT JOIN present${suffix} USING (g)
      ${parts.map((part) => `LEFT JOIN ${part.name} USING (g)`).join(' ')})`,
    `measures${suffix} AS MATERIALIZED (
      SELECT ${['gr.*', ...values.map(({ name, column, sql }) => `CASE WHEN ${hasOwnData(name, query, suffix !== '')} AND ${isCovered(name, 'gr')} AND ${isReached(name, suffix === '' ? query : { ...query, dimensions: [] })} THEN ${sql} END AS ${column}`)].join(', ')}
      FROM data_in, facts${suffix} gr ${joined.join('\n')})`,
  ];
}

/** @returns the sum: null if all of its rows, at least one, are of days without the measure; of a ratio, whose divisor is then 0, it is 0 */
function sumSql(measure: string, query: ReportQuery, metric?: MetricName): string {
  const beside = metric && besideOf(measure, metric);
  const conditions = [
    ...(metric === undefined ? [] : [`experience IN (${definedIn(metric).map(quote).join(', ')})`]),
    ...(beside === undefined || metric === undefined
      ? []
      : [`NOT contains(lacks, ',${beside},')`, isKeyed(metric, query)]),
  ];
  const filter = `FILTER (WHERE ${['true', ...conditions].join(' AND ')})`;
  const sum = `coalesce(sum(${measure}) ${filter}, 0)`;
  if (beside !== undefined) return sum;
  return `CASE WHEN count(*) ${filter} = 0 OR count(${measure}) ${filter} > 0 THEN ${sum} END`;
}

/** A plan is no fact: its experiences matter only without facts. */
/** The condition that the table of a sum is known on a day of the row, in an experience of its facts. */
function isReached(metric: MetricName, { dimensions }: ReportQuery): string {
  const table = reachedTable(metric);
  if (table === undefined) return 'true';
  const keys = dimensions.flatMap((name, at) => {
    const { level, expression } = DIMENSION_SQL[name];
    if (level === 'experience') return [`coalesce(gr.k${at} = f.experience, true)`];
    return level === 'date' ? [`${expression} IS NOT DISTINCT FROM gr.k${at}`] : [];
  });
  const has = definedIn(metric).map((name) => `f.experience = ${quote(name)} AND coalesce(gr.has_${name}, true)`);
  return `EXISTS (SELECT 1 FROM reach_days f WHERE ${[`tab = '${table}'`, `(${has.join(' OR ')})`, ...keys].join(' AND ')})`;
}

function hasExperience(name: string): string {
  const has = `bool_or(coalesce(experience = ${quote(name)}, true))`;
  return `coalesce(${has} FILTER (is_fact), ${has}) AS has_${name}`;
}

interface Part {
  readonly name: string;
  readonly columns: readonly string[];
  readonly sql: string;
}

/** @returns the expression with the sums over those experiences in which the metric is defined */
function withPartialSums(sql: string, metric: MetricName, { experience }: ReportQuery): string {
  const measures = ROW_TABLES.flatMap((table) => Object.keys(SUMS[table]));
  return measures.reduce(
    (text, measure) => text.replaceAll(new RegExp(`\\b${measure}\\b`, 'g'), sumColumn(measure, metric, experience)),
    sql,
  );
}

/** The condition of `hasData` for a row; one without an experience, and the total of kept rows that has one, has no pacing, because cost is spent in an experience. */
function hasOwnData(metric: MetricName, { dimensions }: ReportQuery, isTotal: boolean): string {
  const at = dimensions.indexOf('experience_name');
  const condition = hasData(metric, 'data_in', at === -1 || isTotal ? undefined : `k${at}`);
  if (metric !== 'pacing') return condition;
  const isKnown = isTotal ? `NOT EXISTS (FROM passing WHERE k${at} IS NULL)` : `k${at} IS NOT NULL`;
  return `(EXISTS (FROM selected) AND ${at === -1 ? 'true' : isKnown} AND ${condition})`;
}

function sumPart(table: RowTable, sumOf: ReadonlyMap<string, string>, suffix: string): Part {
  const columns = [...sumOf.keys()];
  const sums = [...sumOf].map(([column, sql]) => `${sql} AS ${column}`).join(', ');
  return { name: `${table}_sums${suffix}`, columns, sql: `SELECT g, ${sums} FROM ${table}_g${suffix} GROUP BY g` };
}

function usersPart(table: RowTable, column: string, suffix: string, condition = 'true'): Part {
  const users = `SELECT g, count(DISTINCT user_id) AS ${column} FROM ${table}_g${suffix} JOIN ${table}_users USING (rid) WHERE ${condition} GROUP BY g`;
  return { name: `${column}${suffix}`, columns: [column], sql: users };
}

/** Joins the ad group (ag, with its campaign agc) and the campaign (ca) of each group whose facts all belong to one. */
function onlyOwnersSql(suffix: string): string {
  const facts = ROW_TABLES.map((table) => `SELECT g, ad_group_id, campaign_id FROM ${table}_g${suffix}`);
  return `LEFT JOIN (
      SELECT g, count(DISTINCT ad_group_id) AS ad_groups, min(ad_group_id) AS ad_group_id,
        count(DISTINCT coalesce(campaign_id, -1)) AS campaigns, min(campaign_id) AS campaign_id
      FROM (${facts.join(' UNION ALL ')}) GROUP BY g) owner USING (g)
    LEFT JOIN ad_groups ag ON owner.ad_groups = 1 AND ag.id = owner.ad_group_id
    LEFT JOIN campaigns agc ON agc.id = ag.campaignId
    LEFT JOIN campaigns ca ON owner.campaigns = 1 AND ca.id = owner.campaign_id`;
}
