import type { MeasureData, Values } from '../../columns/column.ts';
import { toTable } from '../../columns/measures.ts';
import type { ExactInteger } from './exact-numbers.ts';

/**
 * Large sums are split into a low part, smaller than this per value, and a high part in multiples of this. 2^23 low parts add up to less than 2^53, and before
 * there are more, their sums are carried to the high parts, which are exact for sums below 2^83: 2^30 of the largest values.
 */
export const HIGH_UNIT = 2 ** 30;

/** The sum of each group is `low[group]`, plus `high[group]` × 2^30 where there is a high part. */
export interface GroupSums {
  readonly low: Float64Array;
  readonly high?: Float64Array;
}

/** The sums of what was not summed: 0 for every group. */
export const NO_SUMS: GroupSums = { low: new Float64Array(0) };

/** @returns a function that returns the exact sum of a group */
export function exactSums({ low, high }: GroupSums): (group: number) => ExactInteger {
  if (high === undefined) return (group) => low[group] ?? 0;
  return (group) => joinParts(low[group] ?? 0, high[group] ?? 0);
}

/** @returns the sum over all the given groups, as that of group 1 */
export function foldSums({ low, high }: GroupSums, groups: Uint32Array): GroupSums {
  let [lowSum, highSum] = [0, 0];
  // without high parts, the sums of any groups together are within ±2^53; NO_SUMS has none
  if (high === undefined) {
    for (let i = 0; i < groups.length; i++) lowSum += low[groups[i] as number] ?? 0;
    return { low: Float64Array.of(0, lowSum) };
  }
  for (let i = 0; i < groups.length; i++) {
    const sum = low[groups[i] as number] as number;
    lowSum += lowPart(sum);
    highSum += (high[groups[i] as number] as number) + highPart(sum);
    if (Math.abs(lowSum) > Number.MAX_SAFE_INTEGER - HIGH_UNIT) {
      highSum += highPart(lowSum);
      lowSum = lowPart(lowSum);
    }
  }
  return { low: Float64Array.of(0, lowSum), high: Float64Array.of(0, highSum) };
}

/** @returns the exact sum over all the given groups */
export function sumOver(sums: GroupSums, groups: Uint32Array): ExactInteger {
  return exactSums(foldSums(sums, groups))(1);
}

function joinParts(low: number, high: number): ExactInteger {
  const sum = high * HIGH_UNIT + low;
  return Math.abs(sum) <= Number.MAX_SAFE_INTEGER ? sum : BigInt(high) * BigInt(HIGH_UNIT) + BigInt(low);
}

/** @returns the low and the high parts of the column's values, which are summed separately */
export function splitMeasure(data: MeasureData): { readonly low: MeasureData; readonly high: MeasureData } {
  return { low: mapMeasure(data, lowPart), high: mapMeasure(data, highPart) };
}

/** Has the sign of the value, as the high part has. */
export function lowPart(value: number): number {
  return value % HIGH_UNIT;
}

export function highPart(value: number): number {
  return Math.trunc(value / HIGH_UNIT);
}

function mapMeasure(data: MeasureData, part: (value: number) => number): MeasureData {
  return data.kind === 'constant'
    ? { ...data, value: part(data.value) }
    : { ...data, values: mapValues(data.values, part) };
}

function mapValues(values: Values, part: (value: number) => number): Values {
  if (values instanceof Float64Array) return values.map(part);
  const { codes, table } = toTable(values);
  return { codes, table: table.map(part) };
}
