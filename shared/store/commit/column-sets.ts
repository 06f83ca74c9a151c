import { createHash } from 'node:crypto';
import type { EncodedTable } from '../../catalog/partitions.ts';
import { chunksOf, joinBytes, readWhole, splitChunks } from '../table/chunks.ts';
import type { Table } from '../table/client.ts';
import type { Item } from '../table/item.ts';
import { asRecord } from '../table/item.ts';
import type { ColumnSetRef, Key } from '../table/keys.ts';
import { columnChunkKey, columnRange } from '../table/keys.ts';
import { segmentBytes, segmentItem } from '../table/segments.ts';
import type { CommitWriter, Snapshot } from './commits.ts';
import { readAsOf } from './commits.ts';
import type { Version } from './versions.ts';
import { newestVersion, visibleVersion } from './versions.ts';
import { writeHeads } from './write-heads.ts';

/** A set this small stands in its head as a whole, so that hundreds of them are a handful of BatchGets. */
const INLINE_BYTES = 8 * 1024;

/** What a head's version says of the set. */
interface StoredSet {
  readonly n: number;
  readonly rows: number;
  readonly hash: string;
  /** The columns in the order they stand in, with their size in bytes. */
  readonly columns: readonly (readonly [column: string, bytes: number])[];
  /** All columns one after another, when they are small together. */
  readonly inline: Uint8Array | undefined;
}

/**
 * Replaces the set; one without rows is removed. A set that is as before is not written. At most once a load and set.
 * @returns whether it had to be written
 */
export async function writeColumnSet(
  writer: CommitWriter,
  ref: ColumnSetRef,
  encoded: EncodedTable,
): Promise<'unchanged' | 'written'> {
  const stored = await writer.table.get(ref.head, { consistent: true });
  const before = parseSet(visibleVersion(stored, writer.state));
  const hash = hashOf(encoded);
  if (before === undefined ? encoded.rows === 0 : before.hash === hash) return 'unchanged';
  writer.claim(ref.head);
  if (before !== undefined) await writer.supersede(chunkKeys(ref, before), 'readers');
  const value = encoded.rows === 0 ? null : await writeColumns(writer, ref, encoded, hash);
  await writeHeads(writer, [{ key: ref.head, stored, value, retention: 'readers' }]);
  return 'written';
}

/**
 * @param columns which ones; absent = all. A column that a set does not have is absent from the answer.
 * @returns each set, undefined where there is none
 * @throws ApiError STORE_INCONSISTENT when part of a column is missing
 */
export async function readColumnSets(
  table: Table,
  refs: readonly ColumnSetRef[],
  snapshot: Snapshot,
  columns?: readonly string[],
): Promise<(EncodedTable | undefined)[]> {
  const keys = refs.map(({ head }) => head);
  const readHeads = () => table.getMany(keys, { consistent: true });
  const [heads, state] = await readAsOf(snapshot, table, readHeads, newestVersion);
  return Promise.all(
    refs.map(async (ref, index) => {
      const set = parseSet(visibleVersion(heads[index], state));
      if (set === undefined) return undefined;
      const wanted = set.columns.filter(([column]) => columns === undefined || columns.includes(column));
      const read = wanted.map(
        async ([column, bytes]) => [column, await readColumn(table, ref, set, column, bytes)] as const,
      );
      return { rows: set.rows, columns: new Map(await Promise.all(read)) };
    }),
  );
}

async function writeColumns(
  writer: CommitWriter,
  ref: ColumnSetRef,
  encoded: EncodedTable,
  hash: string,
): Promise<Readonly<Record<string, unknown>>> {
  const entries = [...encoded.columns];
  const head = {
    rows: encoded.rows,
    hash,
    names: entries.map(([column]) => column),
    sizes: entries.map(([, bytes]) => bytes.length),
  };
  const total = head.sizes.reduce((sum, size) => sum + size, 0);
  if (total > 0 && total <= INLINE_BYTES) return { ...head, inline: joinBytes(entries.map(([, bytes]) => bytes)) };
  for (const [column, bytes] of entries) {
    const pk = ref.columnPk(column);
    await writer.putItems(
      splitChunks(bytes).map((piece, chunk) => segmentItem(columnChunkKey(pk, writer.n, chunk), piece)),
    );
  }
  return head;
}

function readColumn(
  table: Table,
  ref: ColumnSetRef,
  set: StoredSet,
  column: string,
  bytes: number,
): Promise<Uint8Array> | Uint8Array {
  if (set.inline !== undefined) {
    const at = set.columns.findIndex(([name]) => name === column);
    const start = set.columns.slice(0, at).reduce((sum, [, size]) => sum + size, 0);
    return set.inline.subarray(start, start + bytes);
  }
  if (bytes === 0) return new Uint8Array(0);
  return readWhole(table, columnRange(ref.columnPk(column), set.n), (items) => wholeColumn(items, bytes));
}

function wholeColumn(items: readonly Item[], bytes: number): Uint8Array | undefined {
  const joined = joinBytes(items.map(segmentBytes));
  return joined.length === bytes ? joined : undefined;
}

function chunkKeys(ref: ColumnSetRef, set: StoredSet): Key[] {
  if (set.inline !== undefined) return [];
  return set.columns.flatMap(([column, bytes]) =>
    Array.from({ length: chunksOf(bytes) }, (_, chunk) => columnChunkKey(ref.columnPk(column), set.n, chunk)),
  );
}

function hashOf(encoded: EncodedTable): string {
  const hash = createHash('sha256').update(`${encoded.rows}\n`);
  for (const [column, bytes] of encoded.columns) hash.update(`${column} ${bytes.length}\n`).update(bytes);
  return hash.digest('base64url').slice(0, 22);
}

function parseSet(version: Version | undefined): StoredSet | undefined {
  if (version === undefined) return undefined;
  const value = asRecord(version.value);
  const { rows, hash, names, sizes, inline } = value ?? {};
  if (typeof rows !== 'number' || typeof hash !== 'string' || !Array.isArray(names) || !Array.isArray(sizes)) {
    throw new Error('the head of a column set does not say what it holds');
  }
  return {
    n: version.n,
    rows,
    hash,
    columns: names.map((name, index) => [String(name), Number(sizes[index])] as const),
    inline: inline instanceof Uint8Array ? inline : undefined,
  };
}
