import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { MeasureData } from '../../../shared/columns/column.ts';
import { decodeMeasure, encodeMeasure } from '../../../shared/columns/measures.ts';
import { add, divide, multiply } from '../../../shared/report/sums/exact-numbers.ts';
import { FractionSum } from '../../../shared/report/sums/fraction-sum.ts';
import { exactSums, foldSums, type GroupSums, NO_SUMS } from '../../../shared/report/sums/group-sums.ts';
import { MeasureSums } from '../../../shared/report/sums/measure-sums.ts';
import { isAtLeastAsNear, neighbours } from '../../support/fractions.ts';

const column = (values: readonly number[]): MeasureData => decodeMeasure(encodeMeasure(values), 'test');
const repeat = (value: number, times: number) => new Array<number>(times).fill(value);

/** One column of 3,000 rows of each shape. */
const SHAPES = {
  zero: repeat(0, 3_000),
  constant: repeat(7, 3_000),
  bytes: Array.from({ length: 3_000 }, (_, i) => i % 200),
  table: Array.from({ length: 3_000 }, (_, i) => [1_990_000, 0, 45_500_000][i % 3] ?? 0),
  integers: Array.from({ length: 3_000 }, (_, i) => i * 1_000_003),
  large: Array.from({ length: 3_000 }, (_, i) => 2 ** 41 + i),
  'signed bytes': Array.from({ length: 3_000 }, (_, i) => (i % 200) - 100),
  'signed integers': Array.from({ length: 3_000 }, (_, i) => (i - 2_000) * 1_000_003),
  'signed large': Array.from({ length: 3_000 }, (_, i) => (i % 2 === 0 ? -1 : 1) * (2 ** 53 - 1 - i)),
  negative: repeat(-7, 3_000),
  'sparse signed': Array.from({ length: 3_000 }, (_, i) => (i % 9 === 4 ? 100 - i : 0)),
  'sparse bytes': Array.from({ length: 3_000 }, (_, i) => (i % 9 === 4 ? i % 200 : 0)),
  'sparse integers': Array.from({ length: 3_000 }, (_, i) => (i % 9 === 4 ? i * 1_000_003 : 0)),
};
const NAMES = Object.keys(SHAPES) as (keyof typeof SHAPES)[]; // keyof the same literal

/** @returns the group of each row: 0 to 9, or the last one */
const groupsOf = (capacity: number) =>
  Uint32Array.from({ length: 3_000 }, (_, row) => (row % 11 === 10 ? capacity - 1 : row % 11));

/** @returns the sums by group, added up in bigints */
function expectedSums(groups: Uint32Array, values: readonly number[]): Map<number, bigint> {
  const sums = new Map<number, bigint>();
  groups.forEach((group, row) => {
    sums.set(group, (sums.get(group) ?? 0n) + BigInt(values[row] ?? 0));
  });
  return sums;
}

function actualSums(sums: GroupSums | undefined, groups: Uint32Array): Map<number, bigint> {
  const sumOf = exactSums(sums ?? NO_SUMS);
  return new Map([...new Set(groups)].map((group) => [group, BigInt(sumOf(group))]));
}

