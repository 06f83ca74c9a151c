/**
 * Texts are compared by code point, which is the order of their UTF-8 bytes and the order that DynamoDB and S3 use. JavaScript
 * compares UTF-16 code units, so it sorts characters above U+FFFF, which are pairs of surrogates (U+D800–U+DFFF), before U+E000–U+FFFF.
 */

const FIRST_SURROGATE = 0xd800;
const AFTER_SURROGATES = 0xe000;
/** Added to a surrogate so that it sorts after all other code units. */
const ABOVE_ALL_UNITS = 0x1_0000;

/** @returns a negative number if `a` sorts before `b` by code point, 0 if they are equal, else a positive number */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const unit = a.charCodeAt(at);
    const other = b.charCodeAt(at);
    if (unit !== other) return rankOf(unit) - rankOf(other);
  }
  return a.length - b.length;
}

/** @returns the texts sorted as by `compareText`. Without surrogates JavaScript's own, faster sort gives the same order. */
export function sortTexts(texts: readonly string[]): string[] {
  return texts.some(hasSurrogate) ? texts.toSorted(compareText) : texts.toSorted();
}

function rankOf(unit: number): number {
  return unit >= FIRST_SURROGATE && unit < AFTER_SURROGATES ? unit + ABOVE_ALL_UNITS : unit;
}

/** @returns whether JavaScript may compare the text in another order than `compareText` */
export function hasSurrogate(text: string): boolean {
  return /[\ud800-\udfff]/.test(text);
}
