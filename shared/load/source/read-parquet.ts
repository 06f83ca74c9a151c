import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import {
  type AsyncBuffer,
  type FileMetaData,
  parquetMetadata,
  parquetScan,
  parquetSchema,
  type SchemaElement,
  type SchemaTree,
} from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { checkNestedColumn, checkPageBytes } from './check-pages.ts';
import { checkThrift } from './check-thrift.ts';
import { decompressLz4Frames } from './lz4-frames.ts';
import { valuesOf } from './parquet-values.ts';
import { readFlatColumn } from './read-parquet-column.ts';
import { MAX_BATCH_ROWS, type RowBatch, UnreadableFileError } from './row-batch.ts';

/** The metadata are read into memory whole. */
const MAX_METADATA_BYTES = 128 << 20;

type Codec = (bytes: Uint8Array, length: number) => Uint8Array;

/** Node's zlib decompresses three of them twice as fast as the library's own decoders. A page is never decompressed to more bytes than its header says. */
const CODECS = Object.fromEntries(
  Object.entries<Codec>({
    ...compressors,
    LZ4: decompressLz4Frames,
    ZSTD: (bytes, length) => zstdDecompressSync(bytes, { maxOutputLength: Math.max(1, length) }),
    GZIP: (bytes, length) => gunzipSync(bytes, { maxOutputLength: Math.max(1, length) }),
    BROTLI: (bytes, length) => brotliDecompressSync(bytes, { maxOutputLength: Math.max(1, length) }),
  }).map(([name, decode]) => [
    name,
    (bytes: Uint8Array, length: number) => {
      checkPageBytes(length);
      // the dictionary of a column without values, which Arrow stores as an empty frame of LZ4
      return length === 0 ? new Uint8Array(0) : decode(bytes, length);
    },
  ]),
);

/** An open Parquet file. */
export class ParquetFile {
  readonly file: AsyncBuffer;
  readonly metadata: FileMetaData;
  /** The columns by name. */
  readonly elements: ReadonlyMap<string, SchemaElement>;
  /** Scale of each flat decimal column. */
  readonly decimals: ReadonlyMap<string, number>;
  /** The columns that have, within lists or structs, floats of less than 64 bits, or decimals other than INT32 and INT64 of scale 0. */
  readonly inexact: ReadonlySet<string>;

  private constructor(file: AsyncBuffer, metadata: FileMetaData) {
    this.file = file;
    this.metadata = metadata;
    dropNestedTypes(metadata);
    // some writers state that the root is repeated, but write no levels for it
    delete metadata.schema[0]?.repetition_type;
    this.decimals = takeDecimals(metadata);
    this.inexact = findInexact(metadata);
    this.elements = new Map(parquetSchema(metadata).children.map(({ element }) => [element.name, element]));
  }

  /** @throws UnreadableFileError if it is not a readable Parquet file */
  static async open(file: AsyncBuffer): Promise<ParquetFile> {
    return readable(async () => new ParquetFile(file, await readMetadata(file)));
  }

  /** @returns half-open ranges of rows in their order, each a row group or a part of one */
  *ranges(): Generator<{ start: number; end: number }> {
    let start = 0;
    for (const group of this.metadata.row_groups) {
      const groupEnd = start + Number(group.num_rows);
      while (start < groupEnd) {
        const end = Math.min(groupEnd, start + MAX_BATCH_ROWS);
        yield { start, end };
        start = end;
      }
    }
  }

  /** @returns the rows; each column is read when it is requested */
  rows({ start, end }: { readonly start: number; readonly end: number }): RowBatch {
    return new RowRange(this, start, end);
  }
}

/** Longer column names are cut in messages. */
const MAX_SHOWN_NAME = 200;
/** The bytes of the magic number and of the length, which end the file. */
const ENDING_BYTES = 8;

/** Reads the metadata as the library's `parquetMetadataAsync` does, but checks them first. */
async function readMetadata(file: AsyncBuffer): Promise<FileMetaData> {
  const { byteLength } = file;
  const ending = new DataView(await file.slice(Math.max(0, byteLength - ENDING_BYTES), byteLength));
  const length = ending.byteLength < ENDING_BYTES ? 0 : ending.getUint32(0, true);
  const start = byteLength - ENDING_BYTES - length;
  if (length > MAX_METADATA_BYTES)
    throw new Error(`parquet metadata of ${length} bytes, more than ${MAX_METADATA_BYTES}`);
  if (start < 0) return parquetMetadata(ending.buffer); // throws
  const bytes = await file.slice(start, byteLength);
  checkThrift(new Uint8Array(bytes, 0, length), 0);
  const metadata = parquetMetadata(bytes, { geoparquet: false });
  checkMetadata(metadata);
  return metadata;
}

/**
 * The library uses members of the metadata unchecked, even if they are missing or have another type.
 * @throws Error if names or repetition types of columns, or numbers of columns or rows, are missing or do not match: values could be lost without an error
 */
