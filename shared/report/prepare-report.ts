import { lastFinalDay, methodOn } from '../catalog/methodology.ts';
import { type Experience, experiencesIn } from '../catalog/tables.ts';
import { type FactHead, PLATFORM_ID } from '../layout/partitions.ts';
import type { SegmentSource } from '../layout/segment-reads.ts';
import { formatDay, todayIn } from '../lib/calendar.ts';
import { NO_DEADLINE } from '../lib/deadline.ts';
import { estimateCost, estimatePlanning } from './estimate-cost.ts';
import { type CompleteDays, findCompleteDays, overlaps } from './pacing/complete-days.ts';
import { type Budget, findBudgets } from './pacing/find-budgets.ts';
import { endsWithDelivery, planLastDays } from './pacing/last-days.ts';
import { type Completeness, findCompleteness } from './plan/completeness.ts';
import { dataVersionOf, lastLoadOf } from './plan/data-version.ts';
import { holdBack } from './plan/hold-back.ts';
import { type AdvertiserName, type Joins, loadAdvertiserNames, loadJoins } from './plan/joins.ts';
import { findLoadedPeriod, type LoadedPeriod } from './plan/loaded-period.ts';
import { type MarketReads, otherAdvertisers, planMarket } from './plan/plan-market.ts';
import { type PlannedReads, planReads } from './plan/plan-reads.ts';
import { leaveOut, type Plan, planMissing, planReport } from './plan/plan-report.ts';
import { readHeads } from './plan/read-heads.ts';
import { Sample } from './plan/sample.ts';
import { selectAdvertisers } from './plan/select-advertisers.ts';
import { type FactSources, openFacts } from './plan/shards.ts';
import { findPartlyIdentified, findUnmeasured, type Unmeasured } from './plan/unmeasured.ts';
import type { ReportEnvelope, ReportScope, ReportSettings } from './query/query.ts';
import { type CostEstimate, type ReportInput, sumCosts } from './query/report-input.ts';
import { withinLimits } from './scan/within-limits.ts';

interface PlannedFacts {
  readonly rows: PlannedReads;
  /** What only the total has. */
  readonly total: PlannedReads | undefined;
  /** For the ends of what has ended. */
  readonly ends: PlannedReads | undefined;
  readonly marketReads: MarketReads | undefined;
  readonly cost: CostEstimate;
  /** Whether some partitions stand for others, so that only the cost may be used. */
  readonly isSample: boolean;
}

/** One period of a report, before its facts are read. */
export interface PreparedReport {
  readonly source: SegmentSource;
  readonly plan: Plan;
  /** That of the one-row report. */
  readonly totalPlan: Plan;
  /** The plan by which share_of_voice is computed. */
  readonly sharePlan: Plan | undefined;
  readonly heads: ReadonlyMap<number, FactHead>;
  readonly headsOfEnded: ReadonlyMap<number, FactHead>;
  readonly joins: Joins;
  /** With the advertisers that no filter excludes. */
  readonly selected: ReportScope;
  readonly planned: PlannedFacts;
  /** The read units of what was read so far. */
  readonly planningUnits: () => number;
  /** Reads all manifests. */
  readonly planWhole: () => Promise<PlannedFacts>;
  readonly budgets: readonly Budget[];
  readonly completeDays: CompleteDays;
  readonly loaded: LoadedPeriod;
  readonly unmeasured: Unmeasured;
  readonly advertiserNames: () => Promise<AdvertiserName>;
  /** The time of the last load that changed what the report is made from, in milliseconds since 1970; undefined: none did. */
  readonly updatedAt: Promise<number | undefined>;
  readonly meta: Omit<ReportEnvelope['meta'], 'warnings' | 'compared' | 'dataUpdatedAt'>;
}

/**
 * Plans the reads of a report and estimates their cost.
 * @throws ApiError REPORT_TOO_EXPENSIVE where it would take too long or too much memory
 */
