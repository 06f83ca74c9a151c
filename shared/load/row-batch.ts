import type { Cells } from './cells.ts';

/** Values [from, to) of an array: the next rows of a column. */
export interface ColumnPiece {
  readonly values: ArrayLike<unknown>;
  readonly from: number;
  readonly to: number;
  /** The same rows as a text has them, where that is at hand; from is 0 then. */
  readonly cells?: Cells;
  /** The same rows as places in a dictionary, where the file has one. */
  readonly coded?: CodedValues;
}

/** The value of row r is `dictionary[indices[r]]`; every index is in range. */
export interface CodedValues {
  readonly dictionary: readonly unknown[];
  readonly indices: ArrayLike<number>;
}

/** Rows of a column with a dictionary. */
export class CodedPiece implements ColumnPiece {
  readonly coded: CodedValues;
  readonly from: number;
  readonly to: number;

  constructor(coded: CodedValues, from: number, to: number) {
    this.coded = coded;
    this.from = from;
    this.to = to;
  }

  get values(): unknown[] {
    const { dictionary, indices } = this.coded;
    return Array.from(indices, (index) => dictionary[index]);
  }
}

/** Some rows of a file, by column, as the format gives their values. */
export interface RowBatch {
  readonly rows: number;
  /** @returns the rows of a column in order; a piece that ends early stands for absent values. Empty where no row has the column. */
  read(column: string): Promise<readonly ColumnPiece[]>;
  /** @returns the line (in Parquet the row) of the file, from 1. */
  lineOf(row: number): number;
}

/** What a reader tells of a file that it reads: lines that are no rows, and columns as they turn up. */
export interface RowSink {
  problem(line: number, reason: string): void;
  /** All columns of the file, before its first row, where the format says so. @throws UnreadableFileError where the rows need not be read */
  header(names: readonly string[], line: number): void;
  /** A column that the line has, where rows name their columns themselves; told at least for the first line that has it. */
  column(name: string, line: number): void;
}

/** The file cannot be read on; what was wrong with the rows before it has been told. */
export class UnreadableFileError extends Error {
  /** null where the whole file is meant */
  readonly line: number | null;

  constructor(line: number | null, reason: string) {
    super(reason);
    this.line = line;
  }
}
