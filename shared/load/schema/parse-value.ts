import type { ProductIds } from '../../catalog/dimensions.ts';
import { ALL_ACCOUNTS } from '../../layout/partitions.ts';
import { removeInvisible } from './invisible.ts';
import { parseDay } from './parse-day.ts';
import type { TimeZone } from './time-zone.ts';
import type { Cell, ElementType, ListType, TextType, ValueType } from './value-types.ts';
import { formatValue, ID, ID_TEXT, Invalid, isLongerThan, KEY_TEXT, mismatch } from './value-types.ts';

/** How the values of a file are read. */
export interface ValueFormat {
  /** Whether the file is CSV: a text may be a list joined by `|`. */
  readonly splitLists: boolean;
  /** The platform's zone. */
  readonly zone: TimeZone;
  readonly productIds: ProductIds;
  /** @returns the integer of an id that is a text, or why it has none */
  readonly integerOf: (text: string) => number | Invalid;
  readonly onRounded?: OnRounded;
  /** Called with a name that is a word for NULL. */
  readonly onNullWord?: (word: string) => void;
  /** Called with each value of which invisible characters have been removed. */
  readonly onInvisible?: () => void;
}

/** Called with the change of a decimal that has been rounded, in units of its last place. */
export type OnRounded = (change: number) => void;

/** @returns whether the file has no value: undefined, null, or an empty text, which is how CSV writes an absent value */
export function isAbsent(raw: unknown): boolean {
  return raw === undefined || raw === null || raw === '';
}

/** @returns an equal value that does not keep the block of text that it was cut from in memory; text that is not well-formed is returned as it is */
export function detach<T>(value: T): T {
  if (Array.isArray(value)) return value.map(detach) as T;
  return typeof value === 'string' && value.isWellFormed()
    ? (Buffer.from(value, 'utf8').toString('utf8') as T & string)
    : value;
}

/**
 * Reads a value as any of the formats gives it: JSON values, text of CSV cells, bigints of Parquet.
 * @param raw a value that is not absent
 */
export function parseValue(raw: unknown, type: ValueType, format: ValueFormat): Cell | Invalid {
  return type.kind === 'list' ? parseList(raw, type, format) : parseElement(raw, type, format);
}

/** NULL, as Snowflake, Hive, MySQL and ClickHouse write it in CSV. */
export const NULL_TEXT = '\\N';
/** NULL in lower case, as pandas, Python, R, Java, Go, JavaScript, SQL shells, spreadsheets and Google Analytics write it. A name and what people search for may be such a word. */
const NULL_WORDS: ReadonlySet<string> = new Set([
  ...['null', 'none', 'nil', '<nil>', 'nan', 'na', '<na>', 'n/a', '#n/a', 'undefined', '(not set)'],
  ...['#div/0!', '#value!', '#ref!'],
]);
const MAX_NULL_LENGTH = Math.max(...[...NULL_WORDS].map((word) => word.length));

/** The length is compared first, because shopper ids are many. */
export function isNullWord(raw: unknown): raw is string {
  return typeof raw === 'string' && raw.length <= MAX_NULL_LENGTH && NULL_WORDS.has(raw.toLowerCase());
}

/** @returns the error of a text that another program has written for an absent value */
export function nullText(text: string): Invalid {
  return new Invalid(`is ${text}, which is NULL as another program writes it: leave the cell empty`);
}

function parseElement(given: unknown, type: ElementType, format: ValueFormat): Cell | Invalid {
  const visible = removeInvisible(given, format.onInvisible);
  const raw = type.words === undefined ? visible : translate(visible, type.words);
  const { splitLists, zone, productIds, onRounded } = format;
  if (splitLists && raw === NULL_TEXT) return nullText(raw);
  if (isNullWord(raw)) {
    if (type.kind !== 'text' || !type.isName) return nullText(raw);
    format.onNullWord?.(raw);
  }
  switch (type.kind) {
    case 'integer':
      return parseInteger(raw, type.min, type.max) ?? (type.isId ? parseTextId(raw, format) : mismatch(raw, type));
    case 'decimal': {
      const scaled = parseScaled(raw, type, onRounded);
      return scaled instanceof Invalid || type.isScaled ? scaled : scaled / 10 ** type.places;
    }
    case 'text':
      return parseText(raw, type);
    case 'digits':
      return productIds === 'text'
        ? parseProductId(raw)
        : (parseDigits(raw, type.length, type.max) ?? (isText(raw) ? TEXT_UPC : mismatch(raw, type)));
    case 'choice':
      return typeof raw === 'string' && type.of.includes(raw) ? raw : mismatch(raw, type);
    case 'date':
      return parseDay(raw, zone);
    case 'boolean':
      return parseBoolean(raw) ?? mismatch(raw, type);
  }
}

