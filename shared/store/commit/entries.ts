import { createHash } from 'node:crypto';
import { compareText } from '../../lib/compare-text.ts';
import { compressJson, decompressJson } from '../table/compress.ts';
import { asRecord, type Item, textIn } from '../table/item.ts';
import { type EntryRef, entryKey, loadTableRef, parseEntryKey } from '../table/item-keys.ts';
import type { RangeQuery } from '../table/requests.ts';
import { shortDigest } from '../table/short-digest.ts';
import type { Table } from '../table/table.ts';
import { type CommitWriter, readVersioned, type Snapshot } from './commits.ts';
import { readEncodedTables, writeEncodedTable } from './encoded-tables.ts';

/** A small value with one item per version. */
interface Entry {
  readonly ref: EntryRef;
  readonly value: object;
}

/** An entry's row in the index of its kind: the commit that wrote its newest version, and the hash of its value ('' = removed by that commit). */
type IndexRow = readonly [pk: string, name: string, n: number, hash: string];

/** The kinds of entries, each with an index of its own. */
type EntryKind = 'users' | 'ad-groups';

const INDEX_COLUMN = 'entries';

/**
 * Replaces all entries of a kind: writes new and changed ones and removes the ones that are missing from `entries`. An index of the kind's entries
 * shows which ones exist. Call this at most once per kind and load.
 */
export async function replaceEntries(writer: CommitWriter, kind: EntryKind, entries: Iterable<Entry>): Promise<void> {
  const before = await readIndex(writer.table, kind, writer.state);
  const after: IndexRow[] = [];
  for (const { ref, value } of entries) {
    const json = JSON.stringify(value);
    const hash = shortDigest(createHash('sha256').update(json));
    const old = before.get(idOf(ref));
    before.delete(idOf(ref));
    if (old?.[3] === hash) {
      after.push(old);
      continue;
    }
    if (old !== undefined) await writer.supersede([entryKey(ref, old[2])], 'readers');
    await writer.putItems([{ ...entryKey(ref, writer.n), json }]);
    after.push([ref.pk, ref.name, writer.n, hash]);
  }
  for (const [pk, name, n, hash] of before.values()) {
    if (hash !== '') {
      await writer.supersede([entryKey({ pk, name }, n)], 'readers');
      await writer.putItems([{ ...entryKey({ pk, name }, writer.n), gone: true }]);
      after.push([pk, name, writer.n, '']);
    } else if (n > writer.floors.readers) {
      after.push([pk, name, n, hash]);
    } else {
      // the version that this tombstone hides is deleted, so the tombstone is no longer needed
      await writer.supersede([entryKey({ pk, name }, n)], 'readers');
    }
  }
  await writeIndex(writer, kind, after);
}

/** @returns the values of the entries in the range, by entry name, in the order of the names */
export async function readEntries(
  table: Table,
  range: Omit<RangeQuery, 'consistent'>,
  snapshot: Snapshot,
): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> {
  const read = () => table.query({ ...range, consistent: true });
  const [items, state] = await readVersioned(snapshot, table, read, (found) => [
    ...Map.groupBy(found.map(parseEntryKey), ({ name }) => name).values(),
  ]);
  const visible = new Map<string, Item>();
  for (const item of items) {
    const { name, n } = parseEntryKey(item);
    if (n <= state.commit && !state.aborted.has(n)) visible.set(name, item); // versions ascend, so the newest one remains
  }
  const values = new Map<string, Readonly<Record<string, unknown>>>();
  for (const [name, item] of visible) {
    if (item.gone !== true) values.set(name, parseValue(item));
  }
  return values;
}

/** @returns all entries of a kind, without their values */
export async function listEntries(table: Table, kind: EntryKind, snapshot: Snapshot): Promise<EntryRef[]> {
  const index = await readIndex(table, kind, snapshot);
  return [...index.values()].flatMap(([pk, name, , hash]) => (hash === '' ? [] : [{ pk, name }]));
}

const idOf = ({ pk, name }: EntryRef): string => `${pk}\0${name}`;

function parseValue(item: Item): Readonly<Record<string, unknown>> {
  const value = asRecord(JSON.parse(textIn(item, 'json')));
  if (value === undefined) throw new Error(`the value of the item ${item.pk} / ${item.sk} is not an object`);
  return value;
}

async function readIndex(table: Table, kind: EntryKind, snapshot: Snapshot): Promise<Map<string, IndexRow>> {
  const [index] = await readEncodedTables(table, [loadTableRef(kind)], snapshot);
  const bytes = index?.columns.get(INDEX_COLUMN);
  const where = `the index of ${kind}`;
  const rows: unknown = bytes === undefined ? [] : decompressJson(bytes, where);
  if (!Array.isArray(rows)) throw new Error(`${where} is not a list`);
  return new Map(rows.map(parseRow).map((row) => [idOf({ pk: row[0], name: row[1] }), row]));
}

async function writeIndex(writer: CommitWriter, kind: EntryKind, rows: readonly IndexRow[]): Promise<void> {
  const sorted = [...rows].sort((a, b) => compareText(idOf({ pk: a[0], name: a[1] }), idOf({ pk: b[0], name: b[1] })));
  const columns = new Map([[INDEX_COLUMN, compressJson(sorted)]]);
  await writeEncodedTable(writer, loadTableRef(kind), { rows: sorted.length, columns });
}

function parseRow(member: unknown): IndexRow {
  const [pk, name, n, hash] = Array.isArray(member) ? member : [];
  if (typeof pk !== 'string' || typeof name !== 'string' || typeof n !== 'number' || typeof hash !== 'string') {
    throw new Error('an index of entries has an invalid row');
  }
  return [pk, name, n, hash];
}
