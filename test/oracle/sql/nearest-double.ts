/** An exact rational number; the denominator is positive. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** The number of bits of the integer quotient that is rounded. A double has 53, so the remainder can only decide a tie. */
const QUOTIENT_BITS = 66;

/** @returns the double nearest to the fraction, with ties to even. The result must be in the range of normal doubles. */
export function nearestDouble({ numerator, denominator }: Fraction): number {
  const [a, b] = [Number(numerator), Number(denominator)];
  if (Number.isSafeInteger(a) && Number.isSafeInteger(b)) return a / b; // the division of exact doubles rounds once
  const size = numerator < 0n ? -numerator : numerator;
  const shift = QUOTIENT_BITS - bitLength(size) + bitLength(denominator);
  const dividend = shift > 0 ? size << BigInt(shift) : size;
  const divisor = shift < 0 ? denominator << BigInt(-shift) : denominator;
  const quotient = dividend / divisor;
  const sticky = quotient * divisor === dividend ? quotient : quotient | 1n;
  const magnitude = Number(sticky) * 2 ** -shift; // Number() rounds to nearest, ties to even; the power of two is exact
  return numerator < 0n ? -magnitude : magnitude;
}

/** @param text integers and fractions: `7`, `5/7+10/31` @returns their sum */
export function parseFractions(text: string): Fraction {
  return text
    .split('+')
    .map((term) => {
      const [numerator = '', denominator = '1'] = term.split('/');
      return { numerator: BigInt(numerator), denominator: BigInt(denominator) };
    })
    .reduce((sum, term) => ({
      numerator: sum.numerator * term.denominator + term.numerator * sum.denominator,
      denominator: sum.denominator * term.denominator,
    }));
}

/** @returns a/b rounded once; null where b is 0 */
export function nearestQuotient(a: Fraction, b: Fraction): number | null {
  const quotient = quotientOf(a, b);
  return quotient === undefined ? null : nearestDouble(quotient);
}

/** @returns a/b − c/d, or that divided by |c/d|, rounded once; null where it is undefined */
export function nearestChange([a, b, c, d]: readonly Fraction[], isRelative: boolean): number | null {
  const [now, before] = [a && b && quotientOf(a, b), c && d && quotientOf(c, d)];
  if (now === undefined || before === undefined) return null;
  const size = before.numerator < 0n ? -before.numerator : before.numerator;
  const change = {
    numerator: now.numerator * before.denominator - before.numerator * now.denominator,
    denominator: now.denominator * before.denominator,
  };
  return nearestQuotient(change, isRelative ? { ...before, numerator: size } : { numerator: 1n, denominator: 1n });
}

function quotientOf(a: Fraction, b: Fraction): Fraction | undefined {
  if (b.numerator === 0n) return undefined;
  const sign = b.numerator < 0n ? -1n : 1n;
  return { numerator: sign * a.numerator * b.denominator, denominator: sign * a.denominator * b.numerator };
}

function bitLength(value: bigint): number {
  return value.toString(2).length;
}
