import type { AsyncBuffer, DataPageHeader, FileMetaData, PageHeader, SchemaTree } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { convert, DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { decompressPage, readDataPage, readDataPageV2 } from 'hyparquet/src/datapage.js';
import { readPlain } from 'hyparquet/src/plain.js';
import { parquetPlan } from 'hyparquet/src/plan.js';
import type { ColumnValues } from './parquet-values.ts';
import { CodedPiece, type ColumnPiece } from './row-batch.ts';

type Decoder = Parameters<typeof readDataPage>[2];
type DataPage = ReturnType<typeof readDataPage>;

const MAX_VARINT_BYTES = 5;

/** A column whose every row has one value, or none. */
export interface FlatColumn extends ColumnValues {
  readonly file: AsyncBuffer;
  readonly metadata: FileMetaData;
  /** From the root to the column. */
  readonly schemaPath: SchemaTree[];
  readonly compressors: NonNullable<Decoder['compressors']>;
}

/** Some rows of a page: its values, or places in the dictionary, of the rows that have one. */
interface Page {
  readonly rows: number;
  readonly values: ArrayLike<unknown>;
  /** 1 where a row has a value; absent where each has. */
  readonly defined: ArrayLike<number> | undefined;
  readonly isCoded: boolean;
}

/**
 * Reads a flat column page by page with the library's parts: its own way from pages to rows takes each value through what nested columns need, and looks up
 * dictionaries value by value.
 * @returns the rows [start, end); where the file has a dictionary, as that and places in it
 * @throws Error where the file is damaged
 */
export async function readFlatColumn(column: FlatColumn, start: number, end: number): Promise<ColumnPiece[]> {
  const { file, metadata, schemaPath } = column;
  const element = schemaPath.at(-1)?.element;
  if (element === undefined) return [];
  const plan = parquetPlan({ file, metadata, columns: [element.name], rowStart: start, rowEnd: end });
  const pieces: ColumnPiece[] = [];
  for (const { chunks, groupStart, groupRows } of plan.groups) {
    const [chunk] = chunks;
    if (chunk === undefined || chunks.length > 1) {
      throw new Error(`parquet column ${element.name} is there ${chunks.length} times`);
    }
    const { type, codec, path_in_schema: pathInSchema } = chunk.columnMetadata;
    const parsers = { ...DEFAULT_PARSERS, ...column.parsers };
    const { compressors, isText: utf8 } = column;
    const decoder = { pathInSchema, type, element, schemaPath, codec, parsers, compressors, utf8 };
    const bytes = new Uint8Array(await file.slice(chunk.range.startByte, chunk.range.endByte));
    const reader = new ChunkReader(bytes, decoder, column.give);
    const groupEnd = groupStart + groupRows;
    const last = Math.min(end, groupEnd);
    for (let row = groupStart; row < last; ) {
      const { rows, piece } = reader.next(Math.max(0, start - row), last - row, groupEnd - row);
      if (piece !== undefined) pieces.push(piece);
      row += rows;
    }
  }
  return pieces;
}

/** Reads the pages of one column of a row group. */
class ChunkReader {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #decoder: Decoder;
  readonly #give: (value: unknown) => unknown;
  readonly #reader: { view: DataView<ArrayBuffer>; offset: number };
  /** Of pages whose every row has a value. */
  readonly #withoutLevels: Decoder;
  /** Ends with null, for rows without a value. */
  #dictionary: readonly unknown[] | undefined;

  constructor(bytes: Uint8Array<ArrayBuffer>, decoder: Decoder, give: (value: unknown) => unknown) {
    this.#bytes = bytes;
    this.#decoder = decoder;
    this.#withoutLevels = { ...decoder, schemaPath: decoder.schemaPath.slice(0, 1) };
    this.#give = give;
    this.#reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 };
  }

  /**
   * @param left how many rows the row group has left
   * @returns the next page's rows, and those of them from the row `from` on and before `to`, where there are any
   */
  next(from: number, to: number, left: number): { rows: number; piece: ColumnPiece | undefined } {
    for (;;) {
      const header = parquetHeader(this.#reader);
      const compressed = this.#take(header.compressed_page_size);
      if (header.type === 'DICTIONARY_PAGE') {
        this.#dictionary = this.#readDictionary(header, compressed);
        continue;
      }
      const rows = rowsOf(header);
      if (rows === 0) continue;
      if (rows > left) throw new Error('parquet column has more rows than its row group');
      if (rows <= from) return { rows, piece: undefined };
      const page = this.#readPage(header, rows, compressed);
      return { rows, piece: this.#pieceOf(page, from, Math.min(to, rows)) };
    }
  }

  #take(length: number): Uint8Array {
    const begin = this.#reader.offset;
    const end = begin + length;
    if (!(length >= 0 && end <= this.#bytes.length)) throw new Error('parquet page ends too early');
    this.#reader.offset = end;
    return this.#bytes.subarray(begin, end);
  }

  #readDictionary(header: PageHeader, compressed: Uint8Array): readonly unknown[] {
    const { type, element, codec, compressors } = this.#decoder;
    const page = decompressPage(compressed, Number(header.uncompressed_page_size), codec, compressors);
    const reader = { view: new DataView(page.buffer, page.byteOffset, page.byteLength), offset: 0 };
    const count = header.dictionary_page_header?.num_values ?? 0;
    const values = convert(readPlain(reader, type, count, element.type_length), this.#decoder);
    return [...Array.from(values, this.#give), null];
  }

  #readPage(header: PageHeader, rows: number, compressed: Uint8Array): Page {
    const { data_page_header: first, data_page_header_v2: second } = header;
    const encoding = first?.encoding ?? second?.encoding ?? 'PLAIN';
    const { dataPage, definitionLevels = [] } =
      first === undefined
        ? readDataPageV2(compressed, header, this.#decoder)
        : this.#readFirstVersion(first, Number(header.uncompressed_page_size), compressed);
    const count = definitionLevels.length === 0 ? rows : countDefined(definitionLevels, rows);
    if (dataPage.length < count) throw new Error('parquet page has fewer values than it says');
    const given = dataPage.length === count ? dataPage : dataPage.slice(0, count); // a run may go on beyond the page
    const isCoded = encoding.endsWith('_DICTIONARY');
    const values = isCoded ? given : Array.from(convert(given, this.#decoder), this.#give);
    return { rows, values, defined: count === rows ? undefined : definitionLevels, isCoded };
  }

  /** Where the page says in one run that every row has a value, that is not spelled out row by row. */
  #readFirstVersion(header: DataPageHeader, length: number, compressed: Uint8Array): DataPage {
    const { codec, compressors, element } = this.#decoder;
    const page = decompressPage(compressed, length, codec, compressors);
    const levels = element.repetition_type === 'REQUIRED' ? 0 : lengthOfFullLevels(page, header.num_values);
    if (levels === 0) return readDataPage(page, header, this.#decoder);
    return readDataPage(page.subarray(levels), header, this.#withoutLevels);
  }

  #pieceOf({ rows, values, defined, isCoded }: Page, from: number, to: number): ColumnPiece {
    if (!isCoded) return { values: defined === undefined ? values : spread(values, defined, rows), from, to };
    const dictionary = this.#dictionary;
    if (dictionary === undefined) throw new Error('parquet column lacks its dictionary');
    const indices = placesOf(values as ArrayLike<number>, defined, rows, dictionary.length - 1); // what is coded are numbers
    return new CodedPiece({ dictionary, indices }, from, to);
  }
}

/**
 * Definition levels of a flat column are 1 where a row has a value: a run of all rows is `u32` its length, `varint` 2 × rows, and a 1.
 * @returns how many bytes they take where they are such a run, otherwise 0
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

/** @throws Error where the header is not of a data page, or lacks a number: the library would go on for ever */
function rowsOf({ type, data_page_header: first, data_page_header_v2: second }: PageHeader): number {
  if (type !== 'DATA_PAGE' && type !== 'DATA_PAGE_V2') throw new Error(`parquet unsupported page type: ${type}`);
  const { num_values: rows } = (type === 'DATA_PAGE' ? first : second) ?? {};
  const numbers =
    type === 'DATA_PAGE'
      ? [rows]
      : [rows, second?.num_nulls, second?.definition_levels_byte_length, second?.repetition_levels_byte_length];
  const isWhole = numbers.every((it) => Number.isSafeInteger(it) && Number(it) >= 0);
  const hasOneHeader = (first === undefined) !== (second === undefined);
  if (!isWhole || !hasOneHeader || (second !== undefined && second.num_rows !== rows)) {
    throw new Error(`parquet page ${type} is damaged`);
  }
  return Number(rows);
}

/** @returns how many of the rows have a value */
function countDefined(levels: ArrayLike<number>, rows: number): number {
  if (levels.length < rows) throw new Error('parquet page says too little of its rows');
  let count = 0;
  for (let row = 0; row < rows; row++) if (levels[row] === 1) count++;
  return count;
}

/** @returns a value a row: the given ones in order where `defined` has 1, null elsewhere */
function spread(values: ArrayLike<unknown>, defined: ArrayLike<number>, rows: number): unknown[] {
  let next = 0;
  return Array.from({ length: rows }, (_, row) => (defined[row] === 1 ? values[next++] : null));
}

/** @returns a place a row: the given ones in order where `defined` has 1, `none` elsewhere. @throws Error where one is not below `none` */
function placesOf(
  given: ArrayLike<number>,
  defined: ArrayLike<number> | undefined,
  rows: number,
  none: number,
): Uint32Array {
  const places = new Uint32Array(given);
  for (let i = 0; i < places.length; i++) {
    if ((places[i] as number) >= none) throw new Error('parquet value is not in its dictionary'); // i < length
  }
  if (defined === undefined) return places;
  const all = new Uint32Array(rows);
  let next = 0;
  for (let row = 0; row < rows; row++) all[row] = defined[row] === 1 ? (places[next++] ?? none) : none;
  return all;
}
