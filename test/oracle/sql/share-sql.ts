import { type DimensionName, isDimension } from '../../../shared/catalog/dimensions.ts';
import type { ReportQuery } from '../../../shared/report/query.ts';
import { DIMENSION_SQL, joinsFor } from './dimension-sql.ts';
import { filterSql, quote } from './filter-sql.ts';

/** @returns CTEs that end in `shares(g, own, market)`, for share_of_voice. They need `groups` and `delivery_g`. */
export function shareSql(query: ReportQuery): string {
  return `${marketSql(query)},
  own_of AS (SELECT g, sum(impressions) AS own FROM delivery_g GROUP BY g),
  shares AS (SELECT gr.g, coalesce(own, 0) AS own, market FROM groups gr
    LEFT JOIN own_of USING (g) LEFT JOIN market_of USING (g))`;
}

/** The impressions of all advertisers in the slice that each group's date, hour and slot keys select, under the filters on these. */
function marketSql(query: ReportQuery): string {
  const inMarket = (name: DimensionName) => ['date', 'hour', 'slot'].includes(DIMENSION_SQL[name].level);
  const keys = query.dimensions.flatMap((name, at) => (inMarket(name) ? [{ name: `k${at}`, dimension: name }] : []));
  const columns = keys.map((key) => `${DIMENSION_SQL[key.dimension].expression} AS ${key.name}`);
  const filters = query.filters.flatMap((filter) => {
    if (!isDimension(filter.field) || !inMarket(filter.field)) return [];
    const { expression, type } = DIMENSION_SQL[filter.field];
    return [filterSql(expression, type, filter)];
  });
  const same = keys.map((key) => ` AND m.${key.name} IS NOT DISTINCT FROM gr.${key.name}`).join('');
  return `market_rows AS MATERIALIZED (
    SELECT ${['f.market_impressions', ...columns].join(', ')} FROM market f ${joinsFor([...columns, ...filters], [])}
    WHERE ${[
      `f.experience = ${quote(query.experience)}`,
      `f.day BETWEEN DATE ${quote(query.startDate)} AND DATE ${quote(query.endDate)}`,
      ...filters,
    ].join(' AND ')}),
  market_slices AS (SELECT ${[...keys.map((key) => key.name), 'sum(market_impressions) AS market'].join(', ')}
    FROM market_rows GROUP BY ALL),
  market_of AS (SELECT gr.g, m.market FROM groups gr JOIN market_slices m ON true${same})`;
}
