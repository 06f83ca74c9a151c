import type { SortValue } from '../../catalog/compared-values.ts';
import { isDimension } from '../../catalog/dimensions.ts';
import { type MetricName, metricOf } from '../../catalog/metrics.ts';
import { sortKeyValues } from '../../columns/dictionary.ts';
import type { Deadline } from '../../lib/deadline.ts';
import type { Plan } from '../plan/plan-report.ts';
import type { ReportValue } from '../query/query.ts';
import type { DimensionValues } from './dimension-values.ts';

/** A number for each group: groups sorted by it, ascending, are in the order of the field. Nulls are Infinity, so that they come last in both orders. */
export type SortKey = (group: number) => number;

interface SortInput {
  readonly plan: Pick<Plan, 'query' | 'undefinedMetrics'>;
  readonly groups: Uint32Array;
  readonly dimensions: readonly DimensionValues[];
  readonly derive: (name: MetricName, by: SortValue) => (group: number) => ReportValue;
  readonly deadline: Deadline;
}

/** @returns the keys of the requested sort order, then those of all dimensions with several values, ascending, so that no two groups are equal in all keys. @throws ApiError DEADLINE_EXCEEDED */
export function sortKeys({ plan, groups, dimensions, derive, deadline }: SortInput): SortKey[] {
  const ascending = new Map(dimensions.map((dimension) => [dimension.name, rankDimension(dimension, deadline)]));
  const keys = plan.query.sort.flatMap(({ field, order, by = 'value' }) => {
    deadline.check();
    if (!isDimension(field) && plan.undefinedMetrics.has(field)) return []; // null in all groups
    const key = isDimension(field) ? ascending.get(field)?.key : metricSortKey(field, derive(field, by), groups);
    if (key === undefined) throw new RangeError(`the report sorts by ${field} but does not group by it`);
    return [order === 'ASC' ? key : descending(key)];
  });
  const varying = [...ascending.values()].filter(({ size }) => size > 1);
  return [...keys, ...varying.map(({ key }) => key)];
}

function maxOf(groups: Uint32Array): number {
  let max = 0;
  for (const group of groups) max = Math.max(max, group);
  return max;
}

function descending(key: SortKey): SortKey {
  return (group) => {
    const value = key(group);
    return value === Number.POSITIVE_INFINITY ? value : -value;
  };
}

/** Ranks only the distinct values; the rank of a group is then two look-ups. */
function rankDimension({ values, codeOf }: DimensionValues, deadline: Deadline): { key: SortKey; size: number } {
  deadline.check();
  const { ranks, size } = rankValues(values);
  return { key: (group) => ranks[codeOf(group)] ?? Number.POSITIVE_INFINITY, size };
}

function metricSortKey(name: MetricName, read: (group: number) => ReportValue, groups: Uint32Array): SortKey {
  const { type, kind } = metricOf(name);
  const last = maxOf(groups);
  if (kind === 'attribute' && (type === 'text' || type === 'date')) {
    const values = new Array<ReportValue>(last + 1);
    for (const group of groups) {
      values[group] = read(group);
    }
    const { ranks } = rankValues(values);
    return (group) => ranks[group] ?? Number.POSITIVE_INFINITY;
  }
  const keys = new Float64Array(last + 1);
  for (const group of groups) {
    const value = read(group);
    keys[group] = typeof value === 'number' ? value : Number.POSITIVE_INFINITY;
  }
  return (group) => keys[group] ?? 0; // only groups of `groups` are sorted
}

/** @returns the rank of each value among the distinct values (text by code point, numbers by size), Infinity for null; and the number of distinct values */
function rankValues(values: readonly (ReportValue | undefined)[]): { ranks: Float64Array; size: number } {
  const distinct = sortKeyValues([...new Set(values.map((value) => value ?? null))]);
  const rankOf = new Map(distinct.map((value, rank) => [value, value === null ? Number.POSITIVE_INFINITY : rank]));
  const ranks = Float64Array.from(values, (value) => rankOf.get(value ?? null) as number); // each value has a rank
  return { ranks, size: distinct.length };
}
