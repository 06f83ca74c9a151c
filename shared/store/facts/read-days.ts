import type { DayColumns, DayEntry, PartitionRef } from '../../catalog/partitions.ts';
import { chunkBytes } from '../table/chunk-items.ts';
import { joinChunks, readComplete } from '../table/chunks.ts';
import type { Table } from '../table/client.ts';
import type { Item } from '../table/item.ts';
import { monthItemKey, PACKED, parseSegmentKey, segmentPk, segmentRange } from '../table/keys.ts';
import { readAhead } from '../table/read-ahead.ts';
import { decompress } from '../table/zstd.ts';
import { bytesOfDay } from './manifest-codec.ts';

/** Maximum bytes per column of a span of days, so that one page of a Query (1 MB) reads it. */
const MAX_SPAN_COLUMN_BYTES = 900_000;
/** Maximum bytes per column of days between two days of a span: a Query reads these, too, and another Query costs about as much. */
const MAX_GAP_COLUMN_BYTES = 16_000;

/**
 * Yields the columns of the days, ascending. One read gets a month that is in one item; else a Query per column reads a span of days, and a bounded number
 * of spans is read ahead.
 * @param columns the columns to read; columns that a day lacks are absent
 * @throws ApiError STORE_INCONSISTENT if chunks are missing; Error if a month's item is too short
 */
export async function* readDays(
  table: Table,
  ref: PartitionRef,
  days: readonly DayEntry[],
  columns: readonly string[],
): AsyncGenerator<DayColumns> {
  const spans = cutSpans(days, columns);
  yield* readAhead(spans.map((span) => ({ bytes: span.bytes, read: () => readSpan(table, ref, span.days, columns) })));
}

/**
 * Days that are not requested are taken to have the size of the next requested one: whether they exist is not known here.
 * @returns the days in spans; in a span of several days, each column is at most MAX_SPAN_COLUMN_BYTES, and each gap at most MAX_GAP_COLUMN_BYTES
 */
function cutSpans(days: readonly DayEntry[], columns: readonly string[]) {
  const spans: { days: DayEntry[]; bytes: number; ofColumn: number[] }[] = [];
  for (const day of [...days].sort((a, b) => a.day - b.day)) {
    const sizes = columns.map((column) => day.columns.get(column)?.bytes ?? 0);
    const last = spans.at(-1);
    const skipped = day.monthOffset === undefined ? day.day - 1 - (last?.days.at(-1)?.day ?? 0) : 0; // the item of a month is read once
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

async function readSpan(
  table: Table,
  ref: PartitionRef,
  days: readonly DayEntry[],
  columns: readonly string[],
): Promise<DayColumns[]> {
  const inMonth = days.filter((day) => day.monthOffset !== undefined);
  const packedDays = days.filter((day) => day.inOneItem && day.monthOffset === undefined);
  const unpackedDays = days.filter((day) => !day.inOneItem);
  const [monthBytes, packedBytes, ...columnBytes] = await Promise.all([
    readMonth(table, ref, inMonth),
    readColumn(table, segmentPk(ref, PACKED), packedDays, bytesOfDay),
    ...columns.map((column) =>
      readColumn(table, segmentPk(ref, column), unpackedDays, (day) => day.columns.get(column)?.bytes),
    ),
  ]);
  return days.map((entry) => {
    const dayBytes = monthBytes.get(entry.day) ?? packedBytes.get(entry.day);
    if (dayBytes !== undefined) return { entry, columns: unpack(entry, dayBytes, columns) };
    const read = columns.map((column, index) => [column, columnBytes[index]?.get(entry.day)] as const);
    return { entry, columns: new Map(read.filter((pair): pair is [string, Uint8Array] => pair[1] !== undefined)) };
  });
}

/**
 * Reads the item that has all days of the month.
 * @param days of that item
 * @returns the bytes of each of the days, by day
 */
async function readMonth(
  table: Table,
  ref: PartitionRef,
  days: readonly DayEntry[],
): Promise<ReadonlyMap<number, Uint8Array>> {
  const [first] = days;
  if (first === undefined) return new Map();
  const { pk, sk } = monthItemKey(ref, first.version);
  const month = await readComplete(table, { pk, from: sk, to: sk }, ([item]) =>
    item === undefined ? undefined : decompress(chunkBytes(item), `${pk} / ${sk}`),
  );
  return new Map(
    days.map((day) => {
      const { monthOffset = 0 } = day;
      const end = monthOffset + bytesOfDay(day);
      if (end > month.length)
        throw new Error(`the item ${pk} / ${sk} has ${month.length} bytes; day ${day.day} ends at ${end}`);
      return [day.day, month.subarray(monthOffset, end)];
    }),
  );
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

/** @returns the bytes of each day; undefined if a day's size differs from the manifest */
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
    const bytes = day.inOneItem && stored.length > 0 ? decompress(stored, `${pk}, day ${day.day}`) : stored;
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
