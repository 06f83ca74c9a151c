import { randomBytes } from 'node:crypto';
import type { Item } from '../table/item.ts';
import { auditKey } from '../table/item-keys.ts';

/** One thing that somebody has changed. Entries are only added, never changed or deleted. */
export interface AuditEntry {
  /** ISO time. */
  readonly at: string;
  /** Who did it: an AWS identity, a local user, or a function. */
  readonly actor: string;
  readonly action:
    | 'key create'
    | 'key set'
    | 'key rotate'
    | 'key revoke'
    | 'load'
    | 'load rejected'
    | 'load attribution';
  /** What was changed: the id of a key, or the name of a folder. */
  readonly subject: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** @returns the item of an entry; its key is unique. @param n the number of the load that makes the change; absent for keys and rejected loads */
export function auditItem(entry: AuditEntry, n?: number): Item {
  const { at, actor, action, subject, details } = entry;
  const version = n === undefined ? {} : { n };
  return {
    ...auditKey(action.startsWith('load') ? 'loads' : 'keys', at, randomBytes(6).toString('hex')),
    ...{ actor, action, subject, details: JSON.stringify(details) },
    ...version,
  };
}
