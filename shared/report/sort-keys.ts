import { isDimension } from '../catalog/dimensions.ts';
import { type MetricName, metric } from '../catalog/metrics.ts';
import { compareKeys } from '../columns/dictionary.ts';
import type { Accumulators } from './accumulate.ts';
import { type DeriveContext, deriveMetric } from './derive-metrics.ts';
import type { DimensionValues } from './dimension-values.ts';
import type { ReportQuery, ReportValue } from './query.ts';

/** One number a group: sorting by it, ascending, sorts by the field. Nulls are Infinity: last in both orders. */
export type SortKey = Float64Array;

/** @returns the keys of the asked order, then of all dimensions ascending, so that no two groups tie. */
export function sortKeys(
  query: ReportQuery,
  groups: Uint32Array,
  dimensions: readonly DimensionValues[],
  facts: Accumulators,
  context: DeriveContext,
): SortKey[] {
  const count = groups.reduce((most, group) => Math.max(most, group), 0) + 1;
  const ranks = new Map(dimensions.map((dimension) => [dimension.name, rankGroups(dimension, groups, count)]));
  const keys: SortKey[] = [];
  for (const { field, order } of query.sort) {
    if (isDimension(field)) keys.push(rankSortKey(ranks.get(field) ?? new Float64Array(count), order));
    else keys.push(metricSortKey(field, order, groups, count, deriveMetric(field, facts, context)));
  }
  return [...keys, ...ranks.values()];
}

function rankGroups({ values, codeOf }: DimensionValues, groups: Uint32Array, count: number): Float64Array {
  const rankOfCode = rankValues(values);
  const ranks = new Float64Array(count);
  for (const group of groups) ranks[group] = rankOfCode[codeOf(group)] ?? Number.POSITIVE_INFINITY;
  return ranks;
}

function metricSortKey(
  name: MetricName,
  order: 'ASC' | 'DESC',
  groups: Uint32Array,
  count: number,
  read: (group: number) => ReportValue,
): SortKey {
  const values = new Array<ReportValue>(count).fill(null);
  for (const group of groups) values[group] = read(group);
  const { type } = metric(name);
  if (type === 'integer' || type === 'decimal') return numberSortKey(values, order);
  return rankSortKey(rankValues(values), order);
}

/** @returns a sort key of numbers; `values` by group number, index 0 unused. */
function numberSortKey(values: readonly ReportValue[], order: 'ASC' | 'DESC'): SortKey {
  const sign = order === 'ASC' ? 1 : -1;
  return Float64Array.from(values, (value) => (typeof value === 'number' ? sign * value : Number.POSITIVE_INFINITY));
}

/** @returns for each value its place among the distinct values (text by code unit, numbers by size), Infinity for null. */
function rankValues(values: readonly ReportValue[]): Float64Array {
  const distinct = [...new Set(values)].filter((value) => value !== null).sort(compareKeys);
  const rank = new Map<ReportValue, number>(distinct.map((value, i) => [value, i]));
  return Float64Array.from(values, (value) => (value === null ? Number.POSITIVE_INFINITY : (rank.get(value) ?? 0)));
}

/** @returns the sort key of ranks in the given order. */
function rankSortKey(ranks: Float64Array, order: 'ASC' | 'DESC'): SortKey {
  return order === 'ASC' ? ranks : ranks.map((rank) => (rank === Number.POSITIVE_INFINITY ? rank : -rank));
}
