import { MARKET_ADVERTISER } from '../catalog/partitions.ts';
import type { SegmentSource } from '../catalog/segment-source.ts';
import { dayNumber, formatDay } from '../lib/calendar.ts';
import { type DeriveContext, deriveMetric } from './finish/derive-metrics.ts';
import { dimensionValues } from './finish/dimension-values.ts';
import { sortAndPage } from './finish/sort-and-page.ts';
import { sortKeys } from './finish/sort-keys.ts';
import { describeColumns, describeWarnings, writeRows } from './finish/write-rows.ts';
import { readMarketShares } from './market.ts';
import { type PacingInput, scanPacedFacts } from './pacing.ts';
import { findCompleteness } from './plan/completeness.ts';
import { estimateCost, rejectTooExpensive } from './plan/guard-cost.ts';
import { type Joins, loadJoins } from './plan/joins.ts';
import { planReads } from './plan/plan-reads.ts';
import { type Plan, planMissing, planReport } from './plan/plan-report.ts';
import type { ReportEnvelope, ReportQuery, ReportResult, ReportRow, ReportScope, ReportSettings } from './query.ts';
import { EntityCodes } from './scan/entities.ts';
import type { GroupedFacts } from './scan/scan-facts.ts';
import { type AccumulatedRows, totalAllRows, totalKeptRows } from './total-report.ts';
import { warnPacing } from './warn-pacing.ts';

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
  readonly frame: ReportEnvelope;
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
  const whole = planReport({ ...query, dimensions: [] });
  const hasMetricFilter = plan.groupConditions.length > 0;
  const missingPlan = hasMetricFilter ? undefined : planMissing(plan, whole);
  const [heads, joins] = await Promise.all([
    source.factHeads([...scope.advertiserIds, MARKET_ADVERTISER]),
    loadJoins(source, [plan, whole], scope),
  ]);
  const reads = await planReads(source, plan, scope, joins, heads);
  const missing = missingPlan && {
    plan: missingPlan,
    reads: await planReads(source, missingPlan, scope, joins, heads),
  };
  rejectTooExpensive(estimateCost(missing === undefined ? [reads] : [reads, missing.reads]), query);

  const completeness = findCompleteness(heads, joins, query.experience, scope.advertiserIds);
  const entities = new EntityCodes(joins);
  const pacing: PacingInput = {
    joins,
    experience: query.experience,
    days: countedDays(plan, joins),
    lastDayOf: completeness.lastDayOf,
  };
  const context = { source, joins, entities, pacing, signal };
  const grouped = await scanPacedFacts(context, plan, reads, pacing);
  const marketHead = heads.get(MARKET_ADVERTISER);
  const shares = plan.market ? await readMarketShares(context, plan, marketHead, grouped) : undefined;
  const rows: AccumulatedRows = { ...grouped, shares };
  const derivation: DeriveContext = {
    plan,
    joins,
    entities,
    pacingOf: (group) => rows.pacing?.of(group) ?? null,
    shareOf: (group) => shares?.of(group) ?? null,
  };
  const kept = keepGroups(rows, derivation);
  const { totals, scannedRows } = hasMetricFilter
    ? { totals: totalKeptRows(rows, kept, derivation), scannedRows: 0 }
    : await totalAllRows(context, whole, rows, missing, marketHead);

  const dimensions = dimensionValues(rows, query.dimensions);
  const keys = sortKeys(query, kept, dimensions, rows.facts, derivation);
  return {
    frame: {
      headers: describeColumns(query, settings),
      totalCount: kept.length,
      totals,
      meta: {
        timezone: settings.timezone,
        currency: settings.currency,
        dataCompleteThrough: completeness.through,
        attribution: settings.attribution,
        warnings: [...describeWarnings(plan, rows.facts, kept), ...warnPacing(query, rows.pacing, heads, completeness)],
      },
    },
    scannedRows: rows.scannedRows + scannedRows,
    rows: (offset, size) => {
      const page = sortAndPage(kept, keys, offset, size);
      return writeRows(page, query, dimensions, (name) => deriveMetric(name, rows.facts, derivation));
    },
  };
}

/** @returns the days of the window that pass the conditions on the date, ascending: those that plans count. */
function countedDays(plan: Plan, joins: Joins): number[] {
  const { startDate, endDate } = plan.query;
  const onDate = plan.rowConditions.filter((it) => it.base === 'date');
  const days: number[] = [];
  for (let day = dayNumber(startDate); day <= dayNumber(endDate); day++) {
    if (onDate.every((it) => it.passes(joins.valueOf(it.field, 0, formatDay(day))))) days.push(day);
  }
  return days;
}

/** @returns the groups that pass the metric filters */
function keepGroups({ table, facts }: GroupedFacts, derivation: DeriveContext): Uint32Array {
  let kept = table.groups();
  for (const { metric: name, passes } of derivation.plan.groupConditions) {
    const read = deriveMetric(name, facts, derivation);
    kept = kept.filter((group) => passes(read(group)));
  }
  return kept;
}