describe('sums of measures', () => {
  test('are exact beyond 2^53, also where a quantity exceeds it late', () => {
    const groups = groupsOf(1_000);
    const sums = new MeasureSums(['clicks', 'cost'], 1_000);
    const columns = [SHAPES.integers, ...repeat(0, 3).map(() => SHAPES.large)];
    for (const values of columns) {
      sums.addRows(groups, [
        { name: 'cost', data: column(values) },
        { name: 'clicks', data: column(SHAPES.constant) },
      ]);
    }
    sums.add('cost', 2, Number.MAX_SAFE_INTEGER);
    const taken = sums.take();
    const expected = expectedSums(
      groups,
      SHAPES.integers.map((value, row) => value + 3 * (SHAPES.large[row] ?? 0)),
    );
    expected.set(2, (expected.get(2) ?? 0n) + BigInt(Number.MAX_SAFE_INTEGER));
    expect(actualSums(taken.get('cost'), groups)).toEqual(expected);
    expect(taken.get('cost')?.bigints).toBeDefined();
    expect(taken.get('clicks')?.bigints).toBeUndefined();
    const all = [...expected.values()].reduce((sum, value) => sum + value, 0n);
    const whole = foldSums(taken.get('cost') ?? NO_SUMS, new Uint32Array(new Set(groups)));
    expect(BigInt(exactSums(whole)(1))).toBe(all);
  });

  test('are exact where credits cancel what exceeds 2^53', () => {
    const max = Number.MAX_SAFE_INTEGER;
    const sums = new MeasureSums(['cost'], 3);
    const values = [max, 2, -max, 1, -max, -max];
    sums.addRows(Uint32Array.of(1, 1, 1, 2, 2, 2), [{ name: 'cost', data: column(values) }]);
    sums.add('cost', 1, -5);
    const taken = sums.take().get('cost') ?? NO_SUMS;
    expect(actualSums(taken, Uint32Array.of(1, 2))).toEqual(
      new Map([
        [1, -3n],
        [2, 1n - 2n * BigInt(max)],
      ]),
    );
    expect(exactSums(foldSums(taken, Uint32Array.of(1, 2)))(1)).toBe(-2n - 2n * BigInt(max));
  });

  test('are exact for a column whose total exceeds 2^53', () => {
    const rows = 2 ** 12 + 3;
    const groups = new Uint32Array(rows).fill(1);
    const positions = Uint32Array.from({ length: rows }, (_, row) => row);
    const codes = new Uint8Array(rows);
    const drawn = fc.record({
      value: fc.oneof(fc.maxSafeInteger(), fc.constantFrom(2 ** 30 - 1, 2 ** 53 - 1, 1 - 2 ** 53)),
      kind: fc.constantFrom('constant', 'sparse', 'values'),
      earlier: fc.constantFrom(0, 1, 2 ** 53 - 1),
    });
    fc.assert(
      fc.property(drawn, ({ value, kind, earlier }) => {
        const sums = new MeasureSums(['cost'], 2);
        sums.add('cost', 1, earlier);
        const values = { codes, table: new Float64Array(256).fill(value) };
        const data = { rows, size: Math.abs(value) * rows, kind, value, values, positions } as MeasureData;
        sums.addRows(groups, [{ name: 'cost', data }]);
        sums.addRows(Uint32Array.of(1), [
          { name: 'cost', data: { kind: 'constant', rows: 1, size: Math.abs(value), value } },
        ]);
        expect(actualSums(sums.take().get('cost'), Uint32Array.of(1)).get(1)).toBe(
          BigInt(value) * BigInt(rows + 1) + BigInt(earlier),
        );
      }),
      { numRuns: 6, seed: 7 },
    );
  });

  test('are exact for any shapes of columns, while bounds and the capacity grow', () => {
    const names = ['a', 'b', 'c', 'd'] as const;
    const groups = groupsOf(12);
    const known = new Map(
      NAMES.map((shape) => [shape, { data: column(SHAPES[shape]), sums: expectedSums(groups, SHAPES[shape]) }]),
    );
    const drawn = fc.record({
      shapes: fc.array(fc.constantFrom(...NAMES), { minLength: 4, maxLength: 4 }),
      bound: fc.constantFrom(0, 0, 2 ** 31, 2 ** 32, 2 ** 53),
      capacity: fc.constantFrom(12, 500, 210_000),
    });
    fc.assert(
      fc.property(fc.array(drawn, { minLength: 1, maxLength: 5 }), (steps) => {
        const sums = new MeasureSums(names, 12);
        const expected = names.map(() => new Map([...groups].map((group) => [group, 0n])));
        let reserved = 12;
        for (const { shapes, bound, capacity } of steps) {
          reserved = Math.max(reserved, capacity);
          sums.reserve(reserved);
          const columns = names.flatMap((name, i) => {
            const shape = known.get(shapes[i] ?? 'zero');
            for (const [group, sum] of shape?.sums ?? []) expected[i]?.set(group, (expected[i].get(group) ?? 0n) + sum);
            return shape === undefined
              ? []
              : [{ name, data: { ...shape.data, size: Math.max(bound, shape.data.size) } }];
          });
          sums.addRows(groups, columns);
        }
        const taken = sums.take();
        for (const [i, name] of names.entries()) expect(actualSums(taken.get(name), groups)).toEqual(expected[i]);
      }),
      { numRuns: 25, seed: 7 },
    );
  });
});

