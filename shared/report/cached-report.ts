import { type Deadline, NO_DEADLINE } from '../lib/deadline.ts';
import type { ReportEnvelope, ReportResult, ReportRow, ReportValue } from './query.ts';
import { assembleReport, computeReport, type ReportInput } from './run-report.ts';

/**
 * A cache of all rows of one report, for requests of further pages. It belongs to one report: request without pagination, scope, data version and
 * build. Rows are lists of values in the order of the headers.
 */
export interface ResultStore {
  /** @returns the envelope and the rows [offset, offset + size); undefined where the report is not cached, or not completely */
  read(
    offset: number,
    size: number,
  ): Promise<{ envelope: ReportEnvelope; rows: readonly (readonly ReportValue[])[] } | undefined>;
  /** Caches the report. */
  write(envelope: ReportEnvelope, rows: readonly (readonly ReportValue[])[], deadline: Deadline): Promise<void>;
  /**
   * @param rows a sample of the report's rows
   * @returns the approximate number of bytes that `write` would store for `totalCount` such rows
   */
  sizeOf(rows: readonly (readonly ReportValue[])[], totalCount: number): number;
}

export interface CachedReportInput extends ReportInput {
  readonly results: ResultStore;
  /** @returns the read units that this request has used so far */
  readonly readUnits: () => number;
  /** Called with the error where the rows could not be cached, except at the deadline. The report is returned all the same. */
  readonly onCacheError: (error: unknown) => void;
}

export interface CachedReport {
  readonly report: ReportResult;
  /** The number of fact rows that were read; 0 for a cached page. */
  readonly scannedRows: number;
}

/** Only reports that exceed one of these are cached: for cheaper ones, computing the next page again is as cheap. */
const EXPENSIVE_READ_UNITS = 1_000;
const EXPENSIVE_MS = 500;
/** Prices in read units (us-east-1, on demand): a kilobyte written, and a millisecond of the function. */
const READ_UNITS_PER_KB_WRITTEN = 5;
const READ_UNITS_PER_MS = 0.19;
/** Few callers read more pages than this after the first. */
const MAX_PAGES_AHEAD = 10;
/** This many rows show how well the others compress. */
const SAMPLE_ROWS = 1_000;

/**
 * Returns a page from the cached rows, or computes the report. Caches all rows where rows remain after the page, the report was expensive, and
 * writing them costs less than computing the report again for the remaining pages.
 * @returns the requested page of the report
 */
export async function runCachedReport({
  results,
  readUnits,
  onCacheError,
  ...input
}: CachedReportInput): Promise<CachedReport> {
  const { offset, size } = input.query.pagination;
  const cached = offset === 0 ? undefined : await results.read(offset, size);
  if (cached !== undefined) {
    const data = cached.rows.map((values) => nameValues(cached.envelope, values));
    return { report: assembleReport(cached.envelope, data), scannedRows: 0 };
  }
  const [unitsBefore, startedAt] = [readUnits(), performance.now()];
  const { envelope, scannedRows, rows } = await computeReport(input);
  const cost = { units: readUnits() - unitsBefore, ms: performance.now() - startedAt };
  const data = rows(offset, size);
  if (isWorthCaching(envelope, data, offset + size, size, cost, results)) {
    const { deadline = NO_DEADLINE } = input;
    const allRows = () =>
      rows(0, envelope.totalCount).map((row) => {
        deadline.spend(envelope.headers.length);
        return listValues(envelope, row);
      });
    await cache(results, envelope, allRows, deadline).catch((error: unknown) => {
      if (!deadline.isExceeded) onCacheError(error);
    });
  }
  return { report: assembleReport(envelope, data), scannedRows };
}

/** Writes the rows unless an earlier request for the first page has already cached them. */
async function cache(
  results: ResultStore,
  envelope: ReportEnvelope,
  rows: () => ReportValue[][],
  deadline: Deadline,
): Promise<void> {
  if ((await results.read(0, 1)) === undefined) await results.write(envelope, rows(), deadline);
}

function isWorthCaching(
  envelope: ReportEnvelope,
  data: readonly ReportRow[],
  end: number,
  size: number,
  cost: { readonly units: number; readonly ms: number },
  results: ResultStore,
): boolean {
  const remaining = envelope.totalCount - end;
  if (remaining <= 0 || (cost.units <= EXPENSIVE_READ_UNITS && cost.ms <= EXPENSIVE_MS)) return false;
  const sample = data.slice(0, SAMPLE_ROWS).map((row) => listValues(envelope, row));
  const kilobytes = results.sizeOf(sample, envelope.totalCount) / 1024;
  const pages = Math.min(MAX_PAGES_AHEAD, Math.ceil(remaining / size));
  return kilobytes * READ_UNITS_PER_KB_WRITTEN <= pages * (cost.units + cost.ms * READ_UNITS_PER_MS);
}

function listValues({ headers }: ReportEnvelope, row: ReportRow): ReportValue[] {
  return headers.map(({ name }) => row[name] ?? null);
}

function nameValues({ headers }: ReportEnvelope, values: readonly ReportValue[]): ReportRow {
  return Object.fromEntries(headers.map(({ name }, i) => [name, values[i] ?? null]));
}
