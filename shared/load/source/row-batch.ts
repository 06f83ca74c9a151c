/** Some rows of a file, by column, as the format gives their values. */
export interface RowBatch {
  readonly rows: number;
  /** @returns the column's value in each row, null or undefined where there is none; shorter than the batch where the last rows have none */
  read(column: string): Promise<ArrayLike<unknown>>;
  /** @returns the line of the file that the row begins in, from 1; in Parquet the row's number */
  lineOf(row: number): number;
}

/** Rows of which all values are in memory. */
export class ValueBatch implements RowBatch {
  readonly #columns: ReadonlyMap<string, readonly unknown[]>;
  readonly #lines: readonly number[];

  /** @param lines one per row */
  constructor(columns: ReadonlyMap<string, readonly unknown[]>, lines: readonly number[]) {
    this.#columns = columns;
    this.#lines = lines;
  }

  get rows(): number {
    return this.#lines.length;
  }

  async read(column: string): Promise<readonly unknown[]> {
    return this.#columns.get(column) ?? [];
  }

  lineOf(row: number): number {
    return this.#lines[row] ?? 0;
  }
}

/** Receives what a reader finds beside rows: lines that are no rows, and the columns of the file. */
export interface RowSink {
  problem(line: number, reason: string): void;
  /** All columns of the file, before its first row, where the format lists them. @throws UnreadableFileError where the rows need not be read */
  header(names: readonly string[], line: number): void;
  /** A column that a row has, where each row names its own columns; called at least for the first line that has it. */
  column(name: string, line: number): void;
}

/** The file cannot be read any further. Problems of the rows before have been reported. */
export class UnreadableFileError extends Error {
  /** null where the whole file is meant */
  readonly line: number | null;

  constructor(line: number | null, reason: string) {
    super(reason);
    this.line = line;
  }
}
