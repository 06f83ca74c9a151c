import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { AsyncBuffer } from 'hyparquet';
import { directorySource, type FileSource, readBytes, type SourceFile } from './file-source.ts';
import type { Format } from './find-files.ts';
import { CsvReader } from './read-csv.ts';
import { readNdjson } from './read-ndjson.ts';
import type { ParquetFile } from './read-parquet.ts';
import { readPlainCsv } from './read-plain-csv.ts';
import type { RowBatch, RowSink } from './row-batch.ts';
import { decodeBlock, gunzip, type LineBlock, readLineBlocks, releaseBlock } from './text-blocks.ts';

export interface RowFile extends SourceFile {
  readonly format: Format;
  readonly gzipped: boolean;
}

/** A part of a file that can be read by itself, on any thread. */
export type SectionSource =
  | { readonly format: 'ndjson'; readonly block: LineBlock }
  | { readonly format: 'csv'; readonly block: LineBlock; readonly header: readonly string[] }
  | { readonly format: 'parquet'; readonly path: string; readonly start: number; readonly end: number };

/** Some rows of a file, not read yet. */
export interface Section {
  /** Undefined where only the thread that has opened the file can read them. */
  readonly source: SectionSource | undefined;
  /** Bytes of the file that it stands for, where another thread reads them from disk; what is read here is counted as it is read. */
  readonly bytesElsewhere: number;
  /** @throws UnreadableFileError where the file is damaged */
  read(sink: RowSink): Promise<RowBatch>;
  /** To be called when the rows are done with, wherever they were read. */
  release(): void;
}

const QUOTE = 0x22;
const NEWLINE = 0x0a;

/**
 * Opens a file, whatever its format, and cuts it into sections of some thousand rows, to be read in their order or side by side.
 * @param sink is told the columns where the format says so, and what is wrong with lines that must be read in order to find the sections
 * @param temporary a directory where a gzipped Parquet file is unpacked, since Parquet is read from its end
 * @throws UnreadableFileError where the file is damaged; sections before that have been yielded
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
  const blocks = readLineBlocks(file.gzipped ? gunzip(bytes) : bytes);
  if (file.format === 'csv') yield* openCsv(blocks, sink);
  else for await (const block of blocks) yield sectionOf({ format: 'ndjson', block });
}

/** @returns the rows of a section that may have been found by another thread */
export async function readSection(source: SectionSource, sink: RowSink): Promise<RowBatch> {
  switch (source.format) {
    case 'ndjson':
      return readNdjson(source.block, sink);
    case 'csv':
      return readPlainCsv(source.block, source.header, sink);
    case 'parquet':
      return (await openOnce(source.path)).rows(source);
  }
}

function sectionOf(source: Exclude<SectionSource, { format: 'parquet' }>): Section {
  const read = (sink: RowSink) => readSection(source, sink);
  return { source, bytesElsewhere: 0, read, release: () => releaseBlock(source.block) };
}

function nothingToRelease(): void {}

function readAlready(batch: RowBatch): Section {
  return { source: undefined, bytesElsewhere: 0, read: async () => batch, release: nothingToRelease };
}

/** Blocks without quotes are whole records, and can be read anywhere; where there are quotes, records are found only by reading. */
async function* openCsv(blocks: AsyncIterable<LineBlock>, sink: RowSink): AsyncGenerator<Section> {
  const reader = new CsvReader(sink);
  for await (const block of blocks) {
    if (!reader.isBetweenRecords || hasQuote(block)) {
      const batch = reader.read(decodeBlock(block));
      releaseBlock(block);
      if (batch !== undefined) yield readAlready(batch);
      continue;
    }
    const records = readHeader(reader, block);
    const { header } = reader;
    if (header === undefined) releaseBlock(block);
    else yield sectionOf({ format: 'csv', block: records, header });
  }
  const last = reader.end();
  if (last !== undefined) yield readAlready(last);
}

/** Has the reader read lines until it knows the header. @returns the lines after those */
function readHeader(reader: CsvReader, block: LineBlock): LineBlock {
  let { bytes, line } = block;
  for (; reader.header === undefined && bytes.length > 0; line++) {
    const end = bytes.indexOf(NEWLINE) + 1 || bytes.length;
    reader.read(decodeBlock({ bytes: bytes.subarray(0, end), line }));
    bytes = bytes.subarray(end);
  }
  return { bytes, line };
}

/** Buffers search faster than other arrays. */
function hasQuote({ bytes }: LineBlock): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(QUOTE);
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
  sink.header(parquet.columns, 1);
  for (const range of parquet.ranges()) {
    const share = (range.end - range.start) / Math.max(1, Number(parquet.metadata.num_rows));
    yield {
      source: path === undefined ? undefined : { format: 'parquet', path, ...range },
      bytesElsewhere: file.gzipped ? 0 : file.bytes * share,
      read: async () => parquet.rows(range),
      release: nothingToRelease,
    };
  }
}

/** The Parquet file that this thread reads sections of; each has a path of its own during a load. */
let opened: { readonly path: string; readonly file: Promise<ParquetFile> } | undefined;

function openOnce(path: string): Promise<ParquetFile> {
  if (opened?.path !== path) opened = { path, file: openFrom(path) };
  return opened.file;
}

async function openFrom(path: string): Promise<ParquetFile> {
  const { asyncBufferFromFile } = await import('hyparquet');
  return openParquetFile(await asyncBufferFromFile(path));
}

/** The library and its decoders are a third of what a thread loads when it starts: where there is no Parquet, none does. */
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
  const { bytes } = (await unpacked.list()).find((it) => it.name === name) ?? { bytes: 0 };
  return { source: unpacked, file: { name, bytes } };
}

function bufferOf(source: FileSource, file: SourceFile): AsyncBuffer {
  return {
    byteLength: file.bytes,
    slice: async (start, end = file.bytes) => (await readBytes(source, file.name, { start, end })).buffer,
  };
}
