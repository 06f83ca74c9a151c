import { parseDate } from '../../shared/lib/calendar.ts';
import type { AuditEntry } from '../../shared/store/commit/audit-entry.ts';

/** @returns the entry as a line: time, actor, action, key or folder, and the change; consecutive days as ranges */
export function describeAudit({ at, actor, action, subject, details }: AuditEntry): string {
  const changes = Object.entries(details).flatMap(([name, value]) => {
    if (name !== 'days') return [`${name}: ${JSON.stringify(value)}`];
    return Object.entries(Object(value)).map(([table, days]) => `${table}: ${describeDays([days].flat().map(String))}`);
  });
  return [at, actor, action, subject, changes.join(', ')].join('  ').trimEnd();
}

/** @param days ascending: days and ranges such as `2026-03-01/2026-03-04`; a text of another kind is shown as it is */
function describeDays(days: readonly string[]): string {
  const ranges: [first: string, last: string][] = [];
  for (const text of days) {
    const [first = text, last = first] = text.split('/');
    const range = ranges.at(-1);
    if (range !== undefined && isNextDay(range[1], first)) range[1] = last;
    else ranges.push([first, last]);
  }
  return ranges.map(([first, last]) => (first === last ? first : `${first}…${last}`)).join(' ');
}

function isNextDay(text: string, next: string): boolean {
  const day = parseDate(text);
  return day !== undefined && parseDate(next) === day + 1;
}
