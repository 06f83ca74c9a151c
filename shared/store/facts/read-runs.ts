import { decompress } from '../../columns/frame.ts';
import { PACKS, type Pack, packOf } from '../../columns/runs.ts';
import {
  daysIn,
  type PartitionRead,
  type PartitionRef,
  type RunColumns,
  type RunEntry,
} from '../../layout/partitions.ts';
import { chunkBytes } from '../table/chunk-items.ts';
import { getComplete, joinChunks, readComplete } from '../table/chunks.ts';
import type { Item } from '../table/item.ts';
import { packPk, parseSegmentKey, segmentKey, segmentPk, segmentRange } from '../table/item-keys.ts';
import { readAhead } from '../table/read-ahead.ts';
import { cutReads } from '../table/requests.ts';
import type { Table } from '../table/table.ts';

/** Maximum bytes per column of a span of runs, so that one page of a Query (1 MB) reads it. */
const MAX_SPAN_COLUMN_BYTES = 900_000;
/** Maximum bytes per column of days between two runs of a span: a Query reads these, too, and another Query costs about as much. */
const MAX_GAP_COLUMN_BYTES = 16_000;

/**
 * Yields the runs of the reads; those whose items are read by key come first. A `BatchGetItem` call reads packs of many runs, and columns of one chunk where a Query
 * would read a single run; of other columns, a Query each reads a span of runs. A bounded number of bytes is read ahead.
 * @throws ApiError STORE_INCONSISTENT if items are missing; Error if an item is damaged
 */
export async function* readRuns(table: Table, reads: readonly PartitionRead[]): AsyncGenerator<RunColumns> {
  const byKey: KeyedRun[] = [];
  const spans: PartitionSpan[] = [];
  for (const read of reads) {
    const maxChunks = (run: RunEntry) => Math.max(...read.columns.map((name) => run.columns.get(name)?.chunks ?? 0));
    byKey.push(...read.runs.filter((run) => maxChunks(run) === 0).map((run) => keyedRun(read, run)));
    for (const span of cutSpans({ ...read, runs: read.runs.filter((run) => maxChunks(run) > 0) })) {
      const [run, ...others] = span.runs;
      if (run !== undefined && others.length === 0 && maxChunks(run) === 1) byKey.push(keyedRun(read, run));
      else spans.push({ ...read, ...span });
    }
  }
  yield* readAhead([
    ...cutReads(byKey, sizeOfItems).map(({ bytes, members }) => ({ bytes, read: () => readItems(table, members) })),
    ...spans.map((span) => ({ bytes: span.bytes, read: () => readSpan(table, span) })),
  ]);
}

interface PartitionSpan extends PartitionRead {
  readonly bytes: number;
}

/** A run, and its items that are read by key. */
interface KeyedRun {
  readonly ref: PartitionRef;
  readonly run: RunEntry;
  readonly columns: readonly string[];
  readonly items: readonly RunItem[];
}

/** A pack, or a column of one chunk. */
interface RunItem {
  readonly pk: string;
  readonly isPack: boolean;
  /** The size of each of its columns, which are concatenated. */
  readonly columns: readonly (readonly [name: string, column: { readonly bytes: number }])[];
}

function keyedRun({ ref, columns }: Omit<PartitionRead, 'runs'>, run: RunEntry): KeyedRun {
  const requested = [...run.columns].filter(([name]) => columns.includes(name));
  const isPacked = (pack: Pack) => requested.some(([name, { chunks }]) => chunks === 0 && packOf(name) === pack);
  const packs = PACKS.filter(isPacked).map((pack) => {
    return { pk: packPk(ref, pack), isPack: true, columns: [...run.columns].filter(([name]) => packOf(name) === pack) };
  });
  const single = requested.filter(([, { chunks }]) => chunks === 1);
  const items = single.map((column) => ({ pk: segmentPk(ref, column[0]), isPack: false, columns: [column] }));
  return { ref, run, columns, items: [...packs, ...items] };
}

function sizeOfItems({ items }: KeyedRun) {
  return { keys: items.length, bytes: items.reduce((sum, item) => sum + bytesIn(item), 0) };
}

function bytesIn({ columns }: RunItem): number {
  return columns.reduce((sum, [, { bytes }]) => sum + bytes, 0);
}

async function readItems(table: Table, reads: readonly KeyedRun[]): Promise<RunColumns[]> {
  const keys = reads.flatMap(({ run, items }) => items.map(({ pk }) => segmentKey(pk, run.day, run.version, 0)));
  const found = await getComplete(table, keys);
  let next = 0;
  return reads.map(({ ref, run, columns, items }) => {
    const read = items.flatMap((item) => splitItem(item, found[next++] as Item)); // one item per key
    return { ref, run, columns: new Map(read.filter(([name]) => columns.includes(name))) };
  });
}

