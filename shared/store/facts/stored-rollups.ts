import type { RollupData } from '../../columns/rollup-tables.ts';
import type { EncodedRollup, MonthRef, RollupEntry, RollupRead, ShardRef } from '../../layout/partitions.ts';
import type { CommitWriter } from '../commit/commits.ts';
import { chunkBytes, chunkItem } from '../table/chunk-items.ts';
import { countChunks, getComplete, joinChunks, splitChunks } from '../table/chunks.ts';
import { columnChunkKey, type Key, PACKED, rollupPk } from '../table/item-keys.ts';
import { readAhead } from '../table/read-ahead.ts';
import { cutReads } from '../table/requests.ts';
import { storeInconsistent } from '../table/store-errors.ts';
import type { Table } from '../table/table.ts';

/** A rollup in the store, as its fact head or shard describes it. */
export interface StoredRollup<Ref extends MonthRef | ShardRef = MonthRef> {
  readonly ref: Ref;
  readonly entry: RollupEntry;
}

/** Writes the rollup of a month, which the caller records in a fact head or shard. */
export async function writeRollup<Ref extends MonthRef | ShardRef>(
  writer: CommitWriter,
  ref: Ref,
  { rows, packed, columns }: RollupData,
): Promise<StoredRollup<Ref>> {
  // a rollup has no head of its own, so the partition of its packed columns stands for it; claim compares pk only
  writer.claim({ pk: rollupPk(ref, PACKED), sk: '' });
  for (const [column, bytes] of [[PACKED, packed] as const, ...columns]) {
    const pk = rollupPk(ref, column);
    await writer.putItems(
      splitChunks(bytes).map((content, chunk) => chunkItem(columnChunkKey(pk, writer.n, chunk), content)),
    );
  }
  const sizes = new Map([...columns].map(([column, bytes]) => [column, bytes.length]));
  return { ref, entry: { version: writer.n, rows, bytes: packed.length, columns: sizes } };
}

/** @returns the read of all columns of the rollup */
export function readOf<Ref extends MonthRef | ShardRef>(stored: StoredRollup<Ref>): RollupRead & { readonly ref: Ref } {
  return { ...stored, columns: [...stored.entry.columns.keys()] };
}

/** @returns the keys of all chunks of the rollup */
export function rollupChunkKeys(stored: StoredRollup<MonthRef | ShardRef>): Key[] {
  return storedColumns(readOf(stored)).flatMap(({ keys }) => keys);
}

/**
 * Reads rollups by their exact keys, in `BatchGetItem` calls.
 * @throws ApiError STORE_INCONSISTENT if part of a rollup is missing; Error if a chunk is damaged
 */
export async function* readRollups<R extends RollupRead>(
  table: Table,
  reads: readonly R[],
): AsyncGenerator<{ readonly read: R; readonly encoded: EncodedRollup }> {
  yield* readAhead(
    cutReads(reads, sizeOfRead).map(({ members, bytes }) => ({ bytes, read: () => readPart(table, members) })),
  );
}

/** @returns the packed columns of the rollup, and the requested columns that are stored separately, with the keys of their chunks */
export function storedColumns({ ref, entry, columns }: RollupRead) {
  const sizes = new Map([[PACKED, entry.bytes]]);
  for (const column of columns) {
    const bytes = entry.columns.get(column);
    if (bytes !== undefined) sizes.set(column, bytes);
  }
  return [...sizes].map(([column, bytes]) => {
    const pk = rollupPk(ref, column);
    const keys = Array.from({ length: countChunks(bytes) }, (_, chunk) => columnChunkKey(pk, entry.version, chunk));
    return { column, pk, bytes, keys };
  });
}

function sizeOfRead(read: RollupRead) {
  const columns = storedColumns(read);
  const keys = columns.reduce((sum, column) => sum + column.keys.length, 0);
  return { keys, bytes: columns.reduce((sum, column) => sum + column.bytes, 0) };
}

async function readPart<R extends RollupRead>(table: Table, members: readonly R[]) {
  const wanted = members.map((read) => ({ read, columns: storedColumns(read) }));
  const all = wanted.flatMap(({ columns }) => columns.flatMap(({ keys }) => keys));
  const items = await getComplete(table, all);
  let start = 0;
  return wanted.map(({ read, columns }) => {
    const joinedColumns = new Map<string, Uint8Array>();
    for (const { column, pk, bytes, keys } of columns) {
      const joined = joinChunks(items.slice(start, start + keys.length).map(chunkBytes));
      start += keys.length;
      if (joined.length !== bytes) throw storeInconsistent(pk);
      joinedColumns.set(column, joined);
    }
    const packed = joinedColumns.get(PACKED) ?? new Uint8Array(0);
    joinedColumns.delete(PACKED);
    return { read, encoded: { packed, columns: joinedColumns } };
  });
}
