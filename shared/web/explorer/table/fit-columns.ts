import type { ComparedRow } from '../question/compare-rows.ts';
import type { Formatter } from '../question/format.ts';
import type { ReportHeader } from '../service/api.ts';
import { measureText } from '../ui/measure-text.ts';
import { cellOf } from './columns.ts';

/** Of both sides of a cell together, as in the style sheet; in pixels. */
const PADDING = 22;
const NO_REASONS = new Map<string, string>();

/** @returns by name, the width in pixels that the figures of each column need; 0 for other columns */
export function fitColumns(
  headers: readonly ReportHeader[],
  rows: readonly ComparedRow[],
  totals: ComparedRow,
  format: Formatter,
): ReadonlyMap<string, number> {
  return new Map(
    headers.map((header) => {
      if (header.type !== 'integer' && header.type !== 'decimal') return [header.name, 0];
      const widths = [totals, ...widest(rows, header.name)].map((row) => {
        const { text = '', change = '' } = cellOf(header, row, format, NO_REASONS);
        return Math.max(measureText(text, 14, row === totals ? 620 : 400), measureText(change, 12.04));
      });
      return [header.name, Math.ceil(Math.max(...widths)) + PADDING];
    }),
  );
}

/** @returns the rows with the lowest and the highest value, difference and relative change */
function widest(rows: readonly ComparedRow[], name: string): readonly ComparedRow[] {
  const measures = [
    ({ row }: ComparedRow) => row[name],
    ({ change }: ComparedRow) => change?.[name],
    ({ relativeChange }: ComparedRow) => relativeChange?.[name],
  ];
  const found = new Set<ComparedRow>();
  for (const measure of measures) {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    let ends: (ComparedRow | undefined)[] = [];
    for (const row of rows) {
      const value = measure(row);
      if (typeof value !== 'number') continue;
      if (value < low) [low, ends] = [value, [row, ends[1]]];
      if (value > high) [high, ends] = [value, [ends[0], row]];
    }
    for (const row of ends) if (row !== undefined) found.add(row);
  }
  return [...found];
}
