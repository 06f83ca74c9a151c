import { add as addExact, divide as divideExact, type ExactInteger, multiply } from './exact-numbers.ts';

/** Bits after the binary point of the bounds of a sum of several fractions, whose common denominator may have thousands of digits. */
const BOUND_BITS = 128n;

/** An exact sum of fractions of integers. Nothing is rounded before the one division at the end. */
export class FractionSum {
  /** The sum of numerators by denominator. */
  readonly #numerators = new Map<number, ExactInteger>();

  /** The number of fractions that the sum consists of. */
  get size(): number {
    return this.#numerators.size;
  }

  /** @param denominator a positive integer below 2^53 */
  add(numerator: ExactInteger, denominator: number): void {
    this.#numerators.set(denominator, addExact(this.#numerators.get(denominator) ?? 0, numerator));
  }

  /** Adds all fractions of the other sum. */
  addAll(other: FractionSum): void {
    for (const [denominator, numerator] of other.#numerators) this.add(numerator, denominator);
  }

  /** @returns the double nearest to `dividend` / this sum; null where the sum is 0 */
  quotientOf(dividend: ExactInteger): number | null {
    const bounded = this.#numerators.size > 1 ? this.#boundedQuotientOf(dividend) : undefined;
    if (bounded !== undefined) return bounded;
    const [first, ...others] = this.#numerators;
    if (first === undefined) return null;
    let [denominator, numerator]: [ExactInteger, ExactInteger] = first;
    for (const [otherDenominator, otherNumerator] of others) {
      const common = leastCommonMultiple(BigInt(denominator), BigInt(otherDenominator));
      numerator =
        BigInt(numerator) * (common / BigInt(denominator)) +
        BigInt(otherNumerator) * (common / BigInt(otherDenominator));
      denominator = common;
    }
    return divideExact(multiply(dividend, denominator), numerator);
  }

  /** @returns the quotient where dividing by a lower and by an upper bound of the sum gives the same double, which is nearly always */
  #boundedQuotientOf(dividend: ExactInteger): number | undefined {
    let lower = 0n;
    for (const [denominator, numerator] of this.#numerators)
      lower += (BigInt(numerator) << BOUND_BITS) / BigInt(denominator); // too low by less than 1
    if (lower === 0n) return undefined;
    const scaled = BigInt(dividend) << BOUND_BITS;
    const quotient = divideExact(scaled, lower);
    return quotient === divideExact(scaled, lower + BigInt(this.#numerators.size))
      ? (quotient ?? undefined)
      : undefined;
  }
}

function leastCommonMultiple(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return (a / x) * b;
}
