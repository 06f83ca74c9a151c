import type { ReportEnvelope, ReportResult, ReportRow, ReportValue } from './query.ts';
import { computeReport, type ReportInput } from './run-report.ts';

/** A report's rows, all of them, kept for a while for its next pages. Bound to one report: request but pagination, scope, data, build. */
export interface ResultStore {
  /** @returns the frame and the rows at [offset, offset + size), or undefined where nothing (whole) is kept */
  read(
    offset: number,
    size: number,
  ): Promise<{ frame: ReportEnvelope; rows: readonly (readonly ReportValue[])[] } | undefined>;
  /** Keeps the report. @param rows values in the order of the headers */
  write(frame: ReportEnvelope, rows: readonly (readonly ReportValue[])[]): Promise<void>;
  /** @returns about how many bytes `write` would store */
  sizeOf(rows: readonly (readonly ReportValue[])[], totalCount: number): number;
}

export interface CachedReportInput extends ReportInput {
  readonly results: ResultStore;
  /** Read units that this request has used so far. */
  readonly readUnits: () => number;
  /** Told why the rows could not be kept; the report is answered all the same. */
  readonly onCacheError: (error: unknown) => void;
}

export interface CachedReport {
  readonly report: ReportResult;
  /** Fact rows that were read; 0 for a page that was kept. */
  readonly scannedRows: number;
}

/** Only reports that took this much are kept: of others the next page is as cheap. */
const EXPENSIVE_READ_UNITS = 1_000;
const EXPENSIVE_MS = 500;
/** Prices in read units (us-east-1, on demand): a kilobyte written, a millisecond of the function. */
const READ_UNITS_A_KB_WRITTEN = 5;
const READ_UNITS_A_MS = 0.19;
/** Few callers read on for longer than this. */
const MAX_PAGES_AHEAD = 10;
/** So many rows tell how well the others compress. */
const SAMPLE_ROWS = 1_000;

/**
 * Answers a report from its kept rows, or works it out, and keeps its rows where rows remain after the page, it was expensive, and
 * writing them costs less than reading them again for the pages that remain.
 */
export async function runCachedReport({
  results,
  readUnits,
  onCacheError,
  ...input
}: CachedReportInput): Promise<CachedReport> {
  const { offset, size } = input.query.pagination;
  if (offset > 0) {
    const kept = await results.read(offset, size);
    if (kept !== undefined)
      return {
        report: assemble(
          kept.frame,
          kept.rows.map((row) => nameValues(kept.frame, row)),
        ),
        scannedRows: 0,
      };
  }
  const [unitsBefore, startedAt] = [readUnits(), performance.now()];
  const { frame, scannedRows, rows } = await computeReport(input);
  const spent = { units: readUnits() - unitsBefore, ms: performance.now() - startedAt };
  const data = rows(offset, size);
  if (isWorthKeeping(frame, data, offset + size, size, spent, results)) {
    const all = () => rows(0, frame.totalCount).map((row) => listValues(frame, row));
    await keep(results, frame, all).catch(onCacheError);
  }
  return { report: assemble(frame, data), scannedRows };
}

/** Asked again within the quarter of an hour, the first page finds its rows kept already. */
async function keep(results: ResultStore, frame: ReportEnvelope, rows: () => ReportValue[][]): Promise<void> {
  if ((await results.read(0, 1)) === undefined) await results.write(frame, rows());
}

function isWorthKeeping(
  frame: ReportEnvelope,
  data: readonly ReportRow[],
  end: number,
  size: number,
  spent: { readonly units: number; readonly ms: number },
  results: ResultStore,
): boolean {
  const remaining = frame.totalCount - end;
  if (remaining <= 0 || (spent.units <= EXPENSIVE_READ_UNITS && spent.ms <= EXPENSIVE_MS)) return false;
  const sample = data.slice(0, SAMPLE_ROWS).map((row) => listValues(frame, row));
  const kilobytes = results.sizeOf(sample, frame.totalCount) / 1024;
  const pages = Math.min(MAX_PAGES_AHEAD, Math.ceil(remaining / size));
  return kilobytes * READ_UNITS_A_KB_WRITTEN <= pages * (spent.units + spent.ms * READ_UNITS_A_MS);
}

function assemble(frame: ReportEnvelope, data: readonly ReportRow[]): ReportResult {
  const { headers, totalCount, totals, meta } = frame;
  return { headers, data, totalCount, totals, meta };
}

function listValues({ headers }: ReportEnvelope, row: ReportRow): ReportValue[] {
  return headers.map(({ name }) => row[name] ?? null);
}

function nameValues({ headers }: ReportEnvelope, values: readonly ReportValue[]): ReportRow {
  return Object.fromEntries(headers.map(({ name }, i) => [name, values[i] ?? null]));
}
