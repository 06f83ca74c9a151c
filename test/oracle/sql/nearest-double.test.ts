import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dataset } from '../../support/facts.ts';
import { bitsOf, isAtLeastAsNear, neighbours } from '../../support/fractions.ts';
import { openOracle } from './duckdb.ts';
import { nearestDouble, nearestQuotient, parseFractions } from './nearest-double.ts';

const positive = fc.bigInt({ min: 1n, max: 2n ** 120n });
const fractions = fc.record({ numerator: positive, denominator: positive });

describe('the nearest double', () => {
  test('is not farther from the fraction than its neighbours, and is even where a neighbour is equally near', () => {
    fc.assert(
      fc.property(fractions, (fraction) => {
        const double = nearestDouble(fraction);
        for (const neighbour of neighbours(double)) {
          expect(isAtLeastAsNear(fraction, double, neighbour)).toBe(true);
          if (isAtLeastAsNear(fraction, neighbour, double)) expect(bitsOf(double) % 2n).toBe(0n);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['resolves a tie to the even double', 2n ** 53n + 1n, 1n, 2 ** 53],
    ['is decided by a tiny remainder above a tie', (2n ** 53n + 1n) * 10n ** 30n + 1n, 10n ** 30n, 2 ** 53 + 2],
    ['is zero for zero', 0n, 7n, 0],
    ['is symmetric for negative fractions', -(2n ** 53n + 3n), 1n, -(2 ** 53 + 4)],
    ['rounds an integer beyond 2^63 once', 2n ** 63n + 1025n, 1n, 2 ** 63 + 2048],
  ])('%s', (_, numerator, denominator, expected) => {
    expect(nearestDouble({ numerator, denominator })).toBe(expected);
  });
});

describe('quotients', () => {
  test('of sums of fractions are rounded only once', () => {
    expect(parseFractions('5/7+10/31')).toEqual({ numerator: 225n, denominator: 217n });
    expect(nearestQuotient(parseFractions('1'), parseFractions('1/3+1/3+1/3'))).toBe(1);
    expect(nearestQuotient(parseFractions('1'), parseFractions('0/7'))).toBe(null);
    expect(nearestQuotient(parseFractions('-1'), parseFractions('-8'))).toBe(0.125);
    expect(nearestQuotient(parseFractions('1'), parseFractions('-8'))).toBe(-0.125);
  });

  test('are the nearest double in SQL, too, even of sums beyond 2^63, and null if an argument is null or the divisor is 0', async () => {
    const oracle = await openOracle(dataset({}));
    const sum = '(SELECT sum(x) FROM (VALUES (9007199254740993::BIGINT), (9223372036854775807::BIGINT)) t(x))';
    const [row] = await oracle.rows(
      `SELECT quotient(${sum}::VARCHAR, '3') AS a, quotient(NULL, '3') AS b, quotient('1', '0') AS c, quotient('1', NULL) AS d`,
    );
    oracle.close();
    const expected = nearestDouble({ numerator: 9007199254740993n + 2n ** 63n - 1n, denominator: 3n });
    expect(row).toEqual({ a: expected, b: null, c: null, d: null });
  });
});
