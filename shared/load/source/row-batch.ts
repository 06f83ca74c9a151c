import { suggestNames } from '../../contract/suggest.ts';
import type { ColumnSpec } from '../schema/file-columns.ts';
import type { Problems } from '../schema/problems.ts';

/**
 * A row group of Parquet is read whole unless it has more rows than this, so that memory stays bounded while several are in progress. Of a larger group, list
 * columns are decoded again for each part.
 */
export const MAX_BATCH_ROWS = 1 << 18;

/** Some rows of a file, by column, as the format gives their values. */
export interface RowBatch {
  readonly rows: number;
  /**
   * @returns the column's value in each row, null or undefined if absent; may be shorter than the batch if the last rows have none
   * @throws UnreadableFileError if the column is damaged or of a type that is rejected
   */
  read(column: string): Promise<ArrayLike<unknown>>;
  /** @returns the line of the file that the row begins in, from 1; in Parquet the row's number */
  lineOf(row: number): number;
}

/** Rows whose values are all in memory. */
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

/** Receives what a reader finds besides rows: lines that are not rows, and the columns of the file. */
export interface RowSink {
  problem(line: number, reason: string): void;
  /** All columns of the file, before its first row, if the format lists them. @throws UnreadableFileError if the rows need not be read */
  header(names: readonly string[], line: number): void;
  /**
   * A column that a row has, if each row names its own columns; called at least for the first line that has it.
   * @returns whether the column is read
   */
  column(name: string, line: number): boolean;
}

/** The rest of the file cannot be read. Rows before it in the same section may not have been checked. */
export class UnreadableFileError extends Error {
  /** null if the problem is about the whole file */
  readonly line: number | null;

  constructor(line: number | null, reason: string) {
    super(reason);
    this.line = line;
  }
}

/** Turns what readers report into problems. Each unknown column is one problem, and so are the required columns that a header lacks. */
export class FileSink implements RowSink {
  readonly #file: string;
  readonly #columns: readonly ColumnSpec[];
  readonly #problems: Problems;
  readonly #seen = new Set<string>();

  constructor(file: string, columns: readonly ColumnSpec[], problems: Problems) {
    this.#file = file;
    this.#columns = columns;
    this.#problems = problems;
  }

  problem(line: number, reason: string): void {
    this.#problems.add({ file: this.#file, line, field: null, reason });
  }

  header(names: readonly string[], line: number): void {
    for (const name of names) this.column(name, line);
    const missing = this.#columns
      .filter((column) => column.required === true && !this.#seen.has(column.name))
      .map((column) => column.name);
    if (missing.length > 0)
      throw new UnreadableFileError(
        line,
        `lacks the required ${missing.length === 1 ? 'column' : 'columns'} ${missing.join(', ')}`,
      );
  }

  column(name: string, line: number): boolean {
    const known = this.#columns.map((column) => column.name);
    const isRead = known.includes(name);
    if (this.#seen.has(name)) return isRead;
    this.#seen.add(name);
    if (isRead) return true;
    const [meant] = suggestNames(name, known);
    const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`;
    const reason = `is not a column of this file${hint}; its columns are ${known.join(', ')}`;
    this.#problems.add({ file: this.#file, line, field: name, reason });
    return false;
  }

  /** Reports that the rest of the file cannot be read. @throws the error unless the file or a full disk causes it */
  fail(error: unknown): void {
    if (!(error instanceof UnreadableFileError)) this.#problems.addFile(this.#file, explainFullDisk(error));
    else this.#problems.add({ file: this.#file, line: error.line, field: null, reason: error.message });
  }
}

/** @returns why a file cannot be read if the disk of the temporary directory is full. @throws any other error */
export function explainFullDisk(error: unknown): string {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  return 'does not fit into the temporary directory with the facts before it: make the folder smaller';
}
