/** The dimension of reports by day. */
export const DAY = 'daily_date';

export type Row = Readonly<Record<string, string | number | null>>;

export interface ComparedRow {
  /** Values of the dimensions, and the metrics of the period. */
  readonly row: Row;
  /** The metrics of the compared period; undefined without a comparison. */
  readonly previous: Row | undefined;
}

interface Change {
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
