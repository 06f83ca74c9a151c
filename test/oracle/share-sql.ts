import { type DimensionName, isDimension } from '../../shared/catalog/dimensions.ts';
import type { ReportQuery } from '../../shared/report/query.ts';
import { DIMENSION_SQL, joinsFor } from './dimension-sql.ts';
import { filterSql, quote } from './filter-sql.ts';

/** DESIGN §4, share_of_voice, as CTEs that end in `shares(g, own, market)`, out of `groups` and `delivery_g`. Totals of kept rows have none. */
export function shareSql(query: ReportQuery): string {
  return `${marketSql(query)},
  own_of AS (SELECT g, sum(impressions) AS own FROM delivery_g GROUP BY g),
  shares AS (SELECT gr.g, coalesce(own, 0) AS own, market FROM groups gr
    LEFT JOIN own_of USING (g) LEFT JOIN market_of USING (g))`;
}

/** All advertisers' impressions of the slice that each group's date, hour and slot keys give, under the filters on these. */
function marketSql(query: ReportQuery): string {
  const inMarket = (name: DimensionName) => ['date', 'hour', 'slot'].includes(DIMENSION_SQL[name].level);
  const keys = query.dimensions.flatMap((name, at) => (inMarket(name) ? [{ name: `k${at}`, dimension: name }] : []));
  const columns = keys.map((it) => `${DIMENSION_SQL[it.dimension].expression} AS ${it.name}`);
  const filters = query.filters.flatMap((filter) => {
    if (!isDimension(filter.field) || !inMarket(filter.field)) return [];
    const { expression, type } = DIMENSION_SQL[filter.field];
    return [filterSql(expression, type, filter)];
  });
  const same = keys.map((it) => ` AND m.${it.name} IS NOT DISTINCT FROM gr.${it.name}`).join('');
  return `market_rows AS MATERIALIZED (
    SELECT ${['f.market_impressions', ...columns].join(', ')} FROM market f ${joinsFor([...columns, ...filters], [])}
    WHERE ${[
      `f.experience = ${quote(query.experience)}`,
      `f.day BETWEEN DATE ${quote(query.startDate)} AND DATE ${quote(query.endDate)}`,
      ...filters,
    ].join(' AND ')}),
  market_slices AS (SELECT ${[...keys.map((it) => it.name), 'sum(market_impressions) AS market'].join(', ')}
    FROM market_rows GROUP BY ALL),
  market_of AS (SELECT gr.g, m.market FROM groups gr JOIN market_slices m ON true${same})`;
}
