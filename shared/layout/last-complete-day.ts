import { formatDay } from '../lib/calendar.ts';
import type { DayRange } from './day-ranges.ts';

/**
 * @param delivered the days with delivery of any advertiser in an experience, ascending
 * @param today it has not ended
 * @returns the last complete day of an advertiser, for which `stated` is what the `freshness` table has; null if there is none
 */
export function lastCompleteDay(
  delivered: readonly DayRange[],
  today: number,
): (stated: string | null) => string | null {
  const yesterday = formatDay(today - 1);
  const latest = delivered.findLast(([first]) => first < today)?.[1];
  const loaded = latest === undefined ? null : formatDay(latest);
  return (stated) => {
    const day = stated ?? loaded;
    return day !== null && day > yesterday ? yesterday : day;
  };
}
