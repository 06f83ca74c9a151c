import { isDimension } from '../../../shared/catalog/dimensions.ts';
import type { ReportQuery } from '../../../shared/report/query/query.ts';
import { DIMENSION_SQL } from './dimension-sql.ts';
import { filterSql, quote } from './filter-sql.ts';

/** A sum of fractions as `quotient` (duckdb.ts) reads it. */
const FRACTIONS = "string_agg(numerator || '/' || denominator, '+')";

/**
 * Pacing by group, in micros. Planned cost is a text of fractions to be added up, so that it is exact.
 * @returns CTEs that end in `plans(g, planned, spent)`. They need `delivery_g` (the report's delivery rows with their group g), `groups` (g and its
 * keys k0, k1, …) and `completeness(advertiser_id, through)`.
 */
export function pacingSql(query: ReportQuery): string {
  const keys = query.dimensions.map((name, at) => ({ name: `k${at}`, ...DIMENSION_SQL[name] }));
  const dateKeys = keys.filter((key) => key.level === 'date');
  const ownKeys = keys.filter((key) => key.level !== 'date');
  const dateFilters = query.filters.flatMap((filter) => {
    if (!isDimension(filter.field)) return [];
    const { expression, type, level } = DIMENSION_SQL[filter.field];
    return level === 'date' ? [filterSql(expression, type, filter)] : [];
  });
  const names = (list: readonly { readonly name: string }[]) => list.map((key) => `, ${key.name}`).join('');
  const same = (a: string, b: string, list: readonly { readonly name: string }[]) =>
    list.map((key) => ` AND ${a}.${key.name} IS NOT DISTINCT FROM ${b}.${key.name}`).join('');
  return `
  entities AS (
    SELECT 'ad group' AS kind, g.id AS entity, g.advertiserId AS advertiser_id, g.id AS ad_group_id, round(g.budget * 1e6)::BIGINT AS budget, g.budgetType AS per,
      coalesce(g.startDate, c.startDate) AS flight_start, coalesce(g.endDate, c.endDate) AS flight_end
    FROM ad_groups g LEFT JOIN campaigns c ON c.id = g.campaignId WHERE g.budget IS NOT NULL
    UNION ALL
    SELECT 'campaign', c.id, c.advertiserId, g.id, round(c.budget * 1e6)::BIGINT, c.budgetType, c.startDate, c.endDate
    FROM ad_groups g JOIN campaigns c ON c.id = g.campaignId
    WHERE c.budget IS NOT NULL AND ${separatesAdGroups(query) ? 'false' : 'true'}
      AND NOT EXISTS (SELECT 1 FROM ad_groups sister WHERE sister.campaignId = c.id AND sister.budget IS NOT NULL)),
  planned_entities AS (SELECT * FROM entities WHERE per <> 'LIFETIME' OR flight_end IS NOT NULL),
  paced AS (SELECT d.*, p.kind, p.entity FROM delivery_g d JOIN planned_entities p ON p.ad_group_id = d.ad_group_id),
  members AS (SELECT DISTINCT kind, entity${names(ownKeys)} FROM paced),
  counted_days AS (
    SELECT f.day${dateKeys.map((key) => `, ${key.expression} AS ${key.name}`).join('')}
    FROM (SELECT unnest(generate_series(DATE ${quote(query.startDate)}, DATE ${quote(query.endDate)}, INTERVAL 1 DAY))::DATE AS day) f
    WHERE ${['true', ...dateFilters].join(' AND ')}),
  counted AS (
    SELECT kind, entity, budget, per, flight_start, flight_end, date_trunc('month', day)::DATE AS month${names(dateKeys)}, count(*) AS days
    FROM (SELECT DISTINCT kind, entity, advertiser_id, budget, per, flight_start, flight_end FROM planned_entities)
    JOIN completeness USING (advertiser_id)
    JOIN counted_days ON day <= through AND day >= flight_start AND (flight_end IS NULL OR day <= flight_end)
    GROUP BY ALL),
  slices AS (
    SELECT *, budget::HUGEINT * days AS numerator, CASE per
      WHEN 'DAILY' THEN 1
      WHEN 'WEEKLY' THEN 7
      WHEN 'MONTHLY' THEN day(last_day(month))
      ELSE flight_end - flight_start + 1 END AS denominator
    FROM counted),
  plan_parts AS MATERIALIZED (
    SELECT gr.g, denominator, sum(numerator) AS numerator FROM groups gr
    JOIN members m ON true${same('m', 'gr', ownKeys)}
    JOIN slices s ON s.kind = m.kind AND s.entity = m.entity${same('s', 'gr', dateKeys)}
    GROUP BY ALL),
  plan_of AS (SELECT g, ${FRACTIONS} AS planned FROM plan_parts GROUP BY g),
  spent_of AS (SELECT g, sum(cost) AS spent FROM paced GROUP BY g),
  plans AS (
    SELECT gr.g, planned, coalesce(spent, 0) AS spent
    FROM groups gr LEFT JOIN plan_of USING (g) LEFT JOIN spent_of USING (g))`;
}

/** Totals of reports with a metric filter: both sides are added up over the rows in `passing`. */
export const PLANS_TOTAL_SQL = `plans_all AS (SELECT 1 AS g,
    (SELECT ${FRACTIONS} FROM (
      SELECT denominator, sum(numerator) AS numerator FROM plan_parts WHERE g IN (SELECT g FROM passing) GROUP BY denominator)) AS planned,
    (SELECT coalesce(sum(spent), 0) FROM plans WHERE g IN (SELECT g FROM passing)) AS spent)`;

/** A campaign budget is for all its ad groups together: it does not count where dimensions or filters separate them. */
function separatesAdGroups(query: ReportQuery): boolean {
  const fields = [...query.dimensions, ...query.filters.map(({ field }) => field)];
  return fields.some((field) => field.startsWith('ad_group_') || field === 'segment_ids');
}
