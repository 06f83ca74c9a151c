import type { AuditEntry } from '../../shared/store/commit/audit-entry.ts';

/** @returns the entry as a line: time, actor, action, key or folder, and the change, with the ranges of days that a load changed in each table */
export function describeAudit({ at, actor, action, subject, details }: AuditEntry): string {
  const changes = Object.entries(details).flatMap(([name, value]) =>
    action === 'load' && name === 'facts' ? describeFacts(value) : [`${name}: ${JSON.stringify(value)}`],
  );
  return [at, actor, action, subject, changes.join(', ')].join('  ').trimEnd();
}

/** The member `facts` of the details of a load, by table. */
type Facts = Readonly<
  Record<
    string,
    { readonly loaded: readonly string[]; readonly emptied: readonly string[]; rows: Change; cost?: Change }
  >
>;
interface Change {
  readonly before: number;
  readonly after: number;
}

function describeFacts(facts: unknown): string[] {
  return Object.entries(facts as Facts).map(([table, { loaded, emptied, rows, cost }]) => {
    const days = [
      ...loaded,
      ...(emptied.length === 0 ? [] : ['emptied', ...emptied]),
      `(rows ${rows.before} → ${rows.after}${cost === undefined ? '' : `, cost ${cost.before} → ${cost.after}`})`,
    ];
    return `${table}: ${days.join(' ').replaceAll('/', '…')}`;
  });
}

/** @returns a load as a short line: its tables without days */
export function summarizeLoad({ at, actor, subject, details }: AuditEntry): string {
  const { facts = {}, listings = [], warnings = 0, seconds = 0 } = details;
  const tables = Object.entries(facts as Facts).map(
    ([table, { rows }]) => `${table} ${rows.before} → ${rows.after} rows`,
  );
  const changes = [...(listings as string[]), ...tables].join(', ');
  return [at, actor, subject, changes, `${warnings} warnings`, `${seconds} s`].join('  ');
}
