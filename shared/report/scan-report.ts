import type { Experience } from '../catalog/tables.ts';
import { PLATFORM_ID } from '../layout/partitions.ts';
import { formatDay } from '../lib/calendar.ts';
import { NO_DEADLINE } from '../lib/deadline.ts';
import type { DeriveContext } from './finish/derive-metrics.ts';
import { dimensionValues, experienceReader } from './finish/dimension-values.ts';
import type { ReportRows } from './finish/report-rows.ts';
import { type MarketShares, readMarketShares } from './market/read-market-shares.ts';
import { findCutShort } from './pacing/complete-days.ts';
import { findLastDays } from './pacing/last-days.ts';
import { type PacingContext, scanPacedFacts } from './pacing/pacing.ts';
import type { Joins } from './plan/joins.ts';
import { daysOf, type PlannedReads } from './plan/plan-reads.ts';
import type { Plan } from './plan/plan-report.ts';
import { lackedKeys } from './plan/plan-sums.ts';
import type { Reach } from './plan/reach.ts';
import type { PreparedReport } from './prepare-report.ts';
import type { ReportEnvelope, ReportScope } from './query/query.ts';
import type { ReportInput } from './query/report-input.ts';
import { rejectTooExpensive } from './reject-too-expensive.ts';
import { EntityCodes } from './scan/entities.ts';
import { GroupTable } from './scan/group-table.ts';
import { openReads } from './scan/open-reads.ts';
import { readRunSegments } from './scan/read-segments.ts';
import type { GroupedFacts } from './scan/scan-facts.ts';
import { ScannedAdvertisers } from './scan/scanned-advertisers.ts';
import type { SeenValues } from './scan/seen-values.ts';
import { StreamGroup } from './scan/stream-group.ts';
import { NO_VALUE } from './sums/exact-numbers.ts';
import { type AccumulatedRows, type TotalFacts, totalAllRows } from './total-report.ts';

/** A computed report, of which any rows can be written. */
export interface ComputedReport {
  readonly envelope: ReportEnvelope;
  /** The number of fact rows that were read. */
  readonly scannedRows: number;
  /** Whether anybody has data in the period. */
  readonly hasData: boolean;
  readonly rows: ReportRows;
}

/** The accumulated facts of a report, with its total, which is undefined where a metric filter restricts it to some groups. */
export interface ScannedReport {
  readonly prepared: PreparedReport;
  readonly rows: AccumulatedRows;
  readonly deriveContext: DeriveContext;
  readonly total: TotalFacts | undefined;
  readonly scannedRows: number;
  readonly scanned: ScannedAdvertisers;
}

