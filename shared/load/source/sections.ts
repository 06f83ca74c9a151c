import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Problems } from '../schema/problems.ts';
import type { ColumnNames, FolderColumns } from './column-names.ts';
import type { FileSource } from './file-source.ts';
import type { DataFile, FileFormat } from './find-files.ts';
import { type CsvHeader, endOfCsvRecords, readCsv, readHeader } from './read-csv.ts';
import { endOfElements, readJsonArray, readNdjson } from './read-ndjson.ts';
import type { ParquetFile, RowRange } from './read-parquet.ts';
import {
  FileSink,
  type HeaderSink,
  type RowBatch,
  type RowSink,
  rejectRest,
  UnreadableFileError,
  withNulls,
  withPartitions,
} from './row-batch.ts';
import {
  beginsWith,
  cutBlocks,
  decompress,
  endOfLines,
  firstVisible,
  lastVisible,
  MAGIC,
  peek,
  rejectNoText,
  type TextBlock,
} from './text-blocks.ts';

/** What a folder's files are read with. */
export interface Reading {
  readonly source: FileSource;
  readonly problems: Problems;
  /** A directory for data that do not fit into memory, removed at the end. */
  readonly temporaryDirectory: string;
  readonly signal: AbortSignal;
  /** What the folder says about its columns. */
  readonly columns: FolderColumns;
  /** Called with the number of bytes read from Parquet files on disk, which are not read through `source.read`. */
  readonly onBytes: (bytes: number) => void;
}

type OpenReading = Pick<Reading, 'source' | 'temporaryDirectory' | 'signal'>;

/** Some rows of a file, not read yet. Plain data, so that it can be posted to a thread. */
export type Section =
  | { readonly format: 'ndjson'; readonly block: TextBlock }
  /** Of an array: `depth` is 0 if the block begins with its bracket, otherwise 1. */
  | { readonly format: 'json'; readonly block: TextBlock; readonly depth: number }
  | { readonly format: 'csv'; readonly block: TextBlock; readonly header: CsvHeader }
  | ParquetSection;

interface ParquetSection extends RowRange {
  readonly format: 'parquet';
  readonly path: string;
  /** Our name of each column of the file, null if it is not read. */
  readonly names: readonly (string | null)[];
  /** Share of the section in the bytes of its file, for the progress; 0 if the source has counted them as it read the file. */
  readonly bytes: number;
}

/** Reads one file's rows in batches, one of which is in memory at a time. Errors of the file go to `problems`; those that `RowBatch.read` throws are the caller's. */
export async function* readFile(reading: Reading, file: DataFile, names: ColumnNames): AsyncGenerator<RowBatch> {
  const sink = new FileSink(file, names, reading.problems, reading.columns.nullWords);
  try {
    for await (const section of openSections(reading, file, sink)) {
      rejectRest(reading.problems);
      yield await readSection(section, sink);
      reading.onBytes(bytesOf(section));
    }
  } catch (error) {
    sink.fail(error);
  }
}

/** @returns the bytes of the section that the source has not counted */
export function bytesOf(section: Section): number {
  return section.format === 'parquet' ? section.bytes : 0;
}

/**
 * Opens a file, whatever its format, and cuts it into sections, to be read in their order or concurrently: blocks of text of about 1 MB, or row groups of a
 * Parquet file in parts of at most MAX_BATCH_ROWS rows.
 * @param sink receives the columns if the format lists them
 * @throws UnreadableFileError if the file is damaged or the sink rejects its columns; sections before that have been yielded
 * @throws the signal's reason when it aborts
 */
export async function* openSections(reading: OpenReading, file: DataFile, sink: HeaderSink): AsyncGenerator<Section> {
  const content = await peek(contentOf(reading, file));
  const { head, pieces } = content;
  try {
    const format = file.format ?? formatOf(head);
    if (format === 'parquet' && head.length === 0) throw new UnreadableFileError(null, 'is empty');
    if (format === 'parquet') return yield* openParquet(reading, file, content, sink);
    rejectNoText(head);
    if (format === 'csv') return yield* openCsv(cutBlocks(pieces, endOfCsvRecords), sink);
    if (firstVisible(head) === '[') return yield* openJsonArray(pieces);
    for await (const block of cutBlocks(pieces, endOfLines)) yield { format, block };
  } finally {
    await content.close();
  }
}

/** @param head the first bytes of a file whose name does not say its format */
function formatOf(head: Uint8Array): FileFormat {
  if (beginsWith(head, MAGIC.parquet)) return 'parquet';
  return ['{', '['].includes(firstVisible(head)) ? 'ndjson' : 'csv';
}

