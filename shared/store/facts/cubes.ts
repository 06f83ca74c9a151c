import { type Cube, ROLLUP, SHARD_CUBE } from '../../catalog/cubes.ts';
import type { CubeEntry, CubeRead, EncodedCube, MonthEntry, MonthRef, ShardRef } from '../../catalog/partitions.ts';
import type { CommitWriter } from '../commit/commits.ts';
import { chunkBytes, chunkItem } from '../table/chunk-items.ts';
import { countChunks, getComplete, joinChunks, splitChunks } from '../table/chunks.ts';
import type { Table } from '../table/client.ts';
import { columnChunkKey, cubesPk, type Key, PACKED } from '../table/keys.ts';
import { readAhead } from '../table/read-ahead.ts';
import { BATCH_GET_KEYS } from '../table/requests.ts';
import { storeInconsistent } from '../table/store-errors.ts';

/** One encoded cube of a month. */
export interface CubeData extends EncodedCube, Pick<CubeEntry, 'rows' | 'minDays'> {}

/** The encoded cubes of one month. */
export type MonthCubes = ReadonlyMap<Cube, CubeData>;

/** The cubes of a month in the store, as its fact head or shard describes them. */
export interface StoredCubes<Ref extends MonthRef | ShardRef = MonthRef> {
  readonly ref: Ref;
  readonly entry: MonthEntry;
}

/** Maximum bytes of a part of several cubes, below `BatchGetItem`'s limit of 16 MB; a larger cube is a part of its own. */
const PART_BYTES = 4_000_000;

/** Writes a month's cubes, which the caller records in a fact head or shard. */
export async function writeCubes<Ref extends MonthRef | ShardRef>(
  writer: CommitWriter,
  ref: Ref,
  cubes: MonthCubes,
): Promise<StoredCubes<Ref>> {
  // cubes have no head of their own, so the partition of their packed columns stands for the month; claim compares pk only
  writer.claim({ pk: cubesPk(ref, PACKED), sk: '' });
  const entries = new Map<Cube, CubeEntry>();
  for (const [cube, { rows, minDays, packed, columns }] of cubes) {
    for (const [column, bytes] of [[PACKED, packed] as const, ...columns]) {
      const pk = columnPk(ref, cube, column);
      await writer.putItems(
        splitChunks(bytes).map((content, chunk) => chunkItem(columnChunkKey(pk, writer.n, chunk), content)),
      );
    }
    const sizes = new Map([...columns].map(([column, bytes]) => [column, bytes.length]));
    entries.set(cube, { rows, bytes: packed.length, columns: sizes, minDays });
  }
  return { ref, entry: { version: writer.n, cubes: entries } };
}

/** @returns the reads of all columns of all cubes of the month */
export function readsOf<Ref extends MonthRef | ShardRef>({
  ref,
  entry: { version, cubes },
}: StoredCubes<Ref>): (CubeRead & { readonly ref: Ref })[] {
  return [...cubes].map(([cube, entry]) => ({ ref, version, cube, entry, columns: [...entry.columns.keys()] }));
}

/** @returns the keys of all chunks of the cubes */
export function cubeChunkKeys(cubes: StoredCubes<MonthRef | ShardRef>): Key[] {
  return readsOf(cubes)
    .flatMap(columnsOf)
    .flatMap(({ keys }) => keys);
}

/**
 * Reads cubes by their exact keys, in `BatchGetItem` calls.
 * @throws ApiError STORE_INCONSISTENT if part of a cube is missing; Error if a chunk is damaged
 */
export async function* readCubes<R extends CubeRead>(
  table: Table,
  reads: readonly R[],
): AsyncGenerator<{ readonly read: R; readonly encoded: EncodedCube }> {
  yield* readAhead(cutParts(reads).map(({ members, bytes }) => ({ bytes, read: () => readPart(table, members) })));
}

/** The partition of a column of a cube; the columns of ROLLUP, and of the only cube of a shard, have no prefix. */
function columnPk(ref: MonthRef | ShardRef, cube: Cube, column: string): string {
  return cubesPk(ref, cube === ROLLUP || cube === SHARD_CUBE ? column : `${cube}/${column}`);
}

/** @returns the packed columns of the cube, and the requested columns that are stored separately, with the keys of their chunks */
function columnsOf({ ref, version, cube, entry, columns }: CubeRead) {
  const sizes = new Map([[PACKED, entry.bytes]]);
  for (const column of columns) {
    const bytes = entry.columns.get(column);
    if (bytes !== undefined) sizes.set(column, bytes);
  }
  return [...sizes].map(([column, bytes]) => {
    const pk = columnPk(ref, cube, column);
    const keys = Array.from({ length: countChunks(bytes) }, (_, chunk) => columnChunkKey(pk, version, chunk));
    return { column, pk, bytes, keys };
  });
}

function cutParts<R extends CubeRead>(reads: readonly R[]) {
  const parts: { members: R[]; keys: number; bytes: number }[] = [];
  for (const read of reads) {
    const columns = columnsOf(read);
    const bytes = columns.reduce((sum, column) => sum + column.bytes, 0);
    const keys = columns.reduce((sum, column) => sum + column.keys.length, 0);
    const last = parts.at(-1);
    if (last !== undefined && last.keys + keys <= BATCH_GET_KEYS && last.bytes + bytes <= PART_BYTES) {
      last.members.push(read);
      last.keys += keys;
      last.bytes += bytes;
    } else {
      parts.push({ members: [read], keys, bytes });
    }
  }
  return parts;
}

async function readPart<R extends CubeRead>(table: Table, members: readonly R[]) {
  const wanted = members.map((read) => ({ read, columns: columnsOf(read) }));
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
