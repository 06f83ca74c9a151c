import type { MetricName } from '../../shared/catalog/metrics.ts';
import type { ReportQuery } from '../../shared/report/query.ts';
import { SQL_TYPES } from './filter-sql.ts';
import { dimensionsUsed, hasMeaning, metricSql, metricType, ROW_TABLES, type RowTable, SUMS } from './metric-sql.ts';

/** Per g, out of `<table>_g<suffix>`: the sums, the distinct users, and the only ad group and campaign. */
export function aggregatesSql(suffix: '' | '_all', groups: string): string[] {
  const sums = ROW_TABLES.map((table) => {
    const columns = Object.keys(SUMS[table]).map((it) => `sum(${it}) AS ${it}`);
    return `${table}_sums${suffix} AS (SELECT g, ${columns.join(', ')} FROM ${table}_g${suffix} GROUP BY g)`;
  });
  const users = (table: RowTable, name: string) => `${name}${suffix} AS (
    SELECT g, count(DISTINCT user_id) AS ${name} FROM ${table}_g${suffix} JOIN ${table}_users USING (rid) GROUP BY g)`;
  const owners = ROW_TABLES.map((table) => `SELECT g, ad_group_id, campaign_id FROM ${table}_g${suffix}`);
  return [
    `merged${suffix} AS (${groups})`,
    ...sums,
    users('delivery', 'reached'),
    users('conversions', 'converted'),
    `sole${suffix} AS (
      SELECT g, count(DISTINCT ad_group_id) AS ad_groups, min(ad_group_id) AS ad_group_id,
        count(DISTINCT coalesce(campaign_id, -1)) AS campaigns, min(campaign_id) AS campaign_id
      FROM (${owners.join(' UNION ALL ')}) GROUP BY g)`,
  ];
}

/** The metrics as m_<name>, per g of `merged<suffix>`; null where they have no meaning. */
export function measuresSql(suffix: '' | '_all', metrics: readonly MetricName[], query: ReportQuery): string {
  const values = metrics.map((name) => {
    const value = hasMeaning(name, query.experience, dimensionsUsed(query))
      ? metricSql(name)
      : `NULL::${SQL_TYPES[metricType(name)]}`;
    return `${value} AS m_${name}`;
  });
  const sums = ROW_TABLES.flatMap((table) => Object.keys(SUMS[table]).map((it) => `coalesce(${it}, 0) AS ${it}`));
  const zero = [...sums, 'coalesce(reached, 0) AS reached', 'coalesce(converted, 0) AS converted'];
  const measures = ROW_TABLES.map((it) => `LEFT JOIN ${it}_sums${suffix} USING (g)`).join(' ');
  return `measures${suffix} AS MATERIALIZED (
    SELECT ${['gr.*', ...values].join(', ')} FROM merged${suffix} gr
    LEFT JOIN (SELECT g, ${zero.join(', ')} FROM merged${suffix} ${measures}
      LEFT JOIN reached${suffix} USING (g) LEFT JOIN converted${suffix} USING (g)) USING (g)
    ${metrics.includes('pacing') ? `LEFT JOIN plans${suffix} USING (g)` : ''}
    ${metrics.includes('share_of_voice') ? `LEFT JOIN shares${suffix} USING (g)` : ''}
    LEFT JOIN sole${suffix} o USING (g)
    LEFT JOIN ad_groups ag ON o.ad_groups = 1 AND ag.id = o.ad_group_id
    LEFT JOIN campaigns agc ON agc.id = ag.campaignId
    LEFT JOIN campaigns ca ON o.campaigns = 1 AND ca.id = o.campaign_id)`;
}
