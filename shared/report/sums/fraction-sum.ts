import { add as addExact, divide as divideExact, type ExactInteger, type Fraction, multiply } from './exact-numbers.ts';

/** Bits after the binary point of the bounds of a sum of several fractions, whose common denominator may have thousands of digits. */
const BOUND_BITS = 128n;

/** An exact sum of fractions of integers. Nothing is rounded before the one division at the end. */
export class FractionSum {
  /** The sum of numerators by denominator. */
  readonly #numerators = new Map<ExactInteger, ExactInteger>();

  /** @param denominator positive */
  add(numerator: ExactInteger, denominator: ExactInteger): void {
    this.#numerators.set(denominator, addExact(this.#numerators.get(denominator) ?? 0, numerator));
  }

  addAll(other: FractionSum): void {
    for (const [denominator, numerator] of other.#numerators) this.add(numerator, denominator);
  }

  /** @returns the double nearest to `dividend` / this sum; null where the sum is 0 */
  quotientOf(dividend: ExactInteger): number | null {
    return this.#round((numerator, denominator) => divideExact(multiply(dividend, denominator), numerator));
  }

  /** @returns the double nearest to this sum / `divisor`, which is not 0 */
  dividedBy(divisor: number): number | null {
    return this.#round((numerator, denominator) => divideExact(numerator, multiply(denominator, divisor)));
  }

  /** @returns `compute` of the sum as one fraction. It must be monotonic: where a lower and an upper bound give the same, so does the sum between them. */
  #round(compute: (numerator: ExactInteger, denominator: ExactInteger) => number | null): number | null {
    const fractions = [...this.#numerators];
    if (fractions.length > 1) {
      const unit = 1n << BOUND_BITS;
      const lower = fractions.reduce((sum, [under, over]) => sum + (BigInt(over) * unit) / BigInt(under), 0n); // too low by less than 1 each
      const bound = compute(lower, unit);
      if (bound === compute(lower + BigInt(fractions.length), unit)) return bound;
    }
    return compute(...this.toFraction());
  }

  /** @returns this sum as one fraction */
  toFraction(): Fraction {
    const fractions = [...this.#numerators];
    const common = fractions.reduce((multiple, [under]) => leastCommonMultiple(multiple, BigInt(under)), 1n);
    const sum = fractions.reduce((total, [under, over]) => total + BigInt(over) * (common / BigInt(under)), 0n);
    const isSmall = Number.isSafeInteger(Number(sum)) && common <= Number.MAX_SAFE_INTEGER;
    return isSmall ? [Number(sum), Number(common)] : [sum, common];
  }
}

function leastCommonMultiple(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return (a / x) * b;
}
