import { compressJson, decompressJson } from '../table/compress.ts';
import { bytesIn, type Item } from '../table/item.ts';
import { commitOfSortKey, JOURNAL_PK, journalKey, journalRange, type Key } from '../table/item-keys.ts';
import type { Table } from '../table/table.ts';
import type { CommitState } from './commit-state.ts';
import { removeVersion } from './versions.ts';

/** Records the keys that a load is about to write: its own items, which undoing deletes, or heads, from which undoing removes the load's version. */
export async function writeJournal(
  table: Table,
  n: number,
  part: number,
  kind: 'items' | 'heads',
  keys: readonly Key[],
): Promise<void> {
  await table.put({ ...journalKey(n, part), kind, keys: packKeys(keys) });
}

/** Undoes the writes that the journal of load `n` records, and deletes the journal. Can be repeated if it is interrupted. */
export async function undoLoad(table: Table, n: number): Promise<void> {
  for (const part of await table.query({ ...journalRange(n), consistent: true })) {
    const keys = unpackKeys(part, 'keys');
    if (part.kind === 'heads') await removeVersion(table, keys, n);
    else await table.deleteMany(keys);
    await table.delete(part);
  }
}

/** Deletes the journal of the committed load `n`. */
export async function dropJournal(table: Table, n: number): Promise<void> {
  await table.deleteMany(await table.query({ ...journalRange(n), consistent: true }));
}

/** Cleans up after interrupted loads: undoes aborted ones, and deletes the journals of committed ones. */
export async function sweepJournals(table: Table, state: CommitState): Promise<void> {
  for (;;) {
    const [part] = await table.query({ pk: JOURNAL_PK, consistent: true, limit: 1 });
    if (part === undefined) return;
    const n = commitOfSortKey(part.sk);
    if (state.aborted.has(n)) await undoLoad(table, n);
    else if (n > state.commit)
      return; // it belongs to a later load: this one has lost its lease
    else await dropJournal(table, n);
  }
}

/** @returns the keys as one compressed attribute; compression removes their common prefixes */
export function packKeys(keys: readonly Key[]): Uint8Array {
  return compressJson(keys.map(({ pk, sk }) => [pk, sk]));
}

/** @returns the keys that `packKeys` packed, from an attribute of a stored item */
export function unpackKeys(item: Item, attribute: string): Key[] {
  const where = `the attribute ${attribute} of the item ${item.pk} / ${item.sk}`;
  const pairs: unknown = decompressJson(bytesIn(item, attribute), where);
  return (Array.isArray(pairs) ? pairs : [pairs]).map((pair: unknown) => {
    const [pk, sk] = Array.isArray(pair) ? pair : [];
    if (typeof pk === 'string' && typeof sk === 'string') return { pk, sk };
    throw new Error(`${where} is not a list of keys`);
  });
}
