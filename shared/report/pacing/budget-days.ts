import { daysInMonth } from '../../lib/calendar.ts';

/** The flight of a budget, and over which days its amount is spread. Days are day numbers. */
export interface Flight {
  /** DAILY, WEEKLY, MONTHLY or LIFETIME. */
  readonly type: unknown;
  readonly firstDay: number;
  /** Infinity where the flight has no end; the flight of a LIFETIME budget has one. */
  readonly lastDay: number;
}

/** Consecutive days in the list of a report's days that have the same code and are in months of the same length: those at the indices [from, to). */
export interface DayRun {
  /** The code of the days on the date axis. */
  readonly code: number;
  readonly from: number;
  readonly to: number;
  /** The length of their months, in days. */
  readonly monthDays: number;
}

/**
 * @param days ascending
 * @param codeOf returns the code of a day on the date axis
 * @returns the runs of the days, ascending
 */
export function runsOf(days: readonly number[], codeOf: (day: number) => number): DayRun[] {
  const runs: DayRun[] = [];
  for (const [i, day] of days.entries()) {
    const [code, monthDays] = [codeOf(day), daysInMonth(day)];
    const last = runs.at(-1);
    if (last?.code === code && last.monthDays === monthDays) runs[runs.length - 1] = { ...last, to: i + 1 };
    else runs.push({ code, from: i, to: i + 1, monthDays });
  }
  return runs;
}

/** @returns the number of days in the list, which is ascending, that are before `day` */
export function countBefore(days: readonly number[], day: number): number {
  let [low, high] = [0, days.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((days[middle] as number) < day) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** @returns the number of days over which the budget is spread: those of one period, in a month of `monthDays` days, or of the whole flight */
export function periodDays({ type, firstDay, lastDay }: Flight, monthDays: number): number {
  switch (type) {
    case 'DAILY':
      return 1;
    case 'WEEKLY':
      return 7;
    case 'MONTHLY':
      return monthDays;
    default:
      return lastDay - firstDay + 1;
  }
}
