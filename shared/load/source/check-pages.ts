import { crc32 } from 'node:zlib';
import type { AsyncBuffer, ColumnMetaData, Compressors, FileMetaData, PageHeader, SchemaTree } from 'hyparquet';
import { parquetSchema } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { decompressPage } from 'hyparquet/src/datapage.js';
import { parquetPlan } from 'hyparquet/src/plan.js';
import { getTreePath } from 'hyparquet/src/schema.js';
import { checkContent } from './check-content.ts';
import { checkThrift } from './check-thrift.ts';

/** Maximum size of a page, decompressed, and memory that reading it takes. */
const MAX_PAGE_BYTES = 256 << 20;
/** Maximum memory of the pages of a column that are read for one batch of rows; and of a list column, for a row group. */
export const MAX_FLAT_BYTES = 512 << 20;
const MAX_LIST_BYTES = 1024 << 20;
/** A column chunk as it is stored, which is read whole. */
const MAX_CHUNK_BYTES = 1024 << 20;
/** From the root to the members: a list has 4 levels. Each further one adds an array to every member. */
const LIST_LEVELS = 4;
const MAX_LEVELS = 8;
/** Memory per value while a page is read. Measured: 170 to 200 bytes for a text, which may be empty and compress to nothing. */
const TEXT_BYTES = 200;
const NUMBER_BYTES = 64;
/** An index into the dictionary, with its levels; and the same as a member of a list. */
const CODED_BYTES = 16;
const MEMBER_BYTES = 64;
/** A dictionary that a program has shared among row groups may have more entries than a chunk has values, as pandas' categories do. */
const MIN_DICTIONARY_VALUES = 1 << 16;

/** What the metadata of a file state about a chunk. */
export type Chunk = Pick<ColumnMetaData, 'type' | 'num_values'>;

/** @throws Error if the bytes are no size of a page, or more than `MAX_PAGE_BYTES` */
export function checkPageBytes(bytes: number): void {
  if (!(bytes >= 0 && bytes <= MAX_PAGE_BYTES))
    throw new Error(`parquet page of ${bytes} bytes, more than ${MAX_PAGE_BYTES}`);
}

/** @throws Error if the pages of the column would take more memory than `max` */
export function checkColumnBytes(bytes: number, max: number, path: PageCodec['schemaPath']): void {
  if (!(bytes <= max))
    throw new Error(
      `parquet column ${columnOf(path)} whose pages take more than ${max} bytes at the same time: write smaller row groups`,
    );
}

/** @returns the name of the column, which is below the root; its leaves are within it */
function columnOf(path: PageCodec['schemaPath']): string {
  return path[1]?.element.name ?? '';
}

/** @throws Error if the bytes of a chunk are not in the file, or too many */
export function checkRange(
  { startByte, endByte }: { startByte: number; endByte: number },
  file: AsyncBuffer,
  path: PageCodec['schemaPath'],
): void {
  if (!(startByte >= 0 && startByte <= endByte && endByte <= file.byteLength))
    throw new Error('parquet column is not within the file');
  if (endByte - startByte > MAX_CHUNK_BYTES)
    throw new Error(
      `parquet column ${columnOf(path)} of ${endByte - startByte} bytes in a row group, more than ${MAX_CHUNK_BYTES}: write smaller row groups`,
    );
}

/** @returns the next page, which the reader is at: its header, and its bytes as they are stored */
export function nextPage(reader: { readonly view: DataView<ArrayBuffer>; offset: number }): {
  readonly header: PageHeader;
  readonly compressed: Uint8Array;
} {
  const { buffer, byteOffset, byteLength } = reader.view;
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  checkThrift(bytes, reader.offset);
  const header = parquetHeader(reader);
  const begin = reader.offset;
  const end = begin + header.compressed_page_size;
  // a damaged header may have a text as the length, which + would append
  if (!(Number.isSafeInteger(end) && begin <= end && end <= byteLength)) throw new Error('parquet page ends too early');
  reader.offset = end;
  return { header, compressed: bytes.subarray(begin, end) };
}

