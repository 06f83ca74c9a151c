import { writeReportWorkbook } from '../../../shared/web/explorer/export/report-workbook.ts';
import type { Row } from '../../../shared/web/explorer/question/compare-rows.ts';
import { EMPTY_QUESTION } from '../../../shared/web/explorer/question/question.ts';
import type { ReportHeader, ReportPage } from '../../../shared/web/explorer/service/api.ts';
import { CATALOGUE } from './support.ts';

const header = (name: string, type: string, role = 'metric', unit: string | null = null) =>
  ({ name, type, role, unit, title: CATALOGUE.titleOf(name) }) as ReportHeader;

const HEADERS = [
  header('campaign_name', 'text', 'dimension'),
  header('campaign_id', 'integer', 'dimension'),
  header('entity_id', 'text', 'dimension'),
  header('hour', 'integer', 'dimension'),
  header('daily_date', 'date', 'dimension'),
  header('cost', 'decimal', 'metric', 'USD'),
  header('click_through_rate', 'decimal', 'metric', 'fraction'),
  header('clicks', 'integer', 'metric', 'count'),
];
const NAMES = HEADERS.map(({ name }) => name);

type Values = readonly (string | number | null)[];

const rowOf = (values: Values): Row => Object.fromEntries(values.map((value, index) => [NAMES[index] ?? '', value]));

/** Texts that programs take for something else, and figures that a double of Excel does not show. */
export const NASTY_ROWS: readonly Values[] = [
  ['=HYPERLINK("http://x","y")', 60001, '00012345678905', 0, '2026-02-28', 1234.5, 0.0139, 0],
  ['+1&<b>"quoted"</b>', 1, '12345', 23, '2024-02-29', 0, 0, 7],
  ['_x0041_ and __x000a_', 2, 'é', null, null, null, null, null],
  ['constructor', 9007199254740991, '1e5', 5, '2026-03-01', 12345678901234.56, 1 / 3, 1234567890123456],
  ['two\nlines', 3, '5-6', 5, '2026-03-01', 123456789012345, -1e-7, 123456789012345],
];

interface Written {
  readonly rows?: readonly Values[];
  /** Rows of a page. */
  readonly size?: number;
  readonly totalCount?: number;
}

/** @returns the workbook of a report with the rows */
export function writeRows({ rows = NASTY_ROWS, size = rows.length, totalCount = rows.length }: Written = {}) {
  const totals = rowOf([null, null, null, null, null, 99.5, null, 7]);
  const meta = {
    period: { startDate: '2026-02-01', endDate: '2026-03-01' },
    timezone: 'UTC',
    currency: 'USD',
    dataCompleteThrough: '2026-03-01',
    dataFinalThrough: null,
    attribution: { windowDays: 14, basis: 'conversion day', link: 'https://example.com/method' },
    warnings: [{ message: 'Hours are unknown.' }],
  };
  async function* pages() {
    for (let offset = 0; offset < rows.length; offset += size) {
      const data = rows.slice(offset, offset + size).map(rowOf);
      yield { headers: HEADERS, data, totalCount, totals, meta } as unknown as ReportPage; // what the workbook has of it
    }
  }
  const question = { ...EMPTY_QUESTION, filters: [{ field: 'clicks', operator: 'GREATER_THAN', values: ['1'] }] };
  const request = { ...EMPTY_QUESTION.period, advertiserIds: [], metrics: [], dimensions: [], filters: [], sort: [] };
  const context = {
    catalogue: CATALOGUE,
    title: 'Cost by Campaign',
    owners: 'One',
    link: 'https://example.com/#/report',
  };
  const options = { onProgress: () => undefined, signal: new AbortController().signal };
  return writeReportWorkbook({ pages }, { question, request }, context, options);
}
