import { Invalid } from './value-types.ts';

/**
 * Characters without a glyph that no script needs: soft hyphens, zero-width spaces, byte order marks, direction marks, and joiners except after emoji and
 * letters of scripts that are joined.
 */
const INVISIBLE =
  /[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0001}]|(?<![\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}[\p{L}--[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]]])[\u200c\u200d]/gv;
/** All of them are among these. Tested first, because shopper ids are many. */
const CANDIDATE = /[\u00ad\u061c\u200b-\ufffb\u{e0001}]/u;
const ONLY_INVISIBLE = new Invalid('has only invisible characters: leave the cell empty');

/** @param onInvisible called if there are any @returns the value without invisible characters if it is a text, or that it has no others */
export function removeInvisible(raw: unknown, onInvisible: () => void = () => undefined): unknown {
  if (typeof raw !== 'string' || !CANDIDATE.test(raw)) return raw;
  const text = raw.replace(INVISIBLE, '');
  if (text === raw) return raw;
  onInvisible();
  return text === '' ? ONLY_INVISIBLE : text;
}

/** @returns how many of the values have invisible characters */
export function countInvisible(values: ArrayLike<unknown>): number {
  return Array.from(values).filter((raw) => removeInvisible(raw) !== raw).length;
}
