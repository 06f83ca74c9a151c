import { tableFromIPC } from '@uwdata/flechette';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { toArrow } from '../../../shared/http/format/arrow.ts';
import { toCsv } from '../../../shared/http/format/csv.ts';
import { runCachedReport } from '../../../shared/report/cached-report.ts';
import type { ReportEnvelope, ReportQuery, ReportResult, ReportValue } from '../../../shared/report/query/query.ts';
import { openResult } from '../../../shared/store/cache/results.ts';
import { dataset } from '../../support/facts.ts';
import { memorySource } from '../../support/memory-source.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import { useTable } from '../../support/use-engine.ts';
import { arrowRows } from './arrow-rows.ts';

/** Every type of column, texts with the special characters of CSV, undefined ratios, and numbers with many digits. */
const facts = dataset({
  delivery: Array.from({ length: 90 }, (_, i) => ({
    date: `2025-03-0${1 + (i % 3)}`,
    keyword: ['plain', 'a, "b"', '=1+1', 'ü\nx', null][i % 5] ?? null,
    hour: i % 24,
    impressions: i % 7 === 0 ? 0 : i * 1_001,
    clicks: i % 4,
    spendMicros: i * 333_333,
  })),
});

const QUERY: Omit<ReportQuery, 'pagination'> = {
  experience: 'pla',
  startDate: '2025-03-01',
  endDate: '2025-03-31',
  metrics: ['impressions', 'cost', 'click_through_rate', 'cost_per_click', 'campaign_start_date'],
  dimensions: ['keyword', 'daily_date', 'hour', 'ad_group_id'],
  filters: [],
  sort: [{ field: 'cost', order: 'DESC' }],
};
const SIZE = 20;

const estimated = vi.hoisted(() => ({ seconds: 0 }));
vi.mock(import('../../../shared/report/guard/estimate-cost.ts'), async (importOriginal) => {
  const original = await importOriginal();
  return { ...original, estimateCost: (...given) => ({ ...original.estimateCost(...given), ...estimated }) };
});

const made = useTable();
let [cachedReads, scans] = [0, 0];

/** @returns a page of the report, which is cached as soon as its first page has been read */
async function readPage(offset: number, isCaching: boolean): Promise<ReportResult> {
  const results = openResult<ReportEnvelope, readonly ReportValue[]>(made.table, { report: isCaching });
  const source = memorySource(facts);
  const input: Parameters<typeof runCachedReport>[0] = {
    query: { ...QUERY, pagination: { offset, size: SIZE } },
    scope: { accountIds: new Set([1]), advertiserIds: [1], ownAdvertiserIds: [1] },
    settings: SETTINGS,
    source,
    results,
    onCacheError: (error) => {
      throw error;
    },
  };
  estimated.seconds = isCaching ? 10 : 0; // only an expensive report is cached
  const { report } = await runCachedReport(input);
  if (source.log.days.length > 0) scans++;
  else cachedReads++;
  return report;
}

/** The formats of the service, each as a function of the report. */
const FORMATS = {
  json: ({ headers, data, totalCount, totals }: ReportResult) => JSON.stringify({ headers, data, totalCount, totals }),
  csv: ({ headers, data }: ReportResult) => toCsv(headers, data, { bom: false, formulas: 'unchanged' }),
  arrow: (report: ReportResult) => {
    const period = { startDate: '2025-03-01', endDate: '2025-03-31' };
    const page = { offset: 0, size: SIZE, hasMore: true };
    const meta = { ...report.meta, page, period, dataVersion: '1', requestId: 'r' };
    return toArrow({ ...report, meta });
  },
} as const;

describe('a later page of a cached report', () => {
  let cached: ReportResult;
  let computed: ReportResult;
  beforeAll(async () => {
    await readPage(0, true);
    cached = await readPage(SIZE, true);
    computed = await readPage(SIZE, false);
  });

  test('is read without a scan, and has values of every kind', () => {
    expect([cachedReads, scans]).toEqual([1, 2]);
    expect(cached.data).toHaveLength(SIZE);
    const types = new Set(cached.data.flatMap((row) => Object.values(row)).map((value) => typeof value));
    expect(types).toEqual(new Set(['string', 'number', 'object']));
  });

  test.each(['json', 'csv', 'arrow'] as const)('is byte for byte that of the computed report as %s', (format) => {
    expect(FORMATS[format](cached)).toEqual(FORMATS[format](computed));
  });

  test('has the same values in CSV and Arrow as in JSON', () => {
    const rows = cached.data;
    const table = tableFromIPC(new Uint8Array(FORMATS.arrow(cached)), { useDate: true });
    expect(arrowRows(table)).toEqual(rows);
    const csv = FORMATS.csv(cached);
    const lines = csv.trimEnd().split('\r\n').slice(1);
    const read = lines.map((line) => {
      const cells = [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell = '']) => cell);
      return Object.fromEntries(cached.headers.map(({ name }, index) => [name, cellValue(cells[index] ?? '')]));
    });
    expect(read).toEqual(rows);
  });
});

/** @returns the value of a cell: null is empty, texts are quoted, dates and numbers are not */
function cellValue(cell: string): ReportValue {
  if (cell === '') return null;
  if (cell.startsWith('"')) return cell.slice(1, -1).replaceAll('""', '"');
  return /^\d{4}-\d\d-\d\d$/.test(cell) ? cell : Number(cell);
}
