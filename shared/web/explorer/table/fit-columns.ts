import { isNumericMetric } from '../question/catalogue.ts';
import { type ComparedRow, DAY } from '../question/compare-rows.ts';
import { type Formatter, titleOf } from '../question/format.ts';
import type { ReportHeader } from '../service/api.ts';
import { measureText } from '../ui/measure-text.ts';
import { cellOf } from './columns.ts';

/** Of both sides of a cell together, as in the style sheet; in pixels. */
const PADDING = 16;
/** Of texts, in pixels; longer ones take several lines. */
const MAX_TEXT = 180;
const NO_REASONS = new Map<string, string>();

/** Widths of a column in pixels. */
export interface Fit {
  /** Of its figures or texts, and at least of the longest word of its title. */
  readonly least: number;
  /** With the relative change beside the difference; below it otherwise. */
  readonly most: number;
}

/**
 * @param available the width of the table; 0 before it is known
 * @returns the widths of each column, by its name
 */
export function fitColumns(
  headers: readonly ReportHeader[],
  rows: readonly ComparedRow[],
  totals: ComparedRow,
  format: Formatter,
  available: number,
): ReadonlyMap<string, Fit> {
  const maxText = Math.min(MAX_TEXT, (available || window.innerWidth) * 0.32); // on a phone, figures need the rest
  return new Map(
    headers.map((header) => {
      const words = titleOf(header).split(/[ -]/);
      const title = Math.max(...words.map((word) => measureText(word, 14, 560)));
      const { least, most } = isNumericMetric(header)
        ? figureWidths(header, rows, totals, format)
        : widthOf(Math.min(maxText, textWidth(header, rows, format)));
      const pad = (width: number) => Math.ceil(Math.max(title, width)) + PADDING;
      return [header.name, { least: pad(least), most: pad(most) }];
    }),
  );
}

const widthOf = (least: number, most = least): Fit => ({ least, most });

function figureWidths(header: ReportHeader, rows: readonly ComparedRow[], totals: ComparedRow, format: Formatter): Fit {
  const fits = [totals, ...widest(rows, header.name)].map((row) => {
    const { text = '', change = '' } = cellOf(header, row, format, NO_REASONS);
    const figure = measureText(text, 14, row === totals ? 620 : 400);
    const lines = change.split(' (').map((line) => measureText(line, 12.04));
    return widthOf(Math.max(figure, ...lines), Math.max(figure, measureText(change, 12.04)));
  });
  return widthOf(Math.max(...fits.map(({ least }) => least)), Math.max(...fits.map(({ most }) => most)));
}

function textWidth(header: ReportHeader, rows: readonly ComparedRow[], format: Formatter): number {
  const values = new Set(rows.map(({ row }) => row[header.name]));
  const texts = Array.from(values, (value) => format.value(header, value ?? null));
  const longest = texts.toSorted((a, b) => b.length - a.length).slice(0, 9);
  const mark = header.name === DAY ? ' *' : ''; // of days whose figures may still change
  return Math.max(...longest.map((text) => measureText(text + mark, 14)));
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
