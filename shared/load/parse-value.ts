import { isTooEarly, parseDate, YEARS } from '../calendar.ts';
import { isWrittenNumber } from './exact-numbers.ts';
import {
  type Cell,
  DATE,
  describeType,
  type ElementType,
  type ListType,
  type TextType,
  type ValueType,
} from './value-types.ts';

/** Why a value is not of its type: the end of a sentence that begins with the column's name. */
export class Invalid {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** @returns whether the file gives no value: nothing, null, or the empty text, which CSV cannot tell from nothing. */
export function isAbsent(raw: unknown): boolean {
  return raw === undefined || raw === null || raw === '';
}

/** @returns an equal value that does not keep alive the block of text it was cut from. */
export function ownText(raw: unknown): unknown {
  return typeof raw === 'string' && raw.isWellFormed() ? Buffer.from(raw, 'utf8').toString('utf8') : raw;
}

/**
 * Reads a value as any of the formats gives it: JSON values, text of CSV cells, bigints of Parquet and of long numbers in JSON.
 * @param raw a value that is not absent
 * @param splitLists a text is taken for a list joined by `|`, as CSV writes it
 */
export function parseValue(raw: unknown, type: ValueType, splitLists: boolean): Cell | Invalid {
  return type.kind === 'list' ? parseList(raw, type, splitLists) : parseElement(raw, type);
}

function parseElement(raw: unknown, type: ElementType): Cell | Invalid {
  switch (type.kind) {
    case 'integer':
      return parseInteger(raw, type.min, type.max) ?? mismatch(raw, type);
    case 'decimal': {
      const scaled = parseScaled(raw, type.places);
      return scaled instanceof Invalid ? scaled : scaled / 10 ** type.places;
    }
    case 'text':
      return parseText(raw, type) ?? mismatch(raw, type);
    case 'digits':
      return parseDigits(raw, type.length)?.padStart(type.length, '0') ?? mismatch(raw, type);
    case 'choice':
      return typeof raw === 'string' && type.of.includes(raw) ? raw : mismatch(raw, type);
    case 'date':
      return typeof raw === 'string' && parseDate(raw) !== undefined ? raw : noDate(raw);
    case 'boolean':
      return parseBoolean(raw) ?? mismatch(raw, type);
  }
}

/** @returns the members of a list, or undefined where the value is none. */
export function listMembers(raw: unknown, splitLists: boolean): readonly unknown[] | undefined {
  if (Array.isArray(raw)) return raw;
  return splitLists && typeof raw === 'string' ? raw.split('|') : undefined;
}

function parseList(raw: unknown, type: ListType, splitLists: boolean): Cell | Invalid {
  const members = listMembers(raw, splitLists);
  if (members === undefined || members.length < type.minLength) return mismatch(raw, type);
  const cells: Cell[] = [];
  for (const member of members) {
    const cell = isAbsent(member) ? invalidMember(member, type.of) : parseElement(member, type.of);
    if (cell instanceof Invalid) return invalidMember(member, type.of);
    cells.push(cell);
  }
  return cells as Cell; // every member is a cell of the one element type
}

/** @returns the error of a list with this member. */
export function invalidMember(member: unknown, type: ElementType): Invalid {
  return new Invalid(isAbsent(member) ? 'has an empty member' : `has a member that ${mismatch(member, type).reason}`);
}

/** An integer as text; programs that hold integers as floats, as pandas does in a column with gaps, write zeros after a point. */
const INTEGER = /^-?\d{1,16}(?:\.0+)?$/;

/** @returns the integer, or undefined: numbers, bigints and text without a fraction, or one of zeros, are integers. */
export function parseInteger(raw: unknown, min: number, max: number): number | undefined {
  const value = typeof raw === 'string' && INTEGER.test(raw) ? Number(raw) : raw;
  const number = typeof value === 'bigint' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) return undefined;
  return number >= min && number <= max ? number + 0 : undefined;
}

/** Up to here every decimal of a given number of places is the shortest text of its double. */
const EXACT = 1e15;

/**
 * @returns the decimal × 10^places, exactly; a number counts as its shortest decimal text, so 0.1 is a tenth.
 * More decimals than `places`, unless zeros, are an error: nothing is rounded.
 */
export function parseScaled(raw: unknown, places: number): number | Invalid {
  const plain = typeof raw === 'number' ? plainNumber(raw, 10 ** places) : -1;
  if (plain >= 0) return plain;
  const text = writtenAs(raw);
  const match = typeof text === 'string' ? /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text) : null;
  if (match === null) return mismatch(raw, { kind: 'decimal', places });
  const [, whole = '', fraction = '', exponent = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return 0;
  const power = Number(exponent) - fraction.length + (digits.length - significant.length) + places;
  if (power < 0) return mismatch(raw, { kind: 'decimal', places });
  const scaled = Number(`${significant}e${power}`);
  if (!Number.isSafeInteger(scaled)) {
    return new Invalid(`must be at most ${Math.floor(Number.MAX_SAFE_INTEGER / 10 ** places)}, not ${show(raw)}`);
  }
  return scaled;
}

function writtenAs(raw: unknown): unknown {
  if (isWrittenNumber(raw)) return raw.rawJSON;
  return typeof raw === 'number' || typeof raw === 'bigint' ? String(raw) : raw;
}

/** The common case of parseScaled. @returns raw × factor, -1 where that is not the whole truth */
export function plainNumber(raw: number, factor: number): number {
  const scaled = Math.round(raw * factor) + 0; // never -0
  return scaled >= 0 && scaled < EXACT && scaled / factor === raw ? scaled : -1;
}

/** @returns the text, or undefined where it is none, not of the type, or not well-formed Unicode. */
export function parseText(raw: unknown, { maxLength, isId }: TextType): string | undefined {
  if (typeof raw !== 'string' || isLongerThan(raw, maxLength) || !raw.isWellFormed()) return undefined;
  return isId === true && raw.trim() !== raw ? undefined : raw;
}

/** @returns whether the text has more than `max` characters, which are code points: some are two units of UTF-16 */
function isLongerThan(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || [...text].length > max);
}

/** @returns the digits without padding as text; integers count as their digits, and text as an integer's may. */
export function parseDigits(raw: unknown, length: number): string | undefined {
  const text = typeof raw === 'number' || typeof raw === 'bigint' ? String(raw) : raw;
  const [, digits] = (typeof text === 'string' && /^(\d+)(?:\.0+)?$/.exec(text)) || [];
  return digits !== undefined && digits.length <= length ? digits : undefined;
}

function parseBoolean(raw: unknown): boolean | undefined {
  if (typeof raw === 'boolean') return raw;
  const text = typeof raw === 'string' ? raw.toLowerCase() : undefined;
  return text === 'true' || text === 'false' ? text === 'true' : undefined;
}

/** 0001-01-01, which some write for "always", is a date as well. */
function noDate(raw: unknown): Invalid {
  if (typeof raw !== 'string' || !isTooEarly(raw)) return mismatch(raw, DATE);
  return new Invalid(`must be of a year from ${YEARS}, not ${show(raw)}`);
}

/** @returns the error that says what the type allows. */
export function mismatch(raw: unknown, type: ValueType): Invalid {
  return new Invalid(`must be ${withArticle(describeType(type))}, not ${show(raw)}`);
}

function withArticle(words: string): string {
  if (/^(one of|true or|at most|text)/.test(words)) return words;
  return `${/^[aeiou]/.test(words) ? 'an' : 'a'} ${words}`;
}

const MAX_SHOWN = 60;

/** @returns the value as the file's reader knows it, shortened. */
export function show(raw: unknown): string {
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
