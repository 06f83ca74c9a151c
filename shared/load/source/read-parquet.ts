import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import {
  type AsyncBuffer,
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetScan,
  parquetSchema,
  type SchemaElement,
} from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { valuesOf } from './parquet-values.ts';
import { MAX_BATCH_ROWS, type RowBatch, UnreadableFileError } from './row-batch.ts';

/** Node's zlib decompresses these twice as fast as the library's own decoders. */
const CODECS: Compressors = {
  ...compressors,
  ZSTD: (bytes) => zstdDecompressSync(bytes),
  GZIP: (bytes) => gunzipSync(bytes),
  BROTLI: (bytes) => brotliDecompressSync(bytes),
};

/** Rows [start, end) of a Parquet file, all in one of its row groups. */
export interface RowRange {
  readonly start: number;
  readonly end: number;
  /** The index of the row group, and the row of the file that is its first. */
  readonly group: number;
  readonly groupStart: number;
}

/** An open Parquet file. */
export class ParquetFile {
  readonly #file: AsyncBuffer;
  readonly metadata: FileMetaData;
  readonly #values: ReadonlyMap<string, ReturnType<typeof valuesOf>>;

  private constructor(file: AsyncBuffer, metadata: FileMetaData) {
    this.#file = file;
    this.metadata = metadata;
    rejectMisread(metadata);
    this.#values = new Map(parquetSchema(metadata).children.map(({ element }) => [element.name, valuesOf(element)]));
    for (const { element, children } of parquetSchema(metadata).children) {
      if (children.length === 0 && element.repetition_type !== 'REPEATED') readAsStored(element);
    }
  }

  /** @throws UnreadableFileError if it is not a readable Parquet file */
  static async open(file: AsyncBuffer): Promise<ParquetFile> {
    return readable(async () => new ParquetFile(file, await parquetMetadataAsync(file, { geoparquet: false })));
  }

  get columns(): string[] {
    return [...this.#values.keys()];
  }

  /** @returns half-open ranges of rows in their order, each a row group or a part of one */
  *ranges(): Generator<RowRange> {
    let start = 0;
    for (const [group, { num_rows: rows }] of this.metadata.row_groups.entries()) {
      const groupStart = start;
      const groupEnd = start + Number(rows);
      while (start < groupEnd) {
        const end = Math.min(groupEnd, start + MAX_BATCH_ROWS);
        yield { start, end, group, groupStart };
        start = end;
      }
    }
  }

  /** @param names our name of each column of the file, null if it is not read. @returns the rows of a range; each column is read when it is requested */
  rows(range: RowRange, names: readonly (string | null)[]): RowBatch {
    const { start, end } = range;
    return {
      rows: end - start,
      joinsLists: false,
      read: async (name) => {
        const column = this.columns[names.indexOf(name)] ?? '';
        const values = this.#values.get(column);
        return values === undefined ? [] : this.#readColumn(column, values, range);
      },
      lineOf: (row) => start + row + 1,
    };
  }

  async #readColumn(
    column: string,
    { parsers, convert }: ReturnType<typeof valuesOf>,
    { start, end, group, groupStart }: RowRange,
  ) {
    const row_groups = this.metadata.row_groups.slice(group, group + 1); // the library plans all groups that it is given, each time
    const metadata = { ...this.metadata, row_groups };
    const stored = await readable(async () => {
      const scan = await parquetScan({ file: this.#file, metadata, columns: [column], compressors: CODECS, parsers });
      return scan.readColumn({ column, rowStart: start - groupStart, rowEnd: end - groupStart });
    });
    const rows = end - start;
    if (stored.length !== rows)
      throw new UnreadableFileError(null, `is damaged: ${stored.length} of ${rows} values of ${column}`);
    return convert === undefined ? stored : Array.from(stored, convert);
  }
}

/** @throws Error if the library would read other values than were written */
function rejectMisread({ schema, row_groups: groups }: FileMetaData): void {
  const unclear = schema.slice(1).find((element) => element.repetition_type === undefined);
  if (unclear !== undefined)
    throw new Error(
      `column ${unclear.name} does not state whether it may be null: write the file again, with fastparquet with has_nulls=True`,
    );
  const unsigned = new Set(schema.filter((element) => element.converted_type === 'UINT_32').map(({ name }) => name));
  for (const { meta_data: column } of groups.flatMap((group) => group.columns)) {
    const name = column?.path_in_schema.join('.') ?? '';
    if (unsigned.has(name) && column?.encodings.includes('DELTA_BINARY_PACKED') === true)
      throw new Error(`column ${name} has unsigned 32-bit integers with differences: write 64-bit integers`);
  }
}

/** Makes the library return decimals as they are stored: it converts them through inexact floats. */
function readAsStored(element: SchemaElement): void {
  const { converted_type: type, logical_type: logical } = element;
  if (type === 'DECIMAL' || logical?.type === 'DECIMAL') {
    delete element.converted_type;
    delete element.logical_type;
  }
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