/** @returns the memory that reading the page takes. @param codedBytes per value that is an index into the dictionary */
export function memoryOf(header: PageHeader, { type }: Chunk, codedBytes: number = CODED_BYTES): number {
  const page = header.data_page_header ?? header.data_page_header_v2 ?? header.dictionary_page_header;
  const isText = [type, page?.encoding].some((name) => name?.endsWith('BYTE_ARRAY'));
  const isCoded = header.dictionary_page_header === undefined && page?.encoding?.endsWith('_DICTIONARY') === true;
  const valueBytes = isCoded ? codedBytes : isText ? TEXT_BYTES : NUMBER_BYTES;
  return Number(header.uncompressed_page_size) + (page?.num_values ?? 0) * valueBytes;
}

/**
 * @param compressed the page as it is stored
 * @throws Error if the page does not match its checksum, where it has one, is too large, is a dictionary of too many values, or does not have exactly the
 * header of its type with valid counts
 */
export function checkPage(header: PageHeader, compressed: Uint8Array, chunk: Chunk): void {
  const { crc, dictionary_page_header: dictionary } = header;
  const values = countValues(header, compressed.length);
  if (crc !== undefined && (crc32(compressed) | 0) !== (crc | 0))
    throw new Error('parquet page does not match its checksum');
  checkPageBytes(Number(header.uncompressed_page_size));
  const memory = memoryOf(header, chunk);
  if (!(memory <= MAX_PAGE_BYTES))
    throw new Error(`parquet page of ${values} values, which take about ${memory} bytes, more than ${MAX_PAGE_BYTES}`);
  const maxEntries = Math.max(MIN_DICTIONARY_VALUES, Number(chunk.num_values));
  if (dictionary !== undefined && values > maxEntries)
    throw new Error(`parquet dictionary of ${values} values for a column of ${chunk.num_values}`);
}

/**
 * The library chooses the header by the page's type. With another one beside it, limits and decoder could use different headers.
 * @returns the number of values that the page states
 * @throws Error if it does not have exactly the header of its type, with valid counts
 */
function countValues(header: PageHeader, length: number): number {
  const { type, data_page_header: first, data_page_header_v2: second, dictionary_page_header: dictionary } = header;
  const headers = { DATA_PAGE: first, DATA_PAGE_V2: second, DICTIONARY_PAGE: dictionary, INDEX_PAGE: undefined };
  const own = headers[type];
  if (!(type in headers) || type === 'INDEX_PAGE') throw new Error(`parquet unsupported page type: ${type}`);
  const isSingle = Object.values(headers).filter((each) => each !== undefined).length === 1;
  const values = own?.num_values ?? -1;
  const levels = (second?.definition_levels_byte_length ?? 0) + (second?.repetition_levels_byte_length ?? 0);
  const counts =
    second === undefined
      ? [values]
      : [
          values,
          second.num_nulls,
          second.num_rows,
          values - second.num_nulls,
          second.definition_levels_byte_length,
          second.repetition_levels_byte_length,
          length - levels,
        ];
  if (!(isSingle && counts.every((count) => Number.isSafeInteger(count) && count >= 0)))
    throw new Error(`parquet page ${type} is damaged`);
  return values;
}

/** How the bytes of pages become values. */
export interface PageCodec {
  readonly codec: ColumnMetaData['codec'];
  readonly compressors: Compressors;
  /** From the root to the column. */
  readonly schemaPath: readonly SchemaTree[];
}

/**
 * @returns the page, decompressed and checked, and the number of bytes that its texts copy from those before them
 * @throws Error if it does not decompress, its lengths and counts do not match its bytes, or its texts take too much memory
 */
