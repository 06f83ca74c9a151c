import type { SortValue } from '../catalog/compared-values.ts';
import type { MetricName } from '../catalog/metrics.ts';
import { NO_DEADLINE } from '../lib/deadline.ts';
import { deriveCompared } from './compare/derive-compared.ts';
import { joinGroups } from './compare/join-groups.ts';
import { describeWarnings, warnPrepared } from './describe-warnings.ts';
import { describeHeaders } from './finish/describe-report.ts';
import { dimensionValues, experienceReader } from './finish/dimension-values.ts';
import { ReportRows } from './finish/report-rows.ts';
import { selectGroups } from './finish/select-groups.ts';
import { sortKeys } from './finish/sort-keys.ts';
import type { CostEstimate } from './guard/estimate-cost.ts';
import { comparedColumns, type ReportEnvelope, type ReportQuery, type ReportWarning } from './query/query.ts';
import { MAX_BYTES } from './query/too-expensive.ts';
import { bytesPerGroup } from './scan/scan-facts.ts';
import { SeenValues } from './scan/seen-values.ts';
import {
  type ComputedReport,
  type PreparedReport,
  prepareReport,
  type ReportInput,
  rejectTooCostly,
  type ScannedReport,
  scanReport,
} from './scan-report.ts';
import { totalKeptRows } from './total-report.ts';

type ComparedPeriod = NonNullable<ReportQuery['compare']>;
type Meta = ReportEnvelope['meta'];

/**
 * Computes the reports of both periods, one after the other, and joins their groups.
 * @throws ApiError REPORT_TOO_EXPENSIVE or DEADLINE_EXCEEDED
 */
export async function computeComparedReport(input: ReportInput, compare: ComparedPeriod): Promise<ComputedReport> {
  const { query, settings, deadline = NO_DEADLINE, maxBytes = MAX_BYTES, onStart } = input;
  const { earlier, now, before, cost } = await prepareBoth(input, compare);
  await onStart?.(cost);
  const seen = new SeenValues(query.filters); // of both periods: a value that occurs in one of them exists
  const memory = maxBytes - cost.memoryBytes;
  const scannedNow = await scanReport(input, now, seen, memory);
  const memoryLeft = memory - scannedNow.rows.bytes;
  const scannedBefore = await scanReport(earlier, before, seen, memoryLeft);
  deadline.check();
  const maxGroups = Math.floor((memoryLeft - scannedBefore.rows.bytes) / bytesPerGroup(now.plan));
  const joined = joinGroups(
    groupsOf(now, scannedNow),
    groupsOf(before, scannedBefore),
    settings.weekStartsOn,
    Math.max(1, maxGroups),
  );
  const experienceOf = experienceReader(query, (field) => joined.dimensions.find(({ name }) => name === field));
  const [factsNow, factsBefore] = [
    { facts: scannedNow.rows.facts, deriveContext: scannedNow.deriveContext, groupOf: joined.now, experienceOf },
    {
      facts: scannedBefore.rows.facts,
      deriveContext: scannedBefore.deriveContext,
      groupOf: joined.before,
      experienceOf,
    },
  ];
  const derive = (name: MetricName, by: SortValue = 'value') => deriveCompared(name, by, factsNow, factsBefore);
  const kept = selectGroups(joined.groups, now.plan, derive);
  const [keptNow, keptBefore] = [ownGroups(kept, joined.now), ownGroups(kept, joined.before)];
  deadline.check();
  const keys = sortKeys({ plan: now.plan, groups: kept, dimensions: joined.dimensions, derive });
  deadline.check();
  const meta = describeBoth(
    { now, before, compare },
    describeWarnings(query, settings, now, scannedNow, seen, keptNow),
    describeWarnings(earlier.query, settings, before, scannedBefore, seen, keptBefore),
  );
  const columns = comparedColumns(query.metrics).map(({ name, metric, by }) => ({
    name,
    metric,
    read: derive(metric, by),
  }));
  return {
    cost,
    envelope: {
      headers: describeHeaders(query, settings),
      totalCount: kept.length,
      totals: totalsOf(scannedNow, keptNow),
      comparedTotals: totalsOf(scannedBefore, keptBefore),
      meta,
    },
    scannedRows: scannedNow.scannedRows + scannedBefore.scannedRows,
    rows: new ReportRows({ groups: kept, keys }, joined.dimensions, columns),
  };
}

/** @returns what is known about the report before facts are read. @throws ApiError REPORT_TOO_EXPENSIVE or DEADLINE_EXCEEDED */
export async function estimateComparedReport(
  input: ReportInput,
  compare: ComparedPeriod,
): Promise<{ meta: Meta; cost: CostEstimate }> {
  const { query, settings } = input;
  const { earlier, now, before, cost } = await prepareBoth(input, compare);
  const [warnings, earlierWarnings] = [
    warnPrepared(query, settings, now),
    warnPrepared(earlier.query, settings, before),
  ];
  return { meta: describeBoth({ now, before, compare }, warnings, earlierWarnings), cost };
}

interface BothPeriods {
  readonly now: PreparedReport;
  readonly before: PreparedReport;
  readonly compare: ComparedPeriod;
}

/** The second report finds in the instance's caches what both read, such as heads and dimension tables. */
async function prepareBoth(input: ReportInput, compare: ComparedPeriod) {
  const { onStart: _, ...rest } = input;
  const earlier: ReportInput = { ...rest, query: { ...input.query, ...compare } };
  const now = await prepareReport(input);
  const before = await prepareReport(earlier);
  const cost = sumCosts(now.cost, before.cost);
  rejectTooCostly(cost, now.plan, input.maxBytes ?? MAX_BYTES);
  return { earlier, now, before, cost };
}

/** @returns the cost of two reports together */
function sumCosts(a: CostEstimate, b: CostEstimate): CostEstimate {
  const sum: Record<keyof CostEstimate, number> = { ...a };
  for (const name of Object.keys(sum) as (keyof CostEstimate)[]) sum[name] += b[name]; // it has only these members
  return sum;
}

/** @returns the groups of one period, to be joined */
function groupsOf({ plan, loaded }: PreparedReport, { rows }: ScannedReport) {
  const { firstDay, lastDay } = plan.period;
  return {
    groups: rows.table.groups(),
    dimensions: dimensionValues(rows, plan.query.dimensions),
    range: { first: firstDay, last: lastDay },
    hasDataOn: loaded.hasDataOn,
  };
}

/** @returns the groups of one period that are among the joined groups */
function ownGroups(joined: Uint32Array, groupOf: Int32Array): Uint32Array {
  return joined.map((group) => Math.max(0, groupOf[group] ?? 0)).filter((group) => group > 0);
}

function totalsOf({ rows, deriveContext, totals }: ScannedReport, kept: Uint32Array): ReportEnvelope['totals'] {
  return totals ?? totalKeptRows(rows, kept, deriveContext);
}

/** The data version is that of both periods, because it does not depend on the period. */
function describeBoth(
  { now, before, compare }: BothPeriods,
  warnings: readonly ReportWarning[],
  earlierWarnings: readonly ReportWarning[],
): Meta {
  const further = earlierWarnings
    .filter(({ field, detail }) => !warnings.some((known) => known.field === field && known.detail === detail))
    .map((warning) => ({ ...warning, detail: `In the compared period: ${warning.detail}` }));
  const compared = { ...compare, data: before.loaded.data };
  return { ...now.meta, compared, warnings: [...warnings, ...further] };
}
