import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Deadline } from '../../shared/lib/deadline.ts';
import { runCachedReport } from '../../shared/report/cached-report.ts';
import type { ReportEnvelope, ReportQuery, ReportValue } from '../../shared/report/query/query.ts';
import { runReport } from '../../shared/report/run-report.ts';
import { dataset } from '../support/facts.ts';
import { memorySource } from '../support/memory-source.ts';
import { SETTINGS } from '../support/report-settings.ts';

const data = dataset({
  delivery: Array.from({ length: 50 }, (_, i) => ({ date: '2025-03-03', keyword: `kw ${i % 40}`, impressions: i })),
});
const scope = { accountIds: new Set([1]), advertiserIds: [1], ownAdvertiserIds: [1] };

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

/** A result store that caches one report in memory, and counts writes. */
class MemoryResults {
  writes = 0;
  #cached: { envelope: ReportEnvelope; rows: readonly (readonly ReportValue[])[] } | undefined;
  /** The lengths of the parts that were written. */
  parts: number[] = [];

  async read(offset: number, size: number) {
    return this.#cached && { envelope: this.#cached.envelope, rows: this.#cached.rows.slice(offset, offset + size) };
  }

  async write(envelope: ReportEnvelope, parts: Iterable<readonly (readonly ReportValue[])[]>) {
    this.writes++;
    const rows: (readonly ReportValue[])[] = [];
    for (const part of parts) {
      this.parts.push(part.length);
      rows.push(...part);
    }
    this.#cached = JSON.parse(JSON.stringify({ envelope, rows })); // as the table stores them
  }
}

/** What a report is expected to take. */
const estimated = vi.hoisted(() => ({ seconds: 0 }));
vi.mock(import('../../shared/report/estimate-cost.ts'), async (importOriginal) => {
  const original = await importOriginal();
  return { ...original, estimateCost: (...given) => ({ ...original.estimateCost(...given), ...estimated }) };
});

/** What the requests of a test have reported. */
const cacheErrors: unknown[] = [];
const starts: unknown[] = [];

beforeEach(() => {
  for (const list of [cacheErrors, starts]) list.length = 0;
});

/** Requests a page of the report, which is expected to take the given number of seconds. */
async function requestPage(
  results: MemoryResults,
  query: ReportQuery,
  seconds: number,
  deadline?: Deadline,
  facts = data,
) {
  const source = memorySource(facts);
  estimated.seconds = seconds;
  const { report, scannedRows } = await runCachedReport({
    query,
    scope,
    settings: SETTINGS,
    source,
    results,
    onCacheError: (error) => cacheErrors.push(error),
    onStart: (cost) => starts.push({ rows: cost.rows, daysRead: source.log.days.length }),
    ...(deadline === undefined ? {} : { deadline }),
  });
  return { report, scannedRows, read: source.log.days.length };
}

