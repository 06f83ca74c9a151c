import { crc32 } from 'node:zlib';
import type { AsyncBuffer, ColumnMetaData, FileMetaData, PageHeader } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { parquetPlan } from 'hyparquet/src/plan.js';

/** Writers make pages of a megabyte or less. Larger ones than these would take more memory than a load has. */
const MAX_PAGE_BYTES = 256 << 20;
/** The pages of a column that are read for one batch of rows; and of a list column, for a row group. */
export const MAX_FLAT_BYTES = 512 << 20;
const MAX_LIST_BYTES = 1024 << 20;
/** Memory per value while a page is read. Measured: 170 to 200 bytes for a text, which may be empty and compress to nothing. */
const TEXT_BYTES = 200;
const NUMBER_BYTES = 64;
/** A place in the dictionary with its levels; and where it becomes a member of a list. */
const CODED_BYTES = 16;
const MEMBER_BYTES = 64;
/** A dictionary that a program has shared among row groups may have more entries than a chunk has values, as pandas' categories do. */
const MIN_DICTIONARY_VALUES = 1 << 16;

/** What the metadata of a file state about a chunk. */
export type Chunk = Pick<ColumnMetaData, 'type' | 'num_values'>;

/** @throws Error if a page would be larger than `MAX_PAGE_BYTES` */
export function checkPageBytes(bytes: number): void {
  if (!(bytes >= 0 && bytes <= MAX_PAGE_BYTES))
    throw new Error(`parquet page of ${bytes} bytes, more than ${MAX_PAGE_BYTES}`);
}

/** @throws Error if the pages of a column would take more memory than `max` */
export function checkColumnBytes(bytes: number, max: number): void {
  if (!(bytes <= max)) throw new Error(`parquet column whose pages take more than ${max} bytes at the same time`);
}

/** @returns the memory that reading the page takes. @param codedBytes per value that is a place in the dictionary */
export function memoryOf(header: PageHeader, { type }: Chunk, codedBytes: number = CODED_BYTES): number {
  const page = header.data_page_header ?? header.data_page_header_v2 ?? header.dictionary_page_header;
  const isText = type === 'BYTE_ARRAY' || type === 'FIXED_LEN_BYTE_ARRAY';
  const isCoded = header.dictionary_page_header === undefined && page?.encoding.endsWith('_DICTIONARY') === true;
  const valueBytes = isCoded ? codedBytes : isText ? TEXT_BYTES : NUMBER_BYTES;
  return Number(header.uncompressed_page_size) + (page?.num_values ?? 0) * valueBytes;
}

/**
 * @param compressed the page as it is stored
 * @throws Error if the page does not match its checksum, where it has one, or is too large
 */
export function checkPage(header: PageHeader, compressed: Uint8Array, chunk: Chunk): void {
  const { crc, dictionary_page_header: dictionary } = header;
  if (crc !== undefined && (crc32(compressed) | 0) !== (crc | 0))
    throw new Error('parquet page does not match its checksum');
  checkPageBytes(Number(header.uncompressed_page_size));
  const { num_values: values = 0 } = header.data_page_header ?? header.data_page_header_v2 ?? dictionary ?? {};
  if (!(values >= 0)) throw new Error(`parquet page is damaged: it has ${values} values`);
  const memory = memoryOf(header, chunk);
  if (!(memory <= MAX_PAGE_BYTES))
    throw new Error(`parquet page of ${values} values, which take about ${memory} bytes, more than ${MAX_PAGE_BYTES}`);
  const maxEntries = Math.max(MIN_DICTIONARY_VALUES, Number(chunk.num_values));
  if (dictionary !== undefined && values > maxEntries)
    throw new Error(`parquet dictionary of ${values} values for a column of ${chunk.num_values}`);
}

/**
 * Checks the pages of a column that the library reads, in the row groups of [start, end).
 * @returns the file, with the bytes of the column in memory
 */
export async function checkColumn(
  file: AsyncBuffer,
  metadata: FileMetaData,
  column: string,
  start: number,
  end: number,
): Promise<AsyncBuffer> {
  const { groups } = parquetPlan({ file, metadata, columns: [column], rowStart: start, rowEnd: end });
  const chunks: { readonly startByte: number; readonly bytes: Uint8Array<ArrayBuffer> }[] = [];
  for (const { range, columnMetadata } of groups.flatMap((group) => group.chunks)) {
    const bytes = new Uint8Array(await file.slice(range.startByte, range.endByte));
    checkChunk(bytes, columnMetadata);
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

/** The library reads all pages before it returns. What follows the chunk's values are no pages. */
function checkChunk(bytes: Uint8Array<ArrayBuffer>, chunk: Chunk): void {
  const reader = { view: new DataView(bytes.buffer), offset: 0 };
  let memory = 0;
  for (let read = 0; read < Number(chunk.num_values); ) {
    const header = parquetHeader(reader);
    const end = reader.offset + header.compressed_page_size;
    if (!(header.compressed_page_size >= 0 && end <= bytes.length)) throw new Error('parquet page ends too early');
    checkPage(header, bytes.subarray(reader.offset, end), chunk);
    memory += memoryOf(header, chunk, MEMBER_BYTES);
    checkColumnBytes(memory, MAX_LIST_BYTES);
    reader.offset = end;
    read += (header.data_page_header ?? header.data_page_header_v2)?.num_values ?? 0;
  }
}