/** @returns our word for the value, or why there is none */
function translate(raw: unknown, words: ReadonlyMap<string, string>): string | Invalid {
  if (raw instanceof Invalid) return raw; // from the reader
  const known = [...words.keys()].join(', ');
  return (
    (typeof raw === 'object' ? undefined : words.get(String(raw))) ??
    new Invalid(`is ${formatValue(raw)}, which is not among the values that columns.json maps: ${known}`)
  );
}

/** @returns the members of a list, or why the value is not one */
export function listMembers(raw: unknown, type: ListType, splitLists: boolean): readonly unknown[] | Invalid {
  if (Array.isArray(raw)) return raw;
  if (!splitLists || typeof raw !== 'string') return mismatch(raw, type);
  const isForeign = (raw.startsWith('[') && raw.endsWith(']')) || (raw.startsWith('{') && raw.endsWith('}'));
  return isForeign ? FOREIGN_LIST : raw.split('|');
}

/** Split at `|`, a list as pandas, DuckDB or PostgreSQL write it would be one member without any error. */
export const FOREIGN_LIST = new Invalid(
  'looks like a list written by another program; join the members with |, or write NDJSON or Parquet if they have such brackets',
);

function parseList(raw: unknown, type: ListType, format: ValueFormat): Cell | Invalid {
  const [only] = Array.isArray(raw) && raw.length === 1 ? raw : [raw];
  if (type.hasAll && only === '*') return [ALL_ACCOUNTS]; // the text, or a list of it alone
  const members = listMembers(raw, type, format.splitLists);
  if (members instanceof Invalid) return members;
  if (members.length < type.minLength) return mismatch(raw, type);
  const { maxBytes = Number.POSITIVE_INFINITY } = type;
  const cells: Cell[] = [];
  for (const member of members) {
    if (isAbsent(member)) return EMPTY_MEMBER;
    const cell = parseElement(member, type.of, format);
    if (cell instanceof Invalid) return invalidMember(cell);
    cells.push(cell);
  }
  if (type.maxBytes !== undefined && Buffer.byteLength(JSON.stringify(cells)) > maxBytes) return mismatch(raw, type);
  return cells as Cell; // every member is a cell of the one element type
}

export const EMPTY_MEMBER = new Invalid('has an empty member');

/** @returns the error of a list that has a member with this error */
export function invalidMember({ reason }: Invalid): Invalid {
  return new Invalid(`has a member that ${reason}`);
}

/** An integer as text. Programs that hold integers as floats write zeros after a point, as pandas does in a column with gaps, or an exponent, as R does. */
const INTEGER = /^-?(?:\d{1,16}(?:\.0+)?|\de\+\d\d)$/i;

/** @returns the integer; undefined if it is none or out of range. Numbers, bigints and texts without a fraction, or with one of zeros, are integers. */
function parseInteger(raw: unknown, min: number, max: number): number | undefined {
  const value = typeof raw === 'string' && INTEGER.test(raw) ? Number(raw) : raw;
  const number = typeof value === 'bigint' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) return undefined;
  return number >= min && number <= max ? number + 0 : undefined; // never -0
}

/** Numbers, and the word for all accounts. */
const NO_TEXT_ID = /^(?:[-+]?[\d.,]*|\*)$/;

/** @returns the integer of an id that is a text, or consists of more digits than integers have; other numbers are mistakes */
function parseTextId(raw: unknown, format: ValueFormat): number | Invalid {
  const given = typeof raw === 'bigint' ? String(raw) : raw;
  const isLarge = typeof given === 'string' && /^\d+$/.test(given) && Number(given) > Number.MAX_SAFE_INTEGER;
  if (typeof given !== 'string' || (NO_TEXT_ID.test(given) && !isLarge)) return mismatch(raw, ID);
  const text = parseText(given, KEY_TEXT);
  return text instanceof Invalid ? text : format.integerOf(detach(text));
}

