import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ColumnSpec } from '../schema/file-columns.ts';
import type { Problems } from '../schema/problems.ts';
import type { FileSource } from './file-source.ts';
import type { DataFile } from './find-files.ts';
import { CSV_RECORDS, readCsv, readHeader } from './read-csv.ts';
import { readNdjson } from './read-ndjson.ts';
import type { ParquetFile } from './read-parquet.ts';
import { FileSink, type RowBatch, type RowSink, UnreadableFileError } from './row-batch.ts';
import { cutBlocks, gunzip, LINES, type TextBlock } from './text-blocks.ts';

/** What a folder's files are read with. */
export interface Reading {
  readonly source: FileSource;
  readonly problems: Problems;
  /** A directory for data that do not fit into memory, removed at the end. */
  readonly temporaryDirectory: string;
  readonly signal: AbortSignal;
  /** Called with the number of bytes read from Parquet files on disk, which are not read through `source.read`. */
  readonly onBytes: (bytes: number) => void;
}

type OpenReading = Pick<Reading, 'source' | 'temporaryDirectory' | 'signal'>;

/** Some rows of a file, not read yet. Plain data, so that it can be posted to a thread. */
export type Section =
  | { readonly format: 'ndjson'; readonly block: TextBlock }
  | { readonly format: 'csv'; readonly block: TextBlock; readonly header: readonly string[] }
  | ParquetSection;

interface ParquetSection {
  readonly format: 'parquet';
  readonly path: string;
  /** Half-open range of rows. */
  readonly start: number;
  readonly end: number;
  /** Share of the section in the bytes of its file, for the progress; 0 if the source has counted them as it read the file. */
  readonly bytes: number;
}

/** Reads one file's rows in batches, one of which is in memory at a time. Errors of the file go to `problems`; those that `RowBatch.read` throws are the caller's. */
export async function* readFile(
  reading: Reading,
  file: DataFile,
  columns: readonly ColumnSpec[],
): AsyncGenerator<RowBatch> {
  const sink = new FileSink(file.name, columns, reading.problems);
  try {
    for await (const section of openSections(reading, file, sink)) {
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
export async function* openSections(reading: OpenReading, file: DataFile, sink: RowSink): AsyncGenerator<Section> {
  if (file.format === 'parquet') yield* openParquet(reading, file, sink);
  else if (file.format === 'csv') yield* openCsv(cutBlocks(contentOf(reading, file), CSV_RECORDS), sink);
  else {
    for await (const block of cutBlocks(contentOf(reading, file), LINES)) yield { format: 'ndjson', block };
  }
}

/** @returns the rows of a section, which may come from another thread. @throws UnreadableFileError if they cannot be read */
export async function readSection(section: Section, sink: RowSink): Promise<RowBatch> {
  switch (section.format) {
    case 'ndjson':
      return readNdjson(section.block, sink);
    case 'csv':
      return readCsv(section.block, section.header, sink);
    case 'parquet':
      return (await openOnce(section.path)).rows(section);
  }
}

/** @returns the bytes of the file, decompressed. Each piece checks the signal, because a small gzipped file may take hours to decompress. */
async function* contentOf(
  { source, signal }: OpenReading,
  { name, gzipped, bytes }: DataFile,
): AsyncGenerator<Uint8Array> {
  for await (const piece of gzipped ? gunzip(() => source.read(name), bytes) : source.read(name)) {
    signal.throwIfAborted();
    yield piece;
  }
}

/** An empty file is an error: it does not say that its listing is empty. So is one that begins with a megabyte of empty lines. */
async function* openCsv(blocks: AsyncIterable<TextBlock>, sink: RowSink): AsyncGenerator<Section> {
  let header: readonly string[] | undefined;
  for await (const block of blocks) {
    let records = block;
    if (header === undefined) ({ header, rest: records } = readHeader(block, sink));
    if (header === undefined) break;
    yield { format: 'csv', block: records, header };
  }
  if (header === undefined) throw new UnreadableFileError(null, 'has no header line: it must name the columns');
}

/** Parquet is read from its end and column by column, so a file that is gzipped, or not on a disk of this machine, is copied first. */
async function* openParquet(reading: OpenReading, file: DataFile, sink: RowSink): AsyncGenerator<ParquetSection> {
  const { source, temporaryDirectory, signal } = reading;
  const onDisk = file.gzipped ? undefined : source.pathOf?.(file.name);
  const path = onDisk ?? (await copyTo(join(temporaryDirectory, 'parquet'), contentOf(reading, file)));
  opened = undefined; // the file may have changed since an earlier load
  const parquet = await openOnce(path);
  sink.header(parquet.columns, 1);
  const bytesPerRow = onDisk === undefined ? 0 : file.bytes / Math.max(1, Number(parquet.metadata.num_rows));
  for (const { start, end } of parquet.ranges()) {
    signal.throwIfAborted();
    yield { format: 'parquet', path, start, end, bytes: (end - start) * bytesPerRow };
  }
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
