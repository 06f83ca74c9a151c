import type { ReportQuery } from '../../../shared/report/query/query.ts';
import { filterSql, quote } from './filter-sql.ts';

export const PLANNED = ['planned_cost', 'remaining_planned_cost', 'pacing'] as const;
/** A sum of fractions as `quotient` (duckdb.ts) reads it. */
const FRACTIONS = "string_agg(numerator || '/' || denominator, '+')";

/** A common multiple of the days of a week and of each month, so that what a budget plans on a day is a whole number of parts. */
const PARTS = 377_580;

/**
 * The planned cost of each ad group, and of each campaign until the first of its ad groups has a budget, by day: a fraction, in micros. An ad group of unknown
 * experience belongs to the one of the report; in a report of all, to none, and neither does a campaign with ad groups of several.
 * A history of budgets has the budget in force from each of its days on; before them, the own one is. A LIFETIME budget plans, from its first day in the flight to the
 * end of the flight, what the days of the flight before have not planned, in equal parts and at least 0.
 * What is ENDED plans up to its end date; without one, or if that is after the last complete day, up to the last day with delivery or activity of its ad
 * groups; so does what is no longer listed, if it has no end date. A campaign's budget has a state if the campaign has it, or all its ad groups in the report.
 * A deleted ad group has no budget, and is not counted among those of its campaign, but for its cost.
 * Plan and cost of an advertiser end on the earliest day through which the experiences are complete in which it has budgets that have
 * not ended and whose flights are not over by then, of whatever period; if there are none such, in which it has budgets.
 * @returns CTEs that end in the table `plan`. They need `experiences(experience)`, `delivered` and `completeness(advertiser_id, experience, through)`. `planned_entities` has a row per ad group.
 */
