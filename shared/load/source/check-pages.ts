import { crc32 } from 'node:zlib';
import type { AsyncBuffer, FileMetaData, PageHeader } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { parquetPlan } from 'hyparquet/src/plan.js';

/** Writers make pages of a megabyte or less. Larger ones than these would take more memory than a load has. */
const MAX_PAGE_BYTES = 256 << 20;
const MAX_PAGE_VALUES = 1 << 24;

/** @throws Error if a page would be larger than `MAX_PAGE_BYTES` */
export function checkPageBytes(bytes: number): void {
  if (!(bytes <= MAX_PAGE_BYTES)) throw new Error(`parquet page of ${bytes} bytes, more than ${MAX_PAGE_BYTES}`);
}

/**
 * @param compressed the page as it is stored
 * @throws Error if the page does not match its checksum, where it has one, or is too large
 */
export function checkPage(header: PageHeader, compressed: Uint8Array): void {
  const { crc } = header;
  if (crc !== undefined && (crc32(compressed) | 0) !== (crc | 0))
    throw new Error('parquet page does not match its checksum');
  checkPageBytes(Number(header.uncompressed_page_size));
  const { num_values: values = 0 } =
    header.data_page_header ?? header.data_page_header_v2 ?? header.dictionary_page_header ?? {};
  if (values > MAX_PAGE_VALUES) throw new Error(`parquet page of ${values} values, more than ${MAX_PAGE_VALUES}`);
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
    checkChunk(bytes, Number(columnMetadata.num_values));
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

/** @param values of all pages; what follows them are no pages */
function checkChunk(bytes: Uint8Array<ArrayBuffer>, values: number): void {
  const reader = { view: new DataView(bytes.buffer), offset: 0 };
  for (let read = 0; read < values; ) {
    const header = parquetHeader(reader);
    const end = reader.offset + header.compressed_page_size;
    if (!(header.compressed_page_size >= 0 && end <= bytes.length)) throw new Error('parquet page ends too early');
    checkPage(header, bytes.subarray(reader.offset, end));
    reader.offset = end;
    read += (header.data_page_header ?? header.data_page_header_v2)?.num_values ?? 0;
  }
}
