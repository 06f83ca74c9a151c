import { describeType, type ValueType } from './value-types.ts';

/** Why a value is not of its type: the end of a sentence that begins with the column's name. */
export class Invalid {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** @returns the error that says what the type allows; of a value that its file's reader found invalid, what that says. */
export function mismatch(raw: unknown, type: ValueType): Invalid {
  return raw instanceof Invalid ? raw : new Invalid(`must be ${withArticle(describeType(type))}, not ${show(raw)}`);
}

function withArticle(words: string): string {
  if (/^(one of|true or|at most|text)/.test(words)) return words;
  return `${/^[aeiou]/.test(words) ? 'an' : 'a'} ${words}`;
}

const MAX_SHOWN = 60;

/** @returns the value as the file's reader knows it, shortened. */
export function show(raw: unknown): string {
  if (raw instanceof Uint8Array) return `${raw.length} bytes`;
  const text =
    typeof raw === 'bigint' || typeof raw === 'number'
      ? String(raw)
      : (JSON.stringify(raw, bigintsAsText) ?? String(raw));
  if (!isLongerThan(text, MAX_SHOWN)) return text;
  return `${[...text.slice(0, 2 * MAX_SHOWN)].slice(0, MAX_SHOWN - 3).join('')}…`;
}

function bigintsAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

/** @returns whether the text has more than `max` characters, which are code points: some are two units of UTF-16 */
export function isLongerThan(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || [...text].length > max);
}
