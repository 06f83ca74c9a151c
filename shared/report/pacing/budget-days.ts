import { daysInMonth } from '../../lib/calendar.ts';
import { type ExactInteger, multiply } from '../sums/exact-numbers.ts';

/** A flight and what it plans. Days are day numbers. */
export interface Flight {
  readonly firstDay: number;
  /** Infinity where the flight has no end. */
  readonly lastDay: number;
  /** The budgets that were in force one after the other, ascending. */
  readonly steps: readonly BudgetStep[];
}

/** A budget in force on the days from `from` to `to`. */
export interface BudgetStep {
  readonly from: number;
  readonly to: number;
  /** In micros of the currency unit. */
  readonly amount: number;
  /** DAILY, WEEKLY, MONTHLY or LIFETIME; the last is spread over the whole flight, which has an end. */
  readonly type: unknown;
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
 * @returns the planned cost of each run that has days in the flight, by the budget in force
 */
export function planRuns(
  { firstDay, lastDay: flightEnd, steps }: Flight,
  days: readonly number[],
  runs: readonly DayRun[],
  lastDay: number,
): PlannedRun[] {
  return steps.flatMap((step) => {
    const from = countBefore(days, Math.max(firstDay, step.from));
    const to = countBefore(days, Math.min(flightEnd, step.to, lastDay) + 1);
    return runs.flatMap((run) => {
      const first = Math.max(from, run.from);
      const count = Math.min(to, run.to) - first;
      if (count <= 0) return [];
      const numerator = multiply(step.amount, count);
      const denominator = periodDays(step.type, run.monthDays) ?? flightEnd - firstDay + 1;
      return [{ day: days[first] ?? 0, numerator, denominator }]; // first < days.length
    });
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
    if ((days[middle] ?? 0) < day) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** @returns the number of days over which the budget is spread: those of its period, in a month of `monthDays` days; undefined: of the flight */
function periodDays(type: unknown, monthDays: number): number | undefined {
  switch (type) {
    case 'DAILY':
      return 1;
    case 'WEEKLY':
      return 7;
    case 'MONTHLY':
      return monthDays;
    default:
      return undefined;
  }
}
