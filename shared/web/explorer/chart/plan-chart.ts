import { dayNumber, formatDay } from '../../../lib/calendar.ts';
import { startOfUnit } from '../../../lib/compared-period.ts';
import { type Catalogue, isNumericMetric, isSequence } from '../question/catalogue.ts';
import { type ComparedRow, DAY } from '../question/compare-rows.ts';
import { tellApart } from '../question/namesakes.ts';
import type { ChartKind } from '../question/question.ts';
import type { ReportHeader } from '../service/api.ts';
import type { Result } from '../service/use-result.ts';
import { limitCells, limitSeries, limitSmallBars, noteOthers, type PickedSeries, pickSeries } from './limit-marks.ts';
import { fillDays, MAX_BARS, type Mark, NO_LABEL, numberOf, SERIES_COLORS, textOf, valuesAlong } from './marks.ts';

type DrawnKind = Exclude<ChartKind, 'auto'>;

/** A metric, or several of the same unit, with an axis of their own. */
export interface Panel {
  readonly title: string;
  /** The first of the metrics; its unit formats all values. */
  readonly column: ReportHeader;
  readonly marks: readonly Mark[];
  readonly series: readonly string[];
}

/** What is drawn, before anything is measured in pixels. */
export interface ChartPlan {
  readonly kind: DrawnKind;
  /** The kinds that suit the fields and rows, the best first; empty if none does. */
  readonly choices: readonly DrawnKind[];
  readonly panels: readonly Panel[];
  /** The series of all panels, in the order of their colours; of bars, the titles of the metrics. */
  readonly series: readonly string[];
  /** The dimension along x, or along y in horizontal bars; a scatter plot ignores it. */
  readonly axis: ReportHeader | undefined;
  /** Whether the axis is a sequence of numbers, such as hours, and not of bars that also name other dimensions. */
  readonly isOrdered: boolean;
  /** Whether the compared period is drawn as well. */
  readonly isCompared: boolean;
  /** Figures of later days may still change; null: not known, or the axis has no days. */
  readonly finalThrough: string | null;
  /** The dates along the axis whose figures are of a part of their days: cut weeks, months and quarters, and what the running day is in. */
  readonly partial: ReadonlySet<string>;
  /** What the chart leaves out, adds up or shows only in part. */
  readonly notes: readonly string[];
}

/** Panels with an axis of their own; further metrics are in the table only. */
const MAX_PANELS = 3;

/** @returns the plan of the chart that the question asks for, or of the one that suits its fields and rows best */
export function planChart(result: Result, catalogue: Catalogue): ChartPlan {
  const { question, page } = result;
  const { headers, rows } = tellApart(page.headers, result.rows);
  const dimensions = headers.filter(({ role }) => role === 'dimension');
  const metrics = leadWithSort(drawableMetrics(headers, rows, catalogue), result);
  const isComplete = rows.length >= page.totalCount;
  const isCross = dimensions.length === 2 && repeats(dimensions[0], rows) && repeats(dimensions[1], rows);
  const choices = choicesFor(dimensions, metrics, catalogue, { isComplete, isCross });
  const requested = question.chart;
  const kind = requested === 'none' ? 'none' : (choices.find((choice) => choice === requested) ?? choices[0] ?? 'none');
  const axis = axisOf(kind, dimensions, catalogue);
  const hasOneValuePerMark = kind !== 'bar' || dimensions.length === 1;
  const isOrdered = axis !== undefined && hasOneValuePerMark && isSequenceColumn(axis, catalogue);
  const input: Input = { kind, dimensions, axis, isOrdered, rows, catalogue, result };
  const [panels, notes] = kind === 'none' || axis === undefined ? [[], []] : planPanels(input, metrics);
  const hasPrevious = rows.some(({ previous }) => previous !== undefined);
  const series = [...new Set(panels.flatMap((panel) => panel.series))];
  // lines of both periods are drawn only while they can be told apart
  const showsPrevious = kind === 'bar' || (kind === 'line' && series.length <= Math.max(3, panels.length));
  const isCompared = hasPrevious && showsPrevious;
  const partial = partialDates(axis, result, catalogue);
  const cut = partial.size > 0 && DASHED.includes(kind) ? ['Dashed: figures of a part of the days.'] : [];
  const period =
    hasPrevious && !isCompared && panels.length > 0 ? ['The compared period is not drawn; the table has it.'] : [];
  const part =
    !isComplete && kind !== 'none' ? [`The chart shows the first ${rows.length} of ${page.totalCount} rows.`] : [];
  return {
    kind,
    choices,
    panels,
    series,
    axis,
    isOrdered,
    isCompared,
    finalThrough: axis?.name === DAY ? page.meta.dataFinalThrough : null,
    partial,
    notes: [...part, ...notes, ...period, ...cut],
  };
}

