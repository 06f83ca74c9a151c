import type { DayColumns, DayEntry, PartitionRead } from '../../catalog/partitions.ts';
import { chunkBytes } from '../table/chunk-items.ts';
import { getComplete, joinChunks, readComplete } from '../table/chunks.ts';
import { decompress } from '../table/compress.ts';
import type { Item } from '../table/item.ts';
import { type Key, monthItemKey, PACKED, parseSegmentKey, segmentPk, segmentRange } from '../table/item-keys.ts';
import { readAhead } from '../table/read-ahead.ts';
import { BATCH_GET_KEYS, PART_BYTES } from '../table/requests.ts';
import type { Table } from '../table/table.ts';
import { bytesOfDay } from './manifest-codec.ts';

/** Maximum bytes per column of a span of days, so that one page of a Query (1 MB) reads it. */
const MAX_SPAN_COLUMN_BYTES = 900_000;
/** Maximum bytes per column of days between two days of a span: a Query reads these, too, and another Query costs about as much. */
const MAX_GAP_COLUMN_BYTES = 16_000;

/**
 * Yields the days of the reads; within a partition they ascend. Months that are in one item each are read first, many in a `BatchGetItem` call; of other months, a
 * Query per column reads a span of days. A bounded number of bytes is read ahead.
 * @throws ApiError STORE_INCONSISTENT if items are missing; Error if an item is damaged, or a month's item too short
 */
export async function* readDays(table: Table, reads: readonly PartitionRead[]): AsyncGenerator<DayColumns> {
  const parts = [
    ...cutMonths(reads.filter(isInMonthItem)).map(({ bytes, members }) => ({
      bytes,
      read: () => readMonths(table, members),
    })),
    ...reads
      .filter((read) => !isInMonthItem(read))
      .flatMap((read) =>
        cutSpans(read).map(({ bytes, days }) => ({ bytes, read: () => readSpan(table, { ...read, days }) })),
      ),
  ];
  yield* readAhead(parts);
}

/** Either all days of a partition are in the item of its month or none is. */
function isInMonthItem({ days }: PartitionRead): boolean {
  return days[0]?.monthOffset !== undefined;
}

/** @returns the months in parts of at most PART_BYTES and one `BatchGetItem` call each */
function cutMonths(reads: readonly PartitionRead[]) {
  const parts: { members: PartitionRead[]; bytes: number }[] = [];
  for (const read of reads) {
    const bytes = endOf(read);
    const last = parts.at(-1);
    if (last !== undefined && last.members.length < BATCH_GET_KEYS && last.bytes + bytes <= PART_BYTES) {
      last.members.push(read);
      last.bytes += bytes;
    } else {
      parts.push({ members: [read], bytes });
    }
  }
  return parts;
}

/** @returns where the last requested day ends in the item of the month */
function endOf({ days }: PartitionRead): number {
  const last = days.at(-1);
  return last === undefined ? 0 : (last.monthOffset ?? 0) + bytesOfDay(last);
}

async function readMonths(table: Table, reads: readonly PartitionRead[]): Promise<DayColumns[]> {
  const keys = reads.map(({ ref, days }) => monthItemKey(ref, days[0]?.version ?? 0));
  const items = await getComplete(table, keys);
  return reads.flatMap((read, index) => {
    const { pk, sk } = keys[index] as Key; // one key per read
    const where = `${pk} / ${sk}`;
    const month = decompress(chunkBytes(items[index] as Item), where); // one item per key
    if (endOf(read) > month.length)
      throw new Error(`the item ${where} has ${month.length} bytes; its days end at ${endOf(read)}`);
    return read.days.map((entry) => {
      const { monthOffset = 0 } = entry;
      const bytes = month.subarray(monthOffset, monthOffset + bytesOfDay(entry));
      return { ref: read.ref, entry, columns: unpack(entry, bytes, read.columns) };
    });
  });
}

/**
 * Days that are not requested are taken to have the size of the next requested one: whether they exist is not known here.
 * @returns the days in spans; in a span of several days, each column is at most MAX_SPAN_COLUMN_BYTES, and each gap at most MAX_GAP_COLUMN_BYTES
 */
