import { randomBytes } from 'node:crypto';
import type { Item } from '../table/item.ts';
import { auditKey } from '../table/item-keys.ts';

/** What a load has changed in a fact table, in all days together. */
export interface TableChange {
  /** Ranges of days. */
  readonly loaded: readonly string[];
  readonly emptied: readonly string[];
  readonly rows: Change;
  /** Absent of a table without cost. */
  readonly cost?: Change | undefined;
}
interface Change {
  readonly before: number;
  readonly after: number;
}

interface Entry<Action extends string, Details> {
  /** ISO time. */
  readonly at: string;
  /** Who did it: an AWS identity, a local user, or a function. */
  readonly actor: string;
  readonly action: Action;
  /** What was changed: the id of a key, or the name of a folder. */
  readonly subject: string;
  readonly details: Details;
}

/** A load that was not rejected. */
export type LoadEntry = Entry<
  'load',
  {
    readonly listings: readonly string[];
    /** By `<experience>/<table>`. */
    readonly facts: Readonly<Record<string, TableChange>>;
    /** The number of warnings. */
    readonly warnings: number;
    readonly seconds: number;
  }
>;

export type KeyEntry = Entry<
  'key create' | 'key set' | 'key rotate' | 'key revoke',
  { readonly userId?: string | undefined; readonly [change: string]: unknown }
>;

/** One thing that somebody has changed. Entries are only added, never changed or deleted. */
export type AuditEntry =
  | KeyEntry
  | LoadEntry
  | Entry<'load rejected', { readonly problems: number; readonly first: string }>
  | Entry<'load attribution', { readonly before: unknown; readonly after: unknown }>;

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
