import { keyOf, type Mark, SERIES_COLORS } from './marks.ts';

/** Columns of a heat map, which share its width: about four months of days. */
const MAX_CELL_COLUMNS = 120;
/** Rows of a heat map, which have a fixed height: with so many, it is about 600 pixels high. */
const MAX_CELL_ROWS = 40;
/** Bars of each small chart, of which there are up to SERIES_COLORS. */
const MAX_SMALL_BARS = 10;
/** The series of the sums; in parentheses, because a campaign may be called “Other”. */
const OTHER = '(other)';

interface Limited {
  readonly series: readonly string[];
  readonly marks: readonly Mark[];
  readonly notes: readonly string[];
}

/** The series that are drawn, in the order of their colours, and the number of the others. */
export interface PickedSeries {
  readonly kept: readonly string[];
  readonly others: number;
}

/** @returns the largest series, as many as there are colours; one less if sums of the others need one */
export function pickSeries(marks: readonly Mark[], hasOther: boolean): PickedSeries {
  const sizes = new Map<string, number>();
  for (const { series, value } of marks) sizes.set(series, (sizes.get(series) ?? 0) + Math.abs(value ?? 0));
  const ranked = [...sizes].sort(([, a], [, b]) => b - a).map(([name]) => name);
  if (ranked.length <= SERIES_COLORS) return { kept: ranked, others: 0 };
  const kept = ranked.slice(0, hasOther ? SERIES_COLORS - 1 : SERIES_COLORS);
  return { kept, others: ranked.length - kept.length };
}

/** @returns the marks of the picked series and, if values may be added up, the sums of the others as one more series */
export function limitSeries(marks: readonly Mark[], { kept, others }: PickedSeries, isSummed: boolean): Limited {
  const names = new Set(kept);
  const own = marks.filter(({ series }) => names.has(series));
  if (others === 0 || !isSummed) return { series: kept, marks: own, notes: [] };
  const sums = new Map<string, Mark>();
  for (const mark of marks.filter(({ series }) => !names.has(series))) {
    const key = keyOf(mark);
    const sum = sums.get(key)?.value ?? null;
    const value = mark.value === null ? sum : (sum ?? 0) + mark.value;
    sums.set(key, { ...mark, row: undefined, series: OTHER, value, previous: null, label: `${key} · ${OTHER}` });
  }
  return { series: [...kept, OTHER], marks: [...own, ...sums.values()], notes: [] };
}

interface DrawnMetric {
  readonly title: string;
  readonly isSummed: boolean;
}

/** @returns what is drawn of the series that have no colour, which are smaller in the first metric */
export function noteOthers({ kept, others }: PickedSeries, metrics: readonly DrawnMetric[]): string[] {
  if (others === 0) return [];
  const largest = `The ${kept.length} largest of ${kept.length + others} series by ${metrics[0]?.title}; the table has all.`;
  const unsummed = metrics.filter(({ isSummed }) => !isSummed);
  if (unsummed.length === metrics.length) return [largest];
  const added = `${OTHER}: the other ${others} series, added up`;
  const titles = unsummed.map(({ title }) => title).join(', ');
  return [largest, titles === '' ? `${added}.` : `${added}; not in ${titles}, which cannot be added up.`];
}

interface CellAxis {
  readonly title: string;
  /** In the order in which they are drawn. */
  readonly values: readonly string[];
}

/** Keeps the first columns and rows of a heat map, whose series are its rows. */
export function limitCells(marks: readonly Mark[], columns: CellAxis, rows: CellAxis): Limited {
  const keptColumns = new Set(columns.values.slice(0, MAX_CELL_COLUMNS));
  const keptRows = new Set(rows.values.slice(0, MAX_CELL_ROWS));
  return {
    series: [...keptRows],
    marks: marks.filter((mark) => keptColumns.has(keyOf(mark)) && keptRows.has(mark.series)),
    notes: [...cellNote('Columns', keptColumns.size, columns), ...cellNote('Rows', keptRows.size, rows)],
  };
}

function cellNote(what: string, kept: number, { title, values }: CellAxis): string[] {
  return kept < values.length
    ? [`${what}: the first ${kept} of ${values.length} values of ${title}; the table has all.`]
    : [];
}

/** Keeps the first bars of each series, which has a small chart of its own. */
export function limitSmallBars({ series, marks, notes }: Limited): Limited {
  const bySeries = Map.groupBy(marks, (mark) => mark.series);
  const maxRows = Math.max(0, ...[...bySeries.values()].map(({ length }) => length));
  if (maxRows <= MAX_SMALL_BARS) return { series, marks, notes };
  const note = `Bars of the first ${MAX_SMALL_BARS} of up to ${maxRows} rows in each chart, in the table’s order.`;
  const kept = series.flatMap((name) => bySeries.get(name)?.slice(0, MAX_SMALL_BARS) ?? []);
  return { series, marks: kept, notes: [...notes, note] };
}