function checkMetadata(metadata: FileMetaData): void {
  const { schema, num_rows: total, row_groups: groups } = metadata;
  if (!schema.every(({ name }) => typeof name === 'string')) throw new Error('parquet column has no name');
  const [, ...columns] = schema;
  const unclear = columns.find(({ repetition_type }) => repetition_type === undefined);
  if (unclear !== undefined)
    throw new Error(
      `parquet column ${unclear.name.slice(0, MAX_SHOWN_NAME)} does not state whether it may be null or repeated: write the file again, with fastparquet with has_nulls=True`,
    );
  const { count } = parquetSchema(metadata);
  if (count !== schema.length)
    throw new Error(`parquet schema has ${schema.length} elements, but ${count} in its tree`);
  let rows = 0n;
  for (const { num_rows: own } of groups) {
    if (typeof own !== 'bigint' || own < 0n) throw new Error('parquet row group has no number of rows');
    rows += own;
  }
  if (rows !== total) throw new Error(`parquet row groups have ${rows} rows, but the file ${total}`);
}

class RowRange implements RowBatch {
  readonly #parquet: ParquetFile;
  readonly #start: number;
  readonly rows: number;

  constructor(parquet: ParquetFile, start: number, end: number) {
    this.#parquet = parquet;
    this.#start = start;
    this.rows = end - start;
  }

  async read(column: string): Promise<ArrayLike<unknown>> {
    const { file, metadata, decimals, inexact, elements } = this.#parquet;
    const element = elements.get(column);
    if (element === undefined) return [];
    if (inexact.has(column))
      throw new UnreadableFileError(
        null,
        `has decimals or short floats within lists or structs in the column ${column}: write 64-bit integers or text`,
      );
    const reading = valuesOf(element, decimals.get(column));
    const end = this.#start + this.rows;
    const schemaPath = flatPath(metadata, column);
    const values = await readable(async () => {
      if (schemaPath !== undefined) {
        return readFlatColumn({ file, metadata, schemaPath, compressors: CODECS, ...reading }, this.#start, end);
      }
      const { parsers } = reading;
      const checked = await checkNestedColumn({ file, metadata, compressors: CODECS }, column, this.#start, end);
      // an offset index would lead the library to pages that are not checked
      const options = { metadata, columns: [column], compressors: CODECS, parsers, useOffsetIndex: false };
      const scan = await parquetScan({ file: checked, ...options });
      return scan.readColumn({ column, rowStart: this.#start, rowEnd: end });
    });
    if (values.length === this.rows) return values;
    throw new UnreadableFileError(null, `is damaged: ${values.length} of ${this.rows} values of ${column}`);
  }

  lineOf(row: number): number {
    return this.#start + row + 1;
  }
}

/** @returns the path to the column if it is flat: if each row has one value or none */
function flatPath(metadata: FileMetaData, column: string): [SchemaTree, SchemaTree] | undefined {
  const root = parquetSchema(metadata);
  const leaf = root.children.find((child) => child.element.name === column);
  return leaf !== undefined && isFlat(leaf) ? [root, leaf] : undefined;
}

function isFlat({ element, children }: SchemaTree): boolean {
  return children.length === 0 && element.repetition_type !== 'REPEATED';
}

/**
 * Makes the library read flat decimal columns as the integers that they are stored as: it multiplies decimals by 10^-scale, which is not exact.
 * @returns the scale of each
 */
function takeDecimals(metadata: FileMetaData): Map<string, number> {
  const decimals = new Map<string, number>();
  for (const column of parquetSchema(metadata).children) {
    const { element } = column;
    if (!isFlat(column) || !isDecimal(element)) continue;
    decimals.set(element.name, element.scale ?? 0);
    dropType(element);
  }
  return decimals;
}

/**
 * Decimals stored as integers with scale 0 are made plain integers first.
 * @returns the columns with decimals or short floats within lists or structs, which are rejected: the library converts such decimals inexactly, and in
 * quadratic time if they have many bytes; in floats of less than 64 bits, different large ids become equal
 */
function findInexact(metadata: FileMetaData): Set<string> {
  const isInteger = ({ type, scale = 0 }: SchemaElement) => (type === 'INT32' || type === 'INT64') && scale === 0;
  for (const element of metadata.schema) if (isDecimal(element) && isInteger(element)) dropType(element);
  const isInexact = ({ element, children }: SchemaTree): boolean =>
    isDecimal(element) || isShortFloat(element) || children.some(isInexact);
  const found = parquetSchema(metadata).children.filter((column) => !isFlat(column) && isInexact(column));
  return new Set(found.map(({ element }) => element.name));
}

/** Logical types that no column of a load file needs, and whose values the library would unpack to objects of any size. */
const NESTED_TYPES = new Set<string | undefined>(['VARIANT', 'GEOMETRY', 'GEOGRAPHY']);

function dropNestedTypes({ schema }: FileMetaData): void {
  for (const element of schema) {
    if (NESTED_TYPES.has(element.logical_type?.type)) delete element.logical_type;
  }
}

function dropType(element: SchemaElement): void {
  delete element.converted_type;
  delete element.logical_type;
}

function isDecimal(element: SchemaElement): boolean {
  return element.converted_type === 'DECIMAL' || element.logical_type?.type === 'DECIMAL';
}

function isShortFloat({ type, logical_type: logical }: SchemaElement): boolean {
  return type === 'FLOAT' || logical?.type === 'FLOAT16';
}

/** Reports any error of the library as a file that is damaged or has another format. */
async function readable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw new UnreadableFileError(
      null,
      `is not readable Parquet: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