/** Below this, an integer divided by a power of ten is the double whose shortest text is the decimal. */
export const EXACT = 1e15;

/**
 * @returns the integer, or the decimal × 10^places, exactly; a number counts as its shortest decimal text, so 0.1 is a tenth. A decimal with more places is
 * rounded half to even.
 */
export function parseScaled(raw: unknown, type: ScaledType, onRounded: OnRounded = () => undefined): number | Invalid {
  const [places, isSigned] = [placesOf(type), mayBeNegative(type)];
  const plain = typeof raw === 'number' ? plainNumber(raw, factorOf(type)) : Number.NaN;
  if (plain >= 0 || (isSigned && plain < 0)) return plain;
  const text = writtenAs(raw);
  const match = typeof text === 'string' ? /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text) : null;
  if (match === null) return isNullWord(raw) ? nullText(raw) : mismatch(raw, type);
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const { significant, power } = trimZeros(whole + fraction, Number(exponent) - fraction.length + exponentOf(type));
  if (significant === '') return 0;
  if ((sign === '-' && !isSigned) || (power < 0 && type.kind === 'integer')) return mismatch(raw, type);
  const { rounded, change } = roundHalfEven(significant, power);
  if (!Number.isSafeInteger(rounded)) {
    if (type.kind === 'integer') return mismatch(raw, type);
    const [bound, limit] = sign === '-' ? ['at least ', '-'] : ['at most ', ''];
    return new Invalid(`must be ${bound}${limit}${maxDecimal(places)}, not ${formatValue(raw)}`);
  }
  if (power < 0) onRounded(sign === '-' ? -change : change);
  return (sign === '-' ? -rounded : rounded) + 0; // never -0
}

/** A type whose values are stored as integers. */
export type ScaledType = Extract<ElementType, { readonly kind: 'integer' | 'decimal' }>;

/** @returns the number of decimal places that are stored */
export function placesOf(type: ScaledType): number {
  return type.kind === 'decimal' ? type.places : 0;
}

/** @returns what a value of a file is multiplied by to be stored */
export function factorOf(type: ScaledType): number {
  return 10 ** exponentOf(type);
}

function exponentOf(type: ScaledType): number {
  return type.kind === 'decimal' ? type.places - (type.shift ?? 0) : 0;
}

export function mayBeNegative(type: ScaledType): boolean {
  return type.kind === 'decimal' ? type.isSigned === true : type.min < 0;
}

/**
 * @param significant digits without zeros at both ends
 * @param power the power of ten of the last of them
 * @returns the nearest integer, the even one of two, and how much greater it is
 */
function roundHalfEven(significant: string, power: number): { readonly rounded: number; readonly change: number } {
  if (power >= 0) return { rounded: Number(`${significant}e${power}`), change: 0 };
  const point = significant.length + power;
  const whole = Number(significant.slice(0, Math.max(0, point)));
  const rest = significant.slice(Math.max(0, point));
  const isHalf = point >= 0 && rest === '5';
  const isUp = point >= 0 && (isHalf ? whole % 2 === 1 : rest >= '5');
  return { rounded: whole + (isUp ? 1 : 0), change: (isUp ? 1 : 0) - Number(`${rest}e${power}`) };
}

function maxDecimal(places: number): string {
  const digits = String(Number.MAX_SAFE_INTEGER);
  const point = digits.length - places;
  return places === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
}

