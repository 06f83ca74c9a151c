import type { MetricName } from '../catalog/metrics.ts';
import { type FactHead, PLATFORM_ID } from '../catalog/partitions.ts';
import type { SegmentSource } from '../catalog/segment-reads.ts';
import { type Deadline, NO_DEADLINE } from '../lib/deadline.ts';
import { type DeriveContext, deriveMetric } from './finish/derive-metrics.ts';
import { describeHeaders, describeWarnings, warnUndefined } from './finish/describe-report.ts';
import { dimensionValues } from './finish/dimension-values.ts';
import { ReportRows } from './finish/report-rows.ts';
import { sortKeys } from './finish/sort-keys.ts';
import { type CostEstimate, estimateCost } from './guard/estimate-cost.ts';
import { rejectTooExpensive } from './guard/reject-too-expensive.ts';
import { type MarketShares, readMarketShares } from './market/read-market-shares.ts';
import { warnMarket } from './market/warn-market.ts';
import { scanPacedFacts } from './pacing/pacing.ts';
import { warnPacing } from './pacing/warn-pacing.ts';
import { checkFilters } from './plan/check-filters.ts';
import { findCompleteness } from './plan/completeness.ts';
import { dataVersionOf } from './plan/data-version.ts';
import { type Joins, loadJoins } from './plan/joins.ts';
import { findLoadedPeriod, warnLoadedPeriod } from './plan/loaded-period.ts';
import { otherAdvertisers, planMarket } from './plan/plan-market.ts';
import { daysOf, planReads } from './plan/plan-reads.ts';
import { type Plan, planMissing, planReport } from './plan/plan-report.ts';
import { HEADS_PER_READ, readHeads } from './plan/read-heads.ts';
import { selectAdvertisers } from './plan/select-advertisers.ts';
import { openFacts } from './plan/shards.ts';
import type {
  ReportEnvelope,
  ReportQuery,
  ReportResult,
  ReportRow,
  ReportScope,
  ReportSettings,
} from './query/query.ts';
import { MAX_BYTES, rejectTooLarge } from './query/too-expensive.ts';
import { EntityCodes } from './scan/entities.ts';
import { GroupTable } from './scan/group-table.ts';
import { openReads } from './scan/open-reads.ts';
import { readDaySegments } from './scan/read-segments.ts';
import type { GroupedFacts } from './scan/scan-facts.ts';
import { SeenValues } from './scan/seen-values.ts';
import { StreamGroup } from './scan/stream-group.ts';
import { withinDeadline } from './scan/within-deadline.ts';
import { type AccumulatedRows, totalAllRows, totalKeptRows } from './total-report.ts';

export interface ReportInput {
  readonly query: ReportQuery;
  readonly scope: ReportScope;
  readonly settings: ReportSettings;
  readonly source: SegmentSource;
  /** Called and awaited before facts are read; where there are many advertisers, also before anything of these is read, with a cost of 0. */
  readonly onStart?: (cost: CostEstimate) => unknown;
  /** None by default. */
  readonly deadline?: Deadline;
  /** The memory that the report may take; MAX_BYTES by default. */
  readonly maxBytes?: number;
}

/** A computed report, of which any rows can be written. */
export interface ComputedReport {
  readonly cost: CostEstimate;
  readonly envelope: ReportEnvelope;
  /** The number of fact rows that were read. */
  readonly scannedRows: number;
  readonly rows: ReportRows;
}

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
  { headers, totalCount, totals, meta }: ReportEnvelope,
  data: readonly ReportRow[],
): ReportResult {
  return { headers, data, totalCount, totals, meta };
}

/**
 * Checks and plans a report without reading its facts.
 * @returns its headers, warnings and estimated cost, without rows and totals
 * @throws ApiError REPORT_TOO_EXPENSIVE or DEADLINE_EXCEEDED
 */
