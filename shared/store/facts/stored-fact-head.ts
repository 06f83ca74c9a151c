import type { FactHead } from '../../catalog/partitions.ts';
import type { CommitWriter } from '../commit/commits.ts';
import { MAX_INLINE_VERSIONS, type Version, versionsOf } from '../commit/versions.ts';
import { chunkBytes, chunkItem } from '../table/chunk-items.ts';
import { countChunks, joinChunks, readComplete, splitChunks } from '../table/chunks.ts';
import { compressJson, decompressJson } from '../table/compress.ts';
import { asRecord, type Item, sizeOf } from '../table/item.ts';
import { columnChunkKey, columnRange, factHeadChunksPk, type Key } from '../table/item-keys.ts';
import type { Table } from '../table/table.ts';
import { type factHeadValue, formatFactHead, parseFactHead } from './fact-heads.ts';

/**
 * Fact heads up to this size are stored inline in their version if it follows fewer than MAX_INLINE_VERSIONS others, else in chunks. The head item
 * (at most 400 KB) holds the versions of all loads within a minute: when heads of 36 KB were inline, the eleventh load failed.
 */
const INLINE_BYTES = 16 * 1024;

/**
 * Queues the chunks of a head that is not stored inline.
 * @param stored the stored head item, with the earlier versions; undefined if there is none
 * @returns the value of the new version: the head, or the size of its chunks
 */
export async function storeFactHead(
  writer: CommitWriter,
  { advertiserId }: FactHead,
  value: ReturnType<typeof factHeadValue>,
  stored: Item | undefined,
): Promise<unknown> {
  const inline = formatFactHead(value);
  const versions = stored === undefined ? 0 : versionsOf(stored).length;
  if (sizeOf({ pk: '', sk: '', inline }) <= INLINE_BYTES && versions < MAX_INLINE_VERSIONS) return inline;
  const content = compressJson(value);
  const pk = factHeadChunksPk(advertiserId);
  await writer.putItems(
    splitChunks(content).map((bytes, chunk) => chunkItem(columnChunkKey(pk, writer.n, chunk), bytes)),
  );
  return { bytes: content.length };
}

/** @returns the head of the version. @throws ApiError STORE_INCONSISTENT if a chunk is missing; Error if one is damaged */
export async function readFactHead(table: Table, advertiserId: number, { n, value }: Version): Promise<FactHead> {
  const bytes = chunkedBytes(value);
  if (bytes === undefined) return parseFactHead(advertiserId, value);
  const pk = factHeadChunksPk(advertiserId);
  const content = await readComplete(table, columnRange(pk, n), (items) => {
    const joined = joinChunks(items.map(chunkBytes));
    return joined.length === bytes ? joined : undefined;
  });
  return parseFactHead(advertiserId, decompressJson(content, `the fact head of ${advertiserId}`));
}

/** @returns the keys of the version's chunks; none where the head is in the version */
export function factHeadChunkKeys(advertiserId: number, { n, value }: Version): Key[] {
  const chunks = countChunks(chunkedBytes(value) ?? 0);
  return Array.from({ length: chunks }, (_, chunk) => columnChunkKey(factHeadChunksPk(advertiserId), n, chunk));
}

function chunkedBytes(value: unknown): number | undefined {
  const { bytes } = asRecord(value) ?? {};
  return typeof bytes === 'number' ? bytes : undefined;
}
