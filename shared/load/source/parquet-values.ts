import { isUtf8 } from 'node:buffer';
import type { ParquetParsers, SchemaElement } from 'hyparquet';
import { DAY_MS, formatDay } from '../../lib/calendar.ts';
import { EXACT } from '../schema/parse-value.ts';
import { formatValue, Invalid } from '../schema/value-types.ts';

/** Parsers that return text. A timestamp is an instant unless its column is not adjusted to UTC. JSON is text: no column has objects. */
const PARSERS = {
  dateFromDays: memoize((days: number) => isoText(days * DAY_MS, () => formatDay(days))),
  ...timestampsAs('Z'),
  stringFromBytes: (bytes: Uint8Array | undefined) => bytes && decodeText(bytes),
  jsonFromBytes: (bytes: Uint8Array | undefined) => bytes && decodeText(bytes),
};
const LOCAL_PARSERS = { ...PARSERS, ...timestampsAs('') };

/**
 * @returns how the values of a column are read, so that they are checked as in other formats; decimals exactly: as a number if its shortest text is the
 * decimal, otherwise as text. `convert` returns the value as the loader checks it; Invalid if no column accepts it
 */
export function valuesOf({ type, converted_type: converted, logical_type: logical, scale = 0 }: SchemaElement): {
  readonly parsers: Partial<ParquetParsers>;
  readonly convert?: (value: unknown) => unknown;
} {
  if (converted === 'DECIMAL' || logical?.type === 'DECIMAL') {
    return { parsers: PARSERS, convert: (stored) => decimalOf(stored, scale) };
  }
  const parsers = logical?.type === 'TIMESTAMP' && !logical.isAdjustedToUTC ? LOCAL_PARSERS : PARSERS;
  if (type === 'FLOAT') return { parsers, convert: floatOf(FLOAT) };
  if (logical?.type === 'FLOAT16') return { parsers, convert: floatOf(FLOAT16) };
  return type === 'FIXED_LEN_BYTE_ARRAY' ? { parsers, convert: notBytes } : { parsers };
}

function decimalOf(stored: unknown, scale: number): unknown {
  if (stored === null || stored === undefined) return null;
  const unscaled = stored instanceof Uint8Array ? bigEndian(stored) : stored;
  const number = Number(unscaled);
  if (scale === 0 ? Number.isSafeInteger(number) : Math.abs(number) < EXACT) return number / 10 ** scale;
  const [, sign, whole = ''] = /^(-?)(\d+)$/.exec(String(unscaled)) ?? [];
  const digits = whole.padStart(scale + 1, '0');
  return scale === 0 ? `${sign}${digits}` : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

function bigEndian(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return BigInt.asIntN(bytes.length * 8, value);
}

/** Short floats are exact for integers up to `integers`. Other numbers can be recovered if they have at most `digits` significant digits. */
const FLOAT = { name: '32-bit float (FLOAT)', integers: 2 ** 24, digits: 7 };
const FLOAT16 = { name: '16-bit float (FLOAT16)', integers: 2 ** 11, digits: 3 };

/** @returns a function that returns the number, or Invalid for a short float that may have been rounded, such as 0.1, or 150000.1, which is 150000.09375 */
function floatOf({ name, integers, digits }: typeof FLOAT): (value: unknown) => unknown {
  return (value) => {
    if (typeof value !== 'number' || !Number.isFinite(value)) return value;
    const size = Math.abs(value);
    const isExact = Number.isInteger(size) || Number(size.toPrecision(digits)) === size;
    if (size <= integers && isExact) return value;
    const reason = `is ${value} as a ${name}, which is exact to ${digits} digits only`;
    return new Invalid(`${reason}: write a 64-bit integer, DECIMAL or DOUBLE`);
  };
}

/** Rejects bytes: some programs write 128-bit integers as bytes, in either order. */
function notBytes(value: unknown): unknown {
  if (!(value instanceof Uint8Array)) return value;
  const reason = `is a FIXED_LEN_BYTE_ARRAY of ${value.length} bytes without a logical type`;
  return new Invalid(`${reason}: write a 64-bit integer, DECIMAL or text`);
}

function decodeText(bytes: Uint8Array): string | Invalid {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return !text.includes('\ufffd') || isUtf8(bytes) ? text : new Invalid(`must be UTF-8, not ${formatValue(text)}`);
}

/** @param zone the suffix of the time of day */
function timestampsAs(zone: string): Partial<ParquetParsers> {
  const asText = (perSecond: bigint) => memoize((ticks: bigint) => timestampText(ticks, perSecond, zone));
  return {
    timestampFromMilliseconds: asText(1_000n),
    timestampFromMicroseconds: asText(1_000_000n),
    timestampFromNanoseconds: asText(1_000_000_000n),
  };
}

function timestampText(ticks: bigint, perSecond: bigint, zone: string): string {
  const rest = ((ticks % perSecond) + perSecond) % perSecond;
  const fraction = rest === 0n ? '' : `.${String(perSecond + rest).slice(1)}`;
  return isoText(
    Number((ticks - rest) / perSecond) * 1_000,
    (date) => `${date.toISOString().slice(0, -'.000Z'.length)}${fraction}${zone}`,
  );
}

/** @returns the text of the instant, or its seconds if it is out of JavaScript's range */
function isoText(ms: number, format: (date: Date) => string): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? `${ms / 1_000} seconds after 1970` : format(date);
}

/** Keeps the last value: columns without a dictionary repeat the same few days. */
function memoize<K, V>(make: (key: K) => V): (key: K) => V {
  let last: { readonly key: K; readonly value: V } | undefined;
  return (key) => {
    if (last === undefined || last.key !== key) last = { key, value: make(key) };
    return last.value;
  };
}