/** @returns the columns of the item */
function splitItem(item: RunItem, stored: Item): [string, Uint8Array][] {
  const where = `${stored.pk} / ${stored.sk}`;
  const size = bytesIn(item);
  const bytes = item.isPack ? decompress(chunkBytes(stored), size, where) : chunkBytes(stored);
  if (bytes.length !== size) throw new Error(`the item ${where} has ${bytes.length} bytes`);
  let start = 0;
  return item.columns.map(([name, column]) => {
    start += column.bytes;
    return [name, bytes.subarray(start - column.bytes, start)];
  });
}

/**
 * Days that are not requested are taken to have the size of the next requested run: whether they exist is not known here.
 * @returns the runs in spans; in a span of several runs, each column is at most MAX_SPAN_COLUMN_BYTES, and each gap at most MAX_GAP_COLUMN_BYTES
 */
function cutSpans({ runs, columns }: PartitionRead) {
  const spans: { runs: RunEntry[]; bytes: number; ofColumn: number[] }[] = [];
  for (const run of runs) {
    const sizes = columns.map((column) => run.columns.get(column)?.bytes ?? 0);
    const last = spans.at(-1);
    const skipped = run.day - 1 - (daysIn(last?.runs ?? []).at(-1)?.day ?? 0);
    const fits =
      last?.ofColumn.every((sum, index) => {
        const size = sizes[index] ?? 0;
        return skipped * size <= MAX_GAP_COLUMN_BYTES && sum + (1 + skipped) * size <= MAX_SPAN_COLUMN_BYTES;
      }) ?? false;
    const span = last !== undefined && fits ? last : { runs: [], bytes: 0, ofColumn: columns.map(() => 0) };
    if (span !== last) spans.push(span);
    const read = sizes.map((size) => (span === last ? (1 + skipped) * size : size));
    span.runs.push(run);
    span.bytes += read.reduce((sum, size) => sum + size, 0);
    span.ofColumn = span.ofColumn.map((sum, index) => sum + (read[index] ?? 0));
  }
  return spans;
}

async function readSpan(table: Table, { ref, runs, columns }: PartitionRead): Promise<RunColumns[]> {
  const isPacked = (run: RunEntry) => (name: string) => run.columns.get(name)?.chunks === 0;
  const [packed, ...read] = await Promise.all([
    readItems(
      table,
      runs.map((run) => keyedRun({ ref, columns: columns.filter(isPacked(run)) }, run)),
    ),
    ...columns.map((column) => readColumn(table, segmentPk(ref, column), column, runs)),
  ]);
  return runs.map((run, index) => {
    const found = columns.map((column, i) => [column, read[i]?.get(run.day)] as const);
    const separate = found.filter((pair): pair is [string, Uint8Array] => pair[1] !== undefined);
    return { ref, run, columns: new Map([...(packed[index]?.columns ?? []), ...separate]) };
  });
}

/** @returns the column's bytes in each run that has it outside its packs, by the run's first day */
async function readColumn(
  table: Table,
  pk: string,
  column: string,
  runs: readonly RunEntry[],
): Promise<ReadonlyMap<number, Uint8Array>> {
  const stored = runs.filter((run) => (run.columns.get(column)?.chunks ?? 0) > 0);
  const first = stored.at(0);
  const last = stored.at(-1);
  if (first === undefined || last === undefined) return new Map();
  const range = segmentRange(pk, first.day, last.day);
  return new Map(await readComplete(table, range, (items) => joinItems(items, stored, column)));
}

/** @returns the bytes of each run; undefined if a chunk is missing or a run's size differs from the manifest */
function joinItems(
  items: readonly Item[],
  runs: readonly RunEntry[],
  column: string,
): [number, Uint8Array][] | undefined {
  const versions = new Map(runs.map(({ day, version }) => [day, version]));
  const chunks = new Map<number, Uint8Array[]>();
  for (const item of items) {
    const { day, version, chunk } = parseSegmentKey(item.sk);
    if (versions.get(day) !== version) continue; // another version, or a run that is not requested
    const ofRun = chunks.get(day) ?? [];
    if (chunk !== ofRun.length) return undefined;
    ofRun.push(chunkBytes(item));
    chunks.set(day, ofRun);
  }
  const joined: [number, Uint8Array][] = [];
  for (const run of runs) {
    const bytes = joinChunks(chunks.get(run.day) ?? []);
    if (bytes.length !== run.columns.get(column)?.bytes) return undefined;
    joined.push([run.day, bytes]);
  }
  return joined;
}
