import { type DrawnKind, keyOf, type Mark, SERIES_COLORS } from './marks.ts';

/** Columns of a heat map, which share its width: about four months of days. */
const MAX_CELL_COLUMNS = 120;
/** Rows of a heat map, which have a fixed height: with so many, it is about 600 pixels high. */
const MAX_CELL_ROWS = 40;
/** Bars of each small chart, of which there are up to SERIES_COLORS. */
const MAX_SMALL_BARS = 10;
/** The series of the sums; in parentheses, because a campaign may be called “Others”. */
const OTHERS = '(others)';

/** What is drawn of the marks, and what is not. */
export interface Limited {
  readonly series: readonly string[];
  readonly marks: readonly Mark[];
  readonly notes: readonly string[];
}

/**
 * Keeps the largest series, each of which has a colour of its own. The others are added up in a stack, whose metric is a sum, and left out of other charts.
 * @param metric its title, for the notes
 */
export function limitSeries(marks: readonly Mark[], kind: DrawnKind, metric: string): Limited {
  const sizes = new Map<string, number>();
  for (const { series, value } of marks) sizes.set(series, (sizes.get(series) ?? 0) + Math.abs(value ?? 0));
  const ranked = [...sizes].sort(([, a], [, b]) => b - a).map(([name]) => name);
  if (ranked.length <= SERIES_COLORS) return { series: ranked, marks, notes: [] };
  const isSummed = kind === 'stack';
  const kept = new Set(ranked.slice(0, isSummed ? SERIES_COLORS - 1 : SERIES_COLORS));
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

interface CellAxis {
  readonly title: string;
  /** In the order in which they are drawn. */
  readonly values: readonly string[];
}

/** Keeps the first columns and rows of a heat map. @returns its rows as series */
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
