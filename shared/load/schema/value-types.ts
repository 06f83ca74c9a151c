import { MAX_UPC_DIGITS, UPC_DIGITS } from '../../catalog/dimensions.ts';

/**
 * The type of one value in a load file. `decimal` is rounded to `places` decimals, ≥ 0 unless it `isSigned`, and held × 10^places if it `isScaled`; `digits` are at
 * most `max`, left-padded with zeros to `length`. An integer that `isId` may be a text. If `words` are given, a value is one of their keys in the file; a decimal is multiplied by 10^`shift` there.
 */
export type ElementType = (
  | { readonly kind: 'integer'; readonly min: number; readonly max: number; readonly isId?: true }
  | {
      readonly kind: 'decimal';
      readonly places: number;
      readonly isSigned?: true;
      readonly isScaled?: true;
      readonly shift?: number;
    }
  | TextType
  | { readonly kind: 'digits'; readonly length: number; readonly max: number }
  | { readonly kind: 'choice'; readonly of: readonly string[] }
  | { readonly kind: 'date' }
  | { readonly kind: 'boolean' }
) & { readonly words?: ReadonlyMap<string, string> };

/**
 * An id is compared exactly; surrounding blanks are rejected, because they are invisible. An id, or one that is only shown (`label`), may be an integer that a program
 * has written as a float. A name may be a word that other programs write for NULL, with a warning. `maxLength` counts code points. Control characters are rejected, except tabs and line breaks if the text `hasBreaks`.
 */
export type TextType = {
  readonly kind: 'text';
  readonly maxLength: number;
  readonly isId?: true | 'label';
  readonly hasBreaks?: true;
  readonly isName?: true;
};

/** A list is a JSON or Parquet list, or a CSV cell whose members are joined by `|`; members are never empty. */
export type ListType = {
  readonly kind: 'list';
  readonly of: ElementType;
  readonly minLength: number;
  /** Of the list as JSON; absent = unlimited. */
  readonly maxBytes?: number;
  /** Whether the list may be `*`, which is held as ALL_ACCOUNTS alone. */
  readonly hasAll?: true;
};

export type ValueType = ElementType | ListType;

/** The program's value of a type. A decimal is the nearest double of the exact decimal, and exact if it is scaled. */
export type CellOf<T> = T extends { readonly kind: 'list'; readonly of: infer E }
  ? readonly CellOf<E>[]
  : T extends { readonly kind: 'integer' | 'decimal' }
    ? number
    : T extends { readonly kind: 'boolean' }
      ? boolean
      : T extends { readonly kind: 'choice'; readonly of: readonly (infer C)[] }
        ? C
        : string;

export type Cell = CellOf<ValueType>;

export const ID = { kind: 'integer', min: 1, max: Number.MAX_SAFE_INTEGER, isId: true } as const;
export const HOUR = { kind: 'integer', min: 0, max: 23 } as const;
export const COUNT = { kind: 'integer', min: 0, max: Number.MAX_SAFE_INTEGER } as const;
export const SIGNED_COUNT = { kind: 'integer', min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER } as const;
export const MONEY = { kind: 'decimal', places: 6 } as const;
/** Money in micros. */
export const MICRO_MONEY = { ...MONEY, isScaled: true } as const;
export const TEXT = { kind: 'text', maxLength: 1000 } as const;
export const NAME = { ...TEXT, isName: true } as const;
/** Becomes part of a key of the table. */
export const KEY_TEXT = { kind: 'text', maxLength: 200, isId: true } as const;
export const ID_TEXT = { kind: 'text', maxLength: 1000, isId: true } as const;
export const LABEL_ID = { kind: 'text', maxLength: 1000, isId: 'label' } as const;
export const LONG_TEXT = { kind: 'text', maxLength: 10_000, hasBreaks: true, isName: true } as const;
export const UPC = { kind: 'digits', length: UPC_DIGITS, max: MAX_UPC_DIGITS } as const;
export const DATE = { kind: 'date' } as const;
export const BOOLEAN = { kind: 'boolean' } as const;

/** @returns a type whose values are the given words, spelled exactly so */
export function choice<const C extends readonly string[]>(...of: C): { readonly kind: 'choice'; readonly of: C } {
  return { kind: 'choice', of };
}

/** @returns a list of `of` with at least `minLength` members. */
export function list<const E extends ElementType>(of: E, minLength = 0) {
  return { kind: 'list', of, minLength } as const;
}

/** @returns a list of limited size: two of them and all texts of a listing's row fit into an item of 400 KB. Also for lists that become one text of reports */
export function itemList<const E extends ElementType>(of: E, minLength = 0) {
  return { ...list(of, minLength), maxBytes: 150_000 } as const;
}

