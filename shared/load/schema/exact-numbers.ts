/** A decimal of at most this many digits is the shortest text of the double that it is read as: nothing is lost. */
const SAFE_DIGITS = 15;

/** Longer integers are no value of any column, and would take long to convert to a bigint. */
const MAX_INTEGER_DIGITS = 1_000;

/** A number as the JSON text writes it, because JSON.parse would change it. */
export interface WrittenNumber {
  readonly rawJSON: string;
}

/** Missing in TypeScript's lib types. */
const { parse, rawJSON, isRawJSON } = JSON as unknown as {
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(text: string): WrittenNumber;
  isRawJSON(value: unknown): value is WrittenNumber;
};

export const isWrittenNumber = isRawJSON;

/**
 * Samples every 16th character to decide whether parsing could lose digits.
 * @returns whether the JSON text may have a number with more digits than a double holds, or a very small one; false only if it has none
 */
export function mayHaveLongNumber(text: string): boolean {
  for (let at = SAFE_DIGITS; at < text.length; at += SAFE_DIGITS + 1) {
    if (!isPartOfNumber(text.charCodeAt(at))) continue;
    let start = at;
    while (isPartOfNumber(text.charCodeAt(start - 1))) start--;
    let end = at + 1;
    while (isPartOfNumber(text.charCodeAt(end))) end++;
    if (end - start > SAFE_DIGITS && !isInText(text, start)) return true;
    at = end - 1;
  }
  return hasSmallExponent(text);
}

/**
 * @returns what JSON.parse returns, with two exceptions: integers beyond the safe ones, of up to 1,000 characters, become bigints, whether JSON.parse would
 * change them or not; other numbers that it would change become WrittenNumber
 * @throws SyntaxError if the text is not JSON, RangeError if it is nested too deeply
 */
export function parseExactly(text: string): unknown {
  return parse(text, (_, value, { source }) => {
    if (typeof value !== 'number' || source === undefined) return value;
    const isLongInteger = /^-?\d+$/.test(source) && !Number.isSafeInteger(value);
    if (isLongInteger && source.length <= MAX_INTEGER_DIGITS) return BigInt(source);
    return isSameDecimal(source, String(value)) ? value : rawJSON(source);
  });
}

function isPartOfNumber(character: number): boolean {
  return (character >= 0x30 && character <= 0x39) || character === 0x2e;
}

/** Digits after a quote, or within a word, are not a number. */
function isInText(text: string, start: number): boolean {
  const before = text[start - 1] === '-' ? text[start - 2] : text[start - 1];
  return before !== undefined && !': ,[\t\r\n'.includes(before);
}

/**
 * Whether the text may have an exponent of -100 or less: below about 10^-308 doubles lose digits, and below 10^-324 they are 0. Large exponents need no
 * check, because numbers that overflow become Infinity, which no column accepts.
 */
function hasSmallExponent(text: string): boolean {
  for (let at = text.indexOf('-'); at >= 0; at = text.indexOf('-', at + 1)) {
    const isExponent = (text.charCodeAt(at - 1) | 0x20) === LOWER_E; // of either case
    if (isExponent && /^\d{3}/.test(text.slice(at + 1, at + 4))) return true;
  }
  return false;
}

const LOWER_E = 0x65;

function isSameDecimal(a: string, b: string): boolean {
  return a === b || normalize(a) === normalize(b);
}

/** @returns sign, significant digits and the power of ten of the last of them; zero is zero, whatever its sign and power */
function normalize(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? [];
  const { significant, power } = trimZeros(whole + fraction, Number(exponent) - fraction.length);
  return significant === '' ? '0' : `${sign}${significant}e${power}`;
}

/**
 * Takes time in proportion to the digits, unlike a regular expression for the zeros at the end.
 * @param power the power of ten of the last of the digits
 * @returns the digits without zeros at both ends, '' for zero, and the power of ten of the last of these
 */
export function trimZeros(digits: string, power: number): { readonly significant: string; readonly power: number } {
  let [start, end] = [0, digits.length];
  while (start < end && digits[start] === '0') start++;
  while (end > start && digits[end - 1] === '0') end--;
  return { significant: digits.slice(start, end), power: power + digits.length - end };
}
