import { alignDates, type DayRange } from './period.ts';

export type Row = Readonly<Record<string, string | number | null>>;

/** The same row of both periods. */
export interface ComparedRow {
  /** Values of the dimensions, and the metrics of the period. */
  readonly row: Row;
  /** The metrics of the compared period; undefined if they were not read. */
  readonly previous: Row | undefined;
}

export interface ComparisonInput {
  readonly rows: readonly Row[];
  readonly previous: readonly Row[];
  /** Whether these are all rows of each. */
  readonly isComplete: boolean;
  readonly range: DayRange;
  readonly compared: DayRange;
  readonly dimensions: readonly { readonly name: string; readonly type: string }[];
  readonly metrics: readonly { readonly name: string; readonly isSum: boolean }[];
}

/**
 * @returns the rows of the period with those of the compared period: rows with equal dimensions, where dates are at the same position in both periods. Rows
 * that only the compared period has follow at the end. Where one period has no row, sums are 0 and other metrics null, as in a report without facts.
 */
export function compareRows(input: ComparisonInput): ComparedRow[] {
  const { rows, previous, isComplete, dimensions, metrics } = input;
  const shift = new Map(
    dimensions
      .filter(({ type }) => type === 'date')
      .map(({ name }) => [name, alignDates(input.compared, input.range, name)]),
  );
  const absent: Row = Object.fromEntries(metrics.map(({ name, isSum }) => [name, isSum ? 0 : null]));
  const keyOf = (row: Row) => JSON.stringify(dimensions.map(({ name }) => row[name]));
  const rest = new Map(
    previous.map((row) => {
      const moved = moveDates(row, shift);
      return [keyOf(moved), moved] as const;
    }),
  );
  const compared = rows.map((row) => {
    const key = keyOf(row);
    const found = rest.get(key);
    rest.delete(key);
    return { row, previous: found ?? (isComplete ? absent : undefined) };
  });
  if (!isComplete) return compared;
  return [...compared, ...[...rest.values()].map((row) => ({ row: { ...row, ...absent }, previous: row }))];
}

export interface Change {
  readonly difference: number;
  /** Relative to the earlier value; undefined if that is 0. */
  readonly fraction: number | undefined;
}

/** @returns undefined unless both are numbers */
export function changeOf(value: unknown, before: unknown): Change | undefined {
  if (typeof value !== 'number' || typeof before !== 'number') return undefined;
  const difference = value - before;
  return { difference, fraction: before === 0 ? undefined : difference / Math.abs(before) };
}

function moveDates(row: Row, shift: ReadonlyMap<string, (date: string) => string>): Row {
  if (shift.size === 0) return row;
  const moved = [...shift].map(([name, move]) => {
    const date = row[name];
    return [name, typeof date === 'string' ? move(date) : (date ?? null)] as const;
  });
  return { ...row, ...Object.fromEntries(moved) };
}
