import { MAX_COUNTED, type Problems } from '../schema/problems.ts';
import { formatValue, Invalid } from '../schema/value-types.ts';
import { type ColumnNames, isPandasIndex } from './column-names.ts';
import type { DataFile } from './find-files.ts';

/**
 * A row group of Parquet is read whole unless it has more rows than this, so that memory stays bounded while several are in progress. Of a larger group, list
 * columns are decoded again for each part.
 */
export const MAX_BATCH_ROWS = 1 << 18;

/** Some rows of a file, by column, as the format gives their values. */
export interface RowBatch {
  readonly rows: number;
  /** Whether a text may be a list, whose members are joined by `|`. */
  readonly joinsLists: boolean;
  /**
   * @returns the column's value in each row, null or undefined if absent; may be shorter than the batch if the last rows have none
   * @throws UnreadableFileError if the column is damaged or of a type that is rejected
   */
  read(column: string): Promise<ArrayLike<unknown>>;
  /** @returns the line of the file that the row begins in, from 1; in Parquet the row's number */
  lineOf(row: number): number;
}

/** @param lines one per row. @returns rows whose values are all in memory */
export function batchOf(
  columns: ReadonlyMap<string, readonly unknown[]>,
  lines: readonly number[],
  joinsLists: boolean,
): RowBatch {
  return {
    rows: lines.length,
    joinsLists,
    read: async (column) => columns.get(column) ?? [],
    lineOf: (row) => lines[row] ?? 0,
  };
}

/** @returns the rows with null in place of the values and members of lists that stand for it */
export function withNulls(batch: RowBatch, isNull: (raw: unknown) => boolean): RowBatch {
  const orNull = (raw: unknown) => (isNull(raw) ? null : raw);
  return {
    ...batch,
    read: async (column) => {
      const values = await batch.read(column);
      if (!Array.isArray(values)) return values; // numbers
      return values.map((raw: unknown) => (Array.isArray(raw) ? raw.map(orNull) : orNull(raw))); // members that NDJSON leaves out stay so
    },
  };
}

/** @returns the rows with the columns that folders name. A file that has such a column itself must have the same values in it. */
export function withPartitions(batch: RowBatch, partitions: ReadonlyMap<string, string | null>): RowBatch {
  if (partitions.size === 0) return batch;
  return {
    rows: batch.rows,
    joinsLists: batch.joinsLists,
    lineOf: (row) => batch.lineOf(row),
    read: async (column) => {
      const own = await batch.read(column);
      const value = partitions.get(column);
      if (value === undefined) return own;
      if (own.length === 0) return new Array(batch.rows).fill(value);
      return Array.from(own, (raw) => (isSame(raw, value) ? value : contradiction(raw, value)));
    },
  };
}

function isSame(raw: unknown, value: string | null): boolean {
  if (raw === null || raw === undefined || raw === '') return value === null || value === '';
  if (typeof raw === 'object') return false;
  return String(raw) === value || (value !== null && value !== '' && Number(raw) === Number(value));
}

function contradiction(raw: unknown, value: string | null): Invalid {
  return new Invalid(`is ${formatValue(raw)}, but ${value === null ? 'absent' : value} in the name of the folder`);
}

/** Receives what a reader finds besides values: lines that are not rows, and columns. */
export interface RowSink {
  /** The values of columns that folders above the file name. */
  readonly partitions: ReadonlyMap<string, string | null>;
  /** The texts that are null, in lower case. */
  readonly nullWords: readonly string[];
  problem(line: number, reason: string): void;
  /** A line with separators only, as spreadsheets write them after the last row. */
  emptyRow(line: number): void;
  /**
   * A column that a row has, if each row names its own columns; called at least for the first line that has it.
   * @returns our name of the column, null if it is not read
   */
  column(name: string, line: number): string | null;
}

