import { type Experience, experiencesIn, type Measure } from '../catalog/tables.ts';
import { PLATFORM_ID } from '../layout/partitions.ts';
import { formatDay, todayIn } from '../lib/calendar.ts';
import { NO_DEADLINE } from '../lib/deadline.ts';
import { estimateCost, estimatePlanning } from './estimate-cost.ts';
import type { DeriveContext } from './finish/derive-metrics.ts';
import { dimensionValues, experienceReader } from './finish/dimension-values.ts';
import type { ReportRows } from './finish/report-rows.ts';
import { type MarketShares, readMarketShares } from './market/read-market-shares.ts';
import { findCompleteDays, findCutShort, overlaps } from './pacing/complete-days.ts';
import { findBudgets } from './pacing/find-budgets.ts';
import { endsWithDelivery, findLastDays, planLastDays } from './pacing/last-days.ts';
import { type PacingContext, scanPacedFacts } from './pacing/pacing.ts';
import { findCompleteness } from './plan/completeness.ts';
import { dataVersionOf } from './plan/data-version.ts';
import { holdBack } from './plan/hold-back.ts';
import { type Joins, loadAdvertiserNames, loadJoins } from './plan/joins.ts';
import { findLoadedPeriod } from './plan/loaded-period.ts';
import { type MarketReads, otherAdvertisers, planMarket } from './plan/plan-market.ts';
import { daysOf, planReads, type ReadPlan } from './plan/plan-reads.ts';
import { type Plan, planMissing, planReport } from './plan/plan-report.ts';
import { lackedKeys } from './plan/plan-sums.ts';
import type { Reach } from './plan/reach.ts';
import { readHeads } from './plan/read-heads.ts';
import { Sample } from './plan/sample.ts';
import { selectAdvertisers } from './plan/select-advertisers.ts';
import { openFacts } from './plan/shards.ts';
import { findUnmeasured, findWholes } from './plan/unmeasured.ts';
import type { ReportEnvelope, ReportScope } from './query/query.ts';
import { type CostEstimate, type ReportInput, sumCosts } from './query/report-input.ts';
import type { Memory } from './query/too-expensive.ts';
import { rejectTooExpensive } from './reject-too-expensive.ts';
import { EntityCodes } from './scan/entities.ts';
import { GroupTable } from './scan/group-table.ts';
import { openReads } from './scan/open-reads.ts';
import { readRunSegments } from './scan/read-segments.ts';
import type { GroupedFacts } from './scan/scan-facts.ts';
import { ScannedAdvertisers } from './scan/scanned-advertisers.ts';
import type { SeenValues } from './scan/seen-values.ts';
import { StreamGroup } from './scan/stream-group.ts';
import { withinDeadline } from './scan/within-deadline.ts';
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

export type PreparedReport = Awaited<ReturnType<typeof prepareReport>>;

