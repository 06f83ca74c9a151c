import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { AsyncBuffer } from 'hyparquet';
import { directorySource, type FileSource, readBytes, type SourceFile } from './file-source.ts';
import type { Format } from './find-files.ts';
import { readCsv } from './read-csv.ts';
import { readNdjson } from './read-ndjson.ts';
import { readParquet } from './read-parquet.ts';
import type { RowBatch, RowSink } from './row-batch.ts';
import { gunzip, readTextBlocks } from './text-blocks.ts';

export interface RowFile extends SourceFile {
  readonly format: Format;
  readonly gzipped: boolean;
}

/**
 * Reads a file's rows in batches, whatever its format, in bounded memory.
 * @param temporary a directory where a gzipped Parquet file is unpacked, since Parquet is read from its end
 * @throws UnreadableFileError where the file is damaged; rows before that have been yielded
 */
export async function* openRows(
  source: FileSource,
  file: RowFile,
  sink: RowSink,
  temporary: string,
): AsyncGenerator<RowBatch> {
  if (file.format === 'parquet') {
    yield* readParquet(await openParquet(source, file, temporary), sink);
    return;
  }
  const bytes = source.read(file.name);
  const blocks = readTextBlocks(file.gzipped ? gunzip(bytes) : bytes);
  yield* file.format === 'csv' ? readCsv(blocks, sink) : readNdjson(blocks, sink);
}

async function openParquet(source: FileSource, file: RowFile, temporary: string): Promise<AsyncBuffer> {
  if (!file.gzipped) return bufferOf(source, file);
  const name = 'unpacked.parquet'; // one file is read at a time
  await pipeline(Readable.from(gunzip(source.read(file.name))), createWriteStream(join(temporary, name)));
  const unpacked = directorySource(temporary);
  const { bytes } = (await unpacked.list()).find((it) => it.name === name) ?? { bytes: 0 };
  return bufferOf(unpacked, { name, bytes });
}

function bufferOf(source: FileSource, file: SourceFile): AsyncBuffer {
  return {
    byteLength: file.bytes,
    slice: async (start, end = file.bytes) => (await readBytes(source, file.name, { start, end })).buffer,
  };
}
