import type { SortValue } from '../../../shared/catalog/compared-values.ts';
import type { DimensionName } from '../../../shared/catalog/dimensions.ts';
import { isMetric, type MetricName } from '../../../shared/catalog/metrics.ts';
import { experiencesIn } from '../../../shared/catalog/tables.ts';
import type { ReportQuery, ReportScope } from '../../../shared/report/query/query.ts';
import { DIMENSION_SQL } from './dimension-sql.ts';
import { filterSql, quote } from './filter-sql.ts';
import {
  countsUsers,
  definedIn,
  dimensionsUsed,
  hasData,
  isCovered,
  isDefined,
  isZeroWithoutFacts,
  metricType,
  reachedTable,
} from './metric-sql.ts';
import { asJsonValue, groupFilters, keptTotalsSql, type PeriodSql, periodSql, type SqlSettings } from './report-sql.ts';

interface Period {
  readonly startDate: string;
  readonly endDate: string;
}

/** A report of two periods in SQL: the full outer join of their groups, by dimensions and the positions of dates. */
interface ComparedSql {
  /** Statements that create the tables `data_days` (days with data of anybody), `compared_reach` (the first and last day of each table in an experience), `in_now` and `in_before` (which experiences have data in each period), `now_m` and `before_m` (the groups of each period) and `kept` (joined rows). */
  readonly tables: readonly string[];
  /** The rows of the page. */
  readonly rows: string;
  /** With a metric filter: the totals of each period over the kept rows. */
  readonly totals: readonly [now: string, before: string];
}

export function compareSql(query: ReportQuery, before: Period, scope: ReportScope, settings: SqlSettings): ComparedSql {
  const earlier = { ...query, ...before };
  const [ofNow, ofBefore] = [periodSql(query, scope, settings, true), periodSql(earlier, scope, settings, true)];
  const dayLists = (['delivery', 'conversions', 'activity'] as const).map(
    (table) =>
      `SELECT day FROM ${table} WHERE experience IN (${experiencesIn(query.experience).map(quote).join(', ')})`,
  );
  const groups = ({ ctes }: PeriodSql) => `WITH RECURSIVE ${ctes.join(',\n')} SELECT *, 1 AS one FROM measures`;
  const loaded = ({ ctes }: PeriodSql) => `WITH RECURSIVE ${ctes.join(',\n')} FROM data_in`;
  const keptTotals = (side: 'n' | 'b', of: ReportQuery, { ctes, needed }: PeriodSql) => {
    const same = query.dimensions.map((_, at) => `k.${side}_k${at} IS NOT DISTINCT FROM m.k${at}`);
    const passing = `passing AS MATERIALIZED (SELECT m.* FROM measures m
      WHERE EXISTS (SELECT 1 FROM kept k WHERE ${[`k.${side}_one = 1`, ...same].join(' AND ')}))`;
    const metrics = query.metrics.map((name) => `${asJsonValue(`m_${name}`, metricType(name))} AS ${name}`);
    return `WITH RECURSIVE ${[...ctes, passing, ...keptTotalsSql(of, needed)].join(',\n')} SELECT ${['1 AS one', ...metrics].join(', ')} FROM measures_all`;
  };
  return {
    tables: [
      `CREATE OR REPLACE TEMP TABLE data_days AS SELECT DISTINCT day FROM (${dayLists.join(' UNION ALL ')})`,
      `CREATE OR REPLACE TEMP TABLE compared_reach AS WITH RECURSIVE ${ofNow.ctes.join(',\n')} FROM reach_spans`,
      `CREATE OR REPLACE TEMP TABLE in_now AS ${loaded(ofNow)}`,
      `CREATE OR REPLACE TEMP TABLE in_before AS ${loaded(ofBefore)}`,
      `CREATE OR REPLACE TEMP TABLE now_m AS ${groups(ofNow)}`,
      `CREATE OR REPLACE TEMP TABLE before_m AS ${groups(ofBefore)}`,
      `CREATE OR REPLACE TEMP TABLE kept AS ${joinedSql(query, before, ofNow.needed)}`,
    ],
    rows: pageSql(query),
    totals: [keptTotals('n', query, ofNow), keptTotals('b', earlier, ofBefore)],
  };
}