interface PlannedFacts {
  readonly reads: ReadPlan;
  /** For what the rows do not accumulate. */
  readonly missing: { readonly plan: Plan; readonly reads: ReadPlan } | undefined;
  /** For the ends of what has ended. */
  readonly lastDays: { readonly plan: Plan; readonly reads: ReadPlan } | undefined;
  readonly marketReads: MarketReads | undefined;
  readonly cost: CostEstimate;
  /** Whether some partitions stand for others, so that only the cost may be used. */
  readonly isSample: boolean;
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

/**
 * Plans the reads of a report and estimates their cost.
 * @throws ApiError REPORT_TOO_EXPENSIVE where it would take too long or too much memory
 */
export async function prepareReport(
  { query, scope, settings, source: wholeSource, deadline = NO_DEADLINE, onStart, ...input }: ReportInput,
  memory: Memory,
) {
  const { source, planningUnits } = withinDeadline(wholeSource, deadline);
  const { today = todayIn(settings.timezone) } = input;
  const requested = planReport(query);
  const plansWith = (unmeasured?: Plan['unmeasured'], wholes?: ReadonlySet<Measure>): [Plan, Plan] => [
    planReport(query, requested.rowConditions, unmeasured, wholes),
    planReport({ ...query, dimensions: [] }, requested.rowConditions, unmeasured, wholes),
  ];
  const plans = plansWith();
  const readsMarket = planShare(...plans) !== undefined;
  const onWide = (advertisers: number) => onStart?.(estimatePlanning(advertisers));
  const headContext = { source, memory, onWide };
  const [wholeFacts, otherHeads, joins] = await Promise.all([
    openFacts(headContext, plans, scope),
    readHeads(headContext, plans, readsMarket ? otherAdvertisers(scope, settings) : []),
    loadJoins(source, plans, scope, settings, memory),
  ]);
  const experiences = experiencesIn(query.experience);
  const facts = holdBack(wholeFacts, experiences, settings.marketMinOthers);
  const { heads } = facts;
  const selected = selectAdvertisers(requested, joins, scope, deadline);
  const unmeasured = findUnmeasured(plans, heads, joins, selected);
  const wholes = findWholes(requested, heads, selected);
  const isComplete = unmeasured.columns.size === 0 && wholes.size === 0;
  const [plan, totalPlan] = isComplete ? plans : plansWith(unmeasured.columns, wholes);
  const missingPlan = plan.groupConditions.length > 0 ? undefined : planMissing(plan, totalPlan);
  const sharePlan = planShare(plan, totalPlan);
  const completeness = findCompleteness(heads, joins, experiences, scope.advertiserIds, today);
  const isPlanned = plan.planned !== undefined || totalPlan.planned !== undefined;
  const budgets = (isPlanned ? selected.advertiserIds : []).flatMap((id) => findBudgets(joins, query.experience, id));
  const completeDays = findCompleteDays(plan, budgets, heads, completeness);
  const ended = budgets.filter((budget) => overlaps(budget, plan) && endsWithDelivery(budget, completeDays.of(budget)));
  const headsOfEnded = await readHeads(
    { source, memory },
    [],
    [...new Set(ended.map((budget) => budget.advertiserId))],
  );
  const lastDayPlan = planLastDays(plan, ended, headsOfEnded);
  const planFacts = async (sample?: Sample): Promise<PlannedFacts> => {
    const context = { source, joins, ...(sample && { sample }) };
    const reads = await planReads(context, plan, selected, facts);
    const missing = missingPlan && {
      plan: missingPlan,
      reads: await planReads(context, missingPlan, selected, facts),
    };
    const marketReads =
      sharePlan && (await planMarket({ ...context, heads, otherHeads, settings }, sharePlan, selected));
    const lastDays = lastDayPlan && {
      plan: lastDayPlan,
      reads: await planReads(
        context,
        lastDayPlan,
        { ...selected, advertiserIds: [...headsOfEnded.keys()] },
        { heads: headsOfEnded, shards: [] },
      ),
    };
    const allReads = [{ plan, reads }, missing, lastDays].flatMap((read) => (read ? [{ ...read, joins }] : []));
    const unread = estimatePlanning(sample?.unread ?? 0);
    const cost = sumCosts([estimateCost(allReads, marketReads, wholeSource.isKept), unread]);
    return { reads, missing, lastDays, marketReads, cost, isSample: unread.readUnits > 0 };
  };
  const planned = await planFacts(new Sample(new Map([...heads, ...otherHeads])));
  const loaded = findLoadedPeriod(plan, facts, today);
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
    planned,
    planningUnits,
    headsOfEnded,
    /** Reads all manifests. */
    planWhole: () => planFacts(),
    completeness,
    budgets,
    completeDays,
    loaded,
    unmeasured,
    advertiserNames: () => loadAdvertiserNames(source),
    meta,
  };
}

/** Accumulates the facts of a prepared report. @throws ApiError REPORT_TOO_EXPENSIVE or DEADLINE_EXCEEDED */
export async function scanReport(
  { scope, deadline = NO_DEADLINE }: ReportInput,
  prepared: PreparedReport,
  seen: SeenValues,
  memory: Memory,
): Promise<ScannedReport> {
  const { source, plan, totalPlan, sharePlan, heads, joins, budgets, completeDays, loaded, unmeasured } = prepared;
  const { reads, missing, lastDays, marketReads, cost } = prepared.planned.isSample
    ? await prepared.planWhole()
    : prepared.planned;
  rejectTooExpensive(cost, plan);
  const entities = new EntityCodes(joins);
  addUpFront(seen, plan, scope, joins);
  const scanned = new ScannedAdvertisers();
  const scanContext = { source, joins, entities, seen, deadline, memory, unmeasured, scanned };
  const streams = new StreamGroup();
  const openLastDays = lastDays && openReads(source, lastDays.reads, streams);
  const openRows = openReads(source, reads, streams);
  const ownDays = streams.add(() => readRunSegments(source, marketReads?.own ?? []));
  const openMissing = missing && { plan: missing.plan, reads: openReads(source, missing.reads, streams) };
  const pacingContext: PacingContext = {
    ...scanContext,
    budgets,
    days: daysOf(plan, joins, plan.rowConditions),
    completeDays,
    cutShort: findCutShort(plan, heads, completeDays),
    lastDays:
      lastDays && openLastDays
        ? await findLastDays(scanContext, lastDays.plan, openLastDays, prepared.headsOfEnded)
        : new Map(),
  };
  const grouped = await scanPacedFacts(pacingContext, plan, openRows);
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
  };
  const scannedRows = rows.scannedRows + (shares?.scannedRows ?? 0);
  const isWhole = plan.groupConditions.length === 0;
  const ofTotal = { ...deriveContext, plan: totalPlan };
  const whole = isWhole ? await totalAllRows(pacingContext, ofTotal, rows, openMissing) : undefined;
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

/** @returns the plan by which share_of_voice is computed, which is the totals' where rows have none; undefined where the report has no value of it */
function planShare(plan: Plan, totalPlan: Plan): Plan | undefined {
  if (plan.market) return plan;
  return totalPlan.market && plan.groupConditions.length === 0 ? totalPlan : undefined;
}

/** @returns the only group of the one-row report, which has no axes */
function oneGroup(): Pick<GroupedFacts, 'axes' | 'table'> {
  const table = new GroupTable(0);
  table.add([]);
  return { axes: [], table };
}