export async function prepareReport({
  query,
  scope,
  settings,
  source: wholeSource,
  deadline = NO_DEADLINE,
  onStart,
  ...input
}: ReportInput): Promise<PreparedReport> {
  const { source, planningUnits } = withinLimits(wholeSource, deadline);
  const { today = todayIn(settings.timezone) } = input;
  const requested = planReport(query);
  const plans = [requested, planReport({ ...query, dimensions: [] }, requested.rowConditions)] as const;
  const readsMarket = planShare(...plans) !== undefined;
  const onWide = (advertisers: number) => onStart?.(estimatePlanning(advertisers));
  const headContext = { source, onWide };
  const latestTime = Promise.resolve(source.loadTime?.()); // with the heads, so that it takes no time of its own
  latestTime.catch(() => undefined); // awaited later
  const [wholeFacts, otherHeads, joins] = await Promise.all([
    openFacts(headContext, plans, scope),
    readHeads(headContext, plans, readsMarket ? otherAdvertisers(scope, settings) : []),
    loadJoins(source, plans, scope, settings),
  ]);
  const experiences = experiencesIn(query.experience);
  const facts = holdBack(wholeFacts, experiences, settings.marketMinOthers);
  const { heads } = facts;
  const selected = selectAdvertisers(requested, joins, scope, deadline);
  const unmeasured = findUnmeasured(plans, heads, joins, selected);
  const partlyIdentified = findPartlyIdentified(requested, heads, selected);
  const isComplete = unmeasured.columns.size === 0 && partlyIdentified.size === 0;
  const complete = (whole: Plan) => (isComplete ? whole : leaveOut(whole, unmeasured.columns, partlyIdentified));
  const [plan, totalPlan] = [complete(plans[0]), complete(plans[1])];
  const sharePlan = planShare(plan, totalPlan);
  const completeness = findCompleteness(heads, joins, experiences, scope.advertiserIds, today);
  const isPlanned = plan.planned !== undefined || totalPlan.planned !== undefined;
  const budgets = (isPlanned ? selected.advertiserIds : []).flatMap((id) => findBudgets(joins, query.experience, id));
  const completeDays = findCompleteDays(plan, budgets, heads, completeness);
  const ended = budgets.filter((budget) => overlaps(budget, plan) && endsWithDelivery(budget, completeDays.of(budget)));
  const endedIds = [...new Set(ended.map((budget) => budget.advertiserId))];
  const headsOfEnded = await readHeads({ source }, [], endedIds);
  const missingPlan = plan.groupConditions.length > 0 ? undefined : planMissing(plan, totalPlan);
  const endsPlan = planLastDays(plan, ended, headsOfEnded);
  const ofEnded = { ...selected, advertiserIds: [...headsOfEnded.keys()] };
  const planFacts = async (sample?: Sample): Promise<PlannedFacts> => {
    const context = { source, joins, ...(sample && { sample }) };
    const planScan = async (own: Plan, of: ReportScope, sources: FactSources): Promise<PlannedReads> => {
      return { plan: own, joins, reads: await planReads(context, own, of, sources) };
    };
    const rows = await planScan(plan, selected, facts);
    const total = missingPlan && (await planScan(missingPlan, selected, facts));
    const ends = endsPlan && (await planScan(endsPlan, ofEnded, { heads: headsOfEnded, shards: [] }));
    const marketReads =
      sharePlan && (await planMarket({ ...context, heads, otherHeads, settings }, sharePlan, selected));
    const unread = estimatePlanning(sample?.unread ?? 0);
    const scans = [rows, total, ends].filter((scan) => scan !== undefined);
    const cost = sumCosts([estimateCost(scans, marketReads, wholeSource.isKept), unread]);
    return { rows, total, ends, marketReads, cost, isSample: unread.readUnits > 0 };
  };
  const planned = await planFacts(new Sample(new Map([...heads, ...otherHeads])));
  const loaded = findLoadedPeriod(plan, facts, today);
  const { timezone, currency, attribution } = settings;
  const version = { plan, scope, settings, facts, otherHeads, readsMarket, joins, completeness };
  const days = heads.get(PLATFORM_ID)?.days;
  const updatedAt = latestTime.then(async (latest) => {
    const ofLoad = await source.loadTime?.(lastLoadOf(version));
    const times = [ofLoad?.at, ...experiences.map((name) => (days?.has(name) ? latest?.days[name] : undefined))];
    return times.reduce((max, at) => (at !== undefined && at > (max ?? 0) ? at : max), undefined);
  });
  updatedAt.catch(() => undefined); // awaited when the report is described
  return {
    ...{ source, plan, totalPlan, sharePlan, heads, headsOfEnded, joins, selected, planned, planningUnits },
    planWhole: () => planFacts(),
    ...{ budgets, completeDays, loaded, unmeasured, updatedAt },
    advertiserNames: () => loadAdvertiserNames(source),
    meta: {
      timezone,
      currency,
      data: loaded.data,
      dataCompleteThrough: completeness.through,
      dataFinalThrough: finalThrough(experiences, scope, settings, { completeness, today }),
      dataVersion: dataVersionOf(version),
      attribution: { ...attribution, ...methodOn(settings.methodology, query.experience, query.endDate) },
    },
  };
}

/** @returns the earliest of the last final days of the experiences that have a complete day; null if one of these has none */
function finalThrough(
  experiences: readonly Experience[],
  { advertiserIds }: ReportScope,
  { finality, methodology }: ReportSettings,
  { completeness, today }: { readonly completeness: Completeness; readonly today: number },
): string | null {
  if (finality === undefined) return null;
  const days = experiences.flatMap((name) => {
    const complete = Math.min(...advertiserIds.map((id) => completeness.lastDayOf(id, name)).filter(Number.isFinite));
    return Number.isFinite(complete) ? [lastFinalDay({ ...finality, methodology }, name, { complete, today })] : [];
  });
  const known = days.filter((day) => day !== undefined);
  return known.length === 0 || known.length < days.length ? null : formatDay(Math.min(...known));
}

/** @returns the plan by which share_of_voice is computed, which is the totals' where rows have none; undefined where the report has no value of it */
function planShare(plan: Plan, totalPlan: Plan): Plan | undefined {
  if (plan.market) return plan;
  return totalPlan.market && plan.groupConditions.length === 0 ? totalPlan : undefined;
}
