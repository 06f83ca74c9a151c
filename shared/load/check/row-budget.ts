import type { Cell } from '../schema/value-types.ts';

/** Limits of all listing files together. At the limit a load takes about 1 GB: the rows, and the stored rows that they replace. */
export const MAX_ROWS = 1_000_000;
/** UTF-16 code units. */
const MAX_CODE_UNITS = 128_000_000;
/** What a member of a list counts besides its text, in UTF-16 code units. */
export const LIST_MEMBER_UNITS = 8;

/** Counts the rows and text that a load holds in memory, so that a small gzip or Parquet file cannot exhaust it. */
export class RowBudget {
  #rows = 0;
  #codeUnits = 0;

  /** @returns the reason for the rejection; undefined while the rows are within the limits */
  spend(row: Readonly<Record<string, Cell>>): string | undefined {
    this.#rows += 1;
    this.#codeUnits += sizeOfRow(row);
    return this.explainExcess(0, 0);
  }

  /** @returns the reason for the rejection if there were this many more rows and code units; undefined if they are within the limits */
  explainExcess(rows: number, codeUnits: number): string | undefined {
    if (this.#rows + rows <= MAX_ROWS && this.#codeUnits + codeUnits <= MAX_CODE_UNITS) return undefined;
    const limit = `${MAX_ROWS.toLocaleString('en-US')} rows and ${MAX_CODE_UNITS.toLocaleString('en-US')} UTF-16 code units of text`;
    return `exceeds a limit: all listing files of a folder, with the listed rows that patches keep, may have ${limit}`;
  }
}

/** @returns the UTF-16 code units that the row's texts and lists count */
export function sizeOfRow(row: Readonly<Record<string, Cell | undefined>>): number {
  let size = 0;
  for (const name in row) size += sizeOf(row[name]);
  return size;
}

/** @returns the UTF-16 code units that a text or list counts; other cells count 0 */
export function sizeOf(cell: Cell | undefined): number {
  if (typeof cell === 'string') return cell.length;
  if (!Array.isArray(cell)) return 0;
  let size = 0;
  for (const member of cell) size += LIST_MEMBER_UNITS + String(member).length;
  return size;
}
