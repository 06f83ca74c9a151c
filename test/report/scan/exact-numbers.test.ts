import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { add, divide, multiply } from '../../../shared/report/sums/exact-numbers.ts';
import { FractionSum } from '../../../shared/report/sums/fraction-sum.ts';
import { isAtLeastAsNear, neighbours } from '../../support/fractions.ts';

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
