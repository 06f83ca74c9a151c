/** An exact integer: a number within ±2^53, or a bigint. */
export type ExactInteger = number | bigint;

/** An exact quotient; one whose denominator is 0 has no value. */
export type Fraction = readonly [numerator: ExactInteger, denominator: ExactInteger];
export const NO_VALUE: Fraction = [0, 0];

/** @returns the product, exactly */
export function multiply(a: ExactInteger, b: ExactInteger): ExactInteger {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b;
    if (Math.abs(product) <= Number.MAX_SAFE_INTEGER) return product;
  }
  return BigInt(a) * BigInt(b);
}

export function add(a: ExactInteger, b: ExactInteger): ExactInteger {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (Math.abs(sum) <= Number.MAX_SAFE_INTEGER) return sum;
  }
  return BigInt(a) + BigInt(b);
}

/** @returns the difference, exactly */
export function subtract(a: ExactInteger, b: ExactInteger): ExactInteger {
  return add(a, -b);
}

/** @returns the double nearest to the quotient of the two integers (rounded once); null where the denominator is 0 */
export function divide(numerator: ExactInteger, denominator: ExactInteger): number | null {
  if (typeof numerator === 'number' && typeof denominator === 'number') {
    return denominator === 0 ? null : numerator / denominator + 0; // never -0
  }
  const divisor = BigInt(denominator);
  if (divisor === 0n) return null;
  const dividend = BigInt(numerator);
  const quotient = divideBig(absolute(dividend), absolute(divisor));
  return dividend < 0n === divisor < 0n ? quotient : 0 - quotient;
}

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** The minimum number of bits of the integer quotient: more than the 53 bits of a double and the bit that decides the rounding. */
const QUOTIENT_BITS = 64;

/**
 * Scales the quotient by a power of two to an integer of at least 64 bits, whose lowest bit is set if there is a remainder. Converting that integer
 * to a double rounds the quotient correctly, and dividing it by the power of two is exact.
 */
function divideBig(numerator: bigint, denominator: bigint): number {
  const shift = Math.max(0, QUOTIENT_BITS + bitLength(denominator) - bitLength(numerator));
  const scaled = numerator << BigInt(shift);
  const quotient = scaled / denominator;
  return Number(scaled % denominator === 0n ? quotient : quotient | 1n) / 2 ** shift;
}

function bitLength(value: bigint): number {
  return value.toString(2).length;
}
