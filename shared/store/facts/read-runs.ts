import {
  daysIn,
  type PartitionRead,
  type PartitionRef,
  type RunColumns,
  type RunEntry,
} from '../../catalog/partitions.ts';
import { PACKS, type Pack, packOf } from '../../columns/runs.ts';
import { chunkBytes } from '../table/chunk-items.ts';
import { getComplete, joinChunks, readComplete } from '../table/chunks.ts';
import { decompress } from '../table/compress.ts';
import type { Item } from '../table/item.ts';
import { type Key, packPk, parseSegmentKey, segmentKey, segmentPk, segmentRange } from '../table/item-keys.ts';
import { readAhead } from '../table/read-ahead.ts';
import { cutReads } from '../table/requests.ts';
import type { Table } from '../table/table.ts';

/** Maximum bytes per column of a span of runs, so that one page of a Query (1 MB) reads it. */
const MAX_SPAN_COLUMN_BYTES = 900_000;
/** Maximum bytes per column of days between two runs of a span: a Query reads these, too, and another Query costs about as much. */
const MAX_GAP_COLUMN_BYTES = 16_000;

/**
 * Yields the runs of the reads; those whose columns are in packs come first. Many packs are read in a `BatchGetItem` call; of other columns, a Query each reads a span
 * of runs. A bounded number of bytes is read ahead.
 * @throws ApiError STORE_INCONSISTENT if items are missing; Error if an item is damaged
 */
export async function* readRuns(table: Table, reads: readonly PartitionRead[]): AsyncGenerator<RunColumns> {
  const packed: PackedRun[] = [];
  const others: PartitionRead[] = [];
  for (const read of reads) {
    const isOther = (run: RunEntry) => read.columns.some((name) => (run.columns.get(name)?.chunks ?? 0) > 0);
    packed.push(...read.runs.filter((run) => !isOther(run)).map((run) => packedRun(read, run)));
    others.push({ ...read, runs: read.runs.filter(isOther) });
  }
  const parts = [
    ...cutReads(packed, sizeOfPacks).map(({ bytes, members }) => ({ bytes, read: () => readPacks(table, members) })),
    ...others.flatMap((read) =>
      cutSpans(read).map(({ bytes, runs }) => ({ bytes, read: () => readSpan(table, { ...read, runs }) })),
    ),
  ];
  yield* readAhead(parts);
}

/** The packs of a run that have requested columns. */
interface PackedRun {
  readonly ref: PartitionRef;
  readonly run: RunEntry;
  readonly columns: readonly string[];
  readonly packs: readonly Pack[];
}

function packedRun({ ref, columns }: PartitionRead, run: RunEntry): PackedRun {
  const packed = columns.filter((name) => run.columns.get(name)?.chunks === 0);
  return { ref, run, columns: packed, packs: PACKS.filter((pack) => packed.some((name) => packOf(name) === pack)) };
}

function sizeOfPacks({ run, packs }: PackedRun) {
  return { keys: packs.length, bytes: packs.reduce((sum, pack) => sum + bytesOfPack(run, pack), 0) };
}

async function readPacks(table: Table, reads: readonly PackedRun[]): Promise<RunColumns[]> {
  const keys = reads.flatMap(({ ref, run, packs }) =>
    packs.map((pack) => segmentKey(packPk(ref, pack), run.day, run.version, 0)),
  );
  const items = await getComplete(table, keys);
  let next = 0;
  return reads.map(({ ref, run, columns, packs }) => {
    const found = packs.flatMap((pack) => {
      const { pk, sk } = keys[next] as Key; // one key per pack
      const item = items[next++] as Item; // one item per key
      const bytes = decompress(chunkBytes(item), `${pk} / ${sk}`);
      if (bytes.length !== bytesOfPack(run, pack)) throw new Error(`the item ${pk} / ${sk} has ${bytes.length} bytes`);
      return unpack(run, pack, bytes);
    });
    return { ref, run, columns: new Map(found.filter(([name]) => columns.includes(name))) };
  });
}

/** @returns the size of the columns that the pack has where it is one item, before it is compressed */
function bytesOfPack({ columns }: RunEntry, pack: Pack): number {
  let bytes = 0;
  for (const [name, column] of columns) if (packOf(name) === pack) bytes += column.bytes;
  return bytes;
}

/** @returns the columns of the pack, which are concatenated in the order of the manifest */
function unpack({ columns }: RunEntry, pack: Pack, packed: Uint8Array): [string, Uint8Array][] {
  let start = 0;
  return [...columns].flatMap(([name, { bytes }]) => {
    if (packOf(name) !== pack) return [];
    start += bytes;
    return [[name, packed.subarray(start - bytes, start)]];
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
  const [packed, ...read] = await Promise.all([
    readPacks(
      table,
      runs.map((run) => packedRun({ ref, runs, columns }, run)),
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
