import { isUtf8 } from 'node:buffer';
import { type FileMetaData, parquetSchema, type SchemaElement } from 'hyparquet';
import { formatDay } from '../calendar.ts';
import type { FlatColumn } from './read-flat-column.ts';

/** Dates as text, so that they are checked as in the other formats; a timestamp that is no midnight is not a date. */
export const PARSERS = {
  dateFromDays: memoize((days: number) => formatDay(days)),
  timestampFromMilliseconds: (millis: bigint) => timestampText(millis, 1_000n),
  timestampFromMicroseconds: (micros: bigint) => timestampText(micros, 1_000_000n),
  timestampFromNanoseconds: (nanos: bigint) => timestampText(nanos, 1_000_000_000n),
  stringFromBytes: (bytes: Uint8Array | undefined) => bytes && decodeText(bytes),
};

/**
 * Has the decimal columns read as the integers they are stored as: the library multiplies them by 10^-scale, which is not exact.
 * @returns the scale of each
 */
export function takeDecimals(metadata: FileMetaData): Map<string, number> {
  const decimals = new Map<string, number>();
  for (const { element, children } of parquetSchema(metadata).children) {
    if (children.length > 0 || !isDecimal(element)) continue;
    decimals.set(element.name, element.scale ?? 0);
    delete element.converted_type;
    delete element.logical_type;
  }
  return decimals;
}

function isDecimal(element: SchemaElement): boolean {
  return element.converted_type === 'DECIMAL' || element.logical_type?.type === 'DECIMAL';
}

/** @returns what turns a stored value into that of the column, as the library would; undefined for types that are left to it */
export function converterOf(
  { type, converted_type: converted, logical_type: logical }: SchemaElement,
  scale: number | undefined,
): FlatColumn['convert'] | undefined {
  if (scale !== undefined) return (raw) => decimalOf(raw, scale);
  if (type === 'BYTE_ARRAY') {
    const isText = converted === 'UTF8' || logical?.type === 'STRING';
    return isText ? (raw) => (raw instanceof Uint8Array ? decodeText(raw) : raw) : undefined;
  }
  if (converted === 'DATE') return (raw) => PARSERS.dateFromDays(Number(raw));
  const isSigned = logical === undefined || (logical.type === 'INTEGER' && logical.isSigned);
  return isSigned && PLAIN_INTEGERS.has(converted ?? '') ? (raw) => raw : undefined;
}

/** Converted types of integers that are stored as they are. */
const PLAIN_INTEGERS: ReadonlySet<string> = new Set(['', 'INT_8', 'INT_16', 'INT_32', 'INT_64']);

export function decimalOf(raw: unknown, scale: number): unknown {
  if (raw === null || raw === undefined) return null;
  const unscaled = raw instanceof Uint8Array ? bigEndian(raw) : raw;
  const number = Number(unscaled);
  if (Number.isSafeInteger(number)) return number / 10 ** scale;
  const digits = String(unscaled).padStart(scale + 1, '0');
  return scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

function bigEndian(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return BigInt.asIntN(bytes.length * 8, value);
}

const SECONDS_OF_DAY = 86_400n;

function timestampText(ticks: bigint, perSecond: bigint): string {
  const day = ticks / (SECONDS_OF_DAY * perSecond);
  return ticks % (SECONDS_OF_DAY * perSecond) === 0n
    ? PARSERS.dateFromDays(Number(day))
    : `timestamp ${new Date(Number((ticks * 1000n) / perSecond)).toISOString()}`;
}

function memoize<K, V>(make: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) {
      value = make(key);
      known.set(key, value);
    }
    return value;
  };
}

/** Bytes that are not UTF-8 are answered as a lone surrogate, which no text column takes. */
function decodeText(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return text.includes('\ufffd') && !isUtf8(bytes) ? '\ud800' : text;
}
