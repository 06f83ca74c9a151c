import { compareText, sortTexts } from '../lib/compare-text.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';
import type { KeyValue } from './column.ts';

/** The forms of a stored dictionary: JSON; ascending integers as gaps; ascending digit texts of one length as gaps. */
const FORMS = { json: 0, integers: 1, digits: 2 } as const;
/** The longest digit text whose integer a double holds exactly. */
const MAX_DIGITS = 15;

/** @returns a negative number where `a` sorts before `b`: null first, then numbers ascending, then text by code point */
export function compareKeys(a: KeyValue, b: KeyValue): number {
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  if (typeof a === 'string') return typeof b === 'string' ? compareText(a, b) : 1;
  return typeof b === 'string' || a < b ? -1 : 1;
}

/** @returns the values, which are distinct, ascending by `compareKeys` */
export function sortKeyValues(values: readonly KeyValue[]): KeyValue[] {
  const present = values.filter((value) => value !== null);
  const sorted: KeyValue[] = present.every((value) => typeof value === 'string')
    ? sortTexts(present)
    : present.sort(compareKeys);
  return present.length < values.length ? [null, ...sorted] : sorted;
}

/** Appends a dictionary, whose values are distinct and ascending by `compareKeys`. */
export function writeDictionary(writer: ByteWriter, dictionary: readonly KeyValue[]): void {
  const hasNull = dictionary[0] === null;
  const values = hasNull ? dictionary.slice(1) : dictionary;
  const form = formOf(values);
  writer
    .u8(form)
    .u8(hasNull ? 1 : 0)
    .varint(values.length);
  if (form === FORMS.json) {
    const text = new TextEncoder().encode(JSON.stringify(values));
    writer.varint(text.length).raw(text);
    return;
  }
  if (form === FORMS.digits) writer.u8(String(values[0]).length);
  let previous = 0;
  for (const value of values) {
    writer.varint(Number(value) - previous);
    previous = Number(value);
  }
}

/**
 * @returns the dictionary that `writeDictionary` wrote
 * @throws CorruptColumnError when the bytes are not a dictionary
 */
export function readDictionary(reader: ByteReader): readonly KeyValue[] {
  const form = reader.u8();
  const hasNull = reader.u8() === 1;
  const values = readValues(reader, form, reader.varint());
  return hasNull ? [null, ...values] : values;
}

function readValues(reader: ByteReader, form: number, count: number): readonly KeyValue[] {
  if (form === FORMS.json) {
    const values = parseJson(reader, reader.raw(reader.varint()));
    if (!Array.isArray(values) || values.length !== count)
      throw reader.corrupt(`its dictionary does not have ${count} values`);
    return values;
  }
  if (form === FORMS.digits) {
    const digits = reader.u8();
    return digitTexts(reader.ascending(count), digits);
  }
  if (form === FORMS.integers) return Array.from(reader.ascending(count));
  throw reader.corrupt(`dictionary form ${form} is unknown`);
}

function parseJson(reader: ByteReader, text: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(text));
  } catch {
    throw reader.corrupt('its dictionary is not JSON');
  }
}

/** The digit texts of the dictionary that was read last, by their length: ascending integers and the text of each. */
const LAST_TEXTS = new Map<number, { readonly values: Float64Array; readonly texts: readonly string[] }>();

/**
 * Dictionaries share most of their texts. Reused texts need not be created, and are hashed once and compared fast. The last dictionary and this one are ascending, so one pass finds the texts that they share.
 * @returns the text of each integer, with the given number of digits
 */
function digitTexts(values: Float64Array, digits: number): readonly string[] {
  const last = LAST_TEXTS.get(digits) ?? { values: new Float64Array(0), texts: [] };
  const texts = new Array<string>(values.length);
  let at = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? 0;
    while (at < last.values.length && (last.values[at] ?? 0) < value) at++;
    const shared = last.values[at] === value ? last.texts[at] : undefined;
    texts[i] = shared ?? String(value).padStart(digits, '0');
  }
  LAST_TEXTS.set(digits, { values, texts });
  return texts;
}

function formOf(values: readonly KeyValue[]): number {
  const first = values[0];
  if (typeof first === 'number' && values.every(isNatural)) return FORMS.integers;
  if (typeof first === 'string' && first.length > 0 && first.length <= MAX_DIGITS) {
    const digits = new RegExp(`^[0-9]{${first.length}}$`);
    if (values.every((value) => typeof value === 'string' && digits.test(value))) return FORMS.digits;
  }
  return FORMS.json;
}

function isNatural(value: KeyValue): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
