import type { AuditEntry, LoadEntry, TableChange } from '../../shared/store/commit/audit-entry.ts';

/** @returns the entry as a line: time, actor, action, key or folder, and the change, with the ranges of days that a load changed in each table */
export function describeAudit(entry: AuditEntry): string {
  const { at, actor, action, subject, details } = entry;
  const changes = Object.entries(details).flatMap(([name, value]) =>
    action === 'load' && name === 'facts' ? describeFacts(details.facts) : [`${name}: ${JSON.stringify(value)}`],
  );
  return [at, actor, action, subject, changes.join(', ')].join('  ').trimEnd();
}

function describeFacts(facts: Readonly<Record<string, TableChange>>): string[] {
  return Object.entries(facts).map(([table, { loaded, emptied, rows, cost }]) => {
    const days = [
      ...loaded,
      ...(emptied.length === 0 ? [] : ['emptied', ...emptied]),
      `(rows ${rows.before} → ${rows.after}${cost === undefined ? '' : `, cost ${cost.before} → ${cost.after}`})`,
    ];
    return `${table}: ${days.join(' ').replaceAll('/', '…')}`;
  });
}

/** @returns a load as a short line: its tables without days */
export function summarizeLoad({ at, actor, subject, details }: LoadEntry): string {
  const tables = Object.entries(details.facts).map(
    ([table, { rows }]) => `${table} ${rows.before} → ${rows.after} rows`,
  );
  const changes = [...details.listings, ...tables].join(', ');
  return [at, actor, subject, changes, `${details.warnings} warnings`, `${details.seconds} s`].join('  ');
}
