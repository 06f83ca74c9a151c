import { isNumericMetric } from '../question/catalogue.ts';
import { type ComparedRow, changeOf } from '../question/compare-rows.ts';
import { type Formatter, NO_VALUE } from '../question/format.ts';
import type { SortEntry } from '../question/question.ts';
import type { ReportHeader } from '../service/api.ts';
import type { Result } from '../service/use-result.ts';

interface Cell {
  readonly text: string | undefined;
  /** The change against the compared period; undefined without one. */
  readonly change: string | undefined;
  /** Shown on hover: why there is no value, or the value of the compared period. */
  readonly hint: string | undefined;
}

/**
 * @param last the current order, if it is by this column
 * @returns the next order. Numeric metrics begin with the highest, other columns with the lowest; with a compared
 * period, a metric’s third and fourth order are by its change
 */
export function nextEntry(header: ReportHeader, last: SortEntry | undefined, isCompared: boolean): SortEntry {
  const field = header.name;
  const isMetric = isNumericMetric(header);
  const [first, second] = isMetric ? (['DESC', 'ASC'] as const) : (['ASC', 'DESC'] as const);
  if (last === undefined) return { field, order: first };
  const change = { field, by: 'change' as const };
  if (last.order === first) return { ...last, order: second };
  return isMetric && isCompared && last.by === undefined ? { ...change, order: first } : { field, order: first };
}

export function cellOf(
  header: ReportHeader,
  compared: ComparedRow,
  format: Formatter,
  nulls: ReadonlyMap<string, string>,
): Cell {
  const { row, previous } = compared;
  const value = row[header.name];
  const before = previous?.[header.name];
  const text = value === null || value === undefined ? undefined : format.value(header, value);
  const isCompared = isNumericMetric(header) && previous !== undefined;
  const change = isCompared ? (changeText(header, compared, format) ?? NO_VALUE) : undefined;
  const earlier = `Compared: ${format.value(header, before)}`;
  const hint = text === undefined ? whyNull(header, nulls) : isCompared ? earlier : undefined;
  return { text, change, hint };
}

/** Warnings that do not say why a metric is null. */
const OTHER_WARNINGS = new Set([
  ...['NO_ROWS', 'PARTIAL_UNIT', 'VALUE_CANNOT_OCCUR', 'VALUE_NOT_FOUND', 'EMPTY_RANGE', 'DATA_ENDS_EARLIER'],
]);

/** @returns by field, why it is null in rows, or in the totals */
export function nullReasons({ page }: Result, inTotals: boolean): ReadonlyMap<string, string> {
  const reasons = page.meta.warnings.filter(
    ({ code }) => !OTHER_WARNINGS.has(code) && (inTotals || code !== 'NO_TOTAL_WITH_METRIC_FILTER'),
  );
  const byField = reasons.flatMap(({ fields, message }) => fields.map((field) => [field, message] as const));
  return new Map(byField.toReversed()); // of several, the first
}

function whyNull({ role, name, unit }: ReportHeader, nulls: ReadonlyMap<string, string>): string {
  const reason = nulls.get(name);
  if (reason !== undefined) return reason;
  if (role === 'dimension') return 'The facts of this row have no value here.';
  return unit === null
    ? 'There is no value here, or there are several.'
    : 'There is no value here, or the denominator is 0.';
}

function changeText(header: ReportHeader, row: ComparedRow, format: Formatter): string | undefined {
  const change = changeOf(row, header.name);
  if (change === undefined) return undefined;
  const difference = format.difference(header, change.difference);
  return change.fraction === undefined || header.unit === 'fraction'
    ? difference
    : `${difference} (${format.change(change.fraction)})`;
}