export function planSql(query: ReportQuery): string {
  const none = "('DRAFT', 'UNDER_REVIEW', 'FAILED')";
  const isAll = query.experience === 'all';
  const experience = isAll ? 'g.experience' : `coalesce(g.experience, ${quote(query.experience)})`;
  const inReport = isAll ? 'true' : `${experience} = ${quote(query.experience)}`;
  const filters = query.filters.filter(({ field }) => field === 'experience_name');
  const isBySeveral = filters.length > 0 || query.dimensions.includes('experience_name');
  return `
  entities AS (
    SELECT 'ad group' AS kind, g.id AS entity, c.advertiserId AS advertiser_id, g.id AS ad_group_id, ${MICROS('g.budget')} AS own_budget, g.budgetType AS own_per, g.budgets AS changes, DATE '9999-12-31' AS in_force_until,
      coalesce(g.startDate, c.startDate) AS flight_start, coalesce(g.endDate, c.endDate) AS flight_end,
      ${experience} AS experience, false AS is_mixed, ${['g', 'c'].map((of) => ENDED(of, 'coalesce(g.endDate, c.endDate)')).join(' OR ')} AS has_ended
    FROM ad_groups g JOIN campaigns c ON c.id = g.campaignId
    WHERE coalesce(g.budgetType, g.budgets) IS NOT NULL AND NOT ${DELETED} AND ${inReport}
      AND coalesce(g.status, '') NOT IN ${none} AND coalesce(c.status, '') NOT IN ${none}
    UNION ALL
    SELECT 'campaign', c.id, c.advertiserId, g.id, ${MICROS('c.budget')}, c.budgetType, c.budgets, first_own.day, c.startDate, c.endDate,
      ${experience}, min(coalesce(${experience}, '')) OVER of_campaign <> max(coalesce(${experience}, '')) OVER of_campaign,
      ${ENDED('c', 'c.endDate')} OR bool_and(${ENDED('g', 'c.endDate')}) FILTER (NOT ${DELETED}) OVER of_campaign
    FROM ad_groups g JOIN campaigns c ON c.id = g.campaignId
      LEFT JOIN (SELECT campaignId, min(CASE WHEN budgetType IS NULL THEN split_part(budgets, ' ', 1)::DATE ELSE DATE '0001-01-01' END) AS day
        FROM ad_groups g WHERE coalesce(budgetType, budgets) IS NOT NULL AND NOT ${DELETED} GROUP BY ALL) first_own ON first_own.campaignId = c.id
    WHERE coalesce(c.budgetType, c.budgets) IS NOT NULL AND ${inReport} AND coalesce(c.status, '') NOT IN ${none}
    WINDOW of_campaign AS (PARTITION BY c.id)
    QUALIFY NOT bool_and(coalesce(g.status, '') IN ${none}) FILTER (NOT ${DELETED}) OVER of_campaign),
  last_days AS MATERIALIZED (SELECT ad_group_id, max(day) AS last_day
    FROM (SELECT ad_group_id, experience, day FROM delivery WHERE impressions IS DISTINCT FROM 0 UNION ALL SELECT ad_group_id, experience, day FROM activity)
    SEMI JOIN experiences USING (experience) GROUP BY ad_group_id),
  steps AS (
    SELECT *, greatest(step_from, flight_start) AS first_day, row_number() OVER of_entity AS n,
      least(lead(step_from, 1, DATE '9999-12-31') OVER of_entity, coalesce(in_force_until, DATE '9999-12-31')) - 1 AS step_to
    FROM (
      SELECT * EXCLUDE (own_budget, own_per, changes), own_budget AS budget, own_per AS per, DATE '0001-01-01' AS step_from FROM entities
      UNION ALL
      SELECT * EXCLUDE (own_budget, own_per, changes, change),
        split_part(change, ' ', 2)::BIGINT, split_part(change, ' ', 3), split_part(change, ' ', 1)::DATE
      FROM (SELECT *, unnest(string_split(changes, ',')) AS change FROM entities))
    WINDOW of_entity AS (PARTITION BY kind, entity, ad_group_id ORDER BY step_from)),
  sizes AS (
    SELECT *, flight_end - first_day + 1 AS days_left, list_transform(
      CASE WHEN coalesce(budget, 0) > 0 AND flight_end IS NOT NULL AND first_day <= least(step_to, flight_end) THEN generate_series(first_day, least(step_to, flight_end), INTERVAL 1 DAY) ELSE [] END,
      lambda day: ${PARTS} // CASE per WHEN 'WEEKLY' THEN 7 WHEN 'MONTHLY' THEN day(last_day(day)) ELSE 1 END) AS day_parts
    FROM steps),
  spread AS (
    SELECT kind AS of_kind, entity AS of_entity, ad_group_id AS of_ad_group, 0 AS done, NULL::HUGEINT AS rest, 0::HUGEINT AS before, ${PARTS}::HUGEINT AS parts
    FROM entities
    UNION ALL
    SELECT of_kind, of_entity, of_ad_group, n, greatest(budget * parts - before, 0),
      CASE WHEN per = 'LIFETIME' AND days_left > 0 THEN before * days_left + greatest(budget * parts - before, 0) * len(day_parts)
        ELSE before + coalesce(budget * list_sum(day_parts), 0) * (parts // ${PARTS}) END,
      CASE WHEN per = 'LIFETIME' AND days_left > 0 THEN parts * days_left ELSE parts END
    FROM spread JOIN sizes ON kind = of_kind AND entity = of_entity AND ad_group_id = of_ad_group AND n = done + 1),
  budgets AS (
    SELECT sizes.* EXCLUDE (day_parts),
      CASE WHEN per = 'LIFETIME' THEN rest ELSE budget END AS numerator,
      CASE WHEN per = 'LIFETIME' THEN ended.parts WHEN per = 'WEEKLY' THEN 7 WHEN per = 'DAILY' THEN 1 END AS denominator
    FROM sizes JOIN spread ended ON kind = of_kind AND entity = of_entity AND ad_group_id = of_ad_group AND n = done
    WHERE budget IS NOT NULL AND (per <> 'LIFETIME' OR flight_end IS NOT NULL) AND step_from <= step_to),
  planning AS (SELECT DISTINCT advertiser_id, experience, coalesce(flight_end, DATE '9999-12-31') AS flight_end, has_ended FROM budgets),
  plan_experiences AS (
    FROM planning UNION SELECT p.advertiser_id, d.experience, flight_end, has_ended FROM planning p JOIN delivered d USING (advertiser_id) WHERE p.experience IS NULL),
  pacing_ends AS MATERIALIZED (
    SELECT advertiser_id, coalesce(min(through) FILTER (flight_end > through AND NOT has_ended), min(through) FILTER (flight_end IS NOT NULL), min(through)) AS through
    FROM (SELECT c.*, p.flight_end, p.has_ended FROM completeness c
      LEFT JOIN plan_experiences p ON p.advertiser_id = c.advertiser_id AND p.experience = c.experience)
    GROUP BY ALL),
  without_cost AS MATERIALIZED (
    SELECT advertiser_id, experience, day FROM delivery WHERE cost IS NULL
    UNION SELECT advertiser_id, experience, day FROM (SELECT DISTINCT advertiser_id FROM budgets),
      (SELECT experience, day FROM conversions UNION SELECT experience, day FROM activity)
      LEFT JOIN (SELECT experience, min(day) AS first, max(day) AS last FROM delivery GROUP BY ALL) USING (experience)
    WHERE NOT coalesce(day BETWEEN first AND last, false)),
  unpaced AS MATERIALIZED (
    SELECT kind, entity, list(DISTINCT day) AS unpaced_days FROM budgets b JOIN without_cost w
      ON w.advertiser_id = b.advertiser_id AND w.experience IN (FROM selected) AND coalesce(w.experience = b.experience, true) GROUP BY ALL),
  planned_entities AS (SELECT * REPLACE (coalesce(unpaced_days, []) AS unpaced_days) FROM budgets LEFT JOIN unpaced USING (kind, entity)
    WHERE ${[separatesAdGroups(query) ? "kind <> 'campaign'" : 'true', isBySeveral ? 'NOT is_mixed' : 'true', ...filters.map((filter) => filterSql('experience', 'text', filter))].join(' AND ')}),
  plan AS MATERIALIZED (
    SELECT e.* EXCLUDE (denominator), day, NOT list_contains(unpaced_days, day) AS is_paced, NULL::INTEGER AS rid, coalesce(denominator, day(last_day(day))) AS denominator
    FROM (SELECT * EXCLUDE (last_day) REPLACE (min(ad_group_id) AS ad_group_id, min(CASE WHEN NOT is_mixed THEN experience END) AS experience),
        max(last_day) AS last_day
      FROM planned_entities LEFT JOIN last_days USING (ad_group_id) GROUP BY ALL) e
    JOIN (SELECT advertiser_id, experience, least(c.through, p.through) AS through FROM completeness c JOIN pacing_ends p USING (advertiser_id) WHERE c.through IS NOT NULL
      UNION ALL SELECT advertiser_id, NULL, through FROM pacing_ends) c
      ON c.advertiser_id = e.advertiser_id AND c.experience IS NOT DISTINCT FROM e.experience
    JOIN (SELECT unnest(generate_series(DATE ${quote(query.startDate)}, DATE ${quote(query.endDate)}, INTERVAL 1 DAY))::DATE AS day) days
      ON day <= through AND day BETWEEN step_from AND step_to AND day >= flight_start AND (flight_end IS NULL OR day <= flight_end)
        AND (NOT has_ended OR flight_end <= through OR day <= last_day))`;
}

