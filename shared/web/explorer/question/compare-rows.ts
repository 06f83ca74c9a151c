import type { ReportMeta } from '../../client/client.ts';

export const DAY = 'daily_date';

export type Row = Readonly<Record<string, string | number | null>>;

export interface ComparedRow {
  /** Values of the dimensions, and the metrics of the period. */
  readonly row: Row;
  /** The metrics of the compared period; undefined without a comparison, as are the changes of numeric metrics. */
  readonly previous: Row | undefined;
  readonly change?: Row | undefined;
  readonly relativeChange?: Row | undefined;
}

interface Change {
  readonly difference: number;
  /** Relative to the earlier value; undefined if that is 0. */
  readonly fraction: number | undefined;
}

/** @returns undefined if the metric has no value in one of the periods */
export function changeOf(
  { change, relativeChange }: Pick<ComparedRow, 'change' | 'relativeChange'>,
  name: string,
): Change | undefined {
  const [difference, fraction] = [change?.[name], relativeChange?.[name]];
  if (typeof difference !== 'number') return undefined;
  return { difference, fraction: typeof fraction === 'number' ? fraction : undefined };
}

/** @returns why totals of the periods cannot be compared; undefined if they can */
export function describeMissing({ data, compared }: Pick<ReportMeta, 'data' | 'compared'>): string | undefined {
  const days = data.missingDayCount + (compared?.data.missingDayCount ?? 0);
  return days === 0 ? undefined : `${days} ${days === 1 ? 'day' : 'days'} missing`;
}
