import { findClosest, MAX_NAME_LENGTH } from '../../lib/closest-name.ts';
import { RELATIVE_DATES } from '../../lib/relative-date.ts';
import { fieldsFor } from './aliases.ts';

const MAX_SUGGESTIONS = 3;

/**
 * @returns the allowed names that `text` may stand for: names of which it is an alias, else the closest one, else names that contain it as words, as
 * `halo_roas` contains `roas`, the names of the fewest words first; at most MAX_SUGGESTIONS
 */
export function suggestNames(text: unknown, allowed: readonly string[]): readonly string[] {
  if (typeof text !== 'string' || text === '' || text.length > MAX_NAME_LENGTH) return [];
  const words = text
    .toLowerCase()
    .trim()
    .replaceAll(/[\s_-]+/g, '_');
  const byAlias = fieldsFor(words.replaceAll('_', ' ')).filter((name) => allowed.includes(name));
  if (byAlias.length > 0) return byAlias.slice(0, MAX_SUGGESTIONS);
  const closest = findClosest(text.toLowerCase(), allowed);
  if (closest !== undefined) return [closest];
  const containing = allowed.filter((name) => `_${name.toLowerCase()}_`.includes(`_${words}_`));
  const countWords = (name: string) => name.split('_').length;
  return containing.sort((a, b) => countWords(a) - countWords(b)).slice(0, MAX_SUGGESTIONS);
}

/** @returns the relative date that may be meant, with the offset of the text, in days without a unit: `startOfMonth-1m` for `startofmonth-1m` */
export function suggestDates(text: string): readonly string[] {
  if (text.length > MAX_NAME_LENGTH) return [];
  const [, name, count = '', unit = count && 'd'] = /^(.*?)(?:([+-]\d+)([dwmy])?)?$/.exec(text) ?? [];
  return suggestNames(name, RELATIVE_DATES).map((closest) => `${closest}${count}${unit}`);
}

/** @returns ` (did you mean …?)` with the allowed names that may be meant, for the end of a clause; '' if there are none */
export function didYouMean(text: unknown, allowed: readonly string[]): string {
  const names = suggestNames(text, allowed);
  return names.length === 0 ? '' : ` (did you mean ${names.join(' or ')}?)`;
}