export async function estimateReport(input: ReportInput): Promise<{ report: ReportResult; cost: CostEstimate }> {
  const { query, settings } = input;
  const { plan, cost, loaded, meta } = await prepareReport(input);
  const warnings = [
    ...warnLoadedPeriod(query, loaded, settings.weekStartsOn),
    ...checkFilters(query),
    ...warnUndefined(plan),
  ];
  const headers = describeHeaders(query, settings);
  return { report: { headers, data: [], totalCount: 0, totals: {}, meta: { ...meta, warnings } }, cost };
}

/**
 * Computes a report, except its rows, which `ComputedReport.rows` sorts and makes on request.
 * @throws ApiError REPORT_TOO_EXPENSIVE before any facts are read, where it would take too long; or at any step, where it takes too much memory
 * @throws ApiError DEADLINE_EXCEEDED
 */
export async function computeReport(input: ReportInput): Promise<ComputedReport> {
  const { query, scope, settings, deadline = NO_DEADLINE, maxBytes = MAX_BYTES, onStart } = input;
  const prepared = await prepareReport(input);
  const { source, plan, totalPlan, sharePlan, heads, joins, selected, reads, missing, marketReads, cost } = prepared;
  const { completeness, loaded, meta } = prepared;
  const hasMetricFilter = plan.groupConditions.length > 0;
  await onStart?.(cost);

  const entities = new EntityCodes(joins);
  const pacing = {
    advertiserIds: selected.advertiserIds,
    days: daysOf(plan, joins, plan.rowConditions),
    lastDayOf: completeness.lastDayOf,
  };
  const seen = new SeenValues(query.filters);
  addAdvertisers(seen, plan, scope, joins);
  const scanContext = { source, joins, entities, pacing, seen, deadline, maxBytes: maxBytes - cost.baseBytes };
  const streams = new StreamGroup();
  const openRows = openReads(source, reads, streams);
  const ownDays = streams.add(() => readDaySegments(source, marketReads?.own ?? []));
  const openMissing = missing && { plan: missing.plan, reads: openReads(source, missing.reads, streams) };
  const grouped = await scanPacedFacts(scanContext, plan, openRows, pacing);
  let shares: MarketShares | undefined;
  if (sharePlan !== undefined && marketReads !== undefined)
    shares = await readMarketShares(scanContext, sharePlan, marketReads, plan.market ? grouped : oneGroup(), ownDays);
  deadline.check();
  const rows: AccumulatedRows = { ...grouped, shares };
  const deriveContext: DeriveContext = {
    plan,
    hasData: loaded.hasData,
    joins,
    entities,
    plannedOf: (group) => rows.pacing?.of(group),
    shareOf: (group) => shares?.of(group) ?? null,
  };
  const kept = filterGroups(rows, deriveContext);
  const { totals, scannedRows } = hasMetricFilter
    ? { totals: totalKeptRows(rows, kept, deriveContext), scannedRows: 0 }
    : await totalAllRows(scanContext, { ...deriveContext, plan: totalPlan }, rows, openMissing);

  deadline.check();
  const dimensions = dimensionValues(rows, query.dimensions);
  const derive = (name: MetricName) => deriveMetric(name, rows.facts, deriveContext);
  const keys = sortKeys({ plan, groups: kept, dimensions, derive });
  deadline.check();
  return {
    cost,
    envelope: {
      headers: describeHeaders(query, settings),
      totalCount: kept.length,
      totals,
      meta: {
        ...meta,
        warnings: [
          ...warnLoadedPeriod(query, loaded, settings.weekStartsOn),
          ...checkFilters(query),
          ...seen.warnings(),
          ...describeWarnings(plan, rows.facts, kept),
          ...warnMarket(shares, settings.marketMinOthers),
          ...warnPacing(plan, rows.pacing, headsOf(selected, heads), completeness),
        ],
      },
    },
    scannedRows: rows.scannedRows + scannedRows + (shares?.scannedRows ?? 0),
    rows: new ReportRows({ groups: kept, keys }, query, dimensions, derive),
  };
}

/**
 * Plans the reads of a report and estimates their cost.
 * @throws ApiError REPORT_TOO_EXPENSIVE where it would take too long or too much memory
 */
