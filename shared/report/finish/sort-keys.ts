import { isDimension } from '../../catalog/dimensions.ts';
import { type MetricName, metricOf } from '../../catalog/metrics.ts';
import { compareKeys } from '../../columns/dictionary.ts';
import type { Deadline } from '../../lib/deadline.ts';
import type { Plan } from '../plan/plan-report.ts';
import type { ReportMemory } from '../plan/report-memory.ts';
import type { ReportValue } from '../query.ts';
import type { DimensionValues } from './dimension-values.ts';

/** A number for each group: groups sorted by it, ascending, are in the order of the field. Nulls are Infinity, so that they come last in both orders. */
export type SortKey = (group: number) => number;

/** Memory per group of what a metric is sorted by. */
const KEY_BYTES = 8;

export interface SortInput {
  readonly plan: Pick<Plan, 'query' | 'undefinedMetrics'>;
  readonly groups: Uint32Array;
  readonly dimensions: readonly DimensionValues[];
  readonly derive: (name: MetricName) => (group: number) => ReportValue;
  readonly memory: ReportMemory;
  readonly deadline: Deadline;
}

/**
 * @returns the keys of the requested sort order, then those of all dimensions ascending, so that no two groups are equal in all keys
 * @throws ApiError 422 where they do not fit into memory
 */
export function sortKeys({ plan, groups, dimensions, derive, memory, deadline }: SortInput): SortKey[] {
  const ascending = new Map(dimensions.map((dimension) => [dimension.name, dimensionSortKey(dimension, deadline)]));
  const metricKey = (name: MetricName) => metricSortKey(name, groups, derive(name), memory, deadline);
  const keys = plan.query.sort.flatMap(({ field, order }) => {
    if (!isDimension(field) && plan.undefinedMetrics.has(field)) return []; // null in all groups
    const key = isDimension(field) ? ascending.get(field) : metricKey(field);
    if (key === undefined) throw new RangeError(`the report sorts by ${field} but does not group by it`);
    return [order === 'ASC' ? key : descending(key)];
  });
  return [...keys, ...ascending.values()];
}

function descending(key: SortKey): SortKey {
  return (group) => {
    const value = key(group);
    return value === Number.POSITIVE_INFINITY ? value : -value;
  };
}

/** Ranks only the distinct values; the rank of a group is then two look-ups. */
function dimensionSortKey({ values, codeOf }: DimensionValues, deadline: Deadline): SortKey {
  const ranks = rankValues(values, deadline);
  return (group) => ranks[codeOf(group)] ?? Number.POSITIVE_INFINITY;
}

function metricSortKey(
  name: MetricName,
  groups: Uint32Array,
  read: (group: number) => ReportValue,
  memory: ReportMemory,
  deadline: Deadline,
): SortKey {
  const { type, kind } = metricOf(name);
  let last = 0;
  for (const group of groups) last = Math.max(last, group);
  memory.hold(KEY_BYTES * (last + 1));
  if (kind === 'attribute' && (type === 'text' || type === 'date')) {
    memory.hold(KEY_BYTES * (last + 1)); // the values and their ranks
    const values = new Array<ReportValue>(last + 1);
    for (const group of groups) {
      deadline.spend();
      values[group] = read(group);
    }
    const ranks = rankValues(values, deadline);
    return (group) => ranks[group] ?? Number.POSITIVE_INFINITY;
  }
  const keys = new Float64Array(last + 1);
  for (const group of groups) {
    deadline.spend();
    const value = read(group);
    keys[group] = typeof value === 'number' ? value : Number.POSITIVE_INFINITY;
  }
  return (group) => keys[group] as number; // only groups of `groups` are sorted
}

/** @returns the rank of each value among the distinct values (text by code point, numbers by size); Infinity for null */
function rankValues(values: readonly (ReportValue | undefined)[], deadline: Deadline): Float64Array {
  const distinct = new Set<ReportValue>();
  for (const value of values) {
    deadline.spend();
    if (value !== null && value !== undefined) distinct.add(value);
  }
  const sorted = [...distinct].sort((a, b) => {
    deadline.spend();
    return compareKeys(a, b);
  });
  const rank = new Map(sorted.map((value, i) => [value, i]));
  return Float64Array.from(values, (value) => {
    deadline.spend();
    return rank.get(value ?? null) ?? Number.POSITIVE_INFINITY;
  });
}
