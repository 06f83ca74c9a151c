import type { ColumnEntry, DayEntry } from '../../catalog/partitions.ts';
import { ByteReader, ByteWriter } from '../../columns/bytes.ts';
import { countChunks } from '../table/chunks.ts';
import { compress, decompress } from '../table/compress.ts';

/** A day in a stored manifest, with the hash of its content, which shows a load whether the day has changed. */
export interface StoredDay extends DayEntry {
  readonly hash: Uint8Array;
}

export const HASH_BYTES = 8;

const FORMAT = 1;
const PACKED_FLAG = 0x80;
const MONTH_ITEM_FLAG = 0x40;
const DAY_BITS = 0x1f;

/**
 * The format is zstd with a checksum over:
 * - the format version (1 byte),
 * - as varints: the number of column names, for each name (sorted) its length and UTF-8 bytes, the number of days,
 * - for each day: day | 0x80 if all columns are in one item | 0x40 if that is the item of the month (1 byte), version, rows (varints), hash (8 bytes), and for
 *   each column name 0 if the day lacks it, else bytes + 1 and the number of distinct values, or of pairs of a user and a row (varints).
 *
 * The item of a month has its days in this order. 31 days of 20 columns take about 2 KB.
 * @returns the encoded manifest
 */
export function encodeManifest(days: readonly StoredDay[]): Uint8Array {
  const names = [...new Set(days.flatMap((day) => [...day.columns.keys()]))].sort();
  const writer = new ByteWriter().u8(FORMAT).varint(names.length);
  for (const name of names) {
    const text = new TextEncoder().encode(name);
    writer.varint(text.length).raw(text);
  }
  writer.varint(days.length);
  for (const day of days) {
    const monthFlag = day.monthOffset === undefined ? 0 : MONTH_ITEM_FLAG;
    writer
      .u8(day.day | (day.isPacked ? PACKED_FLAG : 0) | monthFlag)
      .varint(day.version)
      .varint(day.rows)
      .raw(day.hash);
    for (const name of names) {
      const column = day.columns.get(name);
      if (column === undefined) writer.varint(0);
      else writer.varint(column.bytes + 1).varint(column.distinct);
    }
  }
  return compress(writer.finish());
}

/** @returns the days that `encodeManifest` encoded. @throws Error naming `where` if the bytes are damaged or have another format */
export function decodeManifest(bytes: Uint8Array, where: string): StoredDay[] {
  const reader = new ByteReader(decompress(bytes, where), where);
  if (reader.u8() !== FORMAT) throw new Error(`${where} has an unknown format`);
  const names = Array.from({ length: reader.varint() }, () => new TextDecoder().decode(reader.raw(reader.varint())));
  let monthOffset = 0;
  const days = Array.from({ length: reader.varint() }, () => {
    const day = readDay(reader, names, monthOffset);
    if (day.monthOffset !== undefined) monthOffset += bytesOfDay(day);
    return day;
  });
  reader.end();
  return days;
}

/** @returns the size of all columns of the day; of a day in one item, before that item is compressed */
export function bytesOfDay({ columns }: DayEntry): number {
  let bytes = 0;
  for (const column of columns.values()) bytes += column.bytes;
  return bytes;
}

/** @param monthOffset where the day begins in the item of its month, if it is there */
function readDay(reader: ByteReader, names: readonly string[], monthOffset: number): StoredDay {
  const first = reader.u8();
  const isPacked = (first & PACKED_FLAG) !== 0;
  const version = reader.varint();
  const rows = reader.varint();
  const hash = reader.raw(HASH_BYTES).slice();
  const columns = new Map<string, ColumnEntry>();
  for (const name of names) {
    const size = reader.varint();
    if (size === 0) continue;
    columns.set(name, { bytes: size - 1, chunks: isPacked ? 0 : countChunks(size - 1), distinct: reader.varint() });
  }
  const place = (first & MONTH_ITEM_FLAG) === 0 ? {} : { monthOffset };
  return { day: first & DAY_BITS, version, rows, isPacked, ...place, hash, columns };
}
