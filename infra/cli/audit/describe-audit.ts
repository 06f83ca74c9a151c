import type { AuditEntry } from '../../../shared/store/commit/audit-entry.ts';

/** @returns the entry as a line: time, actor, action, key or folder, and the change, with the ranges of days that a load changed in each table */
export function describeAudit({ at, actor, action, subject, details }: AuditEntry): string {
  const changes = Object.entries(details).flatMap(([name, value]) => {
    if (action !== 'load' || name !== 'days') return [`${name}: ${JSON.stringify(value)}`];
    return Object.entries(Object(value)).map(
      ([table, days]) => `${table}: ${[days].flat().join(' ').replaceAll('/', '…')}`,
    );
  });
  return [at, actor, action, subject, changes.join(', ')].join('  ').trimEnd();
}
