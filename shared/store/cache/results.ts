import { createHash } from 'node:crypto';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { type Deadline, NO_DEADLINE } from '../../lib/deadline.ts';
import { CHUNK_BYTES } from '../table/chunks.ts';
import type { Table } from '../table/client.ts';
import { bytesIn, type Item, numberIn } from '../table/item.ts';
import { resultChunkKey, resultHeadKey } from '../table/keys.ts';
import { compressJson, decompressJson } from '../table/zstd.ts';

/** Max rows per chunk; fewer where a chunk would exceed the size of an item. */
const MAX_CHUNK_ROWS = 1_000;
const TTL_SECONDS = 15 * 60;

/** The cached rows of one report, as the engine's ResultStore. They are never stale, because the digest depends on the commit. */
export interface StoredResult<Envelope, Row> {
  read(offset: number, size: number): Promise<{ envelope: Envelope; rows: Row[] } | undefined>;
  write(envelope: Envelope, rows: readonly Row[], deadline?: Deadline): Promise<void>;
  sizeOf(rows: readonly Row[], totalCount: number): number;
}

/** @param cacheKey everything that the report depends on except its page; results with different keys are separate */
export function openResult<Envelope, Row>(
  table: Table,
  cacheKey: unknown,
  clock: Clock = systemClock,
): StoredResult<Envelope, Row> {
  const digest = createHash('sha256').update(JSON.stringify(cacheKey)).digest('base64url');
  const now = () => Math.floor(clock() / 1000);
  return {
    read: async (offset, size) => {
      const head = await table.get(resultHeadKey(digest), { consistent: false });
      if (head === undefined || numberIn(head, 'expiresAt') <= now()) return undefined;
      const [total, chunkRows] = [numberIn(head, 'rows'), numberIn(head, 'chunkRows')];
      const first = Math.floor(offset / chunkRows);
      const last = Math.floor((Math.min(offset + size, total) - 1) / chunkRows);
      const chunks = await readChunks<Row>(table, digest, first, last);
      if (chunks === undefined) return undefined;
      const from = offset - first * chunkRows;
      return { envelope: unpack<Envelope>(head), rows: chunks.flat().slice(from, from + size) };
    },
    write: async (envelope, rows, deadline = NO_DEADLINE) => {
      const expiresAt = now() + TTL_SECONDS;
      const { chunkRows, chunks } = packRows(rows, deadline);
      await table.putMany(chunks.map((bytes, chunk) => ({ ...resultChunkKey(digest, chunk), bytes, expiresAt })));
      // the head is written last, so that a reader that finds it also finds the chunks
      await table.put({
        ...resultHeadKey(digest),
        bytes: compressJson(envelope),
        rows: rows.length,
        chunkRows,
        expiresAt,
      });
    },
    sizeOf: (rows, totalCount) => (rows.length === 0 ? 0 : (compressJson(rows).length / rows.length) * totalCount),
  };
}

/** @returns the chunks [first, last]; undefined if one is missing, because each item expires separately */
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

/** @returns the rows in chunks that each fit into an item */
function packRows(rows: readonly unknown[], deadline: Deadline): { chunkRows: number; chunks: Uint8Array[] } {
  for (let chunkRows = MAX_CHUNK_ROWS; ; chunkRows = Math.ceil(chunkRows / 4)) {
    const chunks: Uint8Array[] = [];
    for (let from = 0; from < rows.length; from += chunkRows) {
      deadline.check();
      const bytes = compressJson(rows.slice(from, from + chunkRows));
      if (bytes.length > CHUNK_BYTES && chunkRows > 1) break;
      chunks.push(bytes);
    }
    if (chunks.length * chunkRows >= rows.length) return { chunkRows, chunks };
  }
}

function unpack<T>(item: Item): T {
  return decompressJson(bytesIn(item, 'bytes'), `the item ${item.pk} / ${item.sk}`) as T; // written by `compressJson` from a T, as the digest contains the build
}
