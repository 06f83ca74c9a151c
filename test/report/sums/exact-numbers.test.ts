import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { add, divide, multiply } from '../../../shared/report/sums/exact-numbers.ts';
import { FractionSum } from '../../../shared/report/sums/fraction-sum.ts';

const anyInteger = fc.oneof(
  fc.bigInt({ min: 1n, max: 2n ** 20n }),
  fc.bigInt({ min: 2n ** 52n, max: 2n ** 54n }),
  fc.bigInt({ min: 1n, max: 2n ** 90n }),
);
const exact = (value: bigint) => (value <= Number.MAX_SAFE_INTEGER ? Number(value) : value);

/** @returns a positive double as a fraction of integers */
function fractionOf(double: number): { above: bigint; below: bigint } {
  let below = 1n;
  let value = double;
  while (!Number.isInteger(value)) {
    value *= 2;
    below *= 2n;
  }
  return { above: BigInt(value), below };
}

/** @returns |n/d − double| as a fraction of integers */
function distance(n: bigint, d: bigint, double: number): { above: bigint; below: bigint } {
  const { above, below } = fractionOf(double);
  const difference = n * below - above * d;
  return { above: difference < 0n ? -difference : difference, below: d * below };
}

/** @returns the two doubles next to a positive one */
function neighbours(double: number): number[] {
  const bits = new BigUint64Array(new Float64Array([double]).buffer);
  const [at = 0n] = bits;
  return [at - 1n, at + 1n].map((neighbour) => new Float64Array(BigUint64Array.of(neighbour).buffer)[0] ?? 0);
}

describe('divide', () => {
  test('returns the double nearest to the quotient, however large the integers are', () => {
    fc.assert(
      fc.property(anyInteger, anyInteger, (n, d) => {
        const quotient = divide(exact(n), exact(d)) ?? 0;
        const own = distance(n, d, quotient);
        for (const other of neighbours(quotient)) {
          const further = distance(n, d, other);
          expect(own.above * further.below).toBeLessThanOrEqual(further.above * own.below);
        }
      }),
      { numRuns: 2_000, seed: 9 },
    );
  });

  test('returns null where the denominator is 0', () => {
    expect([divide(1, 0), divide(2n ** 60n, 0), divide(0, 5), divide(0, 2n ** 60n)]).toEqual([null, null, 0, 0]);
  });
});

test('products and sums stay exact beyond 2^53', () => {
  expect(multiply(2 ** 52, 3)).toBe(3n * 2n ** 52n);
  expect(multiply(2 ** 51, 3)).toBe(3 * 2 ** 51);
  expect(add(Number.MAX_SAFE_INTEGER, 2)).toBe(2n ** 53n + 1n);
  expect(add(2n ** 60n, 1)).toBe(2n ** 60n + 1n);
});

test('sums of fractions give the same quotient in any order', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.maxSafeNat(), fc.integer({ min: 1, max: 732 })), { minLength: 1, maxLength: 12 }),
      fc.maxSafeNat(),
      (fractions, dividend) => {
        const [forwards, backwards] = [new FractionSum(), new FractionSum()];
        for (const [numerator, denominator] of fractions) forwards.add(numerator, denominator);
        for (const [numerator, denominator] of fractions.toReversed()) backwards.add(numerator, denominator);
        const below = fractions.reduce((product, [, denominator]) => product * BigInt(denominator), 1n);
        const above = fractions.reduce((sum, [n, d]) => sum + (BigInt(n) * below) / BigInt(d), 0n);
        expect(forwards.quotientOf(dividend)).toBe(divide(BigInt(dividend) * below, above));
        expect(backwards.quotientOf(dividend)).toBe(forwards.quotientOf(dividend));
      },
    ),
    { numRuns: 500, seed: 9 },
  );
});
