/**
 * Texts are compared by code point, which is the order of their UTF-8 bytes and the order that DynamoDB and S3 use. JavaScript
 * compares UTF-16 code units, so it sorts characters above U+FFFF, which are pairs of surrogates (U+D800–U+DFFF), before U+E000–U+FFFF.
 */

/** @returns a negative number if `a` sorts before `b` by code point, 0 if they are equal, else a positive number */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    if (a.charCodeAt(at) !== b.charCodeAt(at)) return (a.codePointAt(at) ?? 0) - (b.codePointAt(at) ?? 0);
  }
  return a.length - b.length;
}

/** @returns the texts sorted as by `compareText`. Without surrogates JavaScript's own, faster sort gives the same order. */
export function sortTexts(texts: readonly string[]): string[] {
  return texts.some(hasSurrogate) ? texts.toSorted(compareText) : texts.toSorted();
}

/** @returns whether JavaScript may compare the text in another order than `compareText` */
function hasSurrogate(text: string): boolean {
  return /[\ud800-\udfff]/.test(text);
}
