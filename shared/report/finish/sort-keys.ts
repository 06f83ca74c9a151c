import { isDimension } from '../../catalog/dimensions.ts';
import { type MetricName, metricOf } from '../../catalog/metrics.ts';
import { compareKeys } from '../../columns/dictionary.ts';
import { hasSurrogate } from '../../lib/compare-text.ts';
import type { Deadline } from '../../lib/deadline.ts';
import type { Plan } from '../plan/plan-report.ts';
import type { ReportMemory } from '../plan/report-memory.ts';
import type { ReportValue } from '../query.ts';
import type { DimensionValues } from './dimension-values.ts';

/** A number for each group: groups sorted by it, ascending, are in the order of the field. Nulls are Infinity, so that they come last in both orders. */
export type SortKey = (group: number) => number;

/** Memory per group of what a metric is sorted by. */
const KEY_BYTES = 8;
/** More keys of dimensions are combined, because groups may be equal in all but the last. */
const MAX_DIMENSION_KEYS = 8;

export interface SortInput {
  readonly plan: Pick<Plan, 'query' | 'undefinedMetrics'>;
  readonly groups: Uint32Array;
  readonly dimensions: readonly DimensionValues[];
  readonly derive: (name: MetricName) => (group: number) => ReportValue;
  readonly memory: ReportMemory;
  readonly deadline: Deadline;
}

/**
 * @returns the keys of the requested sort order, then those of all dimensions ascending, so that no two groups are equal in all keys. Dimensions with one value
 * have none.
 * @throws ApiError 422 where they do not fit into memory
 */
export function sortKeys({ plan, groups, dimensions, derive, memory, deadline }: SortInput): SortKey[] {
  const ascending = new Map(dimensions.map((dimension) => [dimension.name, rankDimension(dimension, deadline)]));
  const metricKey = (name: MetricName) => metricSortKey(name, groups, derive(name), memory, deadline);
  const keys = plan.query.sort.flatMap(({ field, order }) => {
    if (!isDimension(field) && plan.undefinedMetrics.has(field)) return []; // null in all groups
    const key = isDimension(field) ? ascending.get(field)?.key : metricKey(field);
    if (key === undefined) throw new RangeError(`the report sorts by ${field} but does not group by it`);
    return [order === 'ASC' ? key : descending(key)];
  });
  const varying = [...ascending.values()].filter(({ size }) => size > 1);
  if (varying.length <= MAX_DIMENSION_KEYS) return [...keys, ...varying.map(({ key }) => key)];
  return [...keys, ...combineKeys(varying, groups, memory, deadline)];
}

/** A sort key with the ranks 0…size-1, and Infinity for null. */
interface RankedDimension {
  readonly key: SortKey;
  /** The number of distinct values, null included. */
  readonly size: number;
}

/** @returns fewer keys of the same order: numbers with the rank of each dimension as a digit */
function combineKeys(
  dimensions: readonly RankedDimension[],
  groups: Uint32Array,
  memory: ReportMemory,
  deadline: Deadline,
): SortKey[] {
  const last = groups.reduce((max, group) => Math.max(max, group), 0);
  const combined: Float64Array[] = [];
  let range = Number.POSITIVE_INFINITY;
  for (const { key, size } of dimensions) {
    range *= size;
    if (range > Number.MAX_SAFE_INTEGER) {
      memory.hold(KEY_BYTES * (last + 1));
      combined.push(new Float64Array(last + 1));
      range = size;
    }
    const numbers = combined.at(-1) as Float64Array; // the first dimension adds one
    for (const group of groups) {
      deadline.spend();
      numbers[group] = (numbers[group] as number) * size + Math.min(key(group), size - 1); // group ≤ last
    }
  }
  return combined.map((numbers) => (group) => numbers[group] as number);
}

function descending(key: SortKey): SortKey {
  return (group) => {
    const value = key(group);
    return value === Number.POSITIVE_INFINITY ? value : -value;
  };
}

/** Ranks only the distinct values; the rank of a group is then two look-ups. */
function rankDimension({ values, codeOf }: DimensionValues, deadline: Deadline): RankedDimension {
  const ranks = rankValues(values, deadline);
  return {
    key: (group) => ranks[codeOf(group)] ?? Number.POSITIVE_INFINITY,
    size: new Set(ranks).size,
  };
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
  const isPlain = [...distinct].every((value) => typeof value === 'string' && !hasSurrogate(value));
  const sorted = [...distinct].sort((a, b) => {
    deadline.spend();
    if (!isPlain) return compareKeys(a, b);
    return String(a) < String(b) ? -1 : 1; // JavaScript's own comparison is many times as fast for long texts
  });
  const rank = new Map(sorted.map((value, i) => [value, i]));
  return Float64Array.from(values, (value) => {
    deadline.spend();
    return rank.get(value ?? null) ?? Number.POSITIVE_INFINITY;
  });
}