async function prepareReport({
  query,
  scope,
  settings,
  source: wholeSource,
  deadline = NO_DEADLINE,
  maxBytes = MAX_BYTES,
  onStart,
}: ReportInput) {
  const source = withinDeadline(wholeSource, deadline);
  const plan = planReport(query);
  const totalPlan = planReport({ ...query, dimensions: [] }, plan.rowConditions);
  const hasMetricFilter = plan.groupConditions.length > 0;
  const missingPlan = hasMetricFilter ? undefined : planMissing(plan, totalPlan);
  const sharePlan = planShare(plan, totalPlan);
  const headContext = { source, maxBytes };
  if (scope.advertiserIds.length > HEADS_PER_READ) await onStart?.(estimateCost([]));
  const [facts, otherHeads, joins] = await Promise.all([
    openFacts(headContext, [plan, totalPlan], scope),
    readHeads(headContext, [plan, totalPlan], sharePlan === undefined ? [] : otherAdvertisers(scope, settings)),
    loadJoins(source, [plan, totalPlan], scope, settings, maxBytes),
  ]);
  const { heads } = facts;
  const readContext = { ...headContext, joins };
  const selected = selectAdvertisers(plan, joins, scope, deadline);
  const reads = await planReads(readContext, plan, selected, facts);
  const missing = missingPlan && {
    plan: missingPlan,
    reads: await planReads(readContext, missingPlan, selected, facts),
  };
  const marketReads =
    sharePlan && (await planMarket({ ...readContext, heads, otherHeads, settings }, sharePlan, selected));
  const allReads = [{ plan, reads, joins }, ...(missing === undefined ? [] : [{ ...missing, joins }])];
  const cost = estimateCost(allReads, marketReads);
  rejectTooExpensive(cost, plan);
  rejectTooLarge(cost.baseBytes, maxBytes);
  const completeness = findCompleteness(heads, joins, query.experience, scope.advertiserIds);
  const loaded = findLoadedPeriod(plan, heads.get(PLATFORM_ID));
  const readsMarket = sharePlan !== undefined;
  const { timezone, currency, attribution } = settings;
  const meta = {
    timezone,
    currency,
    data: loaded.data,
    dataCompleteThrough: completeness.through,
    dataVersion: dataVersionOf({ plan, scope, settings, facts, otherHeads, readsMarket, joins, completeness }),
    attribution,
  };
  return {
    source,
    plan,
    totalPlan,
    sharePlan,
    heads,
    joins,
    selected,
    reads,
    missing,
    marketReads,
    cost,
    completeness,
    loaded,
    meta,
  };
}

/** @returns the fact heads of the advertisers that no filter excludes */
function headsOf({ advertiserIds }: ReportScope, heads: ReadonlyMap<number, FactHead>): FactHead[] {
  return advertiserIds.flatMap((id) => heads.get(id) ?? []);
}

/** Adds the advertisers of the report, because those that a filter excludes are not read. */
function addAdvertisers(seen: SeenValues, plan: Plan, scope: ReportScope, joins: Joins): void {
  for (const { field } of seen.pending(plan.rowConditions.filter(({ base }) => base === 'advertiser')))
    for (const id of scope.advertiserIds) seen.add(field, joins, id, id);
}

/** @returns the plan by which share_of_voice is computed, which is the totals' where rows have none; undefined where the report has no value of it */
function planShare(plan: Plan, totalPlan: Plan): Plan | undefined {
  if (plan.market) return plan;
  return totalPlan.market && plan.groupConditions.length === 0 ? totalPlan : undefined;
}

/** @returns the only group of the one-row report, which has no axes */
function oneGroup(): Pick<GroupedFacts, 'axes' | 'table' | 'bytes'> {
  const table = new GroupTable(0);
  table.add([]);
  return { axes: [], table, bytes: 0 };
}

/** @returns the groups that pass the metric filters */
function filterGroups({ table, facts }: GroupedFacts, deriveContext: DeriveContext): Uint32Array {
  let kept = table.groups();
  for (const { metric: name, passes } of deriveContext.plan.groupConditions) {
    const metricValueOf = deriveMetric(name, facts, deriveContext);
    kept = kept.filter((group) => passes(metricValueOf(group)));
  }
  return kept;
}
