/**
 * Texts are ordered by code point, as their UTF-8 bytes are, by DynamoDB, S3 and SQL databases too. JavaScript's own order is by UTF-16 code unit, in
 * which characters beyond U+FFFF, written as two surrogates (U+D800–U+DFFF), come before U+E000–U+FFFF.
 */

const FIRST_SURROGATE = 0xd800;
const AFTER_SURROGATES = 0xe000;
/** Added to a surrogate, it sorts after all other code units. */
const ABOVE_ALL_UNITS = 0x1_0000;

/** @returns whether `a` comes before `b` by code point: negative, 0 where they are equal, positive. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const unit = a.charCodeAt(at);
    const other = b.charCodeAt(at);
    if (unit !== other) return rankOf(unit) - rankOf(other);
  }
  return a.length - b.length;
}

/** @returns the texts in the order of `compareText`; JavaScript's own sort, which is faster, where none has surrogates: then its order is the same. */
export function sortTexts(texts: readonly string[]): string[] {
  return texts.some(hasSurrogate) ? texts.toSorted(compareText) : texts.toSorted();
}

function rankOf(unit: number): number {
  return unit >= FIRST_SURROGATE && unit < AFTER_SURROGATES ? unit + ABOVE_ALL_UNITS : unit;
}

function hasSurrogate(text: string): boolean {
  return /[\ud800-\udfff]/.test(text);
}
