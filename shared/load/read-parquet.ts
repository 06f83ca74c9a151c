import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import {
  type AsyncBuffer,
  type FileMetaData,
  parquetMetadataAsync,
  parquetRead,
  parquetSchema,
  type SchemaTree,
} from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { converterOf, decimalOf, PARSERS, takeDecimals } from './parquet-values.ts';
import { type FlatColumn, isFlat, readFlatColumn } from './read-flat-column.ts';
import { type ColumnPiece, type RowBatch, UnreadableFileError } from './row-batch.ts';

/**
 * A row group is read whole unless it has more rows than this, so that memory stays bounded with several groups under way. The lists of a larger
 * group are decoded anew for each part, since a list's pages do not say which rows they hold.
 */
const MAX_BATCH_ROWS = 1 << 18;

/** The zlib of Node unpacks twice as fast as the library's own decoders; these three are the codecs it knows. */
const CODECS = {
  ...compressors,
  ZSTD: (bytes: Uint8Array) => zstdDecompressSync(bytes),
  GZIP: (bytes: Uint8Array) => gunzipSync(bytes),
  BROTLI: (bytes: Uint8Array) => brotliDecompressSync(bytes),
};

/** An open Parquet file. */
export class ParquetFile {
  readonly file: AsyncBuffer;
  readonly metadata: FileMetaData;
  readonly columns: readonly string[];
  readonly #schema: readonly SchemaTree[];
  /** Scale of each decimal column. */
  readonly decimals: ReadonlyMap<string, number>;

  private constructor(file: AsyncBuffer, metadata: FileMetaData) {
    this.file = file;
    this.metadata = metadata;
    this.decimals = takeDecimals(metadata);
    this.#schema = parquetSchema(metadata).children;
    this.columns = this.#schema.map((it) => it.element.name);
  }

  /** @throws UnreadableFileError where it is no such file */
  static async open(file: AsyncBuffer): Promise<ParquetFile> {
    return new ParquetFile(file, await readable(() => parquetMetadataAsync(file)));
  }

  /** @returns half-open ranges of rows to be read one after another: a row group each, or a part of one */
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

  /** @returns the values of a column in rows [start, end), which lie in one row group; undefined where the library must read them */
  async flatColumn(name: string, { start, end }: { start: number; end: number }): Promise<unknown[] | undefined> {
    const schema = this.#schema.find((it) => it.element.name === name);
    let groupStart = 0;
    for (const { columns, num_rows } of this.metadata.row_groups) {
      const groupEnd = groupStart + Number(num_rows);
      if (start < groupEnd) {
        const metadata = columns.find((it) => it.meta_data?.path_in_schema[0] === name)?.meta_data;
        if (schema === undefined || metadata === undefined || end > groupEnd || !isFlat(schema, metadata))
          return undefined;
        const convert = converterOf(schema.element, this.decimals.get(name));
        if (convert === undefined) return undefined;
        const isOptional = schema.element.repetition_type !== 'REQUIRED';
        const column: FlatColumn = { metadata, isOptional, compressors: CODECS, convert };
        const offset = Number(metadata.dictionary_page_offset || metadata.data_page_offset);
        const chunk = await this.file.slice(offset, offset + Number(metadata.total_compressed_size));
        return readFlatColumn(new Uint8Array(chunk), column, { from: start - groupStart, to: end - groupStart });
      }
      groupStart = groupEnd;
    }
    return undefined;
  }

  /**
   * @returns the rows, read column by column as they are asked for. Decimals are exact: a number where its shortest text is the decimal,
   * otherwise text.
   */
  rows({ start, end }: { readonly start: number; readonly end: number }): RowBatch {
    return new RowRange(this, start, end);
  }
}

class RowRange implements RowBatch {
  readonly #open: ParquetFile;
  readonly #start: number;
  readonly rows: number;

  constructor(open: ParquetFile, start: number, end: number) {
    this.#open = open;
    this.#start = start;
    this.rows = end - start;
  }

  async read(column: string): Promise<readonly ColumnPiece[]> {
    const { file, metadata, decimals, columns } = this.#open;
    if (!columns.includes(column)) return [];
    const range = { start: this.#start, end: this.#start + this.rows };
    const flat = await readable(() => this.#open.flatColumn(column, range));
    if (flat !== undefined) return this.#whole(column, [{ values: flat, from: 0, to: flat.length }]);
    const scale = decimals.get(column);
    const { start: first, end: last } = range;
    const pieces: ColumnPiece[] = [];
    await readable(() =>
      parquetRead({
        file,
        metadata,
        columns: [column],
        rowStart: first,
        rowEnd: last,
        compressors: CODECS,
        parsers: PARSERS,
        onChunk: ({ columnData, rowStart }) => {
          const values =
            scale === undefined ? columnData : Array.from(columnData, (raw: unknown) => decimalOf(raw, scale));
          const from = Math.max(0, first - rowStart);
          const to = Math.min(values.length, last - rowStart);
          if (from < to) pieces.push({ values, from, to });
        },
      }),
    );
    return this.#whole(column, pieces);
  }

  #whole(column: string, pieces: readonly ColumnPiece[]): readonly ColumnPiece[] {
    const rows = pieces.reduce((sum, piece) => sum + piece.to - piece.from, 0);
    if (rows !== this.rows)
      throw new UnreadableFileError(null, `is damaged: ${rows} of ${this.rows} values of ${column}`);
    return pieces;
  }

  lineOf(row: number): number {
    return this.#start + row + 1;
  }
}

/** Whatever the library throws at bytes is a damaged or foreign file. */
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
