import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { EncodedTable } from '../../catalog/partitions.ts';

/** Rows of one part: its text is unpacked whole. */
const PART_ROWS = 50_000;

/** @returns the rows as they are kept between loads, so that a later load of another file can be joined with them. */
export function packRows(rows: readonly object[]): EncodedTable {
  const columns = new Map<string, Uint8Array>();
  for (let start = 0; start < rows.length; start += PART_ROWS) {
    const text = JSON.stringify(rows.slice(start, start + PART_ROWS));
    columns.set(String(columns.size), new Uint8Array(zstdCompressSync(text)));
  }
  return { rows: rows.length, columns };
}

/**
 * @param name what they are rows of, for errors
 * @returns the rows that `packRows` was given; none where nothing was kept
 */
export function unpackRows(kept: EncodedTable | undefined, name: string): object[] {
  const rows = [...(kept?.columns.values() ?? [])].flatMap((it) => parsePart(it, name));
  if (rows.length !== (kept?.rows ?? 0)) throw new Error(`the kept rows of ${name} are not whole`);
  return rows;
}

function parsePart(bytes: Uint8Array, name: string): object[] {
  const rows: unknown = JSON.parse(zstdDecompressSync(bytes).toString('utf8'));
  if (!Array.isArray(rows)) throw new Error(`the kept rows of ${name} are not readable`);
  return rows;
}
