import { compareText } from '../lib/compare-text.ts';
import { type AuditEntry, auditItem } from './commit/audit-entry.ts';
import { readCommit } from './commit/commits.ts';
import { type Item, textIn } from './table/item.ts';
import { auditRange } from './table/item-keys.ts';
import type { Table } from './table/table.ts';

/** Adds an entry about a key or a rejected load. */
export async function recordAudit(table: Table, entry: AuditEntry): Promise<void> {
  await table.put(auditItem(entry), { text: 'attribute_not_exists(#pk)' });
}

/** @returns the entries from `from` to `to` (milliseconds since 1970), both included, oldest first; loads only if they are committed */
export async function readAudit(table: Table, from: number, to: number): Promise<AuditEntry[]> {
  const [items, state] = await Promise.all([
    Promise.all(auditRange(from, to).map((range) => table.query({ ...range, consistent: true }))),
    readCommit(table),
  ]);
  const isCommitted = ({ n }: Item) => typeof n !== 'number' || (n <= state.commit && !state.aborted.has(n));
  return items
    .flat()
    .filter(isCommitted)
    .sort((a, b) => compareText(a.sk, b.sk))
    .map(toEntry);
}

function toEntry(item: Item): AuditEntry {
  const [at = ''] = item.sk.split('#');
  const texts = { at, actor: textIn(item, 'actor'), action: textIn(item, 'action'), subject: textIn(item, 'subject') };
  return { ...texts, details: JSON.parse(textIn(item, 'details')) } as AuditEntry; // written by auditItem
}
