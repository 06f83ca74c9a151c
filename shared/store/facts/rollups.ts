import type { EncodedRollup, RollupEntry, RollupRef } from '../../catalog/partitions.ts';
import type { CommitWriter } from '../commit/commits.ts';
import { chunksOf, inconsistent, joinBytes, splitChunks } from '../table/chunks.ts';
import type { Table } from '../table/client.ts';
import type { Item } from '../table/item.ts';
import type { Key } from '../table/keys.ts';
import { columnChunkKey, PACKED, rollupPk } from '../table/keys.ts';
import { readAhead } from '../table/read-ahead.ts';
import { segmentBytes, segmentItem } from '../table/segments.ts';

/** One month rolled up, as the loader hands it over. */
export interface RollupData {
  /** Keys and measures of all cubes. */
  readonly packed: Uint8Array;
  /** Columns of users, by `<cube>/<column>`. */
  readonly users: ReadonlyMap<string, Uint8Array>;
}

/** What a load has rolled up since its fact heads were last written. */
export interface RolledUp {
  readonly ref: RollupRef;
  readonly entry: RollupEntry;
}

/** A BatchGet takes 100 keys and answers at most 16 MB. */
const PART_KEYS = 100;
const PART_BYTES = 4_000_000;

const rolledUp = new WeakMap<CommitWriter, RolledUp[]>();

/**
 * Writes a month's rollup; `finishPartitions` then notes it in the fact head. A month whose facts a load changes without rolling it up again has no
 * rollup any more. At most once a load and month.
 */
export async function writeRollup(writer: CommitWriter, ref: RollupRef, rollup: RollupData): Promise<void> {
  writer.claim({ pk: rollupPk(ref, PACKED), sk: '' });
  for (const [column, bytes] of [[PACKED, rollup.packed] as const, ...rollup.users]) {
    const pk = rollupPk(ref, column);
    await writer.putItems(
      splitChunks(bytes).map((piece, chunk) => segmentItem(columnChunkKey(pk, writer.n, chunk), piece)),
    );
  }
  const users = new Map([...rollup.users].map(([column, bytes]) => [column, bytes.length]));
  const entry = { version: writer.n, bytes: rollup.packed.length, users };
  const ofWriter = rolledUp.get(writer) ?? [];
  ofWriter.push({ ref, entry });
  rolledUp.set(writer, ofWriter);
}

/** @returns what the load has rolled up since this was last asked. */
export function takeRolledUp(writer: CommitWriter): readonly RolledUp[] {
  const taken = rolledUp.get(writer) ?? [];
  rolledUp.delete(writer);
  return taken;
}

/** @returns the keys of everything the rollup is stored in. */
export function rollupKeys({ ref, entry }: RolledUp): Key[] {
  return [...sizesOf(entry, [...entry.users.keys()])].flatMap(([column, bytes]) =>
    chunkKeys(ref, entry, column, bytes),
  );
}

/**
 * Reads rollups by their exact keys, in BatchGets.
 * @param users those of the columns of users that are wanted
 * @throws ApiError STORE_INCONSISTENT when part of one is missing: never fewer rows
 */
export async function* readRollups(
  table: Table,
  rollups: readonly RolledUp[],
  users: readonly string[],
): AsyncGenerator<EncodedRollup> {
  yield* readAhead(
    cutParts(rollups, users).map(({ members, bytes }) => ({ bytes, read: () => readPart(table, members, users) })),
  );
}

/** @returns packed and wanted columns with their sizes. */
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
  return Array.from({ length: chunksOf(bytes) }, (_, chunk) => columnChunkKey(pk, entry.version, chunk));
}

function cutParts(rollups: readonly RolledUp[], users: readonly string[]) {
  const parts: { members: RolledUp[]; keys: number; bytes: number }[] = [];
  for (const rollup of rollups) {
    const sizes = [...sizesOf(rollup.entry, users).values()];
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    const keys = sizes.reduce((sum, size) => sum + chunksOf(size), 0);
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
  members: readonly RolledUp[],
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
  let at = 0;
  const columns = new Map<RollupRef, Map<string, Uint8Array>>();
  for (const { ref, column, bytes, keys } of wanted) {
    const joined = joinBytes(items.slice(at, at + keys.length).map(segmentBytes));
    at += keys.length;
    if (joined.length !== bytes) throw inconsistent(rollupPk(ref, column));
    const ofRef = columns.get(ref) ?? new Map<string, Uint8Array>();
    columns.set(ref, ofRef.set(column, joined));
  }
  return members.map(({ ref }) => {
    const { [PACKED]: packed = new Uint8Array(0), ...rest } = Object.fromEntries(columns.get(ref) ?? []);
    return { ref, packed, users: new Map(Object.entries(rest)) };
  });
}

/** @returns the items of the keys, read eventually, and those that are missing then a second time consistently. */
async function readAll(table: Table, keys: readonly Key[]): Promise<Item[]> {
  const items = await table.getMany(keys, { consistent: false });
  const late = keys.filter((_, index) => items[index] === undefined);
  const found = await table.getMany(late, { consistent: true });
  return items.map((item, index) => {
    const whole = item ?? found.shift();
    if (whole === undefined) throw inconsistent(keys[index]?.pk ?? '');
    return whole;
  });
}