/** @returns the type in words, for messages and the documentation. */
export function describeType(type: ValueType): string {
  switch (type.kind) {
    case 'integer':
      if (type.max < Number.MAX_SAFE_INTEGER) return `integer from ${type.min} to ${type.max}`;
      return type.min < 0 ? 'integer' : `integer ≥ ${type.min}`;
    case 'decimal':
      return `decimal${type.isSigned ? '' : ' ≥ 0'}`;
    case 'text': {
      const text = `text of at most ${type.maxLength.toLocaleString('en-US')} characters`;
      return type.isId === true ? `${text} without blanks around it` : text;
    }
    case 'digits':
      return `at most ${type.max} digits`;
    case 'choice':
      return `one of ${type.of.join(', ')}`;
    case 'date':
      return 'date YYYY-MM-DD';
    case 'boolean':
      return 'true or false';
    case 'list': {
      const size =
        type.maxBytes === undefined ? '' : ` of at most ${type.maxBytes.toLocaleString('en-US')} bytes as JSON`;
      return `${type.minLength > 0 ? 'non-empty list' : 'list'}${size}, each ${describeType(type.of)}${type.hasAll ? ', or *' : ''}`;
    }
  }
}

/** A value that cannot be loaded. The reason is the end of a sentence that begins with the column's name. */
export class Invalid {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** @returns the error with what the type allows; the reader's own error if the reader found the value invalid */
export function mismatch(raw: unknown, type: ValueType): Invalid {
  return raw instanceof Invalid
    ? raw
    : new Invalid(
        `must be ${withArticle(describeType(type))}, not ${formatValue(raw)}${typeof raw === 'object' ? '' : explain(String(raw), type)}`,
      );
}

/** @returns what a wrong value of the type probably is, for the end of a sentence */
function explain(text: string, type: ValueType): string {
  const { kind } = type;
  if (/^(grand |sub-?)?totals?\b/i.test(text)) return ': remove rows of totals';
  if (kind === 'date' && /^\d{5}(\.0)?$/.test(text)) return ': a day as spreadsheets count it';
  if (kind === 'date' && /^\d{10}(\d{3})?(\d{3})?(\d{3})?(\.\d+)?$/.test(text))
    return ': a time as a number since 1970';
  if (kind === 'boolean' && /^[01]\.0+$/.test(text)) return ': a boolean as a float; write 1 or 0';
  if (kind !== 'integer' && kind !== 'decimal') return '';
  if (Number(text) > Number.MAX_SAFE_INTEGER) {
    if (kind === 'decimal') return ': a number too large';
    return type.isId === true ? ': write an id of so many digits as text' : `: the largest is ${type.max}`;
  }
  if (/^-?\p{Sc}|\p{Sc}$|^[A-Z]{3} ?-?[\d.,]+$|\d ?[A-Z]{3}$/u.test(text)) return ': write amounts without a currency';
  if (/^\([\d.,]+\)$/.test(text)) return ': write a minus sign, no parentheses';
  if (/^-?[\d.]*[,'’\s][\d,.'’\s]*$/.test(text)) return ': write a point before decimals, and no other separators';
  const noise = Math.abs(Number(text) - Math.round(Number(text)));
  return kind === 'integer' && noise > 0 && noise < 1e-6 ? ': a sum of floats, which must be rounded' : '';
}

function withArticle(words: string): string {
  if (/^(one of|true or|at most|text)/.test(words)) return words;
  return `${/^[aeiou]/.test(words) ? 'an' : 'a'} ${words}`;
}

const MAX_SHOWN = 60;

/** @returns the value as text for messages, shortened */
export function formatValue(raw: unknown): string {
  if (raw instanceof Uint8Array) return `${raw.length} bytes`;
  const text = typeof raw === 'bigint' || typeof raw === 'number' ? String(raw) : toJson(raw);
  if (!isLongerThan(text, MAX_SHOWN)) return text;
  return `${[...text.slice(0, 2 * MAX_SHOWN)].slice(0, MAX_SHOWN - 3).join('')}…`;
}

/** @returns the value as JSON, without most of what would not be shown: all rows of a Parquet file may share a long value */
function toJson(raw: unknown): string {
  const shorten = (_key: string, value: unknown) => {
    if (typeof value === 'bigint') return String(value);
    return typeof value === 'string' || Array.isArray(value) ? value.slice(0, 2 * MAX_SHOWN) : value;
  };
  try {
    return JSON.stringify(raw, shorten) ?? String(raw);
  } catch (error) {
    if (error instanceof RangeError) return 'a value of too many brackets'; // they exceed the stack
    throw error;
  }
}

/** @returns whether the text has more than `max` code points, some of which are two units of UTF-16 */
export function isLongerThan(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || [...text].length > max);
}
