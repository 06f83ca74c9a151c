import { NO_DEADLINE } from '../lib/deadline.ts';
import { comparePeriods, compareTotals, describePeriods, type Periods } from './compared-report.ts';
import { readUnits } from './finish/derive-metrics.ts';
import { describeHeaders } from './finish/describe-report.ts';
import { ReportRows, selectGroups } from './finish/report-rows.ts';
import { sortKeys } from './finish/sort-keys.ts';
import { type PreparedReport, prepareReport } from './prepare-report.ts';
import {
  type ReportEnvelope,
  type ReportResult,
  type ReportRow,
  type ReportSettings,
  valueColumns,
} from './query/query.ts';
import { type CostEstimate, type ReportInput, sumCosts } from './query/report-input.ts';
import { rejectTooExpensive } from './reject-too-expensive.ts';
import { SeenValues } from './scan/seen-values.ts';
import { type ComputedReport, type ScannedReport, scanReport } from './scan-report.ts';
import { totalKeptRows } from './total-report.ts';
import { describeWarnings } from './warnings/describe-warnings.ts';
import type { DescribedReport } from './warnings/described-report.ts';
import { estimateExplanation, explainEmpty } from './warnings/explain-empty.ts';

/**
 * @returns the requested page of the report with its envelope
 * @throws ApiError REPORT_TOO_EXPENSIVE or DEADLINE_EXCEEDED
 */
export async function runReport(input: ReportInput): Promise<ReportResult> {
  return pageOf(await computeReport(input), input);
}

/** @returns the requested page of the computed report with its envelope. @throws ApiError DEADLINE_EXCEEDED */
export function pageOf(
  { envelope, rows }: ComputedReport,
  { query: { pagination }, deadline = NO_DEADLINE }: ReportInput,
): ReportResult {
  return assembleReport(envelope, rows.page(pagination.offset, pagination.size, deadline));
}

/** @returns the report with the given rows, its members in the order of the response */
function assembleReport(
  { headers, totalCount, meta, ...totals }: ReportEnvelope,
  data: readonly ReportRow[],
): ReportResult {
  return { headers, data, totalCount, ...totals, meta };
}

/**
 * Checks and plans a report without reading its facts; of the manifests of a wide report, it reads a sample.
 * @returns its headers, warnings and estimated cost, without rows and totals, and what explaining takes if its filters leave no row
 * @throws ApiError REPORT_TOO_EXPENSIVE or DEADLINE_EXCEEDED
 */
export async function estimateReport(input: ReportInput): Promise<{
  readonly report: ReportResult;
  /** Its read units are those of a new instance. */
  readonly cost: CostEstimate;
  readonly ifEmpty: CostEstimate | undefined;
}> {
  const { query, settings } = input;
  const { periods, cost } = await preparePeriods(input);
  const warnings = await Promise.all(periods.map((period) => describeWarnings(describedReport(settings, period))));
  const envelope = {
    headers: describeHeaders(query, settings, []),
    totalCount: 0,
    totals: {},
    ...(query.compare && { comparedTotals: {}, changeTotals: {}, relativeChangeTotals: {} }),
    meta: await describePeriods(periods, warnings),
  };
  const ifEmpty = query.filters.length === 0 ? undefined : await estimateExplanation(input, estimateRows);
  const planning = periods.reduce((units, { planningUnits }) => units + planningUnits(), 0);
  const whole = { ...cost, readUnits: cost.readUnits + planning };
  return { report: assembleReport(envelope, []), cost: whole, ifEmpty };
}

/**
 * Computes a report, except its rows, which `ComputedReport.rows` sorts and makes on request. One without rows has a warning that says why.
 * @throws ApiError REPORT_TOO_EXPENSIVE before any facts are read, where it would take too long; or at any step, where it takes too much memory
 * @throws ApiError DEADLINE_EXCEEDED
 */
