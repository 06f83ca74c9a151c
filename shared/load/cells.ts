import type { ColumnPiece, RowBatch } from './row-batch.ts';

/** A column of values as a text has them: row r's are the bytes from `bounds[r * step + at]` to `bounds[r * step + at + 1]`. */
export interface Cells {
  readonly bytes: Uint8Array;
  readonly bounds: Int32Array;
  readonly step: number;
  readonly at: number;
  /** Whether the text is a number's, and not itself the value; nothing is no value in either case. */
  readonly isNumber: boolean;
}

/** @returns the row's value */
export function cellValue({ bytes, bounds, step, at, isNumber }: Cells, row: number): string | number {
  const cell = bytes.subarray(bounds[row * step + at], bounds[row * step + at + 1]);
  const text = Buffer.from(cell.buffer, cell.byteOffset, cell.byteLength).toString('utf8');
  return isNumber && text !== '' ? Number(text) : text;
}

/** Room for the first rows; a header may have very many columns. */
const FIRST_BOUNDS = 1 << 17;

/** Where the values of each row of a text are. */
export class CellBounds {
  /** Two numbers a value: where it begins and ends. */
  readonly step: number;
  readonly #lines: number[] = [];
  #bounds: Int32Array;

  /** @param columns values a row has */
  constructor(columns: number) {
    this.step = 2 * columns;
    this.#bounds = new Int32Array(Math.max(FIRST_BOUNDS, this.step));
  }

  get rows(): number {
    return this.#lines.length;
  }

  /** With room for one more row, which begins at `rows * step`. Valid until a row is added. */
  get bounds(): Int32Array {
    if ((this.rows + 1) * this.step > this.#bounds.length) {
      const grown = new Int32Array(this.#bounds.length * 2);
      grown.set(this.#bounds);
      this.#bounds = grown;
    }
    return this.#bounds;
  }

  /** Keeps the row whose bounds were written. */
  add(line: number): void {
    this.#lines.push(line);
  }

  lineOf(row: number): number {
    return this.#lines[row] ?? 0;
  }
}

/** Rows of a text whose values are found, but not made. */
export class CellBatch implements RowBatch {
  readonly #bytes: Uint8Array;
  readonly names: readonly string[];
  readonly #bounds: CellBounds;
  readonly #isNumber: (column: number) => boolean;

  constructor(bytes: Uint8Array, names: readonly string[], bounds: CellBounds, isNumber: (column: number) => boolean) {
    this.#bytes = bytes;
    this.names = names;
    this.#bounds = bounds;
    this.#isNumber = isNumber;
  }

  get rows(): number {
    return this.#bounds.rows;
  }

  async read(name: string): Promise<readonly ColumnPiece[]> {
    const column = this.names.indexOf(name);
    if (column < 0) return [];
    const { bounds, step } = this.#bounds;
    const cells = { bytes: this.#bytes, bounds, step, at: 2 * column, isNumber: this.#isNumber(column) };
    return [new CellPiece(cells, this.rows)];
  }

  lineOf(row: number): number {
    return this.#bounds.lineOf(row);
  }
}

class CellPiece implements ColumnPiece {
  readonly cells: Cells;
  readonly from = 0;
  readonly to: number;
  #values: (string | number)[] | undefined;

  constructor(cells: Cells, rows: number) {
    this.cells = cells;
    this.to = rows;
  }

  get values(): (string | number)[] {
    this.#values ??= Array.from({ length: this.to }, (_, row) => cellValue(this.cells, row));
    return this.#values;
  }
}
