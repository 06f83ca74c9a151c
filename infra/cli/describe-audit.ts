import { dayNumber } from '../../shared/lib/calendar.ts';
import type { AuditEntry } from '../../shared/store/commit/audit-entry.ts';

/** @returns the entry as a line: time, actor, action, key or folder, and the change; consecutive days as ranges */
export function describeAudit({ at, actor, action, subject, details }: AuditEntry): string {
  const changes = Object.entries(details).flatMap(([name, value]) => {
    if (name !== 'days') return [`${name}: ${JSON.stringify(value)}`];
    return Object.entries(Object(value)).map(([table, days]) => `${table}: ${describeDays([days].flat().map(String))}`);
  });
  return [at, actor, action, subject, changes.join(', ')].join('  ').trimEnd();
}

/** @param days ascending */
function describeDays(days: readonly string[]): string {
  const ranges: [first: string, last: string][] = [];
  for (const day of days) {
    const range = ranges.at(-1);
    if (range !== undefined && dayNumber(range[1]) + 1 === dayNumber(day)) range[1] = day;
    else ranges.push([day, day]);
  }
  return ranges.map(([first, last]) => (first === last ? first : `${first}…${last}`)).join(' ');
}
