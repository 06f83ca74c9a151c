import type { EncodedTable } from '../../layout/partitions.ts';
import { compressJson, decompressJson } from '../../store/table/compress.ts';

/** The maximum rows of a part, which is unpacked as a whole. */
const PART_ROWS = 50_000;

/**
 * @param rowsOf returns the rows [start, end)
 * @returns the rows packed for storage
 */
export function packRows(count: number, rowsOf: (start: number, end: number) => readonly object[]): EncodedTable {
  const columns = new Map<string, Uint8Array>();
  for (let start = 0; start < count; start += PART_ROWS) {
    columns.set(String(columns.size), compressJson(rowsOf(start, Math.min(count, start + PART_ROWS))));
  }
  return { rows: count, columns };
}

/**
 * @param name names the rows in errors
 * @returns the rows that `packRows` packed; none if nothing is stored
 * @throws Error if they are damaged
 */
export function* unpackRows(stored: EncodedTable | undefined, name: string): Iterable<object> {
  let count = 0;
  for (const bytes of stored?.columns.values() ?? []) {
    const rows = decompressJson(bytes, `the stored rows of ${name}`);
    if (!Array.isArray(rows)) throw new Error(`the stored rows of ${name} are not readable`);
    count += rows.length;
    yield* rows;
  }
  if (count !== (stored?.rows ?? 0)) throw new Error(`the stored rows of ${name} are incomplete`);
}
