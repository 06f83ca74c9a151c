import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { EncodedTable } from '../../catalog/partitions.ts';

/** Each part is unpacked as a whole. */
const PART_ROWS = 50_000;

/** @returns the rows packed for storage, so that a later load of another file can be joined with them */
export function packRows(rows: readonly object[]): EncodedTable {
  const columns = new Map<string, Uint8Array>();
  for (let start = 0; start < rows.length; start += PART_ROWS) {
    const text = JSON.stringify(rows.slice(start, start + PART_ROWS));
    columns.set(String(columns.size), new Uint8Array(zstdCompressSync(text)));
  }
  return { rows: rows.length, columns };
}

/**
 * @param name names the rows in errors
 * @returns the rows that `packRows` packed; none if nothing is stored
 */
export function unpackRows(stored: EncodedTable | undefined, name: string): object[] {
  const rows = [...(stored?.columns.values() ?? [])].flatMap((bytes) => parsePart(bytes, name));
  if (rows.length !== (stored?.rows ?? 0)) throw new Error(`the stored rows of ${name} are incomplete`);
  return rows;
}

function parsePart(bytes: Uint8Array, name: string): object[] {
  const rows: unknown = JSON.parse(zstdDecompressSync(bytes).toString('utf8'));
  if (!Array.isArray(rows)) throw new Error(`the stored rows of ${name} are not readable`);
  return rows;
}
