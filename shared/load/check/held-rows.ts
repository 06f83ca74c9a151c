import type { Cell } from '../schema/value-types.ts';

/** Listings are held in memory: with their predecessors and what is derived from them, these take about a gigabyte. */
export const MAX_HELD_ROWS = 1_000_000;
export const MAX_HELD_CHARACTERS = 128_000_000;

/** Counts the rows that a load holds in memory, so that no file takes more of it than there is, however small it is when it is packed. */
export class HeldRows {
  #rows = 0;
  #characters = 0;

  /** @returns why the row cannot be held; undefined if it can */
  add(row: Readonly<Record<string, Cell>>): string | undefined {
    this.#rows += 1;
    for (const name in row) this.#characters += sizeOf(row[name]);
    if (this.#rows <= MAX_HELD_ROWS && this.#characters <= MAX_HELD_CHARACTERS) return undefined;
    const limit = `${MAX_HELD_ROWS.toLocaleString('en-US')} rows and ${MAX_HELD_CHARACTERS.toLocaleString('en-US')} characters`;
    return `is too much: the listing files of a folder may have ${limit} together, with the listed rows that patches keep`;
  }
}

function sizeOf(cell: Cell | undefined): number {
  if (typeof cell === 'string') return cell.length;
  if (!Array.isArray(cell)) return 0;
  let size = 0;
  for (const member of cell) size += 8 + String(member).length;
  return size;
}