const DELETED = '(g.archived IS NOT NULL AND g.status IS NULL)';

/** @param end the end of the flight */
const ENDED = (alias: string, end: string) =>
  `(coalesce(${alias}.status, '') = 'ENDED' OR (${alias}.archived IS NOT NULL AND ${end} IS NULL))`;

const MICROS = (amount: string) => `(${amount}::DECIMAL(38, 6) * 1000000)::BIGINT`;

/**
 * Both sides of pacing by group, in micros. Planned cost is a text of fractions to be added up, so that it is exact. Cost of an ad group counts in its
 * experience, and in all if that is unknown; then it is in no row of a report by experience.
 * Pacing leaves out days on which the advertiser's cost is unknown in an experience of the budget, on both sides; it is unknown where nothing is planned on other days.
 * @returns CTEs that end in `plans(g, planned, paced, spent)`. They need `delivery_g` and `plan_g` (rows with their group g), and `groups`.
 */
export function plansSql({ dimensions }: ReportQuery): string {
  const unknown = dimensions.includes('experience_name') ? '' : ' OR p.experience IS NULL';
  return `
  plan_parts AS MATERIALIZED (SELECT g, denominator, is_paced, sum(numerator) AS numerator FROM plan_g GROUP BY ALL),
  plan_of AS (SELECT g, ${FRACTIONS} AS planned, ${FRACTIONS} FILTER (is_paced) AS paced FROM plan_parts GROUP BY g),
  spent_of AS (SELECT g, sum(cost) AS spent FROM delivery_g d
    JOIN (SELECT f.rid, f.day FROM delivery f JOIN pacing_ends e ON e.advertiser_id = f.advertiser_id AND f.day <= e.through) f ON f.rid = d.rid
    SEMI JOIN planned_entities p ON p.ad_group_id = d.ad_group_id AND (p.experience = d.experience${unknown}) AND f.day BETWEEN p.step_from AND p.step_to AND NOT list_contains(p.unpaced_days, f.day) GROUP BY g),
  plans AS (
    SELECT gr.g, planned, paced, CASE WHEN planned IS NULL OR paced IS NOT NULL THEN coalesce(spent, 0) END AS spent
    FROM groups gr LEFT JOIN plan_of USING (g) LEFT JOIN spent_of USING (g))`;
}

/** Totals of reports with a metric filter: both sides are added up over the rows in `passing`. */
export const PLANS_TOTAL_SQL = `plans_all AS (SELECT 1 AS g, planned, paced, CASE WHEN planned IS NULL OR paced IS NOT NULL THEN spent END AS spent
    FROM (SELECT ${FRACTIONS} AS planned, ${FRACTIONS} FILTER (is_paced) AS paced FROM (
      SELECT denominator, is_paced, sum(numerator) AS numerator FROM plan_parts WHERE g IN (SELECT g FROM passing) GROUP BY ALL)),
      (SELECT coalesce(sum(spent), 0) AS spent FROM plans WHERE g IN (SELECT g FROM passing)))`;

/** A campaign budget is for all its ad groups together: it does not count where dimensions or filters separate them. */
function separatesAdGroups(query: ReportQuery): boolean {
  const fields = [...query.dimensions, ...query.filters.map(({ field }) => field)];
  return fields.some((field) => field.startsWith('ad_group_') || field === 'segment_ids');
}
