import { rangesOf } from '../../layout/day-ranges.ts';
import { dayNumber, formatDay } from '../../lib/calendar.ts';

/** @returns dates as ranges of consecutive days, e.g. `2026-03-01/2026-03-04`, or single days */
export function describeDays(dates: Iterable<string>): string[] {
  const ranges = rangesOf([...dates].map(dayNumber));
  return ranges.map(([from, to]) => (from === to ? formatDay(from) : `${formatDay(from)}/${formatDay(to)}`));
}
