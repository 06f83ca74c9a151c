import { dayNumber, formatDay } from '../calendar.ts';
import { type FactHead, MARKET_ADVERTISER } from '../catalog/partitions.ts';
import type { SegmentSource } from '../catalog/segment-source.ts';
import type { Accumulators } from './accumulate.ts';
import { type DeriveContext, deriveMetric } from './derive-metrics.ts';
import { dimensionValues } from './dimension-values.ts';
import { estimateCost, refuseTooExpensive } from './guard-cost.ts';
import { type Joins, loadJoins } from './joins.ts';
import { inWindow, isMarketBase, planMarketReads, planReads } from './plan-reads.ts';
import { type Plan, planReport } from './plan-report.ts';
import type { ReportFrame, ReportQuery, ReportResult, ReportRow, ReportScope, ReportSettings } from './query.ts';
import { type GroupedFacts, scanFacts, scanMarket } from './scan-facts.ts';
import { sortAndPage } from './sort-and-page.ts';
import { sortKeys } from './sort-keys.ts';
import { warnPacing } from './warn-pacing.ts';
import { describeColumns, describeWarnings, writeRows } from './write-rows.ts';

export interface ReportInput {
  readonly query: ReportQuery;
  readonly scope: ReportScope;
  readonly settings: ReportSettings;
  readonly source: SegmentSource;
  /** Stops the report between two days of facts. */
  readonly signal?: AbortSignal;
}

/** A report that is worked out but for its rows: any page of them can be written. */
export interface ComputedReport {
  readonly frame: ReportFrame;
  /** Fact rows that were read. */
  readonly scannedRows: number;
  /** @returns the rows at the places [offset, offset + size) */
  rows(offset: number, size: number): ReportRow[];
}

/** @returns the asked page of the report, the count of all rows, and totals over exactly those rows */
export async function runReport(input: ReportInput): Promise<ReportResult> {
  const { frame, rows } = await computeReport(input);
  const { offset, size } = input.query.pagination;
  return {
    headers: frame.headers,
    data: rows(offset, size),
    totalCount: frame.totalCount,
    totals: frame.totals,
    meta: frame.meta,
  };
}

/**
 * Works a report out: plan → segments → select → group → accumulate → derive → sort and page → rows.
 * @throws ApiError REPORT_TOO_EXPENSIVE before anything is read, where it could not be answered in time
 */
export async function computeReport({ query, scope, settings, source, signal }: ReportInput): Promise<ComputedReport> {
  const plan = planReport(query);
  const advertisers = plan.market ? [...scope.advertiserIds, MARKET_ADVERTISER] : scope.advertiserIds;
  const [heads, joins] = await Promise.all([source.factHeads(advertisers), loadJoins(source, plan, scope)]);
  const completeThrough = dataCompleteThrough(heads, query.experience);
  const reads = await planReads(source, plan, scope, joins, heads);
  refuseTooExpensive(estimateCost(reads), query);
  const grouped = await scanFacts(source, plan, joins, reads, signal);
  grouped.plans?.addPlans(
    grouped.facts.sums('plan'),
    grouped.table,
    grouped.axes,
    query.experience,
    countedDays(plan, joins, completeThrough),
  );
  const market = plan.market ? await addMarket(source, plan, joins, heads, grouped, signal) : undefined;

  const context: DeriveContext = { plan, joins, entities: grouped.entities };
  const all = new Uint32Array(grouped.table.size).map((_, i) => i + 1);
  const counted = keepGroups(all, grouped.facts, context);
  const totals = grouped.facts.fold(counted);
  if (market !== undefined) {
    // both sides of the share are taken over the whole, as in the one-row report
    totals.sums('market_slice')[1] = market;
    totals.sums('own_slice')[1] = grouped.facts.fold(all).sums('own_slice')[1] ?? 0;
  }
  const dimensions = dimensionValues(grouped, query.dimensions);
  const keys = sortKeys(query, counted, dimensions, grouped.facts, context);
  return {
    frame: {
      headers: describeColumns(query, settings),
      totalCount: counted.length,
      totals: Object.fromEntries(query.metrics.map((name) => [name, deriveMetric(name, totals, context)(1)])),
      meta: {
        timezone: settings.timezone,
        currency: settings.currency,
        dataCompleteThrough: completeThrough,
        attribution: settings.attribution,
        warnings: [
          ...describeWarnings(plan, grouped.facts, counted),
          ...warnPacing(plan, grouped.plans, heads, completeThrough),
        ],
      },
    },
    scannedRows: grouped.scannedRows,
    rows: (offset, size) => {
      const page = sortAndPage(counted, keys, offset, size);
      return writeRows(page, query, dimensions, (name) => deriveMetric(name, grouped.facts, context));
    },
  };
}

/** @returns the earliest, over the advertisers with delivery facts in the experience, of their latest delivery day; null without facts. */
function dataCompleteThrough(
  heads: ReadonlyMap<number, FactHead>,
  experience: ReportQuery['experience'],
): string | null {
  const latest = [...heads.values()]
    .map((head) => head.latestDelivery.get(experience))
    .filter((day) => day !== undefined);
  return latest.sort()[0] ?? null;
}

/** @returns the days a plan counts: of the window, up to dataCompleteThrough, passing the conditions on the date. */
function countedDays(plan: Plan, joins: Joins, completeThrough: string | null): number[] {
  if (completeThrough === null) return [];
  const { startDate, endDate } = plan.query;
  const onDate = plan.rowConditions.filter((it) => it.base === 'date');
  const days: number[] = [];
  const last = Math.min(dayNumber(endDate), dayNumber(completeThrough));
  for (let day = dayNumber(startDate); day <= last; day++) {
    if (onDate.every((it) => it.passes(joins.valueOf(it.field, 0, formatDay(day))))) days.push(day);
  }
  return days;
}

/** Sets each group's slice of the market. @returns all advertisers' impressions of the whole */
async function addMarket(
  source: SegmentSource,
  plan: Plan,
  joins: Joins,
  heads: ReadonlyMap<number, FactHead>,
  grouped: GroupedFacts,
  signal: AbortSignal | undefined,
): Promise<number> {
  const conditions = plan.rowConditions.filter((it) => isMarketBase(it.base));
  const axisNumbers = plan.axes.flatMap((axis, i) => (isMarketBase(axis.base) ? [i] : []));
  const reads = await planMarketReads(source, plan, joins, heads.get(MARKET_ADVERTISER), conditions);
  const { byGroup, whole } = await scanMarket(
    source,
    joins,
    grouped,
    conditions,
    axisNumbers,
    reads,
    inWindow(plan),
    signal,
  );
  grouped.facts.sums('market_slice').set(byGroup);
  grouped.facts.sums('own_slice').set(grouped.facts.sums('impressions'));
  return whole;
}

function keepGroups(all: Uint32Array, facts: Accumulators, context: DeriveContext): Uint32Array {
  let kept = all;
  for (const { metric: name, passes } of context.plan.groupConditions) {
    const read = deriveMetric(name, facts, context);
    kept = kept.filter((group) => passes(read(group)));
  }
  return kept;
}
