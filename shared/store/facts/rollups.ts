import type { EncodedRollup, RollupEntry, RollupRef } from '../../catalog/partitions.ts';
import type { CommitWriter } from '../commit/commits.ts';
import { countChunks, joinChunks, splitChunks } from '../table/chunks.ts';
import type { Table } from '../table/client.ts';
import type { Item } from '../table/item.ts';
import { columnChunkKey, type Key, PACKED, rollupPk } from '../table/keys.ts';
import { readAhead } from '../table/read-ahead.ts';
import { segmentBytes, segmentItem } from '../table/segments.ts';
import { storeInconsistent } from '../table/store-errors.ts';

/** The encoded rollup of one month. */
export interface RollupData {
  /** Keys and measures of all cubes. */
  readonly packed: Uint8Array;
  /** Columns of users, by `<cube>/<column>`. */
  readonly users: ReadonlyMap<string, Uint8Array>;
}

/** A rollup in the store, as its fact head describes it. */
export interface StoredRollup {
  readonly ref: RollupRef;
  readonly entry: RollupEntry;
}

/** Below the limits of a BatchGet, which are 100 keys and 16 MB. */
const PART_KEYS = 100;
const PART_BYTES = 4_000_000;

/** Writes a month's rollup; FactWriter records it in the fact head. */
export async function writeRollup(writer: CommitWriter, ref: RollupRef, rollup: RollupData): Promise<StoredRollup> {
  writer.claim({ pk: rollupPk(ref, PACKED), sk: '' });
  for (const [column, bytes] of [[PACKED, rollup.packed] as const, ...rollup.users]) {
    const pk = rollupPk(ref, column);
    await writer.putItems(
      splitChunks(bytes).map((content, chunk) => segmentItem(columnChunkKey(pk, writer.n, chunk), content)),
    );
  }
  const users = new Map([...rollup.users].map(([column, bytes]) => [column, bytes.length]));
  return { ref, entry: { version: writer.n, bytes: rollup.packed.length, users } };
}

/** @returns the keys of all segments of the rollup */
export function rollupKeys({ ref, entry }: StoredRollup): Key[] {
  return [...sizesOf(entry, [...entry.users.keys()])].flatMap(([column, bytes]) =>
    chunkKeys(ref, entry, column, bytes),
  );
}

/**
 * Reads rollups by their exact keys, in BatchGets.
 * @param users the columns of users to read; columns that a rollup lacks are ignored
 * @throws ApiError STORE_INCONSISTENT if part of a rollup is missing
 */
export async function* readRollups(
  table: Table,
  rollups: readonly StoredRollup[],
  users: readonly string[],
): AsyncGenerator<EncodedRollup> {
  yield* readAhead(
    cutParts(rollups, users).map(({ members, bytes }) => ({ bytes, read: () => readPart(table, members, users) })),
  );
}

/** @returns the sizes in bytes of the packed columns and of those of the given columns of users that exist */
function sizesOf(entry: RollupEntry, users: readonly string[]): Map<string, number> {
  const sizes = new Map([[PACKED, entry.bytes]]);
  for (const column of users) {
    const bytes = entry.users.get(column);
    if (bytes !== undefined) sizes.set(column, bytes);
  }
  return sizes;
}

function chunkKeys(ref: RollupRef, entry: RollupEntry, column: string, bytes: number): Key[] {
  const pk = rollupPk(ref, column);
  return Array.from({ length: countChunks(bytes) }, (_, chunk) => columnChunkKey(pk, entry.version, chunk));
}

function cutParts(rollups: readonly StoredRollup[], users: readonly string[]) {
  const parts: { members: StoredRollup[]; keys: number; bytes: number }[] = [];
  for (const rollup of rollups) {
    const sizes = [...sizesOf(rollup.entry, users).values()];
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    const keys = sizes.reduce((sum, size) => sum + countChunks(size), 0);
    const last = parts.at(-1);
    if (last !== undefined && last.keys + keys <= PART_KEYS && last.bytes + bytes <= PART_BYTES) {
      last.members.push(rollup);
      last.keys += keys;
      last.bytes += bytes;
    } else {
      parts.push({ members: [rollup], keys, bytes });
    }
  }
  return parts;
}

async function readPart(
  table: Table,
  members: readonly StoredRollup[],
  users: readonly string[],
): Promise<EncodedRollup[]> {
  const wanted = members.flatMap(({ ref, entry }) =>
    [...sizesOf(entry, users)].map(([column, bytes]) => ({
      ref,
      column,
      bytes,
      keys: chunkKeys(ref, entry, column, bytes),
    })),
  );
  const items = await readAll(
    table,
    wanted.flatMap(({ keys }) => keys),
  );
  let start = 0;
  const columns = new Map<RollupRef, Map<string, Uint8Array>>();
  for (const { ref, column, bytes, keys } of wanted) {
    const joined = joinChunks(items.slice(start, start + keys.length).map(segmentBytes));
    start += keys.length;
    if (joined.length !== bytes) throw storeInconsistent(rollupPk(ref, column));
    const ofRef = columns.get(ref) ?? new Map<string, Uint8Array>();
    columns.set(ref, ofRef.set(column, joined));
  }
  return members.map(({ ref }) => {
    const { [PACKED]: packed = new Uint8Array(0), ...rest } = Object.fromEntries(columns.get(ref) ?? []);
    return { ref, packed, users: new Map(Object.entries(rest)) };
  });
}

/** Reads eventually consistently, and then the missing items consistently. @returns one item per key */
async function readAll(table: Table, keys: readonly Key[]): Promise<Item[]> {
  const items = await table.getMany(keys, { consistent: false });
  const missing = keys.filter((_, index) => items[index] === undefined);
  const found = await table.getMany(missing, { consistent: true });
  return items.map((item, index) => {
    const existing = item ?? found.shift();
    if (existing === undefined) throw storeInconsistent(`${keys[index]?.pk} / ${keys[index]?.sk}`);
    return existing;
  });
}
