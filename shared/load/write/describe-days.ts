import { formatDay, parseDate } from '../../lib/calendar.ts';

/** @returns dates as ranges of consecutive days, e.g. `2026-03-01/2026-03-04`, or single days */
export function describeDays(dates: Iterable<string>): string[] {
  const ranges: { from: number; to: number }[] = [];
  for (const day of [...dates].map((date) => parseDate(date) ?? 0).sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && day <= last.to + 1) last.to = day;
    else ranges.push({ from: day, to: day });
  }
  return ranges.map(({ from, to }) => (from === to ? formatDay(from) : `${formatDay(from)}/${formatDay(to)}`));
}