/** Receives what is found when a file is opened. */
export interface HeaderSink {
  /**
   * All columns of the file, before its first row, if the format lists them.
   * @returns our name of each, null if it is not read
   * @throws UnreadableFileError if the rows need not be read
   */
  header(names: readonly string[], line: number): (string | null)[];
  /** @returns the required columns that a header would lack */
  missing(names: readonly string[]): readonly string[];
  /** Something that is ignored: the end of a sentence that begins with the file. */
  warn(text: string): void;
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

/** @throws UnreadableFileError if the folder has so many problems that the rest of the file would only be counted */
export function rejectRest({ count }: Problems): void {
  if (count > MAX_COUNTED)
    throw new UnreadableFileError(
      null,
      `is not read to its end: the folder has more than ${MAX_COUNTED.toLocaleString('en-US')} problems`,
    );
}

/** The header lacks required columns. */
class MissingColumnsError extends UnreadableFileError {}

/** Turns what readers report into problems. Each unknown column of a table is one problem, and so are the required columns that headers lack. */
export class FileSink implements RowSink, HeaderSink {
  readonly partitions = new Map<string, string | null>();
  readonly nullWords: readonly string[];
  /** The columns that are read, those of folders among them; undefined if the format does not list them, or none was read. */
  columns: ReadonlySet<string> | undefined;
  readonly #file: string;
  readonly #names: ColumnNames;
  readonly #problems: Problems;
  /** The columns so far, by their names in the file, and the name in the file of each that is read. */
  readonly #found = new Map<string, string | null>();
  readonly #nameOf = new Map<string, string>();
  #hasEmptyRows = false;

  constructor(
    { name, partitions }: Pick<DataFile, 'name' | 'partitions'>,
    names: ColumnNames,
    problems: Problems,
    nullWords: readonly string[] = [],
  ) {
    this.nullWords = nullWords;
    this.#file = name;
    this.#names = names;
    this.#problems = problems;
    for (const [column, value] of partitions) {
      const known = this.#resolve(column, null);
      if (known !== null) this.partitions.set(known, value);
    }
    this.#found.clear(); // the file may have the columns, too
    this.#nameOf.clear();
  }

  /** The columns that the header lists or that rows have named so far. */
  get named(): ReadonlySet<string> {
    return new Set([...this.#nameOf.keys(), ...this.partitions.keys()]);
  }

  problem(line: number, reason: string): void {
    this.#problems.add({ file: this.#file, line, field: null, reason });
  }

  warn(text: string): void {
    this.#problems.warnings.push(`${this.#file}: ${text}`);
  }

  emptyRow(line: number): void {
    if (!this.#hasEmptyRows) this.warn(`has empty rows, which are ignored, such as line ${line}`);
    this.#hasEmptyRows = true;
  }

  header(names: readonly string[], line: number): (string | null)[] {
    const found = names.map((name) => this.column(name, line));
    const missing = this.missing(names);
    if (missing.length > 0)
      throw new MissingColumnsError(
        line,
        `lacks the required ${missing.length === 1 ? 'column' : 'columns'} ${missing.join(', ')}`,
      );
    this.columns = this.named;
    return found;
  }

  missing(names: readonly string[]): readonly string[] {
    const found = new Set(names.map((name) => this.#names.resolve(name)));
    return this.#names.required.filter((name) => !found.has(name) && !this.partitions.has(name));
  }

  column(name: string, line: number): string | null {
    const known = this.#found.get(name);
    return known === undefined ? this.#resolve(name, line) : known;
  }

  #resolve(name: string, line: number | null): string | null {
    const known = this.#names.resolve(name);
    const other = this.#nameOf.get(known ?? '');
    const ours = other === undefined ? (known ?? null) : null;
    this.#found.set(name, ours);
    if (ours !== null) this.#nameOf.set(ours, name);
    if (other !== undefined) this.#add(name, line, `is the same column as ${other}`);
    else if (known === undefined)
      this.#add(name, line, this.#names.explainUnknown(name, this.#problems.count < this.#problems.limit));
    else if (known === null && isPandasIndex(name)) this.warn(`the index ${name}, which pandas writes, is ignored`);
    else if (known === null && this.#names.isUndeclared(name))
      this.warn(`the column ${name} is not stored: no field of it is declared any more`);
    return ours;
  }

  #add(name: string | null, line: number | null, reason: string): void {
    const field = name?.trim() === '' ? `(a column with the name ${JSON.stringify(name)})` : name;
    this.#problems.add({ file: this.#file, line, field, reason }, this.#names.table);
  }

  /** Reports that the rest of the file cannot be read. @throws the error unless the file or a full disk causes it */
  fail(error: unknown): void {
    if (error instanceof MissingColumnsError) this.#add(null, error.line, error.message);
    else reportUnreadable(this.#file, error, this.#problems);
  }
}

/** Reports that the rest of a file cannot be read. @throws the error unless the file or a full disk causes it */
export function reportUnreadable(file: string, error: unknown, problems: Problems): void {
  if (!(error instanceof UnreadableFileError)) problems.addFile(file, explainFullDisk(error));
  else problems.add({ file, line: error.line, field: null, reason: error.message });
}

/** @returns why a file cannot be read if the disk of the temporary directory is full. @throws any other error */
export function explainFullDisk(error: unknown): string {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  return 'does not fit into the temporary directory with the facts before it: make the folder smaller';
}
