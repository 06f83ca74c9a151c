import { dayNumber, formatDay, WEEKDAYS } from '../../../lib/calendar.ts';
import { type Catalogue, isZeroWithoutFacts } from '../question/catalogue.ts';
import { DAY, type Row } from '../question/compare-rows.ts';
import { type ChartKind, rangeOf } from '../question/question.ts';
import type { ReportHeader } from '../service/api.ts';
import type { Result } from '../service/use-result.ts';

/** Number of colours of series that the style sheet defines. */
export const SERIES_COLORS = 8;
/** Bars of categories; all of a sequence, such as hours, are drawn. */
export const MAX_BARS = 20;

export interface Mark {
  /** A date, or the label of a category. */
  readonly x: Date | string;
  /** Values of the dimensions besides the axis, or the metric's title where metrics are the series. */
  readonly series: string;
  /** Null leaves a gap. */
  readonly value: number | null;
  readonly previous: number | null;
  /** Values of the dimensions: the name of a bar or point, and a part of the text that appears on hover. */
  readonly label: string;
  /** What it is drawn of; absent for a day without a row, and what is added up. */
  readonly row?: Row | undefined;
}

interface FillInput {
  readonly axis: ReportHeader | undefined;
  readonly result: Pick<Result, 'request' | 'page'>;
  readonly catalogue: Catalogue;
  readonly kind: ChartKind;
}

/**
 * Adds the days without a row to a series by day: sums and distinct counts are 0 there, and other metrics have a gap. A
 * day without any delivery of the report's advertisers is a gap for all, because its data may be missing. Days after
 * the one through which data is complete are not added.
 */
export function fillDays(
  { axis, result, catalogue, kind }: FillInput,
  marks: readonly Mark[],
  metric: ReportHeader,
  series: string,
): readonly Mark[] {
  if (axis?.name !== DAY || kind === 'scatter') return marks;
  const range = rangeOf(result.request);
  const { dataCompleteThrough, data } = result.page.meta;
  const last = dataCompleteThrough === null ? range.last : Math.min(range.last, dayNumber(dataCompleteThrough));
  const isZero = isZeroWithoutFacts(catalogue.metric(metric.name));
  const byDay = new Map(marks.map((mark) => [mark.x instanceof Date ? mark.x.getTime() : 0, mark]));
  const filled = Array.from({ length: Math.max(0, last - range.first + 1) }, (_, index) => {
    const date = formatDay(range.first + index);
    const x = new Date(`${date}T00:00:00Z`);
    const isMissing = data.from === null || data.gaps.some(({ from, through }) => from <= date && date <= through);
    const empty = isZero && !isMissing ? 0 : null;
    return byDay.get(x.getTime()) ?? { x, series, value: empty, previous: null, label: date };
  });
  const later = marks.filter(
    ({ x }) => x instanceof Date && x.getTime() > new Date(`${formatDay(last)}T00:00:00Z`).getTime(),
  );
  return [...filled, ...later];
}

/** The label of what has no value in a dimension; a dash could be mistaken for a part of the chart. */
export const NO_LABEL = '(none)';

/** @returns where the mark is on the axis: a date as `YYYY-MM-DD`, or a category */
export function keyOf({ x }: Pick<Mark, 'x'>): string {
  return x instanceof Date ? x.toISOString().slice(0, 10) : x;
}

interface Axis {
  readonly axis: ReportHeader | undefined;
  readonly isOrdered: boolean;
}

/**
 * @returns the values along the axis: dates and weekdays in order; every number of a sequence from the first to the
 * last, so that one without a row leaves a space, and after them the rows without a number, if there are any; others in
 * the order of the rows
 */
export function valuesAlong(marks: readonly Pick<Mark, 'x'>[], { axis, isOrdered }: Axis): string[] {
  if (isOrdered) return sequenceOf(marks.map(keyOf));
  if (axis?.type === 'date') return [...new Set(marks.filter(({ x }) => x instanceof Date).map(keyOf))].sort();
  return [...new Set(marks.map(keyOf))];
}

function sequenceOf(values: readonly string[]): string[] {
  const weekdays = WEEKDAYS.filter((name) => values.includes(name));
  if (weekdays.length > 0) return weekdays;
  const numbers = values.filter((value) => value !== NO_LABEL).map(Number);
  const low = Math.min(...numbers);
  const length = numbers.length === 0 ? 0 : Math.max(...numbers) - low + 1;
  const sequence = Array.from({ length }, (_, index) => String(low + index));
  return numbers.length < values.length ? [...sequence, NO_LABEL] : sequence;
}

/** @returns the row's value of the dimension; a weekday has its name */
export function textOf(row: Row, dimension: string): string {
  const value = row[dimension] ?? NO_LABEL;
  return String(dimension === 'weekday' ? (WEEKDAYS[Number(value) - 1] ?? value) : value);
}

export function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

const WHOLE = { strokeWidth: 0 } as const;
/** Of bars of a part of their days. */
const PARTIAL = { strokeDasharray: '3,3', fillOpacity: 0.3 } as const;

/** @returns the bars of whole dates, and those of a part of their days, as `draw` makes them */
export function uprightBars<Drawn>(
  marks: readonly Mark[],
  { partial }: { readonly partial: ReadonlySet<string> },
  draw: (marks: readonly Mark[], style: typeof WHOLE | typeof PARTIAL) => Drawn,
): Drawn[] {
  const isPartial = (mark: Mark) => partial.has(keyOf(mark));
  return [
    draw(
      marks.filter((mark) => !isPartial(mark)),
      WHOLE,
    ),
    draw(marks.filter(isPartial), PARTIAL),
  ];
}
