import type { CodedKeys } from '../../columns/coded-keys.ts';
import type { KeyValue, ShopperData } from '../../columns/column.ts';
import { removeInvisible } from '../schema/invisible.ts';
import {
  detach,
  EMPTY_MEMBER,
  FOREIGN_LIST,
  factorOf,
  invalidMember,
  isAbsent,
  isNullWord,
  listMembers,
  mayBeNegative,
  NULL_TEXT,
  nullText,
  type OnRounded,
  parseScaled,
  parseText,
  plainNumber,
  type ScaledType,
} from '../schema/parse-value.ts';
import { ID_TEXT, Invalid, list } from '../schema/value-types.ts';

/** The values of a column in the rows of a batch; the last rows may have none. */
type Values = ArrayLike<unknown>;

/** Called with a row of the batch whose value is wrong. */
export type OnInvalid = (row: number, reason: string) => void;

/** Receives what is special about values of a measure. */
export interface MeasureEvents {
  readonly onInvalid: OnInvalid;
  readonly onRounded: OnRounded;
  /** Called with a row whose cell is empty, though the column exists. */
  readonly onEmpty: (row: number) => void;
}

/** Distinct values of a key column that are kept from batch to batch. */
const MAX_KEPT_KEYS = 1 << 19;
/** Texts of at most 15 digits, whose nearest double has them as its shortest text. */
const SHORT_NUMBER = /^\d{1,9}(?:\.\d{1,6})?$/;
/** Equal to no value of any file. */
const NO_VALUE = Symbol('no value');

/** @returns whether no row has a value */
export function isEmpty(values: Values): boolean {
  for (let row = 0; row < values.length; row++) if (!isAbsent(values[row])) return false;
  return true;
}

/** Codes a key column, whose values repeat: valid values are kept, so that most are checked only once. */
export class KeyCoder {
  readonly #parse: (raw: unknown) => KeyValue | Invalid;
  readonly #required: boolean | string;
  #codes = new Map<unknown, number>();
  /** The value of each code; 0 is the code of absent values. */
  #dictionary: KeyValue[] = [null];

  /** @param parse returns the value as it is stored, or why it is wrong @param required a text says where */
  constructor(parse: (raw: unknown) => KeyValue | Invalid, required: boolean | string) {
    this.#parse = parse;
    this.#required = required;
  }

  /** @returns a code per row, 0 where the value is absent or wrong; different codes may stand for equal values */
  code(values: Values, rows: number, onInvalid: OnInvalid): CodedKeys {
    if (this.#codes.size > MAX_KEPT_KEYS) {
      this.#codes = new Map();
      this.#dictionary = [null];
    }
    const codes = new Uint32Array(rows);
    let last: unknown = NO_VALUE;
    let lastCode: number | Invalid = 0;
    for (let row = 0; row < rows; row++) {
      const raw = values[row];
      if (raw !== last) {
        last = raw;
        lastCode = this.#codes.get(raw) ?? this.#add(raw);
      }
      if (lastCode instanceof Invalid) onInvalid(row, lastCode.reason);
      else codes[row] = lastCode;
    }
    return { dictionary: this.#dictionary, codes };
  }

  /** @returns the value's new code, or why it is wrong; wrong values are not kept, because a batch may have any number of them */
  #add(raw: unknown): number | Invalid {
    const value = isAbsent(raw) ? absentValue(this.#required) : this.#parse(raw);
    if (value instanceof Invalid) return value;
    const own = detach(raw);
    const code = isAbsent(raw) ? 0 : this.#dictionary.push(value === raw ? (own as KeyValue) : detach(value)) - 1;
    this.#codes.set(own, code);
    return code;
  }
}

/** Codes a measure as integers; absent is 0, or wrong if required. */
export class MeasureCoder {
  readonly #type: ScaledType;
  readonly #isRequired: boolean;

  constructor(type: ScaledType, isRequired: boolean) {
    this.#type = type;
    this.#isRequired = isRequired;
  }