function cutSpans({ days, columns }: PartitionRead) {
  const spans: { days: DayEntry[]; bytes: number; ofColumn: number[] }[] = [];
  for (const day of days) {
    const sizes = columns.map((column) => day.columns.get(column)?.bytes ?? 0);
    const last = spans.at(-1);
    const skipped = day.day - 1 - (last?.days.at(-1)?.day ?? 0);
    const fits =
      last?.ofColumn.every((sum, index) => {
        const size = sizes[index] ?? 0;
        return skipped * size <= MAX_GAP_COLUMN_BYTES && sum + (1 + skipped) * size <= MAX_SPAN_COLUMN_BYTES;
      }) ?? false;
    const span = last !== undefined && fits ? last : { days: [], bytes: 0, ofColumn: columns.map(() => 0) };
    if (span !== last) spans.push(span);
    const read = sizes.map((size) => (span === last ? (1 + skipped) * size : size));
    span.days.push(day);
    span.bytes += read.reduce((sum, size) => sum + size, 0);
    span.ofColumn = span.ofColumn.map((sum, index) => sum + (read[index] ?? 0));
  }
  return spans;
}

async function readSpan(table: Table, { ref, days, columns }: PartitionRead): Promise<DayColumns[]> {
  const packedDays = days.filter((day) => day.isPacked);
  const unpackedDays = days.filter((day) => !day.isPacked);
  const [packedBytes, ...columnBytes] = await Promise.all([
    readColumn(table, segmentPk(ref, PACKED), packedDays, bytesOfDay),
    ...columns.map((column) =>
      readColumn(table, segmentPk(ref, column), unpackedDays, (day) => day.columns.get(column)?.bytes),
    ),
  ]);
  return days.map((entry) => {
    const dayBytes = packedBytes.get(entry.day);
    if (dayBytes !== undefined) return { ref, entry, columns: unpack(entry, dayBytes, columns) };
    const read = columns.map((column, index) => [column, columnBytes[index]?.get(entry.day)] as const);
    return { ref, entry, columns: new Map(read.filter((pair): pair is [string, Uint8Array] => pair[1] !== undefined)) };
  });
}

/**
 * @param sizeOf returns the size of the column on a day according to the manifest; undefined if the day lacks it
 * @returns the bytes of each day that has the column, by day
 */
async function readColumn(
  table: Table,
  pk: string,
  days: readonly DayEntry[],
  sizeOf: (day: DayEntry) => number | undefined,
): Promise<ReadonlyMap<number, Uint8Array>> {
  const stored = days.filter((day) => (sizeOf(day) ?? 0) > 0);
  const empty = days.filter((day) => sizeOf(day) === 0).map((day) => [day.day, new Uint8Array(0)] as const);
  const first = stored.at(0);
  const last = stored.at(-1);
  if (first === undefined || last === undefined) return new Map(empty);
  const range = segmentRange(pk, first.day, last.day);
  const found = await readComplete(table, range, (items) => joinDays(pk, items, stored, sizeOf));
  return new Map([...found, ...empty]);
}

/** @returns the bytes of each day; undefined if a chunk is missing or a day's size differs from the manifest */
function joinDays(
  pk: string,
  items: readonly Item[],
  days: readonly DayEntry[],
  sizeOf: (day: DayEntry) => number | undefined,
): [number, Uint8Array][] | undefined {
  const versions = new Map(days.map(({ day, version }) => [day, version]));
  const chunks = new Map<number, Uint8Array[]>();
  for (const item of items) {
    const { day, version, chunk } = parseSegmentKey(item.sk);
    if (versions.get(day) !== version) continue; // another version, or a day that is not requested
    const ofDay = chunks.get(day) ?? [];
    if (chunk !== ofDay.length) return undefined;
    ofDay.push(chunkBytes(item));
    chunks.set(day, ofDay);
  }
  const joined: [number, Uint8Array][] = [];
  for (const day of days) {
    const stored = joinChunks(chunks.get(day.day) ?? []);
    const bytes = day.isPacked && stored.length > 0 ? decompress(stored, `${pk}, day ${day.day}`) : stored;
    if (bytes.length !== sizeOf(day)) return undefined;
    joined.push([day.day, bytes]);
  }
  return joined;
}

/** The columns of a day in one item are concatenated in the order of the manifest. */
function unpack(entry: DayEntry, packed: Uint8Array, columns: readonly string[]): ReadonlyMap<string, Uint8Array> {
  const found = new Map<string, Uint8Array>();
  let start = 0;
  for (const [column, { bytes }] of entry.columns) {
    if (columns.includes(column)) found.set(column, packed.subarray(start, start + bytes));
    start += bytes;
  }
  return found;
}
