import type { Deadline } from '../../lib/deadline.ts';

/** Values between two checks of the deadline. */
const VALUES_PER_CHECK = 10_000;

/**
 * @returns the same text as `JSON.stringify(page)`
 * @throws ApiError DEADLINE_EXCEEDED
 */
export function toJson(page: { readonly data: readonly object[] }, deadline: Deadline): string {
  const rows = Math.ceil(VALUES_PER_CHECK / Math.max(1, Object.keys(page.data[0] ?? {}).length));
  if (page.data.length <= rows) return JSON.stringify(page);
  const parts: string[] = [];
  for (const [name, value] of Object.entries(page)) {
    if (value === undefined) continue;
    parts.push(parts.length === 0 ? '{' : ',', JSON.stringify(name), ':');
    if (name !== 'data') parts.push(JSON.stringify(value));
    else pushRows(parts, page.data, rows, deadline);
  }
  return parts.concat('}').join(''); // not concatenated with +, because the text is then read more slowly, character by character
}

function pushRows(parts: string[], data: readonly object[], rows: number, deadline: Deadline): void {
  const write = (from: number, to: number) =>
    parts.push(from === 0 ? '[' : ',', JSON.stringify(data.slice(from, to)).slice(1, -1));
  deadline.forEachPart(data.length, write, rows);
  parts.push(']');
}