/** @returns for each date dimension, its value at the same position of the other period; all others as they are */
function movedKeys(dimensions: readonly DimensionName[], alias: string, from: Period, to: Period): string[] {
  const days = dimensions.indexOf('daily_date');
  const day = `(${alias}.k${days} + (DATE '${to.startDate}' - DATE '${from.startDate}')::INTEGER)`;
  const starts = (unit: string) =>
    [from, to].map(({ startDate }) => `date_trunc('${unit}', DATE '${startDate}')::DATE`).join(', ');
  return dimensions.map((name, at) => {
    const key = `${alias}.k${at}`;
    switch (name) {
      case 'daily_date':
        return day;
      case 'week_date':
        return days >= 0
          ? `week_of(${day})`
          : `(${key} + (week_of(DATE '${to.startDate}') - week_of(DATE '${from.startDate}'))::INTEGER)`;
      case 'month_date':
      case 'quarter_date': {
        const unit = name === 'month_date' ? 'month' : 'quarter';
        if (days >= 0) return `date_trunc('${unit}', ${day})::DATE`;
        return `(${key} + to_months(date_diff('month', ${starts(unit)})::INTEGER))::DATE`;
      }
      case 'weekday':
        return days >= 0 ? `isodow(${day})` : key;
      default:
        return key;
    }
  });
}

/**
 * @returns the joined rows that pass the metric filters: keys k0, k1, … in the period, those of each side (n_k0, b_k0, …), and by metric its value v_, compared
 * value w_, and the parts of both (np_ / nq_, bp_ / bq_)
 */
function joinedSql(query: ReportQuery, before: Period, metrics: readonly MetricName[]): string {
  const { dimensions } = query;
  const toNow = movedKeys(dimensions, 'b', before, query);
  const toBefore = movedKeys(dimensions, 'n', query, before);
  const dates = dimensions.flatMap((name, at) => (DIMENSION_SQL[name].type === 'date' ? [at] : []));
  const isBeyond = (keys: readonly string[], { endDate }: Period) =>
    `(${['false', ...dates.map((at) => `${keys[at]} > DATE '${endDate}'`)].join(' OR ')})`;
  const days = dimensions.indexOf('daily_date');
  const isKnown = (key: string | undefined) => (days < 0 ? 'true' : `${key} IN (SELECT day FROM data_days)`);
  const [now, ofBefore] = [dimensions.map((_, at) => `x.k${at}`), movedKeys(dimensions, 'x', before, query)];
  const hasOther = `NOT ${isBeyond(toBefore, before)} AND ${isKnown(toBefore[days])}`;
  const values = metrics.map((name) => {
    const zero = (period: string, side: string, day: string | undefined) => zeroSql(name, query, period, side, day);
    const isUnknownNow = unknownSql(
      name,
      query,
      'now_m',
      now,
      dimensions.map((_, at) => `b.j${at}`),
    );
    const isUnknownBefore = unknownSql(
      name,
      query,
      'before_m',
      ofBefore,
      dimensions.map((_, at) => `n.k${at}`),
    );
    return `CASE WHEN n.one = 1 THEN n.m_${name} WHEN ${isKnown(`b.j${days}`)} AND NOT ${isUnknownNow} THEN ${zero('in_now', 'b', days < 0 ? undefined : `b.j${days}`)} END AS v_${name},
      CASE WHEN b.one = 1 THEN b.m_${name} WHEN ${hasOther} AND NOT ${isUnknownBefore} THEN ${zero('in_before', 'n', toBefore[days])} END AS w_${name}`;
  });
  const keys = dimensions.map(
    (_, at) =>
      `n.k${at} AS n_k${at}, b.k${at} AS b_k${at}, CASE WHEN n.one = 1 THEN n.k${at} ELSE b.j${at} END AS k${at}`,
  );
  const fractions = metrics.flatMap((name) =>
    ['n', 'b'].flatMap((side) => [
      `coalesce(${side}.p_${name}, '0') AS ${side}p_${name}`,
      `coalesce(${side}.q_${name}, '1') AS ${side}q_${name}`,
    ]),
  );
  const joined = `SELECT ${['n.one AS n_one', 'b.one AS b_one', ...keys, ...values, ...fractions].join(', ')}
    FROM in_now, in_before, now_m n FULL OUTER JOIN (
      SELECT ${['b.*', ...toNow.map((key, at) => `${key} AS j${at}`)].join(', ')} FROM before_m b
      WHERE NOT ${isBeyond(toNow, query)}) b
    ON ${['n.one = b.one', ...dimensions.map((_, at) => `n.k${at} IS NOT DISTINCT FROM b.j${at}`)].join(' AND ')}`;
  const conditions = groupFilters(query).map(({ field, ...condition }) =>
    filterSql(`v_${field}`, metricType(field), condition),
  );
  const shown = metrics
    .filter(countsUsers)
    .map((name) => `CASE WHEN getvariable('min_users') = 0 OR v_${name} IS NOT NULL THEN w_${name} END AS w_${name}`);
  const replaced = shown.length === 0 ? '' : ` REPLACE (${shown.join(', ')})`;
  return `SELECT *${replaced} FROM (${joined}) WHERE ${['true', ...conditions].join(' AND ')}`;
}

