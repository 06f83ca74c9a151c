import { dayNumber, formatDay } from '../../lib/calendar.ts';
import type { ReportHeader } from '../app/api.ts';
import type { Result } from '../app/use-result.ts';
import type { Catalogue } from '../question/catalogue.ts';
import { DAY } from '../question/compare-rows.ts';
import type { ChartKind } from '../question/question.ts';

export type DrawnKind = Exclude<ChartKind, 'auto'>;

/** One value to draw. */
export interface Mark {
  /** A date, or the label of a category. */
  readonly x: Date | string;
  /** Value of the second dimension, or the metric's title where metrics are the series. */
  readonly series: string;
  /** Null leaves a gap. */
  readonly value: number | null;
  readonly previous: number | null;
  /** All dimensions, for the text that appears on hover. */
  readonly label: string;
}

const MAX_SERIES = 8;
const OTHERS = 'Others';

/** Keeps the largest series, or all in a heat map. The others are added up in a stack, and left out of other charts. */
export function limitSeries(marks: readonly Mark[], kind: DrawnKind, isAdditive: boolean, metric: string) {
  const sizes = new Map<string, number>();
  for (const { series, value } of marks) sizes.set(series, (sizes.get(series) ?? 0) + Math.abs(value ?? 0));
  if (kind === 'heat') return { series: [...sizes.keys()], marks, notes: [] };
  const ranked = [...sizes].sort(([, a], [, b]) => b - a).map(([name]) => name);
  if (ranked.length <= MAX_SERIES) return { series: ranked, marks, notes: [] };
  const isSummed = kind === 'stack' && isAdditive;
  const kept = new Set(ranked.slice(0, isSummed ? MAX_SERIES - 1 : MAX_SERIES));
  if (!isSummed) {
    const note = `The ${kept.size} largest of ${ranked.length} series by ${metric}; the table has all.`;
    return { series: [...kept], marks: marks.filter(({ series }) => kept.has(series)), notes: [note] };
  }
  const sums = new Map<string, Mark>();
  for (const mark of marks.filter(({ series }) => !kept.has(series))) {
    const key = keyOf(mark);
    const sum = (sums.get(key)?.value ?? 0) + (mark.value ?? 0);
    sums.set(key, { ...mark, series: OTHERS, value: sum, previous: null, label: `${key} · ${OTHERS}` });
  }
  return {
    series: [...kept, OTHERS],
    marks: [...marks.filter(({ series }) => kept.has(series)), ...sums.values()],
    notes: [`${OTHERS}: ${ranked.length - kept.size} smaller series, added up.`],
  };
}

interface FillInput {
  readonly axis: ReportHeader | undefined;
  readonly result: Pick<Result, 'resolved' | 'page' | 'delivered'>;
  readonly catalogue: Catalogue;
  readonly kind: DrawnKind;
}

/**
 * A day without facts has no row: there a sum is 0, and other metrics have a gap. A day without any delivery of the advertisers is a gap for all, because its
 * data may be missing. Days after the one through which data is complete are left out unless they have a row.
 */
export function fillDays(
  { axis, result, catalogue, kind }: FillInput,
  marks: readonly Mark[],
  metric: ReportHeader,
  series: string,
): readonly Mark[] {
  if (axis?.name !== DAY || kind === 'scatter') return marks;
  const { range } = result.resolved;
  const { dataCompleteThrough } = result.page.meta;
  const last = dataCompleteThrough === null ? range.last : Math.min(range.last, dayNumber(dataCompleteThrough));
  const isSum = catalogue.metric(metric.name)?.kind === 'sum';
  const byDay = new Map(marks.map((mark) => [mark.x instanceof Date ? mark.x.getTime() : 0, mark]));
  const filled = Array.from({ length: Math.max(0, last - range.first + 1) }, (_, index) => {
    const date = formatDay(range.first + index);
    const x = new Date(`${date}T00:00:00Z`);
    const empty = isSum && result.delivered?.has(date) !== false ? 0 : null;
    return byDay.get(x.getTime()) ?? { x, series, value: empty, previous: null, label: date };
  });
  const later = marks.filter(
    ({ x }) => x instanceof Date && x.getTime() > new Date(`${formatDay(last)}T00:00:00Z`).getTime(),
  );
  return [...filled, ...later];
}

/** The label of what has no value in a dimension, such as impressions without a keyword; a dash could be mistaken for a part of the chart. */
export const NO_LABEL = '(none)';

/** @returns where the mark is on the axis: a date as `YYYY-MM-DD`, or a category */
export function keyOf({ x }: Pick<Mark, 'x'>): string {
  return x instanceof Date ? x.toISOString().slice(0, 10) : x;
}

export function textOf(value: string | number | null | undefined): string {
  return value === null || value === undefined ? NO_LABEL : String(value);
}

export function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
