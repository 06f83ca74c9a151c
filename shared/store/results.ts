import { createHash } from 'node:crypto';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { type Clock, systemClock } from '../clock.ts';
import type { Table } from './client.ts';
import { bytesIn, type Item, numberIn } from './item.ts';
import { resultChunkKey, resultHeadKey } from './keys.ts';

/** Rows in one chunk: a page is one or few of them. */
const CHUNK_ROWS = 1_000;
const KEEP_SECONDS = 15 * 60;

/** The kept rows of one report. Nothing in it can be stale: the digest names the data's commit. Satisfies the engine's ResultStore. */
export interface StoredResult<Frame, Row> {
  read(offset: number, size: number): Promise<{ frame: Frame; rows: Row[] } | undefined>;
  write(frame: Frame, rows: readonly Row[]): Promise<void>;
  sizeOf(rows: readonly Row[], totalCount: number): number;
}

/** @param parts all that the report depends on but the page; different parts never meet */
export function openResult<Frame, Row>(
  table: Table,
  parts: unknown,
  clock: Clock = systemClock,
): StoredResult<Frame, Row> {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
  const now = () => Math.floor(clock() / 1000);
  return {
    read: async (offset, size) => {
      const head = await table.get(resultHeadKey(digest), { consistent: false });
      if (head === undefined || numberIn(head, 'expiresAt') <= now()) return undefined;
      const total = numberIn(head, 'rows');
      const [first, last] = [
        Math.floor(offset / CHUNK_ROWS),
        Math.floor((Math.min(offset + size, total) - 1) / CHUNK_ROWS),
      ];
      const chunks = await readChunks<Row>(table, digest, first, last);
      if (chunks === undefined) return undefined;
      const from = offset - first * CHUNK_ROWS;
      return { frame: unpack<Frame>(head), rows: chunks.flat().slice(from, from + size) };
    },
    write: async (frame, rows) => {
      const expiresAt = now() + KEEP_SECONDS;
      const items: Item[] = [];
      for (let chunk = 0; chunk * CHUNK_ROWS < rows.length; chunk++) {
        const bytes = pack(rows.slice(chunk * CHUNK_ROWS, (chunk + 1) * CHUNK_ROWS));
        items.push({ ...resultChunkKey(digest, chunk), bytes, expiresAt });
      }
      await table.putMany(items);
      // last, so that whoever finds it finds the chunks
      await table.put({ ...resultHeadKey(digest), bytes: pack(frame), rows: rows.length, expiresAt });
    },
    sizeOf: (rows, totalCount) => (rows.length === 0 ? 0 : (pack(rows).length / rows.length) * totalCount),
  };
}

/** @returns the chunks [first, last], or undefined where one is gone: they expire each for itself */
async function readChunks<Row>(
  table: Table,
  digest: string,
  first: number,
  last: number,
): Promise<Row[][] | undefined> {
  const keys = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => resultChunkKey(digest, first + i));
  const items = await table.getMany(keys, { consistent: false });
  const found = items.filter((item) => item !== undefined);
  return found.length === keys.length ? found.map((item) => unpack<Row[]>(item)) : undefined;
}

function pack(value: unknown): Uint8Array {
  return new Uint8Array(zstdCompressSync(JSON.stringify(value)));
}

function unpack<T>(item: Item): T {
  return JSON.parse(zstdDecompressSync(bytesIn(item, 'bytes')).toString()) as T; // written by `pack` under this digest, whose build is ours
}
