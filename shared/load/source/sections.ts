import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { AsyncBuffer } from 'hyparquet';
import { directorySource, type FileSource, readBytes, type SourceFile } from './file-source.ts';
import type { Format } from './find-files.ts';
import { CSV_RECORDS, readCsv, readHeader } from './read-csv.ts';
import { readNdjson } from './read-ndjson.ts';
import type { ParquetFile } from './read-parquet.ts';
import { type RowBatch, type RowSink, UnreadableFileError } from './row-batch.ts';
import { cutBlocks, gunzip, LINES, type TextBlock } from './text-blocks.ts';

export interface RowFile extends SourceFile {
  readonly format: Format;
  readonly gzipped: boolean;
}

/** What a thread needs to read a section: plain data. */
export type SectionSource =
  | { readonly format: 'ndjson'; readonly block: TextBlock }
  | { readonly format: 'csv'; readonly block: TextBlock; readonly header: readonly string[] }
  | { readonly format: 'parquet'; readonly path: string; readonly start: number; readonly end: number };

/** Some rows of a file, not read yet. */
export interface Section {
  /** Undefined if only the thread that opened the file can read the section. */
  readonly source: SectionSource | undefined;
  /** Bytes of the section, if the thread that reads it reads them from disk. Other bytes are counted as they are read. */
  readonly workerBytes: number;
  /** @throws UnreadableFileError if the file is damaged */
  read(sink: RowSink): Promise<RowBatch>;
}

/**
 * Opens a file, whatever its format, and cuts it into sections of some thousand rows, to be read in their order or concurrently.
 * @param sink receives the columns if the format lists them
 * @param temporary a directory where a gzipped Parquet file is unpacked, since Parquet is read from its end
 * @throws UnreadableFileError if the file is damaged; sections before that have been yielded
 */
export async function* openSections(
  source: FileSource,
  file: RowFile,
  sink: RowSink,
  temporary: string,
): AsyncGenerator<Section> {
  if (file.format === 'parquet') {
    yield* openParquet(source, file, sink, temporary);
    return;
  }
  const bytes = source.read(file.name);
  const unpacked = file.gzipped ? gunzip(bytes) : bytes;
  if (file.format === 'csv') yield* openCsv(cutBlocks(unpacked, CSV_RECORDS), sink);
  else for await (const block of cutBlocks(unpacked, LINES)) yield textSection({ format: 'ndjson', block });
}

/** @returns the rows of a section that another thread may have found */
export async function readSection(source: SectionSource, sink: RowSink): Promise<RowBatch> {
  switch (source.format) {
    case 'ndjson':
      return readNdjson(source.block, sink);
    case 'csv':
      return readCsv(source.block, source.header, sink);
    case 'parquet':
      return (await openOnce(source.path)).rows(source);
  }
}

function textSection(source: SectionSource): Section {
  return { source, workerBytes: 0, read: (sink) => readSection(source, sink) };
}

/** An empty file is an error: it does not say that its listing is empty. */
async function* openCsv(blocks: AsyncIterable<TextBlock>, sink: RowSink): AsyncGenerator<Section> {
  let header: readonly string[] | undefined;
  for await (const block of blocks) {
    let records = block;
    if (header === undefined) ({ header, rest: records } = readHeader(block, sink));
    if (header !== undefined) yield textSection({ format: 'csv', block: records, header });
  }
  if (header === undefined) throw new UnreadableFileError(null, 'has no header line: it must name the columns');
}

async function* openParquet(
  source: FileSource,
  file: RowFile,
  sink: RowSink,
  temporary: string,
): AsyncGenerator<Section> {
  const unpacked = file.gzipped ? await unpack(source, file, temporary) : { source, file };
  const path = unpacked.source.pathOf?.(unpacked.file.name);
  const parquet = await openParquetFile(bufferOf(unpacked.source, unpacked.file));
  sink.header([...parquet.elements.keys()], 1);
  for (const range of parquet.ranges()) {
    const share = (range.end - range.start) / Math.max(1, Number(parquet.metadata.num_rows));
    yield {
      source: path === undefined ? undefined : { format: 'parquet', path, ...range },
      workerBytes: file.gzipped ? 0 : file.bytes * share,
      read: async () => parquet.rows(range),
    };
  }
}

/** The Parquet file that this thread reads sections of. During a load, no two files have the same path. */
let opened: { readonly path: string; readonly file: Promise<ParquetFile> } | undefined;

function openOnce(path: string): Promise<ParquetFile> {
  if (opened?.path !== path) opened = { path, file: openFrom(path) };
  return opened.file;
}

async function openFrom(path: string): Promise<ParquetFile> {
  const { asyncBufferFromFile } = await import('hyparquet');
  return openParquetFile(await asyncBufferFromFile(path));
}

/** The library and its decoders are a third of the code that a thread loads, so they are loaded only if there are Parquet files. */
async function openParquetFile(buffer: AsyncBuffer): Promise<ParquetFile> {
  const { ParquetFile } = await import('./read-parquet.ts');
  return ParquetFile.open(buffer);
}

async function unpack(
  source: FileSource,
  file: SourceFile,
  temporary: string,
): Promise<{ source: FileSource; file: SourceFile }> {
  const name = `unpacked-${file.name.replaceAll('/', '-')}`;
  await pipeline(Readable.from(gunzip(source.read(file.name))), createWriteStream(join(temporary, name)));
  const unpacked = directorySource(temporary);
  const { bytes } = (await unpacked.list()).find((file) => file.name === name) ?? { bytes: 0 };
  return { source: unpacked, file: { name, bytes } };
}

function bufferOf(source: FileSource, file: SourceFile): AsyncBuffer {
  return {
    byteLength: file.bytes,
    slice: async (start, end = file.bytes) => (await readBytes(source, file.name, { start, end })).buffer,
  };
}
