import { isUtf8 } from 'node:buffer';
import type { ParquetParsers, SchemaElement } from 'hyparquet';
import { formatDay } from '../../lib/calendar.ts';
import { EXACT } from '../schema/parse-value.ts';
import { Invalid } from '../schema/value-types.ts';

/** How the values of a column are read, so that they are checked as in other formats. */
export interface ColumnValues {
  readonly parsers: Partial<ParquetParsers>;
  /** @returns the value as the loader checks it; Invalid if no column accepts it. Absent if values stay as they are. */
  readonly convert?: (value: unknown) => unknown;
}

/** Parsers that return text. A timestamp is an instant unless its column is not adjusted to UTC. JSON is text: no column has objects. */
const PARSERS = {
  dateFromDays: memoize((days: number) => isoText(BigInt(days) * DAY_SECONDS, isoDate)),
  ...timestampsAs('Z'),
  stringFromBytes: (bytes: Uint8Array | undefined) => bytes && decodeText(bytes),
  jsonFromBytes: (bytes: Uint8Array | undefined) => bytes && decodeText(bytes),
};
const LOCAL_PARSERS = { ...PARSERS, ...timestampsAs('') };

/** @returns how the values of a column are read; decimals exactly: as a number if its shortest text is the decimal, otherwise as text */
export function valuesOf({
  type,
  converted_type: converted,
  logical_type: logical,
  scale = 0,
}: SchemaElement): ColumnValues {
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

const MAX_SHOWN_BYTES = 16;

function decodeText(bytes: Uint8Array): string | Invalid {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString('utf8');
  if (!text.includes('\ufffd') || isUtf8(bytes)) return text;
  const shown = buffer
    .subarray(0, MAX_SHOWN_BYTES)
    .toString('hex')
    .replaceAll(/(..)(?=.)/g, '$1 ');
  return new Invalid(`must be UTF-8, not the bytes ${shown}${bytes.length > MAX_SHOWN_BYTES ? ' …' : ''}`);
}

const DAY_SECONDS = 86_400n;

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
    (ticks - rest) / perSecond,
    (date) => `${date.toISOString().slice(0, -'.000Z'.length)}${fraction}${zone}`,
  );
}

const isoDate = (date: Date): string => formatDay(Math.floor(date.getTime() / Number(DAY_SECONDS * 1_000n)));

/** @returns the text of the date, or its seconds if it is out of JavaScript's range */
function isoText(seconds: bigint, format: (date: Date) => string): string {
  const date = new Date(Number(seconds) * 1_000);
  return Number.isNaN(date.getTime()) ? `${seconds} seconds after 1970` : format(date);
}

/** Few, because a file can have ticks whose hashes are equal in V8. */
const MAX_CACHED = 1 << 8;

/** Columns without a dictionary repeat the same few days. */
function memoize<K, V>(make: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) {
      value = make(key);
      if (known.size >= MAX_CACHED) known.clear();
      known.set(key, value);
    }
    return value;
  };
}
