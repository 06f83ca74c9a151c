import { fieldsFor } from '../catalog/describe/aliases.ts';

/** Longer texts get no suggestion: they are not typing errors, and the edit distance takes quadratic time. */
const MAX_LENGTH = 40;

/** @returns the allowed name that is closest to `text`, or undefined if none is close */
export function suggestName(text: unknown, allowed: readonly string[]): string | undefined {
  if (typeof text !== 'string' || text === '' || text.length > MAX_LENGTH) return undefined;
  const typed = text.toLowerCase();
  // a name is close if at most a third of the characters of `text` must be edited, or one
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(typed.length / 3)) + 1;
  for (const name of allowed) {
    const distance = editDistance(typed, name.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
  }
  return best;
}

/** Maximum names in one suggestion. */
const MAX_SUGGESTIONS = 3;

/**
 * @returns the allowed names that `text` may stand for: names of which it is an alias, else the closest one, else names that contain it as words, as
 * `halo_roas` contains `roas`, the names of the fewest words first; at most MAX_SUGGESTIONS
 */
export function suggestNames(text: unknown, allowed: readonly string[]): readonly string[] {
  if (typeof text !== 'string' || text === '' || text.length > MAX_LENGTH) return [];
  const words = text
    .toLowerCase()
    .trim()
    .replaceAll(/[\s_-]+/g, '_');
  const byAlias = fieldsFor(words.replaceAll('_', ' ')).filter((name) => allowed.includes(name));
  if (byAlias.length > 0) return byAlias.slice(0, MAX_SUGGESTIONS);
  const closest = suggestName(text, allowed);
  if (closest !== undefined) return [closest];
  const containing = allowed.filter((name) => `_${name.toLowerCase()}_`.includes(`_${words}_`));
  const countWords = (name: string) => name.split('_').length;
  return containing.sort((a, b) => countWords(a) - countWords(b)).slice(0, MAX_SUGGESTIONS);
}

/** @returns ` (did you mean …?)` with the closest of the allowed names, for the end of a clause; '' if none is close */
export function didYouMean(text: unknown, allowed: readonly string[]): string {
  const suggestion = suggestName(text, allowed);
  return suggestion === undefined ? '' : ` (did you mean ${suggestion}?)`;
}

/** @returns the Levenshtein distance: the minimum number of characters to insert, delete or replace to turn `a` into `b` */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const replace = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(replace, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
