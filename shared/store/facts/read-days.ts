import type { DayEntry, EncodedDay, PartitionRef } from '../../catalog/partitions.ts';
import { joinBytes, readWhole } from '../table/chunks.ts';
import type { Table } from '../table/client.ts';
import type { Item } from '../table/item.ts';
import { PACKED, parseSegmentKey, segmentPk, segmentRange } from '../table/keys.ts';
import { readAhead } from '../table/read-ahead.ts';
import { segmentBytes } from '../table/segments.ts';
import { inflate } from '../table/zstd.ts';

/** Days are read in spans whose largest column stays below one page of a Query (1 MB). */
const SPAN_COLUMN_BYTES = 900_000;

/**
 * Hands over the columns of the days, in order. One column's days are one range Query; as much is read ahead as memory allows.
 * @throws ApiError STORE_INCONSISTENT when a segment is missing: never fewer rows
 */
export async function* readDays(
  table: Table,
  ref: PartitionRef,
  days: readonly DayEntry[],
  columns: readonly string[],
): AsyncGenerator<EncodedDay> {
  const spans = cutSpans(days, columns);
  yield* readAhead(spans.map((span) => ({ bytes: span.bytes, read: () => readSpan(table, ref, span.days, columns) })));
}

/** @returns the days cut where a column would pass SPAN_COLUMN_BYTES. */
function cutSpans(days: readonly DayEntry[], columns: readonly string[]) {
  const spans: { days: DayEntry[]; bytes: number; ofColumn: number[] }[] = [];
  for (const day of [...days].sort((a, b) => a.day - b.day)) {
    const sizes = columns.map((column) => day.columns.get(column)?.bytes ?? 0);
    const last = spans.at(-1);
    const fits = last?.ofColumn.every((sum, index) => sum + (sizes[index] ?? 0) <= SPAN_COLUMN_BYTES) ?? false;
    const span = last !== undefined && fits ? last : { days: [], bytes: 0, ofColumn: columns.map(() => 0) };
    if (span !== last) spans.push(span);
    span.days.push(day);
    span.bytes += sizes.reduce((sum, size) => sum + size, 0);
    span.ofColumn = span.ofColumn.map((sum, index) => sum + (sizes[index] ?? 0));
  }
  return spans;
}

async function readSpan(
  table: Table,
  ref: PartitionRef,
  days: readonly DayEntry[],
  columns: readonly string[],
): Promise<EncodedDay[]> {
  const packed = days.filter((day) => day.packed);
  const apart = days.filter((day) => !day.packed);
  const [packedBytes, ...columnBytes] = await Promise.all([
    readColumn(table, segmentPk(ref, PACKED), packed, packedSize),
    ...columns.map((column) =>
      readColumn(table, segmentPk(ref, column), apart, (day) => day.columns.get(column)?.bytes),
    ),
  ]);
  return days.map((entry) => {
    const packed = packedBytes?.get(entry.day);
    if (packed !== undefined) return { entry, columns: unpack(entry, packed, columns) };
    const read = columns.map((column, index) => [column, columnBytes[index]?.get(entry.day)] as const);
    return { entry, columns: new Map(read.filter((pair): pair is [string, Uint8Array] => pair[1] !== undefined)) };
  });
}

/**
 * @param sizeOf bytes that the manifest promises of a day; undefined where the day lacks the column
 * @returns the bytes of each day that has the column
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
  const found = await readWhole(table, range, (items) => joinDays(items, stored, sizeOf));
  return new Map([...found, ...empty]);
}

/** @returns each day's bytes, or undefined when a day does not have exactly what the manifest says. */
function joinDays(
  items: readonly Item[],
  days: readonly DayEntry[],
  sizeOf: (day: DayEntry) => number | undefined,
): [number, Uint8Array][] | undefined {
  const versions = new Map(days.map(({ day, version }) => [day, version]));
  const pieces = new Map<number, Uint8Array[]>();
  for (const item of items) {
    const { day, version, chunk } = parseSegmentKey(item.sk);
    if (versions.get(day) !== version) continue; // of another commit, or of a day not asked for
    const ofDay = pieces.get(day) ?? [];
    if (chunk !== ofDay.length) return undefined;
    ofDay.push(segmentBytes(item));
    pieces.set(day, ofDay);
  }
  const joined = days.map((day) => {
    const stored = joinBytes(pieces.get(day.day) ?? []);
    return [day.day, day.packed && stored.length > 0 ? inflate(stored) : stored] as [number, Uint8Array];
  });
  return joined.every(([, bytes], index) => bytes.length === sizeAt(days, index, sizeOf)) ? joined : undefined;
}

function sizeAt(
  days: readonly DayEntry[],
  index: number,
  sizeOf: (day: DayEntry) => number | undefined,
): number | undefined {
  const day = days[index];
  return day === undefined ? undefined : sizeOf(day);
}

const packedSize = (day: DayEntry): number => [...day.columns.values()].reduce((sum, { bytes }) => sum + bytes, 0);

/** The columns of a packed day stand one after another in the order of the manifest. */
function unpack(entry: DayEntry, whole: Uint8Array, columns: readonly string[]): ReadonlyMap<string, Uint8Array> {
  const found = new Map<string, Uint8Array>();
  let at = 0;
  for (const [column, { bytes }] of entry.columns) {
    if (columns.includes(column)) found.set(column, whole.subarray(at, at + bytes));
    at += bytes;
  }
  return found;
}
