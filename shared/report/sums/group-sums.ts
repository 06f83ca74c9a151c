import type { ExactInteger } from './exact-numbers.ts';

/** The sum of each group is `doubles[group]`, plus `bigints[group]` where a quantity has exceeded 2^53. All doubles together are within ±2^53. */
export interface GroupSums {
  readonly doubles: Float64Array;
  readonly bigints?: ReadonlyMap<number, bigint>;
}

/** The sums of what was not summed: 0 for every group. */
export const NO_SUMS: GroupSums = { doubles: new Float64Array(0) };

/** @returns a function that returns the exact sum of a group */
export function exactSums({ doubles, bigints }: GroupSums): (group: number) => ExactInteger {
  if (bigints === undefined) return (group) => doubles[group] ?? 0;
  return (group) => toExact((bigints.get(group) ?? 0n) + BigInt(doubles[group] ?? 0));
}

/** @returns the sum over all the given groups, as that of group 1 */
export function foldSums({ doubles, bigints }: GroupSums, groups: Uint32Array): GroupSums {
  let sum = 0;
  for (let i = 0; i < groups.length; i++) sum += doubles[groups[i] ?? 0] ?? 0;
  const folded = { doubles: Float64Array.of(0, sum) };
  if (bigints === undefined) return folded;
  return {
    ...folded,
    bigints: new Map([[1, groups.reduce((total, group) => total + (bigints.get(group) ?? 0n), 0n)]]),
  };
}

/** @returns the exact sum over all the given groups */
export function sumOver(sums: GroupSums, groups: Uint32Array): ExactInteger {
  return exactSums(foldSums(sums, groups))(1);
}

function toExact(sum: bigint): ExactInteger {
  const double = Number(sum);
  return Number.isSafeInteger(double) ? double : sum;
}
