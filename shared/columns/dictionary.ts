import type { ByteReader, ByteWriter } from './bytes.ts';
import type { KeyValue } from './column.ts';

/** How a dictionary is written: JSON; ascending integers as gaps; digit texts of one length, ascending, as gaps. */
const FORMS = { json: 0, integers: 1, digits: 2 } as const;
/** Longest digit text whose integer a double holds exactly. */
const MOST_DIGITS = 15;

/** @returns whether `a` sorts before `b`: null first, then numbers ascending, then text by code unit. */
export function compareKeys(a: KeyValue, b: KeyValue): number {
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  if (typeof a === typeof b) return a < b ? -1 : 1;
  return typeof a === 'number' ? -1 : 1;
}

/** Appends a dictionary, ascending by `compareKeys` and without repetition. */
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

/** @returns the dictionary that `writeDictionary` was given. */
export function readDictionary(reader: ByteReader): KeyValue[] {
  const form = reader.u8();
  const dictionary: KeyValue[] = reader.u8() === 1 ? [null] : [];
  const count = reader.varint();
  if (form === FORMS.json) {
    const values: unknown = JSON.parse(new TextDecoder().decode(reader.raw(reader.varint())));
    if (!Array.isArray(values) || values.length !== count)
      throw reader.corrupt('its dictionary is not what was written');
    for (const value of values) dictionary.push(value);
    return dictionary;
  }
  if (form !== FORMS.integers && form !== FORMS.digits) throw reader.corrupt(`dictionary form ${form} is not known`);
  const textOf = form === FORMS.digits ? digitTexts(reader.u8()) : (value: number) => value;
  let value = 0;
  for (let i = 0; i < count; i++) {
    value += reader.varint();
    dictionary.push(textOf(value));
  }
  return dictionary;
}

/** So many digit texts are kept, a few MB. */
const MOST_TEXTS = 200_000;
const TEXTS = new Map<number, Map<number, string>>();

/**
 * Days of one column repeat its texts: each is made once, and because it is the same object its hash is known when it is looked up again.
 * @returns the text of an integer with that many digits
 */
function digitTexts(digits: number): (value: number) => string {
  let texts = TEXTS.get(digits);
  if (texts === undefined || texts.size > MOST_TEXTS) {
    texts = new Map();
    TEXTS.set(digits, texts);
  }
  const known = texts;
  return (value) => {
    let text = known.get(value);
    if (text === undefined) {
      text = String(value).padStart(digits, '0');
      known.set(value, text);
    }
    return text;
  };
}

function formOf(values: readonly KeyValue[]): number {
  const first = values[0];
  if (typeof first === 'number' && values.every((it) => typeof it === 'number' && Number.isSafeInteger(it) && it >= 0))
    return FORMS.integers;
  if (typeof first === 'string' && first.length > 0 && first.length <= MOST_DIGITS) {
    const digits = new RegExp(`^[0-9]{${first.length}}$`);
    if (values.every((it) => typeof it === 'string' && digits.test(it))) return FORMS.digits;
  }
  return FORMS.json;
}