describe('a report of 40 rows', () => {
  it('is returned even where caching fails, and the error is reported', async () => {
    const full = new Error('the table is full');
    const results = new MemoryResults();
    results.write = () => Promise.reject(full);
    const { report } = await requestPage(results, queryAt(0, 15), 5);
    expect(report).toMatchObject({ totalCount: 40 });
    expect(cacheErrors).toEqual([full]);
  });

  it('is returned where the deadline passes while it is cached, and no error is reported', async () => {
    let now = 0;
    const results = new MemoryResults();
    results.write = () => {
      now = 2;
      return Promise.reject(new DOMException('This operation was aborted', 'AbortError'));
    };
    const { report } = await requestPage(results, queryAt(0, 15), 5, new Deadline(1, () => now));
    expect(report).toMatchObject({ totalCount: 40 });
    expect(cacheErrors).toEqual([]);
  });

  it('is returned where the table does not respond while it is cached', async () => {
    const results = new MemoryResults();
    results.write = () => new Promise(() => undefined);
    // the time for caching, half of that of the request, passes only on a timer
    const { report } = await requestPage(results, queryAt(0, 15), 5, new Deadline(200, () => 0));
    expect(report).toMatchObject({ totalCount: 40 });
    expect(cacheErrors).toEqual([]);
  });

  it('reports its cost before it reads facts, so that a function that is killed meanwhile leaves a log line', async () => {
    await requestPage(new MemoryResults(), queryAt(0, 40), 0.01);
    expect(starts).toEqual([{ rows: 40, daysRead: 0 }]);
  });

  it('reads no facts where it is rejected for its cost', async () => {
    const rejected = new Error('one report too many');
    const source = memorySource(data);
    const running = runCachedReport({
      query: queryAt(0, 15),
      scope,
      settings: SETTINGS,
      source,
      results: new MemoryResults(),
      onStart: () => Promise.reject(rejected),
      onCacheError: () => undefined,
    });
    await expect(running).rejects.toBe(rejected);
    expect(source.log.days).toEqual([]);
  });

  it('is cached by the request for its first page where it was expensive, and further pages read no facts', async () => {
    const results = new MemoryResults();
    const first = await requestPage(results, queryAt(0, 15), 5);
    expect(first).toMatchObject({ scannedRows: 40, read: 1 });
    for (const [offset, size] of [
      [15, 15],
      [30, 15],
      [39, 5],
      [45, 5],
    ] as const) {
      const query = queryAt(offset, size);
      const expected = await runReport({ query, scope, settings: SETTINGS, source: memorySource(data) });
      expect(await requestPage(results, query, 5)).toEqual({ report: expected, scannedRows: 0, read: 0 });
    }
    await requestPage(results, queryAt(0, 15), 5);
    expect(results.writes).toBe(1);
  });

  it('has the compared values on cached pages, too', async () => {
    const results = new MemoryResults();
    const compare = { startDate: '2025-02-01', endDate: '2025-02-28' };
    await requestPage(results, { ...queryAt(0, 15), compare }, 5);
    const query = { ...queryAt(15, 15), compare };
    const expected = await runReport({ query, scope, settings: SETTINGS, source: memorySource(data) });
    expect(await requestPage(results, query, 5)).toEqual({ report: expected, scannedRows: 0, read: 0 });
    expect(Object.keys(expected.data[0] ?? {})).toContain('impressions_before');
  });

  it.each([
    ['it was cheap', queryAt(0, 15), 0.3],
    ['no rows remain after the page', queryAt(0, 40), 5],
  ])('is not cached where %s', async (_, query, seconds) => {
    const results = new MemoryResults();
    await requestPage(results, query, seconds);
    expect(results.writes).toBe(0);
  });

  it('is computed again where it is no longer cached', async () => {
    const page = await requestPage(new MemoryResults(), queryAt(15, 15), 0.01);
    expect(page).toMatchObject({ scannedRows: 40, read: 1 });
    expect(page.report.data).toHaveLength(15);
  });
});

describe('a report of 4,500 rows', () => {
  const facts = dataset({
    delivery: Array.from({ length: 4_500 }, (_, i) => ({ date: '2025-03-03', keyword: `kw ${i}`, impressions: i })),
  });
  const request = (results: MemoryResults, offset: number, size: number, deadline?: Deadline) =>
    requestPage(results, queryAt(offset, size), 5, deadline, facts);

  it('is cached in parts of at most 1,000 rows', async () => {
    const results = new MemoryResults();
    await request(results, 0, 100);
    expect(results.parts).toEqual([1_000, 1_000, 1_000, 1_000, 500]);
  });

  it('is cached as far as its time allows, and its later pages are computed again', async () => {
    const results = new MemoryResults();
    const deadline = new Deadline(100_000, () => (results.parts.length < 3 ? 0 : 1_500)); // rows are made for half of 3 s
    await request(results, 0, 100, deadline);
    expect(results.parts).toEqual([1_000, 1_000, 1_000]);
    expect(await request(results, 2_900, 100)).toMatchObject({ scannedRows: 0, read: 0 });
    for (const [offset, size] of [
      [2_901, 100],
      [4_450, 100],
    ] as const) {
      const page = await request(results, offset, size);
      const expected = await runReport({
        query: queryAt(offset, size),
        scope,
        settings: SETTINGS,
        source: memorySource(facts),
      });
      expect(page).toEqual({ report: expected, scannedRows: 4_500, read: 1 });
    }
  });
});

describe('a report of 201,000 rows', () => {
  it('is cached up to row 200,000: a function once ran out of memory while it cached 761,200 rows, after the page was ready', async () => {
    const rows = Array.from({ length: 201_000 }, (_, i) => ({
      date: '2025-03-03',
      keyword: `kw ${i}`,
      impressions: 1,
    }));
    const results = new MemoryResults();
    const query: ReportQuery = { ...queryAt(0, 100), sort: [] };
    const { report } = await requestPage(results, query, 5, undefined, dataset({ delivery: rows }));
    expect(report.totalCount).toBe(201_000);
    expect(results.parts).toEqual(Array(200).fill(1_000));
  });
});
