import { randomBytes } from 'node:crypto';
import { readCommit } from './commit/commits.ts';
import type { Table } from './table/client.ts';
import { type Item, textIn } from './table/item.ts';
import { auditKey, auditRange } from './table/keys.ts';

/** One thing that somebody has changed. Entries are only added, never changed or deleted. */
export interface AuditEntry {
  /** ISO time. */
  readonly at: string;
  /** Who did it: an AWS identity, a local user, or a function. */
  readonly actor: string;
  readonly action: 'key create' | 'key set' | 'key rotate' | 'key revoke' | 'load';
  /** What was changed: the id of a key, or the name of a folder. */
  readonly subject: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** @returns the item of an entry; its key is unique. @param n the number of the load that makes the change */
export function auditItem(entry: AuditEntry, n?: number): Item {
  const { at, actor, action, subject, details } = entry;
  const version = n === undefined ? {} : { n };
  return {
    ...auditKey(at, randomBytes(6).toString('hex')),
    ...{ actor, action, subject, details: JSON.stringify(details) },
    ...version,
  };
}

/** Adds an entry. */
export async function recordAudit(table: Table, entry: AuditEntry): Promise<void> {
  await table.put(auditItem(entry), { text: 'attribute_not_exists(#pk)' });
}

/** @returns the entries from `from` to `to` (milliseconds since 1970), oldest first; those of loads only if the load is committed */
export async function readAudit(table: Table, from: number, to: number): Promise<AuditEntry[]> {
  const [items, state] = await Promise.all([
    Promise.all(auditRange(from, to).map((range) => table.query({ ...range, consistent: true }))),
    readCommit(table),
  ]);
  const isCommitted = ({ n }: Item) => typeof n !== 'number' || (n <= state.commit && !state.aborted.has(n));
  return items.flat().filter(isCommitted).map(toEntry);
}

function toEntry(item: Item): AuditEntry {
  const action = textIn(item, 'action') as AuditEntry['action']; // written by auditItem
  const [at = ''] = item.sk.split('#');
  const details: unknown = JSON.parse(textIn(item, 'details'));
  return {
    at,
    actor: textIn(item, 'actor'),
    action,
    subject: textIn(item, 'subject'),
    details: { ...Object(details) },
  };
}