  /** @returns an integer per row, NaN where the value is wrong: comparisons with other measures are then false */
  code(values: Values, rows: number, events: MeasureEvents): Float64Array {
    const scaled = new Float64Array(rows);
    const factor = factorOf(this.#type);
    const min = mayBeNegative(this.#type) ? Number.NEGATIVE_INFINITY : 0;
    for (let row = 0; row < rows; row++) {
      const raw = values[row];
      // plainNumber returns NaN for bigints that may have been rounded
      const number = typeof raw === 'bigint' || (typeof raw === 'string' && SHORT_NUMBER.test(raw)) ? Number(raw) : raw;
      const plain = typeof number === 'number' ? plainNumber(number, factor) : Number.NaN;
      scaled[row] = plain >= min ? plain : this.#scale(raw, row, events);
    }
    return scaled;
  }

  #scale(raw: unknown, row: number, { onInvalid, onRounded, onEmpty }: MeasureEvents): number {
    if (isAbsent(raw) && !this.#isRequired) onEmpty(row);
    const scaled = isAbsent(raw) ? (absentValue(this.#isRequired) ?? 0) : parseScaled(raw, this.#type, onRounded);
    if (!(scaled instanceof Invalid)) return scaled;
    onInvalid(row, scaled.reason);
    return Number.NaN;
  }
}

function absentValue(required: boolean | string): null | Invalid {
  if (!required) return null;
  return new Invalid(required === true ? 'is required' : `is required ${required}`);
}

const USER_IDS = list(ID_TEXT);

/** @returns the hashed shoppers of `rows` rows, in any order, possibly with duplicates */
export function hashShoppers(
  values: Values,
  rows: number,
  splitLists: boolean,
  hashShopper: (id: string) => number,
  onInvalid: OnInvalid,
  onInvisible?: () => void,
): ShopperData {
  const offsets = new Uint32Array(rows + 1);
  const hashes: number[] = [];
  const count = Math.min(rows, values.length); // 0 if the file lacks the column
  for (let row = 0; row < count; row++) {
    const reason = addMembers(values[row], splitLists, (id) => hashes.push(hashShopper(id)), onInvisible);
    if (reason !== undefined) onInvalid(row, reason);
    offsets[row + 1] = hashes.length;
  }
  return { rows, offsets: offsets.fill(hashes.length, count + 1), hashes: Float64Array.from(hashes) };
}

/** Calls `add` with each member up to the first that is wrong. @returns what is wrong with the list */
function addMembers(
  raw: unknown,
  splitLists: boolean,
  add: (id: string) => void,
  onInvisible?: () => void,
): string | undefined {
  if (isAbsent(raw)) return undefined;
  if (splitLists && typeof raw === 'string' && isForeign(raw)) return FOREIGN_LIST.reason;
  const members = listMembers(raw, USER_IDS, splitLists);
  if (members instanceof Invalid) return members.reason;
  for (const member of members) {
    if (isAbsent(member)) return EMPTY_MEMBER.reason;
    const id = parseUserId(removeInvisible(member, onInvisible), splitLists);
    if (id instanceof Invalid) return invalidMember(id).reason;
    add(id);
  }
  return undefined;
}

/** Lists as other programs write them: a tuple, `List(u1, u2)` of Scala, `c("u1", "u2")` of R, and members joined by a tab or, as Hive does, by U+0002. */
function isForeign(shoppers: string): boolean {
  return CONTROL.test(shoppers) || (shoppers.endsWith(')') && /^(\(|\w+\([^|]*$)/.test(shoppers));
}

const CONTROL = /\p{Cc}/u;

/** A shopper id that is an integer in the file is the text of its digits, as in CSV. A word for NULL would count as one shopper, in all rows that have it. */
function parseUserId(raw: unknown, isCsv: boolean): string | Invalid {
  if (typeof raw === 'bigint' || Number.isSafeInteger(raw)) return String(raw);
  return isNullWord(raw) || (isCsv && raw === NULL_TEXT) ? nullText(String(raw)) : parseText(raw, ID_TEXT);
}
