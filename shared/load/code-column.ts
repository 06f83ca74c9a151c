import { hashUser } from '../columns/hash-user.ts';
import {
  Invalid,
  invalidMember,
  isAbsent,
  listMembers,
  mismatch,
  ownText,
  parseScaled,
  parseText,
  plainNumber,
} from './parse-value.ts';
import type { ColumnPiece } from './row-batch.ts';
import { ID_TEXT, list, type ValueType } from './value-types.ts';

/** Called with a row of the batch whose value is wrong. */
export type OnInvalid = (row: number, reason: string) => void;

/** Writes the codes of a column's rows into `out`, which is 0 everywhere. */
export type ColumnCoder = (pieces: readonly ColumnPiece[], out: Float64Array, onInvalid: OnInvalid) => void;

const USER_IDS = list(ID_TEXT);
const MAX_REMEMBERED = 1 << 20;
/** Equal to no value of any file. */
const NO_VALUE = Symbol('no value');

/**
 * @returns a coder for columns whose values repeat: each distinct value is checked once, and remembered.
 * @param encode the code of a value, or why it is wrong
 * @param required whether absent values are wrong, instead of 0
 */
export function codeByLookup(encode: (raw: unknown) => number | Invalid, required: boolean): ColumnCoder {
  const codes = new Map<unknown, number>();
  return (pieces, out, onInvalid) => {
    let row = 0;
    let last: unknown = NO_VALUE;
    let lastCode = 0;
    for (const { values, from, to } of pieces) {
      for (let i = from; i < to; i++, row++) {
        const raw = values[i];
        let code = raw === last ? lastCode : codes.get(raw);
        if (code === undefined) {
          if (isAbsent(raw)) {
            if (required) onInvalid(row, 'is required');
            continue;
          }
          const own = ownText(raw);
          const encoded = encode(own);
          if (encoded instanceof Invalid) {
            onInvalid(row, encoded.reason);
            continue;
          }
          code = encoded;
          if (codes.size >= MAX_REMEMBERED) codes.clear();
          codes.set(own, code);
        }
        last = raw;
        lastCode = code;
        out[row] = code;
      }
    }
    if (required) for (; row < out.length; row++) onInvalid(row, 'is required');
  };
}

/** @returns a coder for a measure of `places` decimals: the value × 10^places; absent is 0, or wrong where required. */
export function codeMeasure(type: ValueType, places: number, required: boolean): ColumnCoder {
  const factor = 10 ** places;
  return (pieces, out, onInvalid) => {
    let row = 0;
    for (const { values, from, to } of pieces) {
      for (let i = from; i < to; i++, row++) {
        const raw = values[i];
        const plain =
          typeof raw === 'number' ? plainNumber(raw, factor) : typeof raw === 'string' ? plainText(raw, places) : -1;
        if (plain >= 0) {
          out[row] = plain;
          continue;
        }
        if (isAbsent(raw)) {
          if (required) onInvalid(row, 'is required');
          continue;
        }
        const scaled = parseScaled(raw, places);
        if (!(scaled instanceof Invalid)) {
          out[row] = scaled;
          continue;
        }
        onInvalid(row, places === 0 ? mismatch(raw, type).reason : scaled.reason);
        out[row] = Number.NaN; // neither below nor above another measure
      }
    }
    if (required) for (; row < out.length; row++) onInvalid(row, 'is required');
  };
}

const MAX_PLAIN_CHARACTERS = 9;

/** The common case of parseScaled for text: a few digits, perhaps with a point among them. @returns -1 for any other */
function plainText(raw: string, places: number): number {
  const { length } = raw;
  if (length > MAX_PLAIN_CHARACTERS) return -1;
  let value = 0;
  let point = -1;
  for (let i = 0; i < length; i++) {
    const digit = raw.charCodeAt(i) - 0x30;
    if (digit >= 0 && digit <= 9) value = value * 10 + digit;
    else if (digit === -2 && point < 0 && i > 0 && i < length - 1) point = i;
    else return -1;
  }
  const decimals = point < 0 ? 0 : length - 1 - point;
  return length === 0 || decimals > places ? -1 : value * 10 ** (places - decimals);
}

/** The hashed users of a batch's rows; row r has `hashes[offsets[r]…offsets[r+1])`, in any order, maybe twice. */
export interface UserHashes {
  readonly offsets: Uint32Array<ArrayBuffer>;
  readonly hashes: Float64Array<ArrayBuffer>;
}

/** @returns the hashes of the users of `rows` rows */
export function hashUsers(
  pieces: readonly ColumnPiece[],
  rows: number,
  splitLists: boolean,
  onInvalid: OnInvalid,
): UserHashes {
  const offsets = new Uint32Array(rows + 1);
  const hashes: number[] = [];
  let row = 0;
  for (const { values, from, to } of pieces) {
    for (let i = from; i < to; i++) {
      const reason = hashMembers(values[i], splitLists, hashes);
      if (reason !== undefined) onInvalid(row, reason);
      offsets[++row] = hashes.length;
    }
  }
  offsets.fill(hashes.length, row);
  return { offsets, hashes: Float64Array.from(hashes) };
}

/** Adds the hash of each member. @returns what is wrong with the list */
function hashMembers(raw: unknown, splitLists: boolean, hashes: number[]): string | undefined {
  if (isAbsent(raw)) return undefined;
  const members = listMembers(raw, splitLists);
  if (members === undefined) return mismatch(raw, USER_IDS).reason;
  for (const member of members) {
    const id = parseUserId(member);
    if (id === undefined || id === '') return invalidMember(member, ID_TEXT).reason;
    hashes.push(hashUser(id));
  }
  return undefined;
}

/** A user id that the file holds as an integer counts as its digits, as in CSV. */
function parseUserId(raw: unknown): string | undefined {
  if (typeof raw === 'bigint' || Number.isSafeInteger(raw)) return String(raw);
  return parseText(raw, ID_TEXT);
}
