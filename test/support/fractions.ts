import type { Fraction } from '../oracle/sql/nearest-double.ts';

/** @returns whether `a` is at least as near to the fraction as `b` is; both are positive and normal */
export function isAtLeastAsNear(fraction: Fraction, a: number, b: number): boolean {
  const [own, other] = [distance(fraction, exactValueOf(a)), distance(fraction, exactValueOf(b))];
  return own.numerator * other.denominator <= other.numerator * own.denominator;
}

/** @returns the two doubles next to a positive one */
export function neighbours(double: number): number[] {
  const bits = bitsOf(double);
  return [bits - 1n, bits + 1n].map((neighbour) => new Float64Array(BigUint64Array.of(neighbour).buffer)[0] ?? 0);
}

/** @returns the 64 bits of the double, the mantissa in the lowest ones */
export function bitsOf(double: number): bigint {
  return new BigUint64Array(Float64Array.of(double).buffer)[0] ?? 0n;
}

function exactValueOf(double: number): Fraction {
  const bits = bitsOf(double);
  const exponent = (bits >> 52n) - 1075n;
  const mantissa = (bits & (2n ** 52n - 1n)) | (2n ** 52n);
  return exponent < 0n
    ? { numerator: mantissa, denominator: 2n ** -exponent }
    : { numerator: mantissa * 2n ** exponent, denominator: 1n };
}

/** @returns |a - b| */
function distance(a: Fraction, b: Fraction): Fraction {
  const difference = a.numerator * b.denominator - b.numerator * a.denominator;
  return { numerator: difference < 0n ? -difference : difference, denominator: a.denominator * b.denominator };
}
