import type { ReportHeader, ReportMeta } from '../../../../shared/web/client/client.ts';
import type { FilePage } from '../../../../shared/web/client/file-pages.ts';
import type { flattenCompared } from '../query/flatten-compared.ts';
import { formatHeader, formatValue } from './format-value.ts';

type FlatReport = ReturnType<typeof flattenCompared>;
type Row = FlatReport['totals'];

export interface TableOptions {
  readonly totals: boolean;
  readonly chart: boolean;
}

interface Column {
  readonly header: ReportHeader;
  readonly cells: readonly string[];
  readonly width: number;
}

/** Limits of a cell and of a bar, in characters. */
const MAX_TEXT = 40;
const MAX_BAR = 20;

/** @returns the lines of a table of the rows, with the totals and a bar of the first numeric metric in each row if they are asked for */
export function tableLines({ headers, data, totals }: FlatReport, options: TableOptions): string[] {
  const rows: readonly Row[] = options.totals ? [...data, totals] : data;
  const columns = headers.map((header, index) => makeColumn(header, rows, options.totals && index === 0));
  const metric = options.chart ? barMetric(headers) : undefined;
  const bars = metric === undefined ? [] : barsOf(metric, data);
  const line = (cells: readonly string[]) => cells.join('  ').trimEnd();
  const names = columns.map((column) => pad(formatHeader(column.header), column));
  const head = line(bars.length === 0 ? names : [...names, `bars: ${metric?.name}`]);
  const rule = line(columns.map(({ width }) => '─'.repeat(width)));
  const body = rows.map((_, row) => {
    const cells = columns.map((column) => pad(column.cells[row] ?? '', column));
    return line(bars[row] === undefined ? cells : [...cells, bars[row]]);
  });
  if (options.totals) body.splice(-1, 0, rule);
  return [head, rule, ...body];
}

/** @returns what the figures are based on, and the warnings */
export function metaLines(meta: ReportMeta): string[] {
  const { timezone, currency, dataCompleteThrough, attribution, warnings } = meta;
  const complete = dataCompleteThrough === null ? 'no data' : `data complete through ${dataCompleteThrough}`;
  const { windowDays, basis } = attribution;
  const attributed = `attribution ${windowDays === null ? basis : `${windowDays} days, by ${basis}`}`;
  return [`${complete} · ${timezone} · ${currency} · ${attributed}`, ...warningLines(warnings)];
}

/** @param omitted the number of further warnings, which did not fit into the headers of a file's response */
export function warningLines(warnings: FilePage['warnings'], omitted = 0): string[] {
  const lines = warnings.map(({ field, code, detail }) => `! ${field}: ${detail ?? code}`);
  return omitted === 0
    ? lines
    : [...lines, `! ${omitted} more warning${omitted === 1 ? '' : 's'}: --format json has all`];
}

/** @param namesTotals whether the last row is the totals and this column, if it is a dimension, labels it */
function makeColumn(header: ReportHeader, rows: readonly Row[], namesTotals: boolean): Column {
  const cells = rows.map((row, index) => {
    const isTotal = namesTotals && header.role === 'dimension' && index === rows.length - 1;
    if (isTotal) return 'total';
    return header.role === 'dimension' && !(header.name in row) ? '' : shorten(formatValue(row[header.name], header));
  });
  const width = cells.reduce((max, cell) => Math.max(max, cell.length), formatHeader(header).length);
  return { header, cells, width };
}

function shorten(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text;
}

function pad(text: string, { header, width }: Column): string {
  return header.type === 'integer' || header.type === 'decimal' ? text.padStart(width) : text.padEnd(width);
}

/** @returns the first metric with numbers, which the bars show */
function barMetric(headers: readonly ReportHeader[]): ReportHeader | undefined {
  return headers.find(({ role, type }) => role === 'metric' && (type === 'integer' || type === 'decimal'));
}

/** @returns a bar for each row, in proportion to the metric, after a minus sign if that is negative */
function barsOf(metric: ReportHeader, data: readonly Row[]) {
  const values = data.map((row) => Number(row[metric.name] ?? 0));
  const max = values.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
  const longest = values.some((value) => value < 0) ? MAX_BAR - 1 : MAX_BAR;
  const barOf = (value: number) => `${value < 0 ? '-' : ''}${bar((Math.abs(value) / max) * longest)}`;
  return values.map((value) => (max > 0 ? barOf(value) : ''));
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** @returns a bar of `length` characters, rounded to an eighth of one; a length above 0 gives at least an eighth */
function bar(length: number): string {
  const eighths = Math.max(length > 0 ? 1 : 0, Math.round(length * 8));
  return `${'█'.repeat(Math.floor(eighths / 8))}${EIGHTHS[eighths % 8]}`;
}
