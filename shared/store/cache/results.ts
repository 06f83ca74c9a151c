import { createHash } from 'node:crypto';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { CHUNK_BYTES } from '../table/chunks.ts';
import { compressJson, decompressJson } from '../table/compress.ts';
import { bytesIn, type Item, numberIn } from '../table/item.ts';
import { resultChunkKey, resultHeadKey } from '../table/item-keys.ts';
import { PART_BYTES } from '../table/requests.ts';
import type { Table } from '../table/table.ts';

/** Clients that read a report page by page request the next page within minutes at most. */
const TTL_SECONDS = 15 * 60;

/** What the head contains, compressed. */
interface Head<Envelope> {
  readonly envelope: Envelope;
  /** The number of rows up to the end of each chunk. */
  readonly ends: readonly number[];
}

/**
 * @param cacheKey everything that the report depends on except its page, including the commit and the build; results with different keys are separate
 * @returns the cached rows of one report. The members are documented in `ResultStore` (report/cached-report.ts).
 */
export function openResult<Envelope, Row>(table: Table, cacheKey: unknown, clock: Clock = systemClock) {
  const digest = createHash('sha256').update(JSON.stringify(cacheKey)).digest('base64url');
  const now = () => Math.floor(clock() / 1000);
  return {
    read: async (offset: number, size: number): Promise<{ envelope: Envelope; rows: Row[] } | undefined> => {
      const head = await table.get(resultHeadKey(digest), { consistent: false });
      if (head === undefined || numberIn(head, 'expiresAt') <= now()) return undefined;
      const { envelope, ends } = unpack<Head<Envelope>>(head);
      const first = ends.findIndex((end) => end > offset);
      if (first < 0) return { envelope, rows: [] };
      const last = ends.findIndex((end) => end >= offset + size);
      const chunks = await readChunks(table, digest, first, last < 0 ? ends.length - 1 : last);
      if (chunks === undefined) return undefined;
      const rows: Row[] = [];
      for (const chunk of chunks) rows.push(...unpack<Row[]>(chunk));
      const from = offset - (ends[first - 1] ?? 0);
      return { envelope, rows: rows.slice(from, from + size) };
    },
    write: async (envelope: Envelope, parts: Iterable<readonly Row[]>): Promise<void> => {
      const expiresAt = now() + TTL_SECONDS;
      const ends: number[] = [];
      let [rows, bytes, pending]: [number, number, Item[]] = [0, 0, []];
      const put = async () => {
        await table.putMany(pending);
        [bytes, pending] = [0, []];
      };
      for (const part of parts) {
        for (const chunk of packRows(part)) {
          pending.push({ ...resultChunkKey(digest, ends.length), bytes: chunk.bytes, expiresAt });
          rows += chunk.rows;
          bytes += chunk.bytes.length;
          ends.push(rows);
        }
        if (bytes >= PART_BYTES) await put();
      }
      await put();
      // the head is written last, so that no reader finds it before all chunks are written
      if (rows > 0) await table.put({ ...resultHeadKey(digest), bytes: compressJson({ envelope, ends }), expiresAt });
    },
  };
}

/** @returns the chunks [first, last]; undefined if one is missing, because each item expires separately */
async function readChunks(table: Table, digest: string, first: number, last: number): Promise<Item[] | undefined> {
  const keys = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => resultChunkKey(digest, first + i));
  const items = await table.getMany(keys, { consistent: false });
  const found = items.filter((item) => item !== undefined);
  return found.length === keys.length ? found : undefined;
}

/** @returns the rows in one chunk, or in more where that would exceed the size of an item. Equal rows make equal chunks, so that two writers of a report agree. */
function packRows(rows: readonly unknown[]): { readonly rows: number; readonly bytes: Uint8Array }[] {
  const bytes = compressJson(rows);
  if (bytes.length <= CHUNK_BYTES || rows.length <= 1) return [{ rows: rows.length, bytes }];
  const half = Math.ceil(rows.length / 2);
  return [...packRows(rows.slice(0, half)), ...packRows(rows.slice(half))];
}

function unpack<T>(item: Item): T {
  return decompressJson(bytesIn(item, 'bytes'), `the item ${item.pk} / ${item.sk}`) as T; // written by `compressJson` from a T, as the digest contains the build
}
