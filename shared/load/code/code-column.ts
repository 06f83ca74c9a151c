import { detach, isAbsent, parseScaled, plainNumber } from '../schema/parse-value.ts';
import type { ValueType } from '../schema/value-types.ts';
import { Invalid, mismatch } from '../schema/value-types.ts';

/** Called with a row of the batch whose value is wrong. */
export type OnInvalid = (row: number, reason: string) => void;

/**
 * Writes the code of each row of a column into `out`, which is 0 everywhere. Rows beyond `values` have no value. Where a value is wrong, the code is
 * undefined.
 */
export type ColumnCoder = (values: ArrayLike<unknown>, out: Float64Array, onInvalid: OnInvalid) => void;

const MAX_CACHED = 1 << 20;
/** Equal to no value of any file. */
const NO_VALUE = Symbol('no value');
/** No code of any value. */
const UNKNOWN = -1;

/**
 * @returns a coder for columns whose values repeat: each distinct value is checked once
 * @param encode the code of a value, or why it is wrong
 * @param required whether absent values are wrong, instead of 0
 */
export function codeByLookup(encode: (raw: unknown) => number | Invalid, required: boolean): ColumnCoder {
  const codes = new Map<unknown, number>();
  const encodeNew = (raw: unknown, row: number, onInvalid: OnInvalid): number => {
    const code = isAbsent(raw) ? absentCode(required) : encode(detach(raw));
    if (code instanceof Invalid) {
      onInvalid(row, code.reason);
      return UNKNOWN;
    }
    if (codes.size >= MAX_CACHED) codes.clear();
    codes.set(detach(raw), code);
    return code;
  };
  return (values, out, onInvalid) => {
    let last: unknown = NO_VALUE;
    let lastCode = 0;
    for (let row = 0; row < out.length; row++) {
      const raw = values[row];
      if (raw !== last) {
        const code = codes.get(raw) ?? encodeNew(raw, row, onInvalid);
        if (code === UNKNOWN) continue;
        last = raw;
        lastCode = code;
      }
      out[row] = lastCode;
    }
  };
}

/** @returns a coder for a measure of `places` decimals: the value × 10^places; absent is 0, or wrong if required */
export function codeMeasure(type: ValueType, places: number, required: boolean): ColumnCoder {
  const factor = 10 ** places;
  const texts = new Map<unknown, number>();
  const scale = (raw: unknown, row: number, onInvalid: OnInvalid): number => {
    const scaled = isAbsent(raw) ? absentCode(required) : parseScaled(raw, places);
    if (scaled instanceof Invalid) {
      onInvalid(row, places === 0 && !isAbsent(raw) ? mismatch(raw, type).reason : scaled.reason);
      return Number.NaN; // neither below nor above another measure
    }
    if (typeof raw === 'string' && texts.size < MAX_CACHED_NUMBERS) texts.set(detach(raw), scaled);
    return scaled;
  };
  return (values, out, onInvalid) => {
    for (let row = 0; row < out.length; row++) {
      const raw = values[row];
      const number = typeof raw === 'bigint' ? Number(raw) : raw; // plainNumber rejects those that are too large for a double
      const plain = typeof number === 'number' ? plainNumber(number, factor) : (texts.get(raw) ?? UNKNOWN);
      out[row] = plain === UNKNOWN ? scale(raw, row, onInvalid) : plain;
    }
  };
}

/** Per measure: most texts are small numbers that repeat. */
const MAX_CACHED_NUMBERS = 1 << 16;

function absentCode(required: boolean): number | Invalid {
  return required ? new Invalid('is required') : 0;
}