export async function computeReport(input: ReportInput): Promise<ComputedReport> {
  const computed = await computeRows(input);
  const { totalCount, totals, meta } = computed.envelope;
  const { dimensions, metrics } = input.query;
  // a single row is there without facts, too; share_of_voice has a warning of its own
  const isSingle = dimensions.length === 0 && metrics.some((name) => name !== 'share_of_voice');
  const mayBeEmpty = isSingle && Object.values(totals).every((value) => !value);
  if ((totalCount > 0 && !mayBeEmpty) || !computed.hasData) return computed;
  const warnings = [...(await explainEmpty(input, runUnexplained, estimateRows)), ...meta.warnings];
  return { ...computed, envelope: { ...computed.envelope, meta: { ...meta, warnings } } };
}

async function estimateRows(input: ReportInput): Promise<CostEstimate> {
  return (await preparePeriods(input)).cost;
}

async function runUnexplained(input: ReportInput): Promise<ReportResult> {
  return pageOf(await computeRows(input), input);
}

/** The two periods of a comparison are computed one after the other; then their groups are joined. */
async function computeRows(input: ReportInput): Promise<ComputedReport> {
  const { query, settings, deadline = NO_DEADLINE, onStart } = input;
  const { periods, cost } = await preparePeriods(input);
  await onStart?.(cost);
  const seen = new SeenValues(query.filters, query.hasTextIds); // of both periods: a value that occurs in one of them exists
  const [now, ...before] = periods;
  const scans: [ScannedReport, ...ScannedReport[]] = [await scanReport(input, now, seen)];
  for (const period of before) scans.push(await scanReport(input, period, seen));
  deadline.check();
  const { groups, dimensions, derive, groupsIn } = comparePeriods(input, scans);
  const { plan } = now;
  const kept = selectGroups(groups, plan, derive, deadline);
  deadline.check();
  const keys = sortKeys({ plan, groups: kept, dimensions, derive, deadline });
  deadline.check();
  const describePeriod = async ({ prepared, rows, scanned, ...scan }: ScannedReport, i: number) => {
    const own = groupsIn(i, kept);
    const total = scan.total ?? totalKeptRows(rows, own, scan.deriveContext);
    const found = { rows, total, seen, scanned, kept: own, isCompared: i === 1 };
    return { total, warnings: await describeWarnings(describedReport(settings, prepared, found)) };
  };
  const [scannedNow, ...scannedBefore] = scans;
  const ofNow = await describePeriod(scannedNow, 0);
  const ofBefore = await Promise.all(scannedBefore.map((scanned) => describePeriod(scanned, 1)));
  const described = [ofNow, ...ofBefore];
  const columns = valueColumns(query).map(({ name, metric, by }) => ({
    name,
    read: readUnits(metric, by, derive(metric, by)),
  }));
  return {
    envelope: {
      headers: describeHeaders(
        query,
        settings,
        described.map(({ total }) => total.facts),
      ),
      totalCount: kept.length,
      ...compareTotals([ofNow.total, ...ofBefore.map(({ total }) => total)]),
      meta: await describePeriods(
        periods,
        described.map((period) => period.warnings),
      ),
    },
    hasData: now.loaded.hasData(plan.experiences),
    scannedRows: scans.reduce((sum, { scannedRows }) => sum + scannedRows, 0),
    rows: new ReportRows({ groups: kept, keys }, dimensions, columns),
  };
}

/** The second period finds in the instance's caches what both read, such as heads and dimension tables. @throws ApiError REPORT_TOO_EXPENSIVE */
async function preparePeriods(
  input: ReportInput,
): Promise<{ readonly periods: Periods<PreparedReport>; readonly cost: CostEstimate }> {
  const { compare } = input.query;
  const now = await prepareReport(input);
  const before = compare && (await prepareReport({ ...input, query: { ...input.query, ...compare } }));
  const periods: Periods<PreparedReport> = before === undefined ? [now] : [now, before];
  const cost = sumCosts(periods.map(({ planned }) => planned.cost));
  rejectTooExpensive(cost, now.plan);
  return { periods, cost };
}

/** @param found after facts are read */
function describedReport(
  settings: ReportSettings,
  prepared: PreparedReport,
  found?: DescribedReport['found'],
): DescribedReport {
  const { plan, totalPlan } = prepared;
  return { ...prepared, settings, widest: plan.groupConditions.length > 0 ? plan : totalPlan, found };
}