/** Accumulates the facts of a prepared report. @throws ApiError REPORT_TOO_EXPENSIVE or DEADLINE_EXCEEDED */
export async function scanReport(
  { scope, settings, deadline = NO_DEADLINE }: ReportInput,
  prepared: PreparedReport,
  seen: SeenValues,
): Promise<ScannedReport> {
  const { source, plan, totalPlan, sharePlan, heads, joins, budgets, completeDays, loaded, unmeasured } = prepared;
  const planned = prepared.planned.isSample ? await prepared.planWhole() : prepared.planned;
  const { marketReads, cost } = planned;
  rejectTooExpensive(cost, plan);
  const entities = new EntityCodes(joins);
  addUpFront(seen, plan, scope, joins);
  const scanned = new ScannedAdvertisers();
  const scanContext = { source, joins, entities, seen, deadline, unmeasured, scanned };
  const streams = new StreamGroup();
  const open = (own: PlannedReads) => ({ plan: own.plan, reads: openReads(source, own.reads, streams) });
  const ends = planned.ends && open(planned.ends);
  const ofRows = open(planned.rows);
  const ownDays = streams.add(() => readRunSegments(source, marketReads?.own ?? []));
  const missing = planned.total && open(planned.total);
  const pacingContext: PacingContext = {
    ...scanContext,
    budgets,
    days: daysOf(plan, joins, plan.rowConditions),
    completeDays,
    cutShort: findCutShort(plan, heads, completeDays),
    lastDays: ends ? await findLastDays(scanContext, ends.plan, ends.reads, prepared.headsOfEnded) : new Map(),
  };
  const grouped = await scanPacedFacts(pacingContext, plan, ofRows.reads);
  let shares: MarketShares | undefined;
  if (sharePlan !== undefined && marketReads !== undefined)
    shares = await readMarketShares(scanContext, sharePlan, marketReads, plan.market ? grouped : oneGroup(), ownDays);
  // days without a dimension of the rows are left out of these only
  if (shares && marketReads && plan.market && lackedKeys({ ...plan, rowConditions: [] }, 'delivery').length > 0) {
    const ownDaysAgain = readRunSegments(source, marketReads.own);
    const whole = await readMarketShares(scanContext, totalPlan, marketReads, oneGroup(), ownDaysAgain);
    shares = { ...whole, of: shares.of, scannedRows: shares.scannedRows + whole.scannedRows };
  }
  deadline.check();
  const rows: AccumulatedRows = { ...grouped, shares };
  const deriveContext: DeriveContext = {
    plan,
    hasData: loaded.hasData,
    knownIn: readReach(unmeasured.reach, grouped, pacingContext),
    experienceOf: experienceReader(plan.query, (name) => dimensionValues(grouped, [name])[0]),
    joins,
    entities,
    plannedOf: (group) => rows.pacing?.of(group),
    shareOf: (group) => shares?.of(group) ?? NO_VALUE,
    minUsers: settings.minUsers ?? 0,
  };
  const scannedRows = rows.scannedRows + (shares?.scannedRows ?? 0);
  const isWhole = plan.groupConditions.length === 0;
  const ofTotal = { ...deriveContext, plan: totalPlan };
  const whole = isWhole ? await totalAllRows(pacingContext, ofTotal, rows, missing) : undefined;
  return {
    ...{ prepared, rows, deriveContext, total: whole?.total, scannedRows: scannedRows + (whole?.scannedRows ?? 0) },
    scanned,
  };
}

/** @returns `DeriveContext.knownIn` of the groups */
function readReach(
  reach: Reach,
  { axes, table: groups }: Pick<GroupedFacts, 'axes' | 'table'>,
  { days, joins }: PacingContext,
): DeriveContext['knownIn'] {
  const at = axes.findIndex(({ base }) => base === 'date');
  return (table) => {
    if (reach.isWhole(table)) return undefined;
    const byCode = Map.groupBy(days, (day) => axes[at]?.codeOf(joins, 0, formatDay(day)));
    const found = new Map<number | undefined, readonly Experience[]>();
    return (experiences, group) => {
      const code = group === undefined || at === -1 ? undefined : groups.codeAt(group, at);
      const known =
        found.get(code) ?? reach.knownIn(table, experiences, code === undefined ? undefined : (byCode.get(code) ?? []));
      found.set(code, known);
      return known;
    };
  };
}

/** Adds the advertisers and days of the report, because those that a filter excludes are not read. */
function addUpFront(seen: SeenValues, plan: Plan, scope: ReportScope, joins: Joins): void {
  for (const field of seen.pending(plan.rowConditions.filter(({ base }) => base === 'advertiser')))
    for (const id of scope.advertiserIds) seen.add(field, joins, id, id);
  const { firstDay, lastDay } = plan.period;
  for (const field of seen.pending(plan.rowConditions.filter(({ base }) => base === 'date')))
    for (let day = firstDay; day <= lastDay; day++) seen.add(field, joins, PLATFORM_ID, formatDay(day));
}

/** @returns the only group of the one-row report, which has no axes */
function oneGroup(): Pick<GroupedFacts, 'axes' | 'table'> {
  const table = new GroupTable(0);
  table.add([]);
  return { axes: [], table };
}