/** @returns the rows of a section, which may come from another thread. @throws UnreadableFileError if they cannot be read */
export async function readSection(section: Section, sink: RowSink): Promise<RowBatch> {
  const batch = await readRows(section, sink);
  const words = new Set(sink.nullWords);
  const isNull = (raw: unknown) => typeof raw === 'string' && words.has(raw.toLowerCase());
  return withPartitions(words.size === 0 ? batch : withNulls(batch, isNull), sink.partitions);
}

async function readRows(section: Section, sink: RowSink): Promise<RowBatch> {
  switch (section.format) {
    case 'ndjson':
      return readNdjson(section.block, sink);
    case 'json':
      return readJsonArray(section.block, section.depth, sink);
    case 'csv':
      return readCsv(section.block, section.header, sink);
    case 'parquet':
      return (await openOnce(section.path)).rows(section, section.names);
  }
}

/** @returns the bytes of the file, decompressed. Each piece checks the signal, because a small gzipped file may take hours to decompress. */
export async function* contentOf({ source, signal }: OpenReading, { name }: DataFile): AsyncGenerator<Uint8Array> {
  for await (const piece of decompress(source.read(name))) {
    signal.throwIfAborted();
    yield piece;
  }
}

async function* openJsonArray(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Section> {
  let [depth, last] = [0, ''];
  for await (const block of cutBlocks(pieces, (bytes) => endOfElements(bytes, depth))) {
    last = lastVisible(block.bytes) || last; // first, because the block is sent to another thread
    yield { format: 'json', block, depth };
    depth = 1;
  }
  if (last !== ']') throw new UnreadableFileError(null, 'ends within its JSON array: is it truncated?');
}

/** An empty file is an error: it does not say that its listing is empty. So is one that begins with a megabyte of empty lines. */
async function* openCsv(blocks: AsyncIterable<TextBlock>, sink: HeaderSink): AsyncGenerator<Section> {
  let header: CsvHeader | undefined;
  for await (const block of blocks) {
    let records = block;
    if (header === undefined) ({ header, rest: records } = readHeader(block, sink));
    if (header === undefined) break;
    yield { format: 'csv', block: records, header };
  }
  if (header === undefined) throw new UnreadableFileError(null, 'has no header line: it must name the columns');
}

/** Parquet is read from its end and column by column, so a file that is compressed, or not on a disk of this machine, is copied first. */
async function* openParquet(
  { source, temporaryDirectory, signal }: OpenReading,
  file: DataFile,
  content: Awaited<ReturnType<typeof peek>>,
  sink: HeaderSink,
): AsyncGenerator<ParquetSection> {
  const onDisk = source.pathOf?.(file.name);
  const isPlain = onDisk !== undefined && (await isParquet(onDisk));
  if (isPlain) await content.close();
  const path = isPlain ? onDisk : await copyTo(join(temporaryDirectory, 'parquet'), content.pieces);
  opened = undefined; // the file may have changed since an earlier load
  const parquet = await openOnce(path);
  const names = sink.header(parquet.columns, 1);
  const bytesPerRow = isPlain ? file.bytes / Math.max(1, Number(parquet.metadata.num_rows)) : 0;
  for (const range of parquet.ranges()) {
    signal.throwIfAborted();
    yield { format: 'parquet', path, ...range, names, bytes: (range.end - range.start) * bytesPerRow };
  }
}

async function isParquet(path: string): Promise<boolean> {
  await using file = await open(path);
  const { buffer } = await file.read({ buffer: new Uint8Array(4) });
  return beginsWith(buffer, MAGIC.parquet);
}

/** Copies a file in place of the one that was copied before: all sections of that one have been read. @returns the path of the copy */
async function copyTo(directory: string, content: AsyncIterable<Uint8Array>): Promise<string> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory);
  const path = join(directory, randomUUID()); // an object's name may be too long for a file
  await pipeline(Readable.from(content), createWriteStream(path));
  return path;
}

/** The Parquet file that this thread reads sections of. During a load, no two files have the same path. */
let opened: { readonly path: string; readonly file: Promise<ParquetFile> } | undefined;

function openOnce(path: string): Promise<ParquetFile> {
  if (opened?.path !== path) opened = { path, file: openParquetFile(path) };
  return opened.file;
}

/** The library and its decoders are a third of the code that a thread loads, so they are loaded only if there are Parquet files. */
async function openParquetFile(path: string): Promise<ParquetFile> {
  const { asyncBufferFromFile } = await import('hyparquet');
  const { ParquetFile } = await import('./read-parquet.ts');
  return ParquetFile.open(await asyncBufferFromFile(path));
}