const DASHED: readonly DrawnKind[] = ['line', 'bar', 'stack', 'multiples'];

/** @returns the values of the axis that the report's warnings say are of a part of their days. Warnings of a compared period are of other days */
function partialDates(
  axis: ReportHeader | undefined,
  { page, rows, request }: Result,
  catalogue: Catalogue,
): ReadonlySet<string> {
  if (axis?.type !== 'date') return new Set();
  const days = page.meta.warnings.flatMap(({ code, field, dates }) => {
    if (code === 'DAY_NOT_ENDED') return dates.map(({ from }) => from);
    const isCut = code === 'PARTIAL_UNIT' && field === axis.name;
    const ends = isCut ? dates.flatMap(({ from, to }) => [from, to]) : [];
    return ends.filter((day) => day === request.startDate || day === request.endDate);
  });
  const { weekStartsOn } = catalogue.calendar;
  const units = days.map((day) => formatDay(startOfUnit(dayNumber(day), axis.name, weekStartsOn)));
  const drawn = new Set(rows.map(({ row }) => row[axis.name]));
  return new Set(units.filter((unit) => drawn.has(unit)));
}

interface Input {
  readonly kind: DrawnKind;
  readonly dimensions: readonly ReportHeader[];
  readonly axis: ReportHeader | undefined;
  readonly isOrdered: boolean;
  readonly rows: readonly ComparedRow[];
  readonly catalogue: Catalogue;
  readonly result: Result;
}

/** @returns the numeric metrics that have a value in some row. Attributes are not drawn: budgets per day and of a whole flight have no common scale */
function drawableMetrics(
  headers: readonly ReportHeader[],
  rows: readonly ComparedRow[],
  catalogue: Catalogue,
): readonly ReportHeader[] {
  const measured = headers.filter(isNumericMetric).filter(({ name }) => catalogue.metric(name)?.kind !== 'attribute');
  return measured.filter(({ name }) => rows.some(({ row }) => typeof row[name] === 'number'));
}

/** The metric by which rows are sorted comes first, because it explains their order. */
function leadWithSort(metrics: readonly ReportHeader[], { request }: Result): readonly ReportHeader[] {
  const sorted = metrics.find(({ name }) => name === request.sort[0]?.field);
  return sorted === undefined ? metrics : [sorted, ...metrics.filter((metric) => metric !== sorted)];
}

/** Lines and stacks need all rows, so they are not offered for a part; nor are small multiples over dates. */
function choicesFor(
  dimensions: readonly ReportHeader[],
  metrics: readonly ReportHeader[],
  catalogue: Catalogue,
  { isComplete, isCross }: { readonly isComplete: boolean; readonly isCross: boolean },
): readonly DrawnKind[] {
  const [first] = metrics;
  if (first === undefined || dimensions.length === 0) return [];
  const hasDate = dimensions.some(({ type }) => type === 'date');
  const sequences = dimensions.filter((column) => isSequenceColumn(column, catalogue)).length;
  const isGrid = isCross && sequences + (hasDate ? 1 : 0) === 2; // such as hours of weekdays, or of days
  const canStack = isAdditive(first, catalogue);
  const offered: readonly (readonly [DrawnKind, boolean])[] = [
    ['heat', isGrid],
    ['line', hasDate && isComplete],
    ['stack', dimensions.length === 1 && partsOf(metrics).length > 0 && isComplete],
    ['bar', !isCross && (!hasDate || dimensions.length === 1)],
    ['stack', isCross && canStack && isComplete],
    ['multiples', isCross && (isComplete || !hasDate)],
    ['bar', isCross && !hasDate],
    ['heat', isCross && !isGrid],
    ['scatter', metrics.length > 1 && !hasDate],
  ];
  return offered.flatMap(([kind, suits]) => (suits ? [kind] : []));
}

