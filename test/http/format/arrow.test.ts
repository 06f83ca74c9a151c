import { Type, tableFromIPC } from '@uwdata/flechette';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ReportResultResponse } from '../../../shared/contract/report/report-response.ts';
import { toArrow } from '../../../shared/http/format/arrow.ts';

type Row = ReportResultResponse['data'][number];
type Header = ReportResultResponse['headers'][number];

const header = (name: string, type: Header['type'], more: Partial<Header> = {}): Header => ({
  name,
  title: `The ${name}`,
  role: 'dimension',
  type,
  unit: null,
  description: `What ${name} means: ≤ 1.`,
  ...more,
});

const HEADERS = [
  header('daily_date', 'date'),
  header('keyword', 'text'),
  header('brand', 'text'),
  header('impressions', 'integer', { role: 'metric', unit: 'count' }),
  header('cost', 'decimal', { role: 'metric', unit: 'USD', standardError: 0.016 }),
];

const TOTALS = { impressions: 7, cost: 0.5 };
const META = {
  page: { offset: 0, size: 100, hasMore: false },
  period: { startDate: '2026-02-01', endDate: '2026-02-28' },
  timezone: 'America/New_York',
  currency: 'USD',
  data: { from: null, through: null, missingDays: [], missingDayCount: 0, gaps: [], gapDayCount: 0, tables: [] },
  dataCompleteThrough: '2026-03-01',
  dataFinalThrough: null,
  dataVersion: '1',
  dataUpdatedAt: null,
  attribution: { windowDays: 14, basis: 'conversion day' },
  requestId: 'r-1',
  warnings: [],
};

const reportOf = (data: readonly Row[], headers = HEADERS): ReportResultResponse => ({
  headers,
  data,
  totalCount: data.length,
  totals: TOTALS,
  meta: META,
});

/** @returns the rows as a reader sees them, with dates as texts, and the table */
function readBack(report: ReportResultResponse) {
  const table = tableFromIPC(toArrow(report), { useDate: true });
  return { table, rows: arrowRows(table) };
}

const ROWS: readonly Row[] = [
  { daily_date: '2026-02-01', keyword: 'oat milk', brand: 'Oat Hill', impressions: 5, cost: 0.1 },
  { daily_date: '1969-12-31', keyword: null, brand: 'oat milk', impressions: 2 ** 53 - 1, cost: 1e-9 },
  { daily_date: null, keyword: '', brand: 'Oat Hill', impressions: null, cost: null },
];

describe('an Arrow stream', () => {
  test('has the values that the report has', () => {
    expect(readBack(reportOf(ROWS)).rows).toEqual(ROWS);
  });

  test('has typed columns: dates, dictionaries of texts, 64-bit integers and doubles', () => {
    const types = readBack(reportOf(ROWS)).table.schema.fields.map(({ name, type }) => [
      name,
      type.typeId,
      'bitWidth' in type ? type.bitWidth : undefined,
    ]);
    expect(types).toEqual([
      ['daily_date', Type.Date, undefined],
      ['keyword', Type.Dictionary, undefined],
      ['brand', Type.Dictionary, undefined],
      ['impressions', Type.Int, 64],
      ['cost', Type.Float, undefined],
    ]);
  });

  test('has the header of a column in the metadata of its field, and totals and meta in those of the schema', () => {
    const { schema } = readBack(reportOf(ROWS)).table;
    expect(Object.fromEntries(schema.fields.at(-1)?.metadata ?? [])).toEqual({
      name: 'cost',
      title: 'The cost',
      role: 'metric',
      type: 'decimal',
      unit: 'USD',
      description: 'What cost means: ≤ 1.',
      standardError: '0.016',
    });
    const metadata = Object.fromEntries(schema.metadata ?? []);
    expect(Object.keys(metadata)).toEqual(['totalCount', 'totals', 'meta']);
    expect(JSON.parse(metadata.totals ?? '')).toEqual(TOTALS);
    expect(JSON.parse(metadata.meta ?? '')).toEqual(META);
  });

  test('of a page without rows has all columns with their types', () => {
    const { table, rows } = readBack(reportOf([]));
    expect(rows).toEqual([]);
    expect(table.schema.fields.map(({ name, type }) => [name, type.typeId])).toEqual([
      ['daily_date', Type.Date],
      ['keyword', Type.Dictionary],
      ['brand', Type.Dictionary],
      ['impressions', Type.Int],
      ['cost', Type.Float],
    ]);
  });

  test('has columns in which every value is null', () => {
    const row = { daily_date: null, keyword: null, brand: null, impressions: null, cost: null };
    expect(readBack(reportOf([row, row])).rows).toEqual([row, row]);
  });

  test('has integers above 2^53, which JSON shows as the nearest double', () => {
    const report = reportOf([{ impressions: 2 ** 60 }], [header('impressions', 'integer')]);
    expect(tableFromIPC(toArrow(report), { useBigInt: true }).toArray()).toEqual([{ impressions: 2n ** 60n }]);
  });

  test('has doubles for an integer column with a value that 64 bits do not hold', () => {
    const { table, rows } = readBack(
      reportOf([{ impressions: 2 ** 64 }, { impressions: null }], [header('impressions', 'integer')]),
    );
    expect(rows).toEqual([{ impressions: 2 ** 64 }, { impressions: null }]);
    expect(table.schema.fields[0]?.type.typeId).toBe(Type.Float);
  });

  test('has the values of any report', () => {
    const value = {
      date: fc.constantFrom('2026-02-28', '2024-02-29', '1969-12-31', '0100-01-01', '9999-12-31'),
      text: fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('', '__proto__', '0', 'null', 'constructor')),
      integer: fc.maxSafeInteger(),
      decimal: fc.double({ noNaN: true, noDefaultInfinity: true }),
    };
    const row = fc.record(
      Object.fromEntries(HEADERS.map(({ name, type }) => [name, fc.option<string | number>(value[type])])),
    );
    fc.assert(
      fc.property(fc.array(row, { maxLength: 30 }), (data) => {
        expect(readBack(reportOf(data)).rows).toEqual(data);
      }),
    );
  });
});

/** @returns the rows of a table that was read with `useDate`, with dates as texts */
function arrowRows(table: ReturnType<typeof tableFromIPC>): Readonly<Record<string, unknown>>[] {
  const textOf = (value: unknown) => (value instanceof Date ? value.toISOString().slice(0, 10) : value);
  return table
    .toArray()
    .map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, textOf(value)])));
}
