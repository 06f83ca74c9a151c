import type { Table } from '../table/client.ts';
import type { Item } from '../table/item.ts';
import { bytesIn } from '../table/item.ts';
import type { Key } from '../table/keys.ts';
import { commitOfSortKey, JOURNAL_PK, journalKey, journalRange } from '../table/keys.ts';
import { deflateJson, inflateJson } from '../table/zstd.ts';
import type { CommitState } from './commit-state.ts';
import { removeVersion } from './versions.ts';

/** Keys a load is about to write: items of its own, which undoing deletes, or heads, from which undoing takes the load's version. */
export type JournalKind = 'items' | 'heads';

/** Notes the keys before they are written, so that whoever cleans up after a dead load knows exactly what to remove. */
export async function writeJournal(
  table: Table,
  n: number,
  part: number,
  kind: JournalKind,
  keys: readonly Key[],
): Promise<void> {
  await table.put({ ...journalKey(n, part), kind, keys: packKeys(keys) });
}

/** Removes everything load `n` has written, then its journal. Cut short, it can simply be run again. */
export async function undoLoad(table: Table, n: number): Promise<void> {
  for (const part of await table.query({ ...journalRange(n), consistent: true })) {
    const keys = unpackKeys(part, 'keys');
    if (part.kind === 'heads') await removeVersion(table, keys, n);
    else await table.deleteMany(keys);
    await table.delete(part);
  }
}

/** Forgets the journal of load `n`, which is committed. */
export async function dropJournal(table: Table, n: number): Promise<void> {
  await table.deleteMany(await table.query({ ...journalRange(n), consistent: true }));
}

/** Cleans up after all loads that ended without doing so: of dead ones everything is removed, of committed ones only the journal. */
export async function sweepJournals(table: Table, state: CommitState): Promise<void> {
  for (;;) {
    const [part] = await table.query({ pk: JOURNAL_PK, consistent: true, limit: 1 });
    if (part === undefined) return;
    const n = commitOfSortKey(part.sk);
    if (state.aborted.has(n)) await undoLoad(table, n);
    else await dropJournal(table, n);
  }
}

/** @returns the keys as one compressed attribute; they have long prefixes in common. */
export function packKeys(keys: readonly Key[]): Uint8Array {
  return deflateJson(keys.map(({ pk, sk }) => [pk, sk]));
}

/** @returns the keys that `packKeys` was given, from an attribute of a stored item. */
export function unpackKeys(item: Item, attribute: string): Key[] {
  const pairs: unknown = inflateJson(bytesIn(item, attribute));
  if (!Array.isArray(pairs)) throw new Error(`the item ${item.pk} / ${item.sk} holds no keys`);
  return pairs.map((pair: unknown) => {
    const [pk, sk] = Array.isArray(pair) ? pair : [];
    if (typeof pk !== 'string' || typeof sk !== 'string')
      throw new Error(`the item ${item.pk} / ${item.sk} holds no keys`);
    return { pk, sk };
  });
}