/** @returns whether several rows have the same value; names and their ids are drawn as one dimension */
function repeats(dimension: ReportHeader | undefined, rows: readonly ComparedRow[]): boolean {
  return dimension !== undefined && new Set(rows.map(({ row }) => row[dimension.name])).size < rows.length;
}

function isSequenceColumn({ name }: ReportHeader, catalogue: Catalogue): boolean {
  const field = catalogue.dimension(name);
  return field !== undefined && isSequence(field);
}

/** A date, else a sequence, else the first dimension; bars of several dimensions always have the first. */
function axisOf(kind: DrawnKind, dimensions: readonly ReportHeader[], catalogue: Catalogue): ReportHeader | undefined {
  const date = dimensions.find(({ type }) => type === 'date');
  if (kind !== 'bar' || dimensions.length === 1) {
    return date ?? dimensions.find((column) => isSequenceColumn(column, catalogue)) ?? dimensions[0];
  }
  return dimensions[0];
}

function planPanels(input: Input, metrics: readonly ReportHeader[]): readonly [readonly Panel[], readonly string[]] {
  const { kind, dimensions } = input;
  const hasSeries = dimensions.length > 1 && kind !== 'bar' && kind !== 'scatter';
  const single = kind === 'stack' || kind === 'multiples' || kind === 'heat';
  const isOfParts = kind === 'stack' && !hasSeries;
  const groups = isOfParts
    ? [partsOf(metrics)]
    : hasSeries || kind !== 'line'
      ? metrics.map((metric) => [metric])
      : byUnit(metrics.slice(0, SERIES_COLORS));
  const shown = groups.slice(0, single ? 1 : kind === 'scatter' ? 2 : MAX_PANELS);
  const drawn = shown.flat();
  const [first] = drawn;
  const canSum = (metric: ReportHeader) => sumsOthers(metric, input);
  const picked = hasSeries && first !== undefined ? pickSeries(toMarks(input, first), drawn.some(canSum)) : undefined;
  const planned = shown.map((group) => planPanel(input, group, picked));
  const left = metrics.filter((metric) => !drawn.includes(metric));
  const leftOut = left.length === 0 ? [] : [`Not drawn: ${left.map(({ title }) => title).join(', ')}.`];
  const panels = planned.map(({ panel }) => panel);
  const titles = drawn.map((metric) => ({ title: metric.title, isSummed: canSum(metric) }));
  const others = picked === undefined || kind === 'heat' ? [] : noteOthers(picked, titles);
  const notes = new Set(planned.flatMap((each) => each.notes));
  return [panels, [...others, ...notes, ...(kind === 'scatter' ? pointNote(panels) : []), ...leftOut]];
}

/** @returns the direct and the other part of purchases, if the first metric is one of the two: they add up, so that their stack has a meaning */
function partsOf(metrics: readonly ReportHeader[]): readonly ReportHeader[] {
  const whole = metrics[0]?.name.replace(/^(direct|other)_/, '');
  const parts = metrics.filter(({ name }) => name === `direct_${whole}` || name === `other_${whole}`);
  return parts.length === 2 ? parts : [];
}

/** A point needs a value of both metrics. */
function pointNote(panels: readonly Panel[]): string[] {
  const [across, upwards] = panels;
  const missing = across?.marks.filter(({ value }, row) => value === null || upwards?.marks[row]?.value === null) ?? [];
  if (missing.length === 0) return [];
  const rows = missing.length === 1 ? '1 row that has' : `${missing.length} rows that have`;
  return [`Not drawn: ${rows} no value of ${panels.map(({ title }) => title).join(' or of ')}.`];
}

/** Metrics of the same unit share an axis, and different units never do. */
function byUnit(metrics: readonly ReportHeader[]): readonly (readonly ReportHeader[])[] {
  return [...Map.groupBy(metrics, ({ unit }) => unit).values()];
}

