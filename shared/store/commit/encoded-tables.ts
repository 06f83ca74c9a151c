import { createHash } from 'node:crypto';
import type { EncodedTable, StoredTable } from '../../layout/partitions.ts';
import { chunkBytes, chunkItem } from '../table/chunk-items.ts';
import { countChunks, joinChunks, readComplete, splitChunks } from '../table/chunks.ts';
import { asRecord, type Item } from '../table/item.ts';
import { columnChunkKey, columnRange, type EncodedTableRef, type Key } from '../table/item-keys.ts';
import { shortDigest } from '../table/short-digest.ts';
import type { Table } from '../table/table.ts';
import { type CommitWriter, readVersioned, type Snapshot } from './commits.ts';
import { MAX_INLINE_VERSIONS, type Version, versionsOf, versionsOfHeads, visibleVersion } from './versions.ts';
import { writeHeads } from './write-heads.ts';

/** Tables up to this size are stored in their head if it has fewer than MAX_INLINE_VERSIONS versions, so that a few `BatchGetItem` calls read hundreds. */
const INLINE_BYTES = 8 * 1024;

/** A version of a table, as its head describes it. */
interface TableHead {
  readonly n: number;
  readonly rows: number;
  readonly hash: string;
  /** The columns in stored order, with their sizes in bytes. */
  readonly columns: readonly (readonly [column: string, bytes: number])[];
  /** The columns of a small table. */
  readonly inline: ReadonlyMap<string, Uint8Array> | undefined;
}

/**
 * Replaces the table; one without rows is removed. An unchanged table is not written. Call this at most once per table and load.
 * @returns whether the table has changed
 */
export async function writeEncodedTable(
  writer: CommitWriter,
  ref: EncodedTableRef,
  encoded: EncodedTable,
): Promise<'unchanged' | 'written'> {
  const stored = await writer.readHead(ref.head);
  const before = parseHead(visibleVersion(stored, writer.state));
  const hash = hashOf(encoded);
  if (before === undefined ? encoded.rows === 0 : before.hash === hash) return 'unchanged';
  writer.claim(ref.head);
  if (before !== undefined) await writer.supersede(chunkKeys(ref, before), 'readers');
  const maxInline = stored === undefined || versionsOf(stored).length < MAX_INLINE_VERSIONS ? INLINE_BYTES : 0;
  const value = encoded.rows === 0 ? null : await writeColumns(writer, ref, encoded, hash, maxInline);
  await writeHeads(writer, [{ key: ref.head, stored, value, retention: 'readers' }]);
  return 'written';
}

/**
 * @param columns the columns to read; absent = all. Columns that a table lacks are absent from the result.
 * @returns one member per ref: the table, or undefined if it does not exist
 * @throws ApiError STORE_INCONSISTENT if part of a column is missing; Error if a chunk is damaged
 */
export async function readEncodedTables(
  table: Table,
  refs: readonly EncodedTableRef[],
  snapshot: Snapshot,
  columns?: readonly string[],
): Promise<(StoredTable | undefined)[]> {
  const keys = refs.map(({ head }) => head);
  const readHeads = () => table.getMany(keys, { consistent: true });
  const [heads, state] = await readVersioned(snapshot, table, readHeads, versionsOfHeads);
  return Promise.all(
    refs.map(async (ref, index) => {
      const stored = parseHead(visibleVersion(heads[index], state));
      if (stored === undefined) return undefined;
      const wanted = stored.columns.filter(([column]) => columns === undefined || columns.includes(column));
      const read = wanted.map(
        async ([column, bytes]) => [column, await readColumn(table, ref, stored, column, bytes)] as const,
      );
      return { rows: stored.rows, version: stored.n, columns: new Map(await Promise.all(read)) };
    }),
  );
}

async function writeColumns(
  writer: CommitWriter,
  ref: EncodedTableRef,
  encoded: EncodedTable,
  hash: string,
  maxInline: number,
): Promise<Readonly<Record<string, unknown>>> {
  const columns = [...encoded.columns];
  const head = {
    rows: encoded.rows,
    hash,
    names: columns.map(([column]) => column),
    sizes: columns.map(([, bytes]) => bytes.length),
  };
  const total = head.sizes.reduce((sum, size) => sum + size, 0);
  if (total > 0 && total <= maxInline) return { ...head, inline: joinChunks(columns.map(([, bytes]) => bytes)) };
  for (const [column, bytes] of columns) {
    const pk = ref.columnPk(column);
    await writer.putItems(
      splitChunks(bytes).map((content, chunk) => chunkItem(columnChunkKey(pk, writer.n, chunk), content)),
    );
  }
  return head;
}

function readColumn(
  table: Table,
  ref: EncodedTableRef,
  stored: TableHead,
  column: string,
  bytes: number,
): Promise<Uint8Array> | Uint8Array {
  const inline = stored.inline?.get(column);
  if (inline !== undefined) return inline;
  if (bytes === 0) return new Uint8Array(0);
  return readComplete(table, columnRange(ref.columnPk(column), stored.n), (items) => joinColumn(items, bytes));
}

/** @returns the bytes of a column; undefined if their number differs from `bytes` */
function joinColumn(items: readonly Item[], bytes: number): Uint8Array | undefined {
  const joined = joinChunks(items.map(chunkBytes));
  return joined.length === bytes ? joined : undefined;
}

function chunkKeys(ref: EncodedTableRef, stored: TableHead): Key[] {
  if (stored.inline !== undefined) return [];
  return stored.columns.flatMap(([column, bytes]) =>
    Array.from({ length: countChunks(bytes) }, (_, chunk) => columnChunkKey(ref.columnPk(column), stored.n, chunk)),
  );
}

function hashOf(encoded: EncodedTable): string {
  const hash = createHash('sha256').update(`${encoded.rows}\n`);
  for (const [column, bytes] of encoded.columns) hash.update(`${column} ${bytes.length}\n`).update(bytes);
  return shortDigest(hash);
}

function parseHead(version: Version | undefined): TableHead | undefined {
  if (version === undefined) return undefined;
  const value = asRecord(version.value);
  const { rows, hash, names, sizes, inline } = value ?? {};
  if (typeof rows !== 'number' || typeof hash !== 'string' || !Array.isArray(names) || !Array.isArray(sizes)) {
    throw new Error('the head of an encoded table does not describe its columns');
  }
  const columns = names.map((name, index) => [String(name), Number(sizes[index])] as const);
  const head = { n: version.n, rows, hash, columns };
  if (!(inline instanceof Uint8Array)) return { ...head, inline: undefined };
  const split = splitColumns(inline, columns);
  if (hashOf({ rows, columns: split }) !== hash)
    throw new Error('the columns in the head of an encoded table are damaged');
  return { ...head, inline: split };
}

/** @returns the columns that are concatenated in `bytes` */
function splitColumns(bytes: Uint8Array, columns: TableHead['columns']): ReadonlyMap<string, Uint8Array> {
  let end = 0;
  return new Map(
    columns.map(([name, size]) => {
      end += size;
      return [name, bytes.subarray(end - size, end)] as const;
    }),
  );
}