/** @returns the condition that the period has rows of the same dates and experience, and the metric is null in all of them */
function unknownSql(
  name: MetricName,
  { dimensions }: ReportQuery,
  table: string,
  own: readonly string[],
  keys: readonly string[],
): string {
  if (reachedTable(name) === undefined) return 'false';
  const same = dimensions.flatMap((dimension, at) =>
    ['date', 'experience'].includes(DIMENSION_SQL[dimension].level)
      ? [`${own[at]} IS NOT DISTINCT FROM ${keys[at]}`]
      : [],
  );
  const isShown = countsUsers(name) ? ` AND NOT coalesce(x.p_${name}, '0')::HUGEINT > 0` : ''; // too few users are known
  return `coalesce((SELECT bool_and(x.m_${name} IS NULL${isShown}) FROM ${table} x WHERE ${[isCovered(name, 'x'), ...same].join(' AND ')}), false)`;
}

function isNumeric(name: MetricName): boolean {
  return ['decimal', 'amount'].includes(metricType(name));
}

/**
 * @param period the row that says which experiences have data in the period
 * @param other the alias of the groups of the other period
 * @param day that of the row in the period, in a report by day
 * @returns what a metric is without facts of the row: 0 for sums and numbers of users, in a period with data; by experience, with data of that one
 */
function zeroSql(name: MetricName, query: ReportQuery, period: string, other: string, day: string | undefined): string {
  if (!isZeroWithoutFacts(name) || !isDefined(name, dimensionsUsed(query))) return 'NULL';
  const at = query.dimensions.indexOf('experience_name');
  const key = at === -1 ? undefined : `${other}.k${at}`;
  const table = reachedTable(name);
  const experiences = definedIn(name).map(quote).join(', ');
  const reached =
    day === undefined || table === undefined
      ? 'true'
      : `EXISTS (FROM compared_reach s WHERE tab = '${table}' AND s.experience IN (${experiences}) AND coalesce(${key ?? 'NULL'} = s.experience, true) AND ${day} BETWEEN s.first AND s.last)`;
  return `CASE WHEN ${hasData(name, period, key)} AND ${isCovered(name, other)} AND ${reached} THEN 0 END`;
}

function pageSql(query: ReportQuery): string {
  const { offset, size } = query.pagination;
  const columns = [
    ...query.dimensions.map((name, at) => `${asJsonValue(`k${at}`, DIMENSION_SQL[name].type)} AS ${name}`),
    ...query.metrics.flatMap((name) => [
      `${asJsonValue(`v_${name}`, metricType(name))} AS ${name}`,
      `${asJsonValue(`w_${name}`, metricType(name))} AS ${name}_before`,
      ...(isNumeric(name)
        ? [
            `${columnOf(name, 'change')} AS ${name}_change`,
            `${columnOf(name, 'relativeChange')} AS ${name}_relative_change`,
          ]
        : []),
    ]),
  ];
  return `SELECT ${columns.join(', ')} FROM (SELECT *, row_number() OVER (ORDER BY ${orderSql(query)}) AS position FROM kept)
    WHERE position > ${offset} AND position <= ${offset + size} ORDER BY position`;
}

function orderSql(query: ReportQuery): string {
  const requested = query.sort.map(({ field, order, by = 'value' }) => {
    const column = isMetric(field) ? columnOf(field, by) : `k${query.dimensions.indexOf(field)}`;
    return `${column} ${order} NULLS LAST`;
  });
  return [...requested, ...query.dimensions.map((_, at) => `k${at} ASC NULLS LAST`), '1'].join(', ');
}

function columnOf(name: MetricName, by: SortValue): string {
  switch (by) {
    case 'value':
      return `v_${name}`;
    case 'compared':
      return `w_${name}`;
    case 'change':
      return changeSql(name, 'change_of');
    case 'relativeChange':
      return changeSql(name, 'relative_change_of');
  }
}

function changeSql(name: MetricName, computed: string): string {
  const parts = ['np', 'nq', 'bp', 'bq'].map((part) => `${part}_${name}`);
  return `CASE WHEN v_${name} IS NOT NULL AND w_${name} IS NOT NULL THEN ${computed}(${parts.join(', ')}) END`;
}
