import { hashUser } from '../columns/hash-user.ts';
import { CellCodes } from './cell-codes.ts';
import { type Cells, cellValue } from './cells.ts';
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
/** Of one measure: most are small numbers that come again and again. */
const MAX_REMEMBERED_TEXTS = 1 << 16;
/** Equal to no value of any file. */
const NO_VALUE = Symbol('no value');

/**
 * @returns a coder for columns whose values repeat: each distinct value is checked once, and remembered.
 * @param encode the code of a value, or why it is wrong
 * @param required whether absent values are wrong, instead of 0
 */
export function codeByLookup(encode: (raw: unknown) => number | Invalid, required: boolean): ColumnCoder {
  const lookup = new Lookup(encode, required);
  return (pieces, out, onInvalid) => {
    let row = 0;
    for (const piece of pieces) {
      if (piece.cells === undefined) lookup.codeValues(piece, row, out, onInvalid);
      else lookup.codeCells(piece.cells, piece.to, row, out, onInvalid);
      row += piece.to - piece.from;
    }
    if (required) for (; row < out.length; row++) onInvalid(row, 'is required');
  };
}

/** Not the code of anything. */
const UNKNOWN = -1;

/** The codes of values met before, as a format gives them. */
class Lookup {
  readonly #encode: (raw: unknown) => number | Invalid;
  readonly #required: boolean;
  readonly #codes = new Map<unknown, number>();
  readonly #cellCodes = new CellCodes(MAX_REMEMBERED);

  constructor(encode: (raw: unknown) => number | Invalid, required: boolean) {
    this.#encode = encode;
    this.#required = required;
  }

  codeValues({ values, from, to }: ColumnPiece, firstRow: number, out: Float64Array, onInvalid: OnInvalid): void {
    let last: unknown = NO_VALUE;
    let lastCode = 0;
    for (let i = from; i < to; i++) {
      const row = firstRow + i - from;
      const raw = values[i];
      let code = raw === last ? lastCode : this.#codes.get(raw);
      if (code === undefined) {
        code = this.#encodeNew(raw, row, onInvalid);
        if (code === UNKNOWN) continue;
        if (this.#codes.size >= MAX_REMEMBERED) this.#codes.clear();
        this.#codes.set(ownText(raw), code);
      }
      last = raw;
      lastCode = code;
      out[row] = code;
    }
  }

  codeCells(cells: Cells, count: number, firstRow: number, out: Float64Array, onInvalid: OnInvalid): void {
    const { bytes, bounds, step } = cells;
    let last = 0;
    let lastLength = UNKNOWN;
    let lastCode = 0;
    for (let i = 0, { at } = cells; i < count; i++, at += step) {
      const from = bounds[at] as number; // there are `step` bounds a row
      const to = bounds[at + 1] as number;
      const length = to - from;
      if (length !== lastLength || !isSame(bytes, last, from, length)) {
        let code = this.#cellCodes.find(bytes, from, to);
        if (code === UNKNOWN) {
          code = this.#encodeNew(cellValue(cells, i), firstRow + i, onInvalid);
          if (code === UNKNOWN) continue;
          this.#cellCodes.add(bytes, from, to, code);
        }
        last = from;
        lastLength = length;
        lastCode = code;
      }
      out[firstRow + i] = lastCode;
    }
  }

  /** @returns the code of a value that is not known, or UNKNOWN where it is absent or wrong */
  #encodeNew(raw: unknown, row: number, onInvalid: OnInvalid): number {
    if (isAbsent(raw)) {
      if (this.#required) onInvalid(row, 'is required');
      return UNKNOWN;
    }
    const encoded = this.#encode(ownText(raw));
    if (!(encoded instanceof Invalid)) return encoded;
    onInvalid(row, encoded.reason);
    return UNKNOWN;
  }
}

function isSame(bytes: Uint8Array, a: number, b: number, length: number): boolean {
  let i = 0;
  while (i < length && bytes[a + i] === bytes[b + i]) i++;
  return i === length;
}

/** @returns a coder for a measure of `places` decimals: the value × 10^places; absent is 0, or wrong where required. */
export function codeMeasure(type: ValueType, places: number, required: boolean): ColumnCoder {
  const factor = 10 ** places;
  const texts = new Map<string, number>();
  const codeOther = (raw: unknown, row: number, out: Float64Array, onInvalid: OnInvalid) => {
    if (isAbsent(raw)) {
      if (required) onInvalid(row, 'is required');
      return;
    }
    const scaled = parseScaled(raw, places);
    if (scaled instanceof Invalid) {
      onInvalid(row, places === 0 ? mismatch(raw, type).reason : scaled.reason);
      out[row] = Number.NaN; // neither below nor above another measure
      return;
    }
    out[row] = scaled;
    if (typeof raw === 'string' && texts.size < MAX_REMEMBERED_TEXTS) texts.set(raw, scaled);
  };
  return (pieces, out, onInvalid) => {
    let row = 0;
    for (const piece of pieces) {
      const { cells, from, to } = piece;
      if (cells === undefined) {
        const { values } = piece;
        for (let i = from; i < to; i++, row++) {
          const raw = values[i];
          const plain = typeof raw === 'number' ? plainNumber(raw, factor) : (texts.get(raw as string) ?? -1); // what is no text is not found
          if (plain >= 0) out[row] = plain;
          else codeOther(raw, row, out, onInvalid);
        }
        continue;
      }
      const { bytes, bounds, step } = cells;
      for (let i = 0, { at } = cells; i < to; i++, at += step, row++) {
        const plain = plainCell(bytes, bounds[at] as number, bounds[at + 1] as number, places); // there are `step` bounds a row
        if (plain >= 0) out[row] = plain;
        else codeOther(cellValue(cells, i), row, out, onInvalid);
      }
    }
    if (required) for (; row < out.length; row++) onInvalid(row, 'is required');
  };
}

const MAX_PLAIN_CHARACTERS = 9;
const POINT = 0x2e;
const ZERO = 0x30;

/** The common case of parseScaled for cells: a few digits, perhaps with a point among them. @returns -1 for any other */
function plainCell(bytes: Uint8Array, from: number, to: number, places: number): number {
  const length = to - from;
  if (length > MAX_PLAIN_CHARACTERS || length === 0) return -1;
  let value = 0;
  let decimals = -1;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number; // at < length
    const digit = byte - ZERO;
    if (digit >= 0 && digit <= 9) {
      value = value * 10 + digit;
    } else {
      if (byte !== POINT || decimals >= 0 || at === from || at === to - 1) return -1;
      decimals = to - 1 - at;
    }
  }
  if (decimals < 0) decimals = 0;
  return decimals > places ? -1 : value * (POWERS[places - decimals] as number); // no column has more places than there are powers
}

const POWERS = Float64Array.from({ length: 16 }, (_, power) => 10 ** power);

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
