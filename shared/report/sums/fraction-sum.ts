import { type Deadline, NO_DEADLINE } from '../../lib/deadline.ts';
import { add as addExact, divide as divideExact, type ExactInteger, multiply } from './exact-numbers.ts';

/** An exact sum of fractions of integers. Nothing is rounded before the one division at the end. */
export class FractionSum {
  /** The sum of numerators by denominator. */
  readonly #numerators = new Map<number, ExactInteger>();

  /** @param denominator a positive integer below 2^53 */
  add(numerator: ExactInteger, denominator: number): void {
    this.#numerators.set(denominator, addExact(this.#numerators.get(denominator) ?? 0, numerator));
  }

  /** Adds all fractions of the other sum. @returns this sum */
  addAll(other: FractionSum): this {
    for (const [denominator, numerator] of other.#numerators) this.add(numerator, denominator);
    return this;
  }

  /** @returns the double nearest to `dividend` / this sum; null where the sum is 0 */
  quotientOf(dividend: ExactInteger, deadline: Deadline = NO_DEADLINE): number | null {
    const [first, ...others] = this.#numerators;
    if (first === undefined) return null;
    let [denominator, numerator]: [ExactInteger, ExactInteger] = first;
    for (const [otherDenominator, otherNumerator] of others) {
      deadline.check(); // the common denominator may have thousands of digits
      const common = leastCommonMultiple(BigInt(denominator), BigInt(otherDenominator));
      numerator =
        BigInt(numerator) * (common / BigInt(denominator)) +
        BigInt(otherNumerator) * (common / BigInt(otherDenominator));
      denominator = common;
    }
    return divideExact(multiply(dividend, denominator), numerator);
  }
}

function leastCommonMultiple(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return (a / x) * b;
}
