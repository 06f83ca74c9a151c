import { describe, expect, it } from 'vitest';
import { type ResultStore, runCachedReport } from '../../shared/report/cached-report.ts';
import type { ReportEnvelope, ReportQuery, ReportValue } from '../../shared/report/query.ts';
import { runReport } from '../../shared/report/run-report.ts';
import { dataset } from '../support/facts.ts';
import { memorySource } from '../support/memory-source.ts';
import { SETTINGS } from '../support/report-settings.ts';

const data = dataset({
  delivery: Array.from({ length: 50 }, (_, i) => ({ date: '2025-03-03', keyword: `kw ${i % 40}`, impressions: i })),
});
const scope = { accountIds: new Set([1]), advertiserIds: [1] };

function queryAt(offset: number, size: number): ReportQuery {
  return {
    experience: 'pla',
    startDate: '2025-03-01',
    endDate: '2025-03-31',
    metrics: ['impressions', 'click_through_rate'],
    dimensions: ['keyword'],
    filters: [],
    sort: [{ field: 'impressions', order: 'DESC' }],
    pagination: { offset, size },
  };
}

/** Keeps one report in memory, and counts what it was asked. */
class KeptResult implements ResultStore {
  writes = 0;
  kept: { frame: ReportEnvelope; rows: readonly (readonly ReportValue[])[] } | undefined;
  readonly bytesARow: number;

  constructor(bytesARow = 20) {
    this.bytesARow = bytesARow;
  }

  async read(offset: number, size: number) {
    return this.kept && { frame: this.kept.frame, rows: this.kept.rows.slice(offset, offset + size) };
  }

  async write(frame: ReportEnvelope, rows: readonly (readonly ReportValue[])[]) {
    this.writes++;
    this.kept = { frame, rows };
  }

  sizeOf(_: unknown, totalCount: number) {
    return this.bytesARow * totalCount;
  }
}

const unkept: unknown[] = [];

/** Asks for a page whose facts take that many read units. */
async function ask(results: ResultStore, query: ReportQuery, units: number) {
  const source = memorySource(data);
  const readUnits = () => (source.log.days.length > 0 ? units : 0);
  const { report, scannedRows } = await runCachedReport({
    query,
    scope,
    settings: SETTINGS,
    source,
    results,
    readUnits,
    onCacheError: (error) => unkept.push(error),
  });
  return { report, scannedRows, read: source.log.days.length };
}

describe('a report of 40 rows', () => {
  it('is answered even where it cannot be kept, and why is told', async () => {
    const full = new Error('the table takes no more');
    const results = new KeptResult();
    results.write = () => Promise.reject(full);
    const { report } = await ask(results, queryAt(0, 15), 5_000);
    expect(report).toMatchObject({ totalCount: 40 });
    expect(unkept.splice(0)).toEqual([full]);
  });

  it('is kept by its first page when it was expensive, and its next pages read no facts', async () => {
    const results = new KeptResult();
    const first = await ask(results, queryAt(0, 15), 5_000);
    expect(first).toMatchObject({ scannedRows: 40, read: 1 });
    for (const [offset, size] of [
      [15, 15],
      [30, 15],
      [39, 5],
      [45, 5],
    ] as const) {
      const query = queryAt(offset, size);
      const expected = await runReport({ query, scope, settings: SETTINGS, source: memorySource(data) });
      expect(await ask(results, query, 5_000)).toEqual({ report: expected, scannedRows: 0, read: 0 });
    }
    await ask(results, queryAt(0, 15), 5_000);
    expect(results.writes).toBe(1);
  });

  it.each([
    ['it was cheap', queryAt(0, 15), 1_000, 20],
    ['no rows remain after the page', queryAt(0, 40), 5_000, 20],
    ['writing it costs more than reading it again', queryAt(0, 30), 1_001, 10_000],
  ])('is not kept when %s', async (_, query, units, bytesARow) => {
    const results = new KeptResult(bytesARow);
    await ask(results, query, units);
    expect(results.writes).toBe(0);
  });

  it('is worked out again when nothing is kept any more', async () => {
    const answer = await ask(new KeptResult(), queryAt(15, 15), 10);
    expect(answer).toMatchObject({ scannedRows: 40, read: 1 });
    expect(answer.report.data).toHaveLength(15);
  });
});
