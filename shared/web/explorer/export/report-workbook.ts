import { dayNumber } from '../../../lib/calendar.ts';
import { readUnchanged } from '../../client/file-pages.ts';
import { type Catalogue, experienceTitle, isNumericMetric, isSequence } from '../question/catalogue.ts';
import type { ComparedRow, Row } from '../question/compare-rows.ts';
import { describeFilter } from '../question/describe.ts';
import { describeFacts } from '../question/describe-facts.ts';
import { format, isCurrency, titleOf } from '../question/format.ts';
import { type Api, comparedRows, type ReportHeader, type ReportPage } from '../service/api.ts';
import type { Result } from '../service/use-result.ts';
import type { TaskOptions } from './use-tasks.ts';
import { type Cell, WorkbookWriter } from './workbook-writer.ts';

/** With the question and its owners in words. */
interface WorkbookContext extends Readonly<Record<'title' | 'owners' | 'link', string>> {
  readonly catalogue: Catalogue;
}

interface SheetColumn {
  readonly title: string;
  readonly width: number;
  readonly cellOf: (row: ComparedRow) => Cell;
}

/** Rows that a sheet of Excel has below the header. */
const MAX_ROWS = 1_048_575;
/** In characters. */
const MAX_WIDTH = 60;
/** The number that Excel has for the day 1970-01-01. */
const EXCEL_1970 = 25_569;
const ABOUT_WIDTHS = [24, MAX_WIDTH, 24, 24, 24];

/**
 * Reads all rows of the result, in its order.
 * @returns a workbook with one sheet of the rows and one of what they depend on; the totals are in the second, because filters and sums would count them
 * @throws Error if a sheet cannot have that many rows; EndcapError DATA_CHANGED as `downloadReport`
 */
export function writeReportWorkbook(
  api: Pick<Api, 'pages'>,
  { question, request }: Pick<Result, 'question' | 'request'>,
  context: WorkbookContext,
  { onProgress, signal }: TaskOptions,
): Promise<Blob> {
  const begin = (page: ReportPage) => {
    const columns = page.headers.flatMap((header) => columnsOf(header, page, context.catalogue));
    return { columns, workbook: new WorkbookWriter(columns), about: aboutRows(page, question, context) };
  };
  return readUnchanged(async () => {
    let begun: ReturnType<typeof begin> | undefined;
    let rows = 0;
    for await (const page of api.pages(question.experience, request, signal)) {
      if (page.totalCount > MAX_ROWS)
        throw new Error(`a sheet of Excel has ${format.count(MAX_ROWS)} rows at most, so choose CSV`);
      begun ??= begin(page);
      const { columns, workbook } = begun;
      workbook.addRows(comparedRows(page).map((row) => columns.map(({ cellOf }) => cellOf(row))));
      rows += page.data.length;
      onProgress(rows, page.totalCount);
    }
    if (begun === undefined) throw new Error('a report has at least one page');
    return begun.workbook.finish(ABOUT_WIDTHS, begun.about);
  });
}

/** @returns the column of the header; with a compared period, the earlier values and the changes follow it */
function columnsOf(header: ReportHeader, { data, comparedTotals }: ReportPage, catalogue: Catalogue): SheetColumn[] {
  const { name, role, type } = header;
  const shown = data.slice(0, 1_000).map((row) => format.value(header, row[name]).length);
  const longest = Math.min(MAX_WIDTH, Math.max(...shown, 8) + 4); // money has the code of its currency
  const own = numberFormat(header, catalogue);
  const column = (suffix: string, rowOf: (row: ComparedRow) => Row | undefined, pattern = own): SheetColumn => {
    const title = `${titleOf(header)}${suffix}`;
    const width = Math.max(longest, title.length + 4); // with the button of the filter
    return { title, width, cellOf: (row) => toCell(type, pattern, rowOf(row)?.[name]) };
  };
  const columns = [column('', ({ row }) => row)];
  if (comparedTotals === undefined || role !== 'metric') return columns;
  columns.push(column(' before', ({ previous }) => previous));
  if (!isNumericMetric(header)) return columns;
  const relative = column(' relative change', ({ relativeChange }) => relativeChange, '0.00%');
  return [...columns, column(' change', ({ change }) => change), relative];
}

/** @returns the format of numbers; undefined for ids, which are texts */
function numberFormat({ name, role, type, unit }: ReportHeader, catalogue: Catalogue): string | undefined {
  const dimension = role === 'dimension' ? catalogue.dimension(name) : undefined;
  if (dimension !== undefined && type === 'integer' && !isSequence(dimension)) return undefined;
  if (unit === null) return 'General';
  if (unit === 'fraction') return '0.00%';
  if (!isCurrency(unit)) return type === 'integer' ? '#,##0' : '#,##0.00';
  const money = new Intl.NumberFormat('en', { style: 'currency', currency: unit }).resolvedOptions();
  return `[$${unit}] #,##0.${'0'.repeat(money.maximumFractionDigits ?? 0)}`.replace(/\.$/, '');
}

function toCell(type: string, pattern: string | undefined, value: string | number | null | undefined): Cell {
  if (value === null || value === undefined) return null;
  if (type === 'date') return { number: dayNumber(String(value)) + EXCEL_1970, format: 'yyyy-mm-dd' };
  if (typeof value === 'string' || pattern === undefined) return String(value);
  // Excel shows 15 digits, of which whole numbers and cents need all
  const losesDigits = Math.abs(value) >= 1e13 && Number(value.toPrecision(15)) !== value;
  return losesDigits ? String(value) : { number: value, format: pattern };
}

function aboutRows(page: ReportPage, question: Result['question'], context: WorkbookContext): Cell[][] {
  const { totals, comparedTotals, changeTotals, relativeChangeTotals, headers, meta, totalCount } = page;
  const { catalogue, title, owners, link } = context;
  const total = { row: totals, previous: comparedTotals, change: changeTotals, relativeChange: relativeChangeTotals };
  return [
    ['Report', title],
    ['Experience', experienceTitle(question.experience)],
    ['Accounts', owners],
    ...question.filters.map((filter) => ['Filter', describeFilter(filter, catalogue, format)]),
    ...describeFacts(meta).flatMap(([name, value]) => (value ? [[name, value]] : [])),
    ['Rows', { number: totalCount, format: '#,##0' }],
    ['Link', link],
    ...meta.warnings.map(({ message }) => ['Warning', message]),
    [],
    ['Totals', 'Total', ...(comparedTotals === undefined ? [] : ['Before', 'Change', 'Relative change'])],
    ...headers
      .filter(({ role }) => role === 'metric')
      .map((header) => [titleOf(header), ...columnsOf(header, page, catalogue).map(({ cellOf }) => cellOf(total))]),
  ];
}
