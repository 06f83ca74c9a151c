import type { MetricName } from '../catalog/metrics.ts';
import { NO_DEADLINE } from '../lib/deadline.ts';
import { computeComparedReport, estimateComparedReport } from './compared-report.ts';
import { describeWarnings, warnPrepared } from './describe-warnings.ts';
import { deriveMetric } from './finish/derive-metrics.ts';
import { describeHeaders } from './finish/describe-report.ts';
import { dimensionValues } from './finish/dimension-values.ts';
import { ReportRows } from './finish/report-rows.ts';
import { selectGroups } from './finish/select-groups.ts';
import { sortKeys } from './finish/sort-keys.ts';
import type { CostEstimate } from './guard/estimate-cost.ts';
import type { ReportEnvelope, ReportResult, ReportRow } from './query/query.ts';
import { MAX_BYTES } from './query/too-expensive.ts';
import { SeenValues } from './scan/seen-values.ts';
import { type ComputedReport, prepareReport, type ReportInput, scanReport } from './scan-report.ts';
import { totalKeptRows } from './total-report.ts';

/**
 * @returns the requested page of the report with its envelope
 * @throws ApiError REPORT_TOO_EXPENSIVE or DEADLINE_EXCEEDED
 */
export async function runReport(input: ReportInput): Promise<ReportResult> {
  const { envelope, rows } = await computeReport(input);
  const { offset, size } = input.query.pagination;
  return assembleReport(envelope, rows.page(offset, size, input.deadline ?? NO_DEADLINE));
}

/** @returns the report with the given rows, its members in the order of the response */
export function assembleReport(
  { headers, totalCount, totals, comparedTotals, meta }: ReportEnvelope,
  data: readonly ReportRow[],
): ReportResult {
  return { headers, data, totalCount, totals, ...(comparedTotals && { comparedTotals }), meta };
}

/**
 * Checks and plans a report without reading its facts.
 * @returns its headers, warnings and estimated cost, without rows and totals
 * @throws ApiError REPORT_TOO_EXPENSIVE or DEADLINE_EXCEEDED
 */
export async function estimateReport(input: ReportInput): Promise<{ report: ReportResult; cost: CostEstimate }> {
  const { query, settings } = input;
  const empty = { headers: describeHeaders(query, settings), data: [], totalCount: 0, totals: {} };
  if (query.compare !== undefined) {
    const { meta, cost } = await estimateComparedReport(input, query.compare);
    return { report: { ...empty, comparedTotals: {}, meta }, cost };
  }
  const prepared = await prepareReport(input);
  const warnings = warnPrepared(query, settings, prepared);
  return { report: { ...empty, meta: { ...prepared.meta, warnings } }, cost: prepared.cost };
}

/**
 * Computes a report, except its rows, which `ComputedReport.rows` sorts and makes on request.
 * @throws ApiError REPORT_TOO_EXPENSIVE before any facts are read, where it would take too long; or at any step, where it takes too much memory
 * @throws ApiError DEADLINE_EXCEEDED
 */
export async function computeReport(input: ReportInput): Promise<ComputedReport> {
  const { query, settings, deadline = NO_DEADLINE, maxBytes = MAX_BYTES, onStart } = input;
  if (query.compare !== undefined) return computeComparedReport(input, query.compare);
  const prepared = await prepareReport(input);
  const { plan, cost, meta } = prepared;
  await onStart?.(cost);
  const seen = new SeenValues(query.filters);
  const scanned = await scanReport(input, prepared, seen, maxBytes - cost.memoryBytes);
  const { rows, deriveContext, totals } = scanned;
  const derive = (name: MetricName) => deriveMetric(name, rows.facts, deriveContext);
  const kept = selectGroups(rows.table.groups(), plan, derive);
  deadline.check();
  const dimensions = dimensionValues(rows, query.dimensions);
  const keys = sortKeys({ plan, groups: kept, dimensions, derive });
  deadline.check();
  const columns = query.metrics.map((name) => ({ name, metric: name, read: derive(name) }));
  return {
    cost,
    envelope: {
      headers: describeHeaders(query, settings),
      totalCount: kept.length,
      totals: totals ?? totalKeptRows(rows, kept, deriveContext),
      meta: { ...meta, warnings: describeWarnings(query, settings, prepared, scanned, seen, kept) },
    },
    scannedRows: scanned.scannedRows,
    rows: new ReportRows({ groups: kept, keys }, dimensions, columns),
  };
}
