import { type DimensionName, isDimension } from '../../../shared/catalog/dimensions.ts';
import type { ReportQuery, ReportScope } from '../../../shared/report/query/query.ts';
import { DIMENSION_SQL, joinsFor } from './dimension-sql.ts';
import { filterSql, quote } from './filter-sql.ts';
import { isKeyless } from './keyless-sql.ts';
import { definedIn, dimensionsUsed } from './metric-sql.ts';

const SLICE = ['experience', 'placement_id', 'division_banner', 'keyword'];
const CELL = ['day', 'hour', ...SLICE];

/** @returns CTEs that end in `shares(g, own, market)`, for share_of_voice. They need `groups` and `delivery_g`. */
export function shareSql(query: ReportQuery, scope: ReportScope, minOthers: number): string {
  const inReport = [
    'f.experience IN (FROM experiences)',
    `f.experience IN (${definedIn('share_of_voice').map(quote).join(', ')})`,
    `f.day BETWEEN DATE ${quote(query.startDate)} AND DATE ${quote(query.endDate)}`,
  ];
  const where = (conditions: readonly string[]) => `WHERE ${conditions.join(' AND ')}`;
  const cell = CELL.map((column) => `f.${column}`).join(', ');
  const daySlice = ['day', ...SLICE].map((column) => `f.${column}`).join(', ');
  const mixing = minOthers === 0 ? scope.advertiserIds : scope.ownAdvertiserIds;
  const filtersOfAdvertiser = query.filters.flatMap((filter) => {
    if (minOthers > 0 || !isDimension(filter.field) || DIMENSION_SQL[filter.field].level !== 'advertiser') return [];
    return [filterSql(DIMENSION_SQL[filter.field].expression, DIMENSION_SQL[filter.field].type, filter)];
  });
  return `own_cells AS MATERIALIZED (
    SELECT d.g, d.impressions, ${cell} FROM delivery_g d JOIN delivery f ON f.rid = d.rid),
  eligible_slices AS (SELECT DISTINCT ${SLICE.join(', ')} FROM own_cells WHERE impressions > 0),
  own_advertisers AS (SELECT ${cell}, count(DISTINCT f.advertiser_id) AS count FROM delivery f
    ${where([...inReport, `f.advertiser_id IN (${scope.ownAdvertiserIds.join(', ') || 'NULL'})`, 'f.impressions IS DISTINCT FROM 0'])} GROUP BY ALL),
  unknown_days AS (SELECT DISTINCT f.experience, f.day FROM delivery_g d JOIN delivery f ON f.rid = d.rid WHERE f.impressions IS NULL
    UNION SELECT experience, day FROM delivery_near WHERE impressions IS DISTINCT FROM 0 AND ${isKeyless('delivery', dimensionsUsed(query))}),
  market_cells AS (
    SELECT ${cell}, sum(f.market_impressions) AS market_impressions, max(f.market_advertisers) AS advertisers
    FROM market f ${where(inReport)} GROUP BY ALL),
  mixed_days AS (
    SELECT day, ${SLICE.join(', ')} FROM (
      SELECT ${daySlice}, f.hour IS NULL AS is_whole FROM delivery f ${joinsFor(filtersOfAdvertiser, [])}
      ${where([`f.advertiser_id IN (${mixing.join(', ') || 'NULL'})`, 'f.impressions IS DISTINCT FROM 0', ...filtersOfAdvertiser])}
      UNION ALL SELECT ${daySlice}, f.hour IS NULL FROM market f)
    GROUP BY ALL HAVING count(DISTINCT is_whole) = 2),
  counted_cells AS MATERIALIZED (
    SELECT m.* FROM market_cells m
    ANTI JOIN mixed_days x ON ${same('m', 'x', ['day', ...SLICE])}
    ANTI JOIN unknown_days USING (experience, day)
    SEMI JOIN eligible_slices e ON ${same('m', 'e', SLICE)}
    LEFT JOIN own_advertisers a ON ${same('m', 'a', CELL)}
    WHERE ${minOthers} = 0 OR m.advertisers - coalesce(a.count, 0) >= ${minOthers}),
  ${marketSql(query)},
  own_of AS (SELECT o.g, sum(o.impressions) AS own FROM own_cells o SEMI JOIN counted_cells c ON ${same('o', 'c', CELL)} GROUP BY o.g),
  shares AS (SELECT gr.g, coalesce(own, 0) AS own, market FROM groups gr
    LEFT JOIN own_of USING (g) LEFT JOIN market_of USING (g))`;
}

/**
 * @returns CTEs that end in market_of(g, market): the impressions of the counted cells that match the group's date, hour and slice keys and the filters on
 *   these.
 */
function marketSql(query: ReportQuery): string {
  const inMarket = (name: DimensionName) => ['date', 'hour', 'slice', 'experience'].includes(DIMENSION_SQL[name].level);
  const keys = query.dimensions.flatMap((name, at) => (inMarket(name) ? [{ name: `k${at}`, dimension: name }] : []));
  const columns = keys.map((key) => `${DIMENSION_SQL[key.dimension].expression} AS ${key.name}`);
  const filters = query.filters.flatMap((filter) => {
    if (!isDimension(filter.field) || !inMarket(filter.field)) return [];
    const { expression, type } = DIMENSION_SQL[filter.field];
    return [filterSql(expression, type, filter)];
  });
  const names = keys.map((key) => key.name);
  return `market_rows AS MATERIALIZED (
    SELECT ${['f.market_impressions', ...columns].join(', ')} FROM counted_cells f ${joinsFor([...columns, ...filters], [])}
    WHERE ${['true', ...filters].join(' AND ')}),
  market_slices AS (SELECT ${[...names, 'sum(market_impressions) AS market'].join(', ')}
    FROM market_rows GROUP BY ALL),
  market_of AS (SELECT gr.g, m.market FROM groups gr JOIN market_slices m ON ${same('m', 'gr', names)})`;
}

function same(a: string, b: string, columns: readonly string[]): string {
  return ['true', ...columns.map((column) => `${a}.${column} IS NOT DISTINCT FROM ${b}.${column}`)].join(' AND ');
}
