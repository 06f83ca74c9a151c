import { daysInMonth } from '../../lib/calendar.ts';
import { type ExactInteger, multiply } from '../sums/exact-numbers.ts';

/** The flight of a budget, and over which days its amount is spread. Days are day numbers. */
export interface Flight {
  /** DAILY, WEEKLY, MONTHLY or LIFETIME. */
  readonly type: unknown;
  readonly firstDay: number;
  /** Infinity where the flight has no end; the flight of a LIFETIME budget has one. */
  readonly lastDay: number;
}

/** Consecutive days in the list of a report's days that have the same code and are in months of the same length: those at the indices [from, to). */
interface DayRun {
  /** The code of the days on the date axis. */
  readonly code: number;
  readonly from: number;
  readonly to: number;
  /** The length of their months, in days. */
  readonly monthDays: number;
}

/** The planned cost of a run of days, as a fraction, in micros. */
export interface PlannedRun {
  /** The first of the days. */
  readonly day: number;
  readonly numerator: ExactInteger;
  readonly denominator: number;
}

/**
 * @param days of the report, ascending
 * @param runs of these days
 * @param lastDay the last day that counts
 * @returns the planned cost of each run that has days in the flight
 */
export function planRuns(
  budget: Flight & { readonly amount: number },
  days: readonly number[],
  runs: readonly DayRun[],
  lastDay: number,
): PlannedRun[] {
  const from = countBefore(days, budget.firstDay);
  const to = countBefore(days, Math.min(budget.lastDay, lastDay) + 1);
  return runs.flatMap((run) => {
    const first = Math.max(from, run.from);
    const count = Math.min(to, run.to) - first;
    if (count <= 0) return [];
    const numerator = multiply(budget.amount, count);
    return [{ day: days[first] as number, numerator, denominator: periodDays(budget, run.monthDays) }]; // first < days.length
  });
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
function countBefore(days: readonly number[], day: number): number {
  let [low, high] = [0, days.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((days[middle] as number) < day) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** @returns the number of days over which the budget is spread: those of one period, in a month of `monthDays` days, or of the whole flight */
function periodDays({ type, firstDay, lastDay }: Flight, monthDays: number): number {
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