/** @param picked the series; undefined if the metrics are the series */
function planPanel(
  input: Input,
  group: readonly ReportHeader[],
  picked: PickedSeries | undefined,
): { panel: Panel; notes: readonly string[] } {
  const { kind, axis, isOrdered, rows } = input;
  const [column] = group;
  if (column === undefined || axis === undefined) throw new Error('a panel needs a metric and an axis');
  const title = group.map((metric) => metric.title).join(', ');
  if (picked === undefined) {
    const isBar = kind === 'bar' && axis.type !== 'date';
    const limit = isBar && !isOrdered ? MAX_BARS : rows.length;
    const drawn = rows.slice(0, limit);
    const notes =
      drawn.length < rows.length ? [`Bars of the first ${limit} of ${rows.length} rows, in the table’s order.`] : [];
    const marksOf = (metric: ReportHeader) => drawn.map((row) => toMark(input, row, metric, metric.title));
    const marks = group.flatMap((metric) => fillDays(input, marksOf(metric), metric, metric.title));
    return { panel: { title, column, marks, series: group.map((metric) => metric.title) }, notes };
  }
  const { series, marks, notes } = limitMarks(input, column, picked);
  if (kind !== 'line' && kind !== 'multiples') return { panel: { title, column, marks, series }, notes };
  const marksOf = (name: string) => marks.filter((mark) => mark.series === name);
  const filled = series.flatMap((name) => fillDays(input, marksOf(name), column, name));
  return { panel: { title, column, marks: filled, series }, notes };
}

function limitMarks(input: Input, column: ReportHeader, picked: PickedSeries) {
  const { kind, axis, isOrdered, dimensions, catalogue } = input;
  const all = toMarks(input, column);
  const other = dimensions.find((dimension) => dimension !== axis);
  if (kind === 'heat' && axis !== undefined && other !== undefined) {
    const areRowsOrdered = isSequenceColumn(other, catalogue);
    const hasPlace = ({ x, series }: Mark) =>
      (x !== NO_LABEL || !isOrdered) && (series !== NO_LABEL || !areRowsOrdered);
    const placed = all.filter(hasPlace); // beside whole days, hours would hardly differ in colour
    const names = placed.map(({ series }) => ({ x: series }));
    const values = valuesAlong(names, { axis: undefined, isOrdered: areRowsOrdered });
    const columns = { title: axis.title, values: valuesAlong(placed, input) };
    const limited = limitCells(placed, columns, { title: other.title, values });
    const notes = placed.length < all.length ? ['Not drawn: days without hours; the table has them.'] : [];
    return { ...limited, notes: [...limited.notes, ...notes] };
  }
  const limited = limitSeries(all, picked, sumsOthers(column, input));
  // all of a sequence, such as hours, are drawn
  const hasBars = kind === 'multiples' && axis?.type !== 'date' && !isOrdered;
  return hasBars ? limitSmallBars(limited) : limited;
}

/** Small multiples have one scale for all, on which a sum of many would make the others small. */
function sumsOthers(metric: ReportHeader, { kind, catalogue }: Input): boolean {
  return kind !== 'multiples' && isAdditive(metric, catalogue);
}

/** @returns whether values of the metric may be added up, for example in a stack */
function isAdditive({ name }: ReportHeader, catalogue: Catalogue): boolean {
  return catalogue.metric(name)?.kind === 'sum';
}

/** @returns the marks of a metric whose series are the other dimensions */
function toMarks(input: Input, metric: ReportHeader): Mark[] {
  const others = input.dimensions.filter((dimension) => dimension !== input.axis);
  const seriesOf = ({ row }: ComparedRow) => others.map(({ name }) => textOf(row, name)).join(' · ');
  return input.rows.map((row) => toMark(input, row, metric, seriesOf(row)));
}

function toMark(
  { axis, kind, dimensions }: Input,
  { row, previous }: ComparedRow,
  metric: ReportHeader,
  series: string,
): Mark {
  const label = dimensions.map(({ name }) => textOf(row, name)).join(' · ');
  const at = kind === 'bar' || kind === 'scatter' ? label : axis === undefined ? NO_LABEL : textOf(row, axis.name);
  const x = axis?.type === 'date' && at !== NO_LABEL && kind !== 'scatter' ? new Date(`${at}T00:00:00Z`) : at;
  return { x, series, value: numberOf(row[metric.name]), previous: numberOf(previous?.[metric.name]), label, row };
}
