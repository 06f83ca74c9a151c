import { formatDay, parseDate } from '../../lib/calendar.ts';

/** An entry of the audit must fit into an item: at most 12 tables of twice so many ranges, of 21 characters each. */
const MAX_RANGES = 500;

/** @returns dates as ranges of consecutive days, e.g. `2026-03-01/2026-03-04`, or single days; the last text says how many days are left out, if any are */
export function describeDays(dates: Iterable<string>): string[] {
  const ranges: { from: number; to: number }[] = [];
  for (const day of [...dates].map((date) => parseDate(date) ?? 0).sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && day <= last.to + 1) last.to = day;
    else ranges.push({ from: day, to: day });
  }
  const texts = ranges
    .slice(0, MAX_RANGES)
    .map(({ from, to }) => (from === to ? formatDay(from) : `${formatDay(from)}/${formatDay(to)}`));
  const others = ranges.slice(MAX_RANGES).reduce((sum, { from, to }) => sum + to - from + 1, 0);
  return others === 0 ? texts : [...texts, `and ${others} more ${others === 1 ? 'day' : 'days'}`];
}
