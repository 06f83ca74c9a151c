import type { KeyValue } from '../../columns/column.ts';
import { addMonths, daysInMonth, monthOf } from '../../lib/calendar.ts';
import { type ExactInteger, multiply } from '../sums/exact-numbers.ts';
import { FractionSum } from '../sums/fraction-sum.ts';

/** A flight and what it plans. Days are day numbers. */
export interface Flight {
  readonly firstDay: number;
  /** Infinity where the flight has no end. */
  readonly lastDay: number;
  /** The budgets that were in force one after the other, ascending. */
  readonly steps: readonly BudgetStep[];
}

/** A budget in force on the days from `from` to `to`. */
interface BudgetStep {
  readonly from: number;
  readonly to: number;
  /** In micros of the currency unit. */
  readonly amount: ExactInteger;
  /** The number of days over which the amount is spread; undefined: those of each month. */
  readonly spreadDays: ExactInteger | undefined;
}

/** A budget as it was given: `amount` is null where there is none. */
export interface GivenBudget {
  /** The first day on which it is in force. */
  readonly from: number;
  readonly amount: KeyValue;
  /** DAILY, WEEKLY, MONTHLY or LIFETIME. */
  readonly type: KeyValue;
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
  readonly denominator: ExactInteger;
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
      return [{ day: days[first] ?? 0, numerator, denominator: step.spreadDays ?? run.monthDays }]; // first < days.length
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

/** The days over which budgets are spread; a MONTHLY one over those of the month. */
const SPREAD_DAYS: ReadonlyMap<KeyValue, number | undefined> = new Map([
  ['DAILY', 1],
  ['WEEKLY', 7],
  ['MONTHLY', undefined],
]);

/**
 * @param given ascending by day, each in force until the next
 * @returns those that plan something. A LIFETIME budget spreads what earlier days of the flight have not planned, at least 0, over the days from its own first day to the
 * end of the flight; without an end, it plans nothing.
 */
export function spreadBudgets(
  { firstDay, lastDay }: Pick<Flight, 'firstDay' | 'lastDay'>,
  given: readonly GivenBudget[],
): BudgetStep[] {
  const steps: BudgetStep[] = [];
  const spreadRest = (amount: number, from: number): Pick<BudgetStep, 'amount' | 'spreadDays'> => {
    const rest = new FractionSum();
    rest.add(amount, 1);
    for (const step of steps) subtractPlanned(rest, step, firstDay);
    const [numerator, denominator] = rest.toFraction();
    const isPlanned = numerator <= 0;
    const days = Math.max(1, lastDay - from + 1); // after the flight, the amount does not matter
    return { amount: isPlanned ? 0 : numerator, spreadDays: multiply(denominator, days) };
  };
  for (const [i, { from, amount, type }] of given.entries()) {
    const days = { from, to: (given[i + 1]?.from ?? Number.POSITIVE_INFINITY) - 1 };
    if (typeof amount !== 'number') continue;
    if (SPREAD_DAYS.has(type)) steps.push({ ...days, amount, spreadDays: SPREAD_DAYS.get(type) });
    else if (lastDay < Number.POSITIVE_INFINITY)
      steps.push({ ...days, ...spreadRest(amount, Math.max(from, firstDay)) });
  }
  return steps;
}

/** Subtracts what the budget plans from the first day of the flight on. */
function subtractPlanned(rest: FractionSum, { from, to, amount, spreadDays }: BudgetStep, firstDay: number): void {
  for (let day = Math.max(from, firstDay); day <= to; ) {
    const next = Math.min(addMonths(monthOf(day), 1), to + 1);
    rest.add(multiply(amount, day - next), spreadDays ?? daysInMonth(day));
    day = next;
  }
}
