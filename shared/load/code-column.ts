import { CellCodes } from './cell-codes.ts';
import { type Cells, cellValue } from './cells.ts';
import { Invalid, mismatch } from './invalid.ts';
import { isAbsent, ownText, parseScaled, plainNumber } from './parse-value.ts';
import type { CodedPiece, ColumnPiece } from './row-batch.ts';
import type { ValueType } from './value-types.ts';

/** Called with a row of the batch whose value is wrong. */
export type OnInvalid = (row: number, reason: string) => void;

/** Writes the codes of a column's rows into `out`, which is 0 everywhere. */
export type ColumnCoder = (pieces: readonly ColumnPiece[], out: Float64Array, onInvalid: OnInvalid) => void;

type CodedRows = Pick<CodedPiece, 'coded' | 'from' | 'to'>;

/** Writes the codes of some rows of a column, from `firstRow` on, in each of the forms that files have them in. */
interface PieceCoder {
  codeValues(piece: ColumnPiece, firstRow: number, out: Float64Array, onInvalid: OnInvalid): void;
  codeCoded(piece: CodedRows, firstRow: number, out: Float64Array, onInvalid: OnInvalid): void;
  codeCells(cells: Cells, count: number, firstRow: number, out: Float64Array, onInvalid: OnInvalid): void;
}

/**
 * @returns a coder for columns whose values repeat: each distinct value is checked once, and remembered.
 * @param encode the code of a value, or why it is wrong
 * @param required whether absent values are wrong, instead of 0
 */
export function codeByLookup(encode: (raw: unknown) => number | Invalid, required: boolean): ColumnCoder {
  return columnCoder(new Lookup(encode, required), required);
}

/** @returns a coder for a measure of `places` decimals: the value × 10^places; absent is 0, or wrong where required. */
export function codeMeasure(type: ValueType, places: number, required: boolean): ColumnCoder {
  return columnCoder(new Scale(type, places, required), required);
}

function columnCoder(coder: PieceCoder, required: boolean): ColumnCoder {
  return (pieces, out, onInvalid) => {
    let row = 0;
    for (const piece of pieces) {
      const { cells, coded, from, to } = piece;
      if (cells !== undefined) coder.codeCells(cells, to, row, out, onInvalid);
      else if (coded !== undefined) coder.codeCoded({ coded, from, to }, row, out, onInvalid);
      else coder.codeValues(piece, row, out, onInvalid);
      row += to - from;
    }
    if (required) for (; row < out.length; row++) onInvalid(row, 'is required');
  };
}

const MAX_REMEMBERED = 1 << 20;
/** Equal to no value of any file. */
const NO_VALUE = Symbol('no value');
/** Not the code of anything. */
const UNKNOWN = -1;

// Below, rows and the places of their values are in range, and indices are of their dictionary.

/** The codes of values met before, as a format gives them. */
class Lookup implements PieceCoder {
  readonly #encode: (raw: unknown) => number | Invalid;
  readonly #required: boolean;
  readonly #codes = new Map<unknown, number>();
  readonly #textCells = new CellCodes(MAX_REMEMBERED);
  /** A number may be allowed where its text is not, and the other way round. */
  readonly #numberCells = new CellCodes(MAX_REMEMBERED);

  constructor(encode: (raw: unknown) => number | Invalid, required: boolean) {
    this.#encode = encode;
    this.#required = required;
  }

  codeValues({ values, from, to }: ColumnPiece, firstRow: number, out: Float64Array, onInvalid: OnInvalid): void {
    let last: unknown = NO_VALUE;
    let lastCode = 0;
    for (let i = from, row = firstRow; i < to; i++, row++) {
      const raw = values[i];
      const code = raw === last ? lastCode : this.#codeOf(raw, row, onInvalid);
      if (code === UNKNOWN) continue;
      last = raw;
      lastCode = code;
      out[row] = code;
    }
  }

  codeCoded({ coded, from, to }: CodedRows, firstRow: number, out: Float64Array, onInvalid: OnInvalid): void {
    const { dictionary, indices } = coded;
    const codes = new Float64Array(dictionary.length).fill(UNKNOWN);
    for (let i = from, row = firstRow; i < to; i++, row++) {
      const index = indices[i] as number;
      let code = codes[index] as number;
      if (code === UNKNOWN) {
        code = this.#codeOf(dictionary[index], row, onInvalid);
        if (code === UNKNOWN) continue;
        codes[index] = code;
      }
      out[row] = code;
    }
  }