const anyInteger = fc.oneof(
  fc.bigInt({ min: 1n, max: 2n ** 20n }),
  fc.bigInt({ min: 2n ** 52n, max: 2n ** 54n }),
  fc.bigInt({ min: 1n, max: 2n ** 90n }),
);
const exact = (value: bigint) =>
  value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER ? Number(value) : value;

describe('divide', () => {
  test('returns the double nearest to the quotient, however large the integers are', () => {
    fc.assert(
      fc.property(anyInteger, anyInteger, (n, d) => {
        const quotient = divide(exact(n), exact(d)) ?? 0;
        expect([divide(exact(-n), exact(d)), divide(exact(n), exact(-d))]).toEqual([-quotient, -quotient]);
        expect(divide(exact(-n), exact(-d))).toBe(quotient);
        for (const other of neighbours(quotient)) {
          expect(isAtLeastAsNear({ numerator: n, denominator: d }, quotient, other)).toBe(true);
        }
      }),
      { numRuns: 2_000, seed: 9 },
    );
  });

  test('returns null where the denominator is 0', () => {
    expect([divide(1, 0), divide(2n ** 60n, 0), divide(0, 5), divide(0, 2n ** 60n)]).toEqual([null, null, 0, 0]);
    expect([divide(0, -5), divide(0, -(2n ** 60n))]).toEqual([0, 0]); // not -0
  });
});

test('products and sums stay exact beyond 2^53', () => {
  expect(multiply(2 ** 52, 3)).toBe(3n * 2n ** 52n);
  expect(multiply(2 ** 51, 3)).toBe(3 * 2 ** 51);
  expect(add(Number.MAX_SAFE_INTEGER, 2)).toBe(2n ** 53n + 1n);
  expect(add(2n ** 60n, 1)).toBe(2n ** 60n + 1n);
  expect(multiply(-(2 ** 52), 3)).toBe(-3n * 2n ** 52n);
  expect(add(-Number.MAX_SAFE_INTEGER, -2)).toBe(-(2n ** 53n) - 1n);
});

test('sums of fractions give the same quotient in any order', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.maxSafeNat(), fc.integer({ min: 1, max: 732 })), { minLength: 1, maxLength: 40 }),
      fc.maxSafeInteger(),
      (fractions, dividend) => {
        const [forwards, backwards] = [new FractionSum(), new FractionSum()];
        for (const [numerator, denominator] of fractions) forwards.add(numerator, denominator);
        for (const [numerator, denominator] of fractions.toReversed()) backwards.add(numerator, denominator);
        const common = fractions.reduce((product, [, denominator]) => product * BigInt(denominator), 1n);
        const sum = fractions.reduce((total, [n, d]) => total + (BigInt(n) * common) / BigInt(d), 0n);
        expect(forwards.quotientOf(dividend)).toBe(divide(BigInt(dividend) * common, sum));
        expect(backwards.quotientOf(dividend)).toBe(forwards.quotientOf(dividend));
      },
    ),
    { numRuns: 500, seed: 9 },
  );
});

/** The bounds of the sum round the quotient to different doubles here, so that only the exact sum gives the right one. */
test('sums of many fractions round a quotient half-way between two doubles to the even one', () => {
  for (const quotient of [2n ** 53n + 1n, 2n ** 53n + 3n]) {
    const sum = new FractionSum();
    for (let denominator = 1; denominator <= 12; denominator++) sum.add(denominator, denominator);
    expect(sum.quotientOf(12n * quotient)).toBe(Number(quotient));
  }
});
