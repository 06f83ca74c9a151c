import { LARGEST_MEASURES, type Measure } from '../catalog/tables.ts';
import type { ShopperData } from './column.ts';

// In functions with `order`, it holds row numbers, and `groups` the index in `order` at which each group of equal rows begins, and at last the length of
// `order`: every index is in range. In the others, `groups` holds the number of each row's group.

/** @returns the sum of each measure per group; the largest value for LARGEST_MEASURES */
export function sumMeasures(
  measures: ReadonlyMap<Measure, Float64Array>,
  order: Uint32Array,
  groups: Uint32Array,
): Map<Measure, Float64Array> {
  return new Map(
    [...measures].map(([name, values]) => {
      return [name, LARGEST_MEASURES.has(name) ? largestOfRows(values, order, groups) : sumRows(values, order, groups)];
    }),
  );
}

/** @returns whether doubles are exact for the sum of any rows: the absolute values of all add up to less than 2^53, which rounding never hides */
export function areExact(measures: ReadonlyMap<Measure, Float64Array>): boolean {
  for (const values of measures.values()) {
    let size = 0;
    for (let i = 0; i < values.length; i++) size += Math.abs(values[i] ?? 0);
    if (size > Number.MAX_SAFE_INTEGER) return false;
  }
  return true;
}

/** @returns the groups, each split wherever the sum of a measure would reach 2^53 or -2^53 */
export function splitLargeSums(
  measures: ReadonlyMap<Measure, Float64Array>,
  order: Uint32Array,
  groups: Uint32Array,
): Uint32Array {
  const columns = [...measures.values()];
  const sums = new Float64Array(columns.length);
  const starts: number[] = [];
  let group = 0;
  for (let i = 0; i < order.length; i++) {
    const row = order[i] ?? 0;
    const isFirst = groups[group] === i;
    if (isFirst) group++;
    if (
      isFirst ||
      columns.some((values, c) => Math.abs((sums[c] ?? 0) + (values[row] ?? 0)) > Number.MAX_SAFE_INTEGER)
    ) {
      starts.push(i);
      sums.fill(0);
    }
    columns.forEach((values, c) => {
      sums[c] = (sums[c] ?? 0) + (values[row] ?? 0);
    });
  }
  return Uint32Array.from([...starts, order.length]);
}

function sumRows(values: Float64Array, order: Uint32Array, groups: Uint32Array): Float64Array {
  const sums = new Float64Array(groups.length - 1);
  if (sums.length === order.length) {
    for (let row = 0; row < sums.length; row++) sums[row] = values[order[row] ?? 0] ?? 0;
    return sums;
  }
  for (let row = 0; row < sums.length; row++) {
    let sum = 0;
    const end = groups[row + 1] ?? 0;
    for (let i = groups[row] ?? 0; i < end; i++) sum += values[order[i] ?? 0] ?? 0;
    sums[row] = sum;
  }
  return sums;
}

function largestOfRows(values: Float64Array, order: Uint32Array, groups: Uint32Array): Float64Array {
  const largest = new Float64Array(groups.length - 1);
  for (let row = 0; row < largest.length; row++) {
    const end = groups[row + 1] ?? 0;
    for (let i = groups[row] ?? 0; i < end; i++) largest[row] = Math.max(largest[row] ?? 0, values[order[i] ?? 0] ?? 0);
  }
  return largest;
}

/** @returns the distinct shoppers of each group, ascending */
export function uniteShoppers(shoppers: ShopperData, order: Uint32Array, groups: Uint32Array): ShopperData {
  const rows = groups.length - 1;
  const offsets = new Uint32Array(rows + 1);
  if (shoppers.hashes.length === 0) return { rows, offsets, hashes: shoppers.hashes };
  const hashes = new Float64Array(shoppers.hashes.length);
  let length = 0;
  for (let row = 0; row < rows; row++) {
    const from = length;
    for (let i = groups[row] ?? 0; i < (groups[row + 1] ?? 0); i++) {
      const source = order[i] ?? 0;
      const end = shoppers.offsets[source + 1] ?? 0;
      for (let at = shoppers.offsets[source] ?? 0; at < end; at++) hashes[length++] = shoppers.hashes[at] ?? 0;
    }
    length = from + sortDistinct(hashes, from, length);
    offsets[row + 1] = length;
  }
  return { rows, offsets, hashes: hashes.subarray(0, length) };
}

/** Sorts the values [from, to) in place and moves the distinct ones to the front. @returns how many are distinct */
function sortDistinct(values: Float64Array, from: number, to: number): number {
  if (to - from < 2) return to - from;
  values.subarray(from, to).sort();
  let end = from + 1;
  for (let i = from + 1; i < to; i++) {
    if (values[i] !== values[end - 1]) values[end++] = values[i] ?? 0;
  }
  return end - from;
}