  codeCells(cells: Cells, count: number, firstRow: number, out: Float64Array, onInvalid: OnInvalid): void {
    const { bytes, bounds, step } = cells;
    const known = cells.isNumber ? this.#numberCells : this.#textCells;
    let last = 0;
    let lastLength = UNKNOWN;
    let lastCode = 0;
    for (let i = 0, { at } = cells; i < count; i++, at += step) {
      const from = bounds[at] as number;
      const to = bounds[at + 1] as number;
      const length = to - from;
      if (length !== lastLength || !isSame(bytes, last, from, length)) {
        let code = known.find(bytes, from, to);
        if (code === UNKNOWN) {
          code = this.#encodeNew(cellValue(cells, i), firstRow + i, onInvalid);
          if (code === UNKNOWN) continue;
          known.add(bytes, from, to, code);
        }
        last = from;
        lastLength = length;
        lastCode = code;
      }
      out[firstRow + i] = lastCode;
    }
  }

  /** @returns the code of a value, or UNKNOWN where it is absent or wrong */
  #codeOf(raw: unknown, row: number, onInvalid: OnInvalid): number {
    const known = this.#codes.get(raw);
    if (known !== undefined) return known;
    const code = this.#encodeNew(raw, row, onInvalid);
    if (code === UNKNOWN) return code;
    if (this.#codes.size >= MAX_REMEMBERED) this.#codes.clear();
    this.#codes.set(ownText(raw), code);
    return code;
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

/** Of one measure: most texts are small numbers that come again and again. */
const MAX_REMEMBERED_TEXTS = 1 << 16;

/** Decimals as whole numbers. */
class Scale implements PieceCoder {
  readonly #type: ValueType;
  readonly #places: number;
  readonly #factor: number;
  readonly #required: boolean;
  readonly #texts = new Map<unknown, number>();

  constructor(type: ValueType, places: number, required: boolean) {
    this.#type = type;
    this.#places = places;
    this.#factor = 10 ** places;
    this.#required = required;
  }

  codeValues({ values, from, to }: ColumnPiece, firstRow: number, out: Float64Array, onInvalid: OnInvalid): void {
    for (let i = from, row = firstRow; i < to; i++, row++) {
      const raw = values[i];
      const plain = this.#plain(raw);
      out[row] = plain === UNKNOWN ? this.#scale(raw, row, onInvalid) : plain;
    }
  }

  codeCoded({ coded, from, to }: CodedRows, firstRow: number, out: Float64Array, onInvalid: OnInvalid): void {
    const { dictionary, indices } = coded;
    const scaled = Float64Array.from(dictionary, (raw) => this.#plain(raw));
    for (let i = from, row = firstRow; i < to; i++, row++) {
      const index = indices[i] as number;
      const known = scaled[index] as number;
      if (known === UNKNOWN) {
        const raw = dictionary[index];
        const found = this.#scale(raw, row, onInvalid);
        out[row] = found;
        if (found >= 0 && !isAbsent(raw)) scaled[index] = found;
      } else {
        out[row] = known;
      }
    }
  }

  codeCells(cells: Cells, count: number, firstRow: number, out: Float64Array, onInvalid: OnInvalid): void {
    const { bytes, bounds, step } = cells;
    const places = this.#places;
    for (let i = 0, { at } = cells; i < count; i++, at += step) {
      const plain = plainCell(bytes, bounds[at] as number, bounds[at + 1] as number, places);
      out[firstRow + i] = plain === UNKNOWN ? this.#scale(cellValue(cells, i), firstRow + i, onInvalid) : plain;
    }
  }

  /** The common case. @returns UNKNOWN where it is another */
  #plain(raw: unknown): number {
    const number = typeof raw === 'bigint' ? Number(raw) : raw; // one too large for a double is so for plainNumber
    return typeof number === 'number' ? plainNumber(number, this.#factor) : (this.#texts.get(raw) ?? UNKNOWN);
  }

  #scale(raw: unknown, row: number, onInvalid: OnInvalid): number {
    if (isAbsent(raw)) {
      if (this.#required) onInvalid(row, 'is required');
      return 0;
    }
    const scaled = parseScaled(raw, this.#places);
    if (scaled instanceof Invalid) {
      onInvalid(row, this.#places === 0 ? mismatch(raw, this.#type).reason : scaled.reason);
      return Number.NaN; // neither below nor above another measure
    }
    if (typeof raw === 'string' && this.#texts.size < MAX_REMEMBERED_TEXTS) this.#texts.set(ownText(raw), scaled);
    return scaled;
  }
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
  // no column has more places than there are powers, nor a cell more decimals
  if (decimals <= places) return value * (POWERS[places - decimals] as number);
  const whole = value / (POWERS[decimals - places] as number);
  return Number.isInteger(whole) ? whole : -1;
}

const POWERS = Float64Array.from({ length: 16 }, (_, power) => 10 ** power);
