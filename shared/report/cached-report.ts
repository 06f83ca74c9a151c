import { type Deadline, NO_DEADLINE, withDeadline } from '../lib/deadline.ts';
import { ApiError } from '../lib/errors.ts';
import { shapeRows } from '../lib/shape-rows.ts';
import {
  columnsOf,
  type ReportEnvelope,
  type ReportQuery,
  type ReportResult,
  type ReportValue,
} from './query/query.ts';
import { assembleReport, computeReport } from './run-report.ts';
import type { ComputedReport, ReportInput } from './scan-report.ts';

type ValueList = readonly ReportValue[];

/**
 * A cache of the first rows of one report, for requests of further pages. It belongs to one report: request without pagination, scope, settings, data
 * version and build. Rows are lists of values in the order of `columnsOf`.
 */
interface ResultStore {
  /** @returns the envelope and those of the rows [offset, offset + size) that are cached; undefined if the report is not cached */
  read(offset: number, size: number): Promise<{ envelope: ReportEnvelope; rows: readonly ValueList[] } | undefined>;
  /** Caches the rows of all parts, of which it keeps few in memory at a time. Until it is done, `read` returns nothing. */
  write(envelope: ReportEnvelope, parts: Iterable<readonly ValueList[]>): Promise<void>;
}

interface CachedReportInput extends ReportInput {
  readonly results: ResultStore;
  /** Called with the error if the rows could not be cached, except for lack of time or memory. The report is returned nevertheless. */
  readonly onCacheError: (error: unknown) => void;
}

/** Cheaper reports are not cached: computing the next page takes hardly longer than reading it. */
const EXPENSIVE_SECONDS = 0.3;
/** Later rows are computed again. */
const MAX_CACHED_ROWS = 200_000;

/**
 * Returns a page from the cached rows, or computes the report. Caches its first rows if the report was expensive and rows remain after the page.
 * @returns the requested page of the report, and the number of fact rows that were read: 0 for a cached page
 * @throws ApiError REPORT_TOO_EXPENSIVE or DEADLINE_EXCEEDED
 */
export async function runCachedReport({
  results,
  onCacheError,
  ...input
}: CachedReportInput): Promise<{ report: ReportResult; scannedRows: number }> {
  const { deadline = NO_DEADLINE } = input;
  const cached = await readCached(input.query, results, deadline);
  if (cached !== undefined) return { report: cached, scannedRows: 0 };
  const computed = await computeReport(input);
  const { offset, size } = input.query.pagination;
  const data = computed.rows.page(offset, size, deadline);
  const end = deadline.forOptional();
  // rows are made in the first half of this time; the second is left to write them
  await withDeadline(end, cache(computed, input.query.pagination, results, end.forOptional())).catch(
    (error: unknown) => {
      if (!end.isExceeded && !isLimitExceeded(error)) onCacheError(error);
    },
  );
  return { report: assembleReport(computed.envelope, data), scannedRows: computed.scannedRows };
}

function isLimitExceeded(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'REPORT_TOO_EXPENSIVE' || error.code === 'DEADLINE_EXCEEDED');
}

/** @returns the report with the page; undefined for the first page, which is always computed, and where not all rows of the page are cached */
async function readCached(
  query: ReportQuery,
  results: ResultStore,
  deadline: Deadline,
): Promise<ReportResult | undefined> {
  const { offset, size } = query.pagination;
  if (offset === 0) return undefined;
  const cached = await results.read(offset, size);
  if (cached === undefined) return undefined;
  const { envelope, rows } = cached;
  if (rows.length < Math.min(size, envelope.totalCount - offset)) return undefined;
  deadline.check();
  const shape = shapeRows<ReportValue>(columnsOf(query));
  return assembleReport(
    envelope,
    rows.map((values) => shape((column) => values[column] ?? null)),
  );
}

/** Caches the first rows of an expensive report, unless an earlier request has cached them. */
async function cache(
  { cost, envelope, rows }: ComputedReport,
  page: ReportQuery['pagination'],
  results: ResultStore,
  deadline: Deadline,
): Promise<void> {
  const count = Math.min(envelope.totalCount, MAX_CACHED_ROWS);
  if (cost.seconds <= EXPENSIVE_SECONDS || count <= page.offset + page.size) return;
  if ((await results.read(0, 1)) !== undefined) return;
  await results.write(envelope, rows.parts(count, deadline));
}
