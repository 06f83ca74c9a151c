import type { Cell } from '../schema/value-types.ts';

/** Limits for all listing files together. At the limit a load takes about 1 GB: the rows, the stored rows that they replace, and the derived items. */
export const MAX_ROWS = 1_000_000;
/** UTF-16 code units; each member of a list counts 8 more. */
export const MAX_CODE_UNITS = 128_000_000;

/** Counts the rows and text that a load holds in memory, so that a small gzip or Parquet file cannot exhaust it. */
export class RowBudget {
  #rows = 0;
  #codeUnits = 0;

  /** @returns the reason for the rejection; undefined while the rows are within the limits */
  spend(row: Readonly<Record<string, Cell>>): string | undefined {
    this.#rows += 1;
    for (const name in row) this.#codeUnits += sizeOf(row[name]);
    if (this.#rows <= MAX_ROWS && this.#codeUnits <= MAX_CODE_UNITS) return undefined;
    const limit = `${MAX_ROWS.toLocaleString('en-US')} rows and ${MAX_CODE_UNITS.toLocaleString('en-US')} UTF-16 code units of text`;
    return `is too much: the listing files of a folder may have ${limit} together, with the listed rows that patches keep`;
  }
}

/** @returns UTF-16 code units */
function sizeOf(cell: Cell | undefined): number {
  if (typeof cell === 'string') return cell.length;
  if (!Array.isArray(cell)) return 0;
  let size = 0;
  for (const member of cell) size += 8 + String(member).length;
  return size;
}
