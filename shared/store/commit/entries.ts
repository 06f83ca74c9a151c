import { createHash } from 'node:crypto';
import { compareText } from '../../lib/compare-text.ts';
import type { Table } from '../table/client.ts';
import type { Item } from '../table/item.ts';
import { asRecord, textIn } from '../table/item.ts';
import type { EntryRef } from '../table/keys.ts';
import { collectionRef, entryKey, parseEntryKey } from '../table/keys.ts';
import type { RangeQuery } from '../table/requests.ts';
import { deflateJson, inflateJson } from '../table/zstd.ts';
import { readColumnSets, writeColumnSet } from './column-sets.ts';
import type { CommitWriter, Snapshot } from './commits.ts';
import { readAsOf } from './commits.ts';

/** A small value that is read by itself, and found by one range of one partition. */
export interface Entry {
  readonly ref: EntryRef;
  readonly value: object;
}

/** What a collection's list says of an entry: the commit that wrote it, and its content's hash ('' = removed by that commit). */
type Listed = readonly [pk: string, name: string, n: number, hash: string];

const LIST_COLUMN = 'entries';

/**
 * Makes `entries` all that the collection holds: new and changed ones are written, those of before that are not among them are removed, and the
 * others are left alone. At most once a load and collection.
 * @param collection the name of the set that is always replaced as a whole
 */
export async function replaceEntries(
  writer: CommitWriter,
  collection: string,
  entries: readonly Entry[],
): Promise<void> {
  const before = await readCollection(writer, collection);
  const after: Listed[] = [];
  for (const { ref, value } of entries) {
    const json = JSON.stringify(value);
    const hash = createHash('sha256').update(json).digest('base64url').slice(0, 16);
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
      // what it removed is deleted by now, so the mark can go as well
      await writer.supersede([entryKey({ pk, name }, n)], 'readers');
    }
  }
  await writeCollection(writer, collection, after);
}

/** @returns the values in the range, by the names of their entries in order. */
export async function readEntries(
  table: Table,
  range: Omit<RangeQuery, 'consistent'>,
  snapshot: Snapshot,
): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> {
  const read = () => table.query({ ...range, consistent: true });
  const [items, state] = await readAsOf(snapshot, table, read, (found) =>
    found.reduce((most, item) => Math.max(most, parseEntryKey(item).n), 0),
  );
  const newest = new Map<string, Item>();
  for (const item of items) {
    const { name, n } = parseEntryKey(item);
    if (n <= state.commit && !state.aborted.has(n)) newest.set(name, item); // ascending, so the last one stays
  }
  const values = new Map<string, Readonly<Record<string, unknown>>>();
  for (const [name, item] of newest) {
    if (item.gone !== true) values.set(name, parseValue(item));
  }
  return values;
}

const idOf = ({ pk, name }: EntryRef): string => `${pk}\0${name}`;

function parseValue(item: Item): Readonly<Record<string, unknown>> {
  const value = asRecord(JSON.parse(textIn(item, 'json')));
  if (value === undefined) throw new Error(`the item ${item.pk} / ${item.sk} holds no object`);
  return value;
}

async function readCollection(writer: CommitWriter, collection: string): Promise<Map<string, Listed>> {
  const [set] = await readColumnSets(writer.table, [collectionRef(collection)], writer.state);
  const bytes = set?.columns.get(LIST_COLUMN);
  const list: unknown = bytes === undefined ? [] : inflateJson(bytes);
  if (!Array.isArray(list)) throw new Error(`the list of ${collection} is not readable`);
  return new Map(list.map(parseListed).map((listed) => [idOf({ pk: listed[0], name: listed[1] }), listed]));
}

async function writeCollection(writer: CommitWriter, collection: string, list: readonly Listed[]): Promise<void> {
  const sorted = [...list].sort((a, b) => compareText(idOf({ pk: a[0], name: a[1] }), idOf({ pk: b[0], name: b[1] })));
  const columns = new Map([[LIST_COLUMN, deflateJson(sorted)]]);
  await writeColumnSet(writer, collectionRef(collection), { rows: sorted.length, columns });
}

function parseListed(member: unknown): Listed {
  const [pk, name, n, hash] = Array.isArray(member) ? member : [];
  if (typeof pk !== 'string' || typeof name !== 'string' || typeof n !== 'number' || typeof hash !== 'string') {
    throw new Error('the list of a collection holds something else');
  }
  return [pk, name, n, hash];
}