function writtenAs(raw: unknown): unknown {
  return typeof raw === 'number' || typeof raw === 'bigint' ? String(raw) : raw;
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

/** The common case of parseScaled. @returns raw × factor, or NaN if that is not exact, or not within ±`EXACT` */
export function plainNumber(raw: number, factor: number): number {
  const scaled = Math.round(raw * factor) + 0; // never -0
  return Math.abs(scaled) < EXACT && scaled / factor === raw ? scaled : Number.NaN;
}

/** @returns the text in NFC, an id as `parseId` returns it; an error if the value is not a text, not of the type, not well-formed Unicode, or has control characters */
export function parseText(raw: unknown, type: TextType): string | Invalid {
  const isText = typeof raw === 'string' && !isLongerThan(raw, type.maxLength) && raw.isWellFormed();
  if (!isText || (type.isId === true && raw.trim() !== raw)) return mismatch(raw, type);
  const isUnusual = UNUSUAL.test(raw);
  if (isUnusual && (type.hasBreaks ? CONTROL_BUT_BREAK : CONTROL).test(raw))
    return new Invalid(
      `must have no control characters${type.hasBreaks ? ' but tabs and line breaks' : ''}, not ${formatValue(raw)}`,
    );
  const text = isUnusual ? raw.normalize('NFC') : raw;
  return type.isId === undefined ? text : parseId(text);
}

/** Control characters, and those that may not be in NFC: others are, whatever is beside them. One test, because shopper ids are many. */
const UNUSUAL = /\p{Cc}|[\u0300-\u{10ffff}]/u;
const CONTROL = /\p{Cc}/u;
const CONTROL_BUT_BREAK = /[^\P{Cc}\t\n\r]/u;

const [ZERO, PLUS, E] = [0x30, 0x2b, 0x45];
const FLOAT_ID = /^-?(?:\d+\.0+|\de\+\d\d)$/i;
/** As most programs write large floats, and as Java and Spark do. */
const [LARGE_FLOAT_ID, JAVA_FLOAT_ID] = [/^-?\d(?:\.\d+)?e\+\d\d$/i, /^-?\d\.\d+E\d\d?$/];

/** @returns the id, as digits if it is an integer written as a float; Invalid if that may have been rounded. Characters are compared first, because shopper ids are many. */
function parseId(text: string): string | Invalid {
  const thirdLast = text.charCodeAt(text.length - 3);
  if ((thirdLast === PLUS || text.charCodeAt(text.length - 1) === ZERO) && FLOAT_ID.test(text)) {
    const [digits = ''] = text.split('.');
    if (!Number.isSafeInteger(Number(digits))) return roundedId(text);
    return thirdLast === PLUS ? String(Number(digits)) : digits;
  }
  if (thirdLast === PLUS && LARGE_FLOAT_ID.test(text)) return roundedId(text);
  const isJava = (thirdLast === E || text.charCodeAt(text.length - 2) === E) && JAVA_FLOAT_ID.test(text);
  return isJava ? roundedId(text) : text;
}

function roundedId(text: string): Invalid {
  return new Invalid(`is ${formatValue(text)}, an id as a float, which may have been rounded: write all digits`);
}

/** @returns the digits as a text of at least `length`, without other zeros on the left. Integers are accepted, and texts with a fraction of zeros. */
function parseDigits(raw: unknown, length: number, max: number): string | undefined {
  const text = typeof raw === 'number' || typeof raw === 'bigint' ? String(raw) : raw;
  const [, whole, exponent] = (typeof text === 'string' && /^(\d+)(?:\.0+|(?<=^\d)e(\+\d\d))?$/i.exec(text)) || [];
  const digits = exponent === undefined ? whole : whole + '0'.repeat(Number(exponent));
  if (digits === undefined || digits.length > max) return undefined;
  return digits.replace(/^0+/, '').padStart(length, '0');
}

/** The same for all texts, so that a column of them is one problem. */
const TEXT_UPC = new Invalid(
  'is no UPC, which has digits only: if your products have other ids, give the setting productIds the value text',
);

const isText = (raw: unknown) => typeof raw === 'string' && /[^\d.e+-]/i.test(raw);

function parseProductId(raw: unknown): string | Invalid {
  return parseText(Number.isSafeInteger(raw) || typeof raw === 'bigint' ? String(raw) : raw, ID_TEXT);
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map(
  (['true', 't', 'yes', 'y', '1', 'false', 'f', 'no', 'n', '0'] as const).map((word, i) => [word, i < 5]),
);

function parseBoolean(raw: unknown): boolean | undefined {
  return typeof raw === 'object' ? undefined : BOOLEANS.get(String(raw).toLowerCase());
}
