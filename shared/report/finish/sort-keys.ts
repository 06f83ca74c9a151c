import { isDimension } from '../../catalog/dimensions.ts';
import { type MetricName, metricOf } from '../../catalog/metrics.ts';
import { compareKeys } from '../../columns/dictionary.ts';
import { KeyMap } from '../../columns/key-map.ts';
import { hasSurrogate } from '../../lib/compare-text.ts';
import type { Deadline } from '../../lib/deadline.ts';
import type { ReportMemory } from '../guard/report-memory.ts';
import type { Plan } from '../plan/plan-report.ts';
import type { ReportValue } from '../query/query.ts';
import type { DimensionValues } from './dimension-values.ts';

/** A number for each group: groups sorted by it, ascending, are in the order of the field. Nulls are Infinity, so that they come last in both orders. */
export type SortKey = (group: number) => number;

/** Memory per group of what a metric is sorted by, and per value of its rank. */
const KEY_BYTES = 8;
/** Memory per value while distinct values are ranked: their indices, and what sorting these takes. */
const ORDER_BYTES = 24;
/** The same where values may repeat: a place in a map and in a list. */
const DISTINCT_BYTES = 120;
/** More dimension keys than this are combined into fewer: groups may be equal in all but the last, and then each comparison reads all of them. */
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
 * @returns the keys of the requested sort order, then of all dimensions with several values, ascending, so that no two groups are equal in all keys
 * @throws ApiError 422 where they do not fit into memory; DEADLINE_EXCEEDED
 */
export function sortKeys({ plan, groups, dimensions, derive, memory, deadline }: SortInput): SortKey[] {
  const ascending = new Map(
    dimensions.map((dimension) => [dimension.name, rankDimension(dimension, memory, deadline)]),
  );
  const input = { groups, last: maxOf(groups), memory, deadline };
  const metricKey = (name: MetricName) => metricSortKey(name, derive(name), input);
  const keys = plan.query.sort.flatMap(({ field, order }) => {
    if (!isDimension(field) && plan.undefinedMetrics.has(field)) return []; // null in all groups
    const key = isDimension(field) ? ascending.get(field)?.key : metricKey(field);
    if (key === undefined) throw new RangeError(`the report sorts by ${field} but does not group by it`);
    return [order === 'ASC' ? key : descending(key)];
  });
  const varying = [...ascending.values()].filter(({ size }) => size > 1);
  if (varying.length <= MAX_DIMENSION_KEYS) return [...keys, ...varying.map(({ key }) => key)];
  return [...keys, ...combineKeys(varying, input)];
}

/** What keys with a number for each group are made with. */
interface KeyInput extends Pick<SortInput, 'groups' | 'memory' | 'deadline'> {
  /** The largest of `groups`. */
  readonly last: number;
}

function maxOf(groups: Uint32Array): number {
  let max = 0;
  for (const group of groups) max = Math.max(max, group);
  return max;
}

/** A sort key with the ranks from 0, and Infinity for null. */
interface RankedDimension {
  readonly key: SortKey;
  /** The number of distinct values, null included. */
  readonly size: number;
}

/** @returns fewer keys of the same order: numbers whose digits are the ranks of the dimensions, with null as the largest digit */
function combineKeys(dimensions: readonly RankedDimension[], { groups, last, memory, deadline }: KeyInput): SortKey[] {
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
function rankDimension(
  { values, areDistinct, codeOf }: DimensionValues,
  memory: ReportMemory,
  deadline: Deadline,
): RankedDimension {
  const { ranks, size } = areDistinct ? rankDistinct(values, memory, deadline) : rankRepeated(values, memory, deadline);
  return { key: (group) => ranks[codeOf(group)] ?? Number.POSITIVE_INFINITY, size };
}

function metricSortKey(
  name: MetricName,
  read: (group: number) => ReportValue,
  { groups, last, memory, deadline }: KeyInput,
): SortKey {
  const { type, kind } = metricOf(name);
  memory.hold(KEY_BYTES * (last + 1));
  if (kind === 'attribute' && (type === 'text' || type === 'date')) {
    memory.hold(KEY_BYTES * (last + 1)); // the values and their ranks
    const values = new Array<ReportValue>(last + 1);
    for (const group of groups) {
      deadline.spend();
      values[group] = read(group);
    }
    const { ranks } = rankRepeated(values, memory, deadline);
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

/** The rank of each value among the distinct values (text by code point, numbers by size); Infinity for null. */
interface Ranks {
  readonly ranks: Float64Array;
  /** The number of distinct values, null included. */
  readonly size: number;
}

/** @param values of which no two are equal, except null */
function rankDistinct(values: readonly ReportValue[], memory: ReportMemory, deadline: Deadline): Ranks {
  memory.hold(values.length * (KEY_BYTES + ORDER_BYTES));
  const compare = orderOf(values, deadline);
  const present = Uint32Array.from(values.keys()).filter((i) => values[i] !== null);
  const ranks = new Float64Array(values.length).fill(Number.POSITIVE_INFINITY);
  // indices are in range
  present
    .sort((a, b) => compare(values[a] as ReportValue, values[b] as ReportValue))
    .forEach((i, rank) => {
      ranks[i] = rank;
    });
  memory.hold(-values.length * ORDER_BYTES);
  return { ranks, size: present.length + (present.length < values.length ? 1 : 0) };
}

function rankRepeated(values: readonly (ReportValue | undefined)[], memory: ReportMemory, deadline: Deadline): Ranks {
  const rankOf = new KeyMap<number>();
  const present: ReportValue[] = [];
  for (const value of values) {
    deadline.spend();
    if (rankOf.has(value ?? null)) continue;
    rankOf.set(value ?? null, Number.POSITIVE_INFINITY);
    if (value !== null && value !== undefined) present.push(value);
  }
  const bytes = rankOf.size * DISTINCT_BYTES;
  memory.hold(bytes + values.length * KEY_BYTES);
  for (const [rank, value] of present.sort(orderOf(present, deadline)).entries()) rankOf.set(value, rank);
  const ranks = Float64Array.from(values, (value) => {
    deadline.spend();
    return rankOf.get(value ?? null) ?? Number.POSITIVE_INFINITY;
  });
  memory.hold(-bytes);
  return { ranks, size: rankOf.size };
}

/** @returns the order of the values, which counts as work */
function orderOf(values: readonly ReportValue[], deadline: Deadline): (a: ReportValue, b: ReportValue) => number {
  const isPlain = values.every((value) => value === null || (typeof value === 'string' && !hasSurrogate(value)));
  return (a, b) => {
    deadline.spend();
    if (!isPlain) return compareKeys(a, b);
    return String(a) < String(b) ? -1 : 1; // JavaScript's own comparison is faster for long texts
  };
}