export function unpackPage(
  header: PageHeader,
  compressed: Uint8Array,
  chunk: Chunk,
  { codec, compressors, schemaPath }: PageCodec,
): { readonly page: Uint8Array; readonly copied: number } {
  const page = decompress(header, compressed, codec, compressors);
  const copied = checkContent(header, page, chunk.type, schemaPath);
  const memory = memoryOf(header, chunk) + copied;
  if (memory > MAX_PAGE_BYTES)
    throw new Error(`parquet page whose texts take about ${memory} bytes, more than ${MAX_PAGE_BYTES}`);
  return { page, copied };
}

/** Pages of the second version have their levels, which are not compressed, before the values. */
function decompress(
  header: PageHeader,
  compressed: Uint8Array,
  codec: PageCodec['codec'],
  compressors: Compressors,
): Uint8Array {
  const { uncompressed_page_size: length, data_page_header_v2: second } = header;
  if (second === undefined) return decompressPage(compressed, Number(length), codec, compressors);
  if (second.is_compressed === false || codec === 'UNCOMPRESSED') return compressed;
  const levels = second.definition_levels_byte_length + second.repetition_levels_byte_length;
  const values = decompressPage(compressed.subarray(levels), Number(length) - levels, codec, compressors);
  return levels === 0 ? values : Buffer.concat([compressed.subarray(0, levels), values]);
}

/**
 * Checks the pages of a column of lists or structs in the row groups that have rows of [start, end).
 * @returns the file, with the bytes of the column in memory
 */
export async function checkNestedColumn(
  { file, metadata, compressors }: { file: AsyncBuffer; metadata: FileMetaData; compressors: Compressors },
  column: string,
  start: number,
  end: number,
): Promise<AsyncBuffer> {
  const { groups } = parquetPlan({ file, metadata, columns: [column], rowStart: start, rowEnd: end });
  const root = parquetSchema(metadata);
  const chunks: { readonly startByte: number; readonly bytes: Uint8Array<ArrayBuffer> }[] = [];
  let memory = 0;
  for (const { range, columnMetadata } of groups.flatMap((group) => group.chunks)) {
    const { codec, path_in_schema: path } = columnMetadata;
    const schemaPath = getTreePath(root, path);
    checkRange(range, file, schemaPath);
    const bytes = new Uint8Array(await file.slice(range.startByte, range.endByte));
    memory = checkChunk(bytes, columnMetadata, { codec, compressors, schemaPath }, memory);
    chunks.push({ startByte: range.startByte, bytes });
  }
  return {
    byteLength: file.byteLength,
    slice: async (from, to = file.byteLength) => {
      const chunk = chunks.find(({ startByte, bytes }) => from >= startByte && to <= startByte + bytes.length);
      return chunk === undefined
        ? file.slice(from, to)
        : chunk.bytes.slice(from - chunk.startByte, to - chunk.startByte).buffer;
    },
  };
}

/**
 * The library reads all pages up to the end of the chunk before it returns, also those beyond the number of values that the chunk states.
 * @param memory that the column's chunks before this one take
 * @returns the memory that they and this one take
 */
function checkChunk(bytes: Uint8Array<ArrayBuffer>, chunk: Chunk, codec: PageCodec, memory: number): number {
  const levels = codec.schemaPath.length;
  if (levels > MAX_LEVELS) throw new Error(`parquet column of ${levels} nested levels, more than ${MAX_LEVELS}`);
  const memberBytes = MEMBER_BYTES * Math.max(1, levels - LIST_LEVELS + 1);
  const reader = { view: new DataView(bytes.buffer), offset: 0 };
  let total = memory;
  // as the library does: a single byte at the end is no page
  while (reader.offset < bytes.length - 1) {
    const { header, compressed } = nextPage(reader);
    checkPage(header, compressed, chunk);
    total += memoryOf(header, chunk, memberBytes);
    checkColumnBytes(total, MAX_LIST_BYTES, codec.schemaPath);
    total += unpackPage(header, compressed, chunk, codec).copied;
    checkColumnBytes(total, MAX_LIST_BYTES, codec.schemaPath);
  }
  return total;
}
