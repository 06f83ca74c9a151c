import type { AuditEntry } from '../../../shared/store/commit/audit-entry.ts';

/** @returns the entry as a line: time, actor, action, key or folder, and the change, with the ranges of days that a load changed in each table */
export function describeAudit({ at, actor, action, subject, details }: AuditEntry): string {
  const changes = Object.entries(details).flatMap(([name, value]) => {
    // `days` of a load is ranges by table, as from `describeDays`; `days` of a key is a number
    const isDaysOfLoad = action === 'load' && name === 'days';
    return isDaysOfLoad ? describeRanges(Object(value)) : [`${name}: ${JSON.stringify(value)}`];
  });
  return [at, actor, action, subject, changes.join(', ')].join('  ').trimEnd();
}

function describeRanges(rangesByTable: Readonly<Record<string, readonly string[]>>): string[] {
  return Object.entries(rangesByTable).map(([table, ranges]) => `${table}: ${ranges.join(' ').replaceAll('/', '…')}`);
}
