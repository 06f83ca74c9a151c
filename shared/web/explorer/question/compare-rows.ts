import { dayNumber, formatDay, type Weekday } from '../../../lib/calendar.ts';
import { alignDates, type DayRange, startOfUnit } from '../../../lib/compared-period.ts';
import { type Catalogue, isZeroWithoutFacts } from './catalogue.ts';

/** The dimension of reports by day. */
export const DAY = 'daily_date';

export type Row = Readonly<Record<string, string | number | null>>;

/** The same row of both periods. */
export interface ComparedRow {
  /** Values of the dimensions, and the metrics of the period. */
  readonly row: Row;
  /** The row of the compared period, or one without facts if it has none; undefined if it may not have been read, or without a comparison. */
  readonly previous: Row | undefined;
  /** Whether the compared period has no such row, although all of its rows were read; not set in reports by day, nor for dates after its end. */
  readonly isNew?: boolean;
  /** Whether only the compared period has such a row. */
  readonly isEnded?: boolean;
}

interface ComparisonInput {
  readonly rows: readonly Row[];
  readonly previous: readonly Row[];
  /** Whether `rows` and `previous` are all rows of their periods. */
  readonly isComplete: boolean;
  readonly range: DayRange;
  readonly compared: DayRange;
  readonly weekStartsOn: Weekday;
  readonly dimensions: readonly { readonly name: string; readonly type: string }[];
  readonly metrics: readonly { readonly name: string; readonly isZeroWithoutFacts: boolean }[];
  /** The dates of both periods that have delivery; undefined if the rows are not by day or the dates are unknown. */
  readonly delivered?: ReadonlySet<string> | undefined;
}

/**
 * @returns the rows of the period with those of the compared period: rows with equal dimensions, where dates are at the same position in both periods. Rows
 * that only the compared period has follow at the end if all rows were read. Where one period has no row, sums and distinct counts are 0 and other
 * metrics null. On a day without delivery all are null. If `rows` have more dates, the last are compared with null; if `previous` has more, they are left
 * out. Equally long periods may span different numbers of weeks: then such a week is a row of its own.
 */
export function compareRows(input: ComparisonInput): ComparedRow[] {
  const { rows, previous, isComplete, range, compared, weekStartsOn, dimensions, metrics } = input;
  const dates = dimensions.filter(({ type }) => type === 'date').map(({ name }) => name);
  const toRange = alignRows(compared, range, dates, weekStartsOn);
  const toCompared = alignRows(range, compared, dates, weekStartsOn);
  const isAfter = (row: Row, { last }: DayRange) => dates.some((name) => String(row[name]) > formatDay(last));
  const daysLonger = range.last - range.first - (compared.last - compared.first);
  const absent: Row = Object.fromEntries(
    metrics.map(({ name, isZeroWithoutFacts }) => [name, isZeroWithoutFacts ? 0 : null]),
  );
  const unknown: Row = Object.fromEntries(metrics.map(({ name }) => [name, null]));
  const hasDay = dimensions.some(({ name }) => name === DAY);
  const absentOn = (date: string) => (input.delivered?.has(date) === false ? unknown : absent);
  const keyOf = (row: Row) => JSON.stringify(dimensions.map(({ name }) => row[name]));
  const rest = new Map(
    previous.map((row) => {
      const moved = toRange(row);
      return [keyOf(moved), moved] as const;
    }),
  );
  const joined = rows.map((row) => {
    const key = keyOf(row);
    const found = rest.get(key);
    rest.delete(key);
    if (found !== undefined) return { row, previous: found };
    if (!isComplete) return { row, previous: undefined };
    const counterpart = toCompared(row);
    if (daysLonger > 0 && isAfter(counterpart, compared)) return { row, previous: unknown };
    return hasDay ? { row, previous: absentOn(String(counterpart[DAY])) } : { row, previous: absent, isNew: true };
  });
  if (!isComplete) return joined;
  const ended = [...rest.values()]
    .filter((row) => daysLonger >= 0 || !isAfter(row, range))
    .map((row) => ({
      row: { ...row, ...(hasDay ? absentOn(String(row[DAY])) : absent) },
      previous: row,
      isEnded: true,
    }));
  return [...joined, ...ended];
}

/**
 * @param dates the date dimensions of the report
 * @returns a function that moves a row's dates from one range to the other. Weeks, months and quarters of a row with a day are those of the moved day, because the
 * n-th day need not be in the n-th week
 */
function alignRows(from: DayRange, to: DayRange, dates: readonly string[], weekStartsOn: Weekday): (row: Row) => Row {
  const hasDay = dates.includes(DAY);
  const moves = dates.map((name) => {
    const source = hasDay ? DAY : name;
    const move = alignDates(from, to, source, weekStartsOn);
    const ofDay = (date: string) => formatDay(startOfUnit(dayNumber(move(date)), name, weekStartsOn));
    return { name, source, move: hasDay ? ofDay : move };
  });
  return (row) => {
    const moved = moves.map(({ name, source, move }) => [name, move(String(row[source]))]);
    return { ...row, ...Object.fromEntries(moved) };
  };
}

/** Warnings of metrics that are null in every row, because they are undefined in the report. */
const UNDEFINED: ReadonlySet<string> = new Set(['NOT_IN_EXPERIENCE', 'NOT_AT_THIS_GRAIN']);

/** @returns the metrics of a report; one that is undefined in it is not 0 without facts */
export function comparedMetrics(
  headers: readonly { readonly name: string; readonly role: string }[],
  warnings: readonly { readonly code: string; readonly field: string }[],
  catalogue: Catalogue,
): ComparisonInput['metrics'] {
  const undefinedHere = new Set(warnings.filter(({ code }) => UNDEFINED.has(code)).map(({ field }) => field));
  return headers
    .filter(({ role }) => role === 'metric')
    .map(({ name }) => ({
      name,
      isZeroWithoutFacts: !undefinedHere.has(name) && isZeroWithoutFacts(catalogue.metric(name)),
    }));
}

export interface Change {
  readonly difference: number;
  /** Relative to the earlier value; undefined if that is 0. */
  readonly fraction: number | undefined;
}

/** @returns undefined unless both are numbers */
export function changeOf(value: unknown, before: unknown): Change | undefined {
  if (typeof value !== 'number' || typeof before !== 'number') return undefined;
  const size = Math.max(Math.abs(value), Math.abs(before));
  const exact = value - before;
  const difference = Math.abs(exact) < size * 1e-15 ? 0 : exact; // 0.1 + 0.2 is not more than 0.3
  return { difference, fraction: before === 0 ? undefined : difference / Math.abs(before) };
}
