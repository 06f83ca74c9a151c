import type {
  AsyncBuffer,
  Compressors,
  DataPageHeader,
  DecodedArray,
  FileMetaData,
  PageHeader,
  SchemaTree,
} from 'hyparquet';
import { convert, DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { readDataPage, readDataPageV2 } from 'hyparquet/src/datapage.js';
import { readPlain } from 'hyparquet/src/plain.js';
import { parquetPlan } from 'hyparquet/src/plan.js';
import {
  type Chunk,
  checkColumnBytes,
  checkPage,
  checkRange,
  MAX_FLAT_BYTES,
  memoryOf,
  nextPage,
  type PageCodec,
  unpackPage,
} from './check-pages.ts';
import type { ColumnValues } from './parquet-values.ts';

type Decoder = Parameters<typeof readDataPage>[2];

const MAX_VARINT_BYTES = 5;

/** A column whose every row has one value or none. */
export interface FlatColumn extends ColumnValues {
  readonly file: AsyncBuffer;
  readonly metadata: FileMetaData;
  /** From the root to the column. */
  readonly schemaPath: SchemaTree[];
  readonly compressors: Compressors;
}

/**
 * Reads a flat column page by page with the library's decoders. The library's own conversion of pages to rows passes each value through the code for
 * nested columns, which takes a fifth of the time of a load, and does not notice damaged pages.
 * @returns the values of the rows [start, end) of one row group, null if a row has none
 * @throws Error if the file is damaged or exceeds a limit
 */
export async function readFlatColumn(column: FlatColumn, start: number, end: number): Promise<unknown[]> {
  const { file, metadata, schemaPath, compressors } = column;
  const element = schemaPath.at(-1)?.element;
  if (element === undefined) return [];
  const [group] = parquetPlan({ file, metadata, columns: [element.name], rowStart: start, rowEnd: end }).groups;
  const [chunk, ...others] = group?.chunks ?? [];
  if (group === undefined || chunk === undefined || others.length > 0) {
    throw new Error(`parquet column ${element.name} is there ${group?.chunks.length ?? 0} times`);
  }
  const { type, codec, path_in_schema: pathInSchema, num_values: count } = chunk.columnMetadata;
  if (Number(count) !== group.groupRows)
    throw new Error(`parquet column has ${count} values in a row group of ${group.groupRows} rows`);
  const parsers = { ...DEFAULT_PARSERS, ...column.parsers };
  const unpacked = 'UNCOMPRESSED' as const;
  const decoder = { pathInSchema, type, element, schemaPath, codec: unpacked, parsers, utf8: column.isText };
  checkRange(chunk.range, file, schemaPath);
  const pageCodec = { codec, compressors, schemaPath };
  const bytes = new Uint8Array(await file.slice(chunk.range.startByte, chunk.range.endByte));
  const pages = new PageReader(bytes, chunk.columnMetadata, pageCodec, decoder, column.convert ?? ((value) => value));
  const values = new Array<unknown>(end - start);
  const groupEnd = group.groupStart + group.groupRows;
  for (let row = group.groupStart; row < end; ) {
    const rows = pages.next(values, row - start);
    if (row + rows > groupEnd) throw new Error('parquet column has more rows than its row group');
    row += rows;
  }
  return values;
}

/** Reads the pages of one column of a row group. */
class PageReader {
  readonly #chunk: Chunk;
  readonly #codec: PageCodec;
  /** For pages that are decompressed. */
  readonly #decoder: Decoder;
  /** For pages whose every row has a value. */
  readonly #withoutLevels: Decoder;
  readonly #convert: (value: unknown) => unknown;
  readonly #reader: { view: DataView<ArrayBuffer>; offset: number };
  #dictionary: readonly unknown[] | undefined;
  /** Memory of the pages read so far: texts of all of them may be in the batch. */
  #memory = 0;

  constructor(
    bytes: Uint8Array<ArrayBuffer>,
    chunk: Chunk,
    codec: PageCodec,
    decoder: Decoder,
    convertValue: (value: unknown) => unknown,
  ) {
    this.#chunk = chunk;
    this.#codec = codec;
    this.#decoder = decoder;
    this.#withoutLevels = { ...decoder, schemaPath: decoder.schemaPath.slice(0, 1) };
    this.#convert = convertValue;
    this.#reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 };
  }

  /**
   * Reads pages through the next one that has rows.
   * @param out receives the values of the page's rows from `at` on, which may be negative; what is beyond either end is left out
   * @returns the number of the page's rows
   */
  next(out: unknown[], at: number): number {
    for (;;) {
      const { header, compressed } = nextPage(this.#reader);
      checkPage(header, compressed, this.#chunk);
      if (header.type === 'DICTIONARY_PAGE') {
        this.#dictionary = this.#readDictionary(header, this.#unpack(header, compressed));
        continue;
      }
      const rows = rowsOf(header);
      if (at + rows > 0) {
        this.#readPage(header, rows, this.#unpack(header, compressed), out, at);
      }
      if (rows > 0) return rows;
    }
  }

  #unpack(header: PageHeader, compressed: Uint8Array): Uint8Array {
    this.#memory += memoryOf(header, this.#chunk);
    checkColumnBytes(this.#memory, MAX_FLAT_BYTES, this.#codec.schemaPath);
    const { page, copied } = unpackPage(header, compressed, this.#chunk, this.#codec);
    this.#memory += copied;
    checkColumnBytes(this.#memory, MAX_FLAT_BYTES, this.#codec.schemaPath);
    return page;
  }

  #readDictionary(header: PageHeader, page: Uint8Array): readonly unknown[] {
    const { type, element } = this.#decoder;
    const reader = { view: new DataView(page.buffer, page.byteOffset, page.byteLength), offset: 0 };
    const count = header.dictionary_page_header?.num_values ?? 0;
    return this.#convertAll(readPlain(reader, type, count, element.type_length));
  }

  #readPage(header: PageHeader, rows: number, page: Uint8Array, out: unknown[], at: number): void {
    const { data_page_header: first, data_page_header_v2: second } = header;
    const encoding = first?.encoding ?? second?.encoding ?? 'PLAIN';
    const { dataPage, definitionLevels = [] } =
      first === undefined ? readDataPageV2(page, header, this.#decoder) : this.#readFirstVersion(first, page);
    const isCoded = encoding.endsWith('_DICTIONARY');
    if (isCoded && this.#dictionary === undefined) throw new Error('parquet column lacks its dictionary');
    const given = (isCoded ? this.#dictionary : undefined) ?? this.#convertAll(dataPage);
    const hasNulls = definitionLevels.length > 0;
    let next = 0;
    for (let row = 0; row < rows; row++) {
      const isNull = hasNulls && definitionLevels[row] !== 1;
      const value = isNull ? null : given[isCoded ? Number(dataPage[next++]) : next++];
      if (value === undefined)
        throw new Error('parquet page has fewer values than it says, or one that is not in its dictionary');
      const place = at + row;
      if (place >= 0 && place < out.length) out[place] = value;
    }
  }

  /** Where the page says in one run that every row has a value, its levels are not read row by row. */
  #readFirstVersion(header: DataPageHeader, page: Uint8Array): ReturnType<typeof readDataPage> {
    const { element } = this.#decoder;
    const levels = element.repetition_type === 'REQUIRED' ? 0 : lengthOfFullLevels(page, header.num_values);
    if (levels === 0) return readDataPage(page, header, this.#decoder);
    return readDataPage(page.subarray(levels), header, this.#withoutLevels);
  }

  #convertAll(stored: DecodedArray): unknown[] {
    return Array.from(convert(stored, this.#decoder), this.#convert);
  }
}

/**
 * Definition levels of a flat column are 1 if a row has a value: a run of all rows is `u32` its length, `varint` 2 × rows, and a 1.
 * @returns how many bytes they take if they are such a run, otherwise 0
 */
function lengthOfFullLevels(page: Uint8Array, rows: number): number {
  if (page.length < 4) return 0;
  const end = 4 + new DataView(page.buffer, page.byteOffset).getUint32(0, true);
  let run = 0;
  let at = 4;
  for (let scale = 1; at < Math.min(end, 4 + MAX_VARINT_BYTES); scale *= 0x80) {
    const byte = page[at++] ?? 0;
    run += (byte & 0x7f) * scale;
    if (byte < 0x80) break;
  }
  return run === 2 * rows && page[at] === 1 && at < end && end <= page.length ? end : 0;
}

/** @returns the number of the page's rows. @throws Error if it states another number of values: a flat column has one per row */
function rowsOf({ type, data_page_header: first, data_page_header_v2: second }: PageHeader): number {
  const { num_values: rows } = first ?? second ?? { num_values: 0 };
  if (second !== undefined && second.num_rows !== rows) throw new Error(`parquet page ${type} is damaged`);
  return rows;
}
