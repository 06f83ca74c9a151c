import { type DeriveContext, deriveMetric, toUnits } from './finish/derive-metrics.ts';
import type { MarketShares } from './market/read-market-shares.ts';
import type { Budget } from './pacing/find-budgets.ts';
import { type PacedFacts, scanPacedFacts } from './pacing/pacing.ts';
import type { Plan } from './plan/plan-report.ts';
import type { ReportValue } from './query/query.ts';
import type { Accumulators } from './scan/accumulate.ts';
import type { EntityCodes } from './scan/entities.ts';
import type { OpenReads } from './scan/open-reads.ts';
import type { ScanContext } from './scan/scan-facts.ts';

type Totals = Readonly<Record<string, ReportValue>>;

/** The accumulated rows of a report; `shares` is undefined where neither they nor the totals include share_of_voice. */
export interface AccumulatedRows extends PacedFacts {
  readonly shares: MarketShares | undefined;
}

/** The part of the one-row report that the rows do not accumulate (see `planMissing`), and what is read for it. */
interface MissingFacts {
  readonly plan: Plan;
  readonly reads: OpenReads;
}

/**
 * @param deriveContext that of the rows, with the plan of the same request without dimensions
 * @returns the one-row report of the same request, derived from all accumulated rows and the missing facts; and the number of fact rows read for
 * the latter
 * @throws ApiError REPORT_TOO_EXPENSIVE or DEADLINE_EXCEEDED
 */
export async function totalAllRows(
  context: ScanContext,
  deriveContext: DeriveContext,
  rows: AccumulatedRows,
  missing: MissingFacts | undefined,
): Promise<{ readonly totals: Totals; readonly scannedRows: number }> {
  const facts = rows.facts.fold(rows.table.groups());
  const others = missing && (await scanPacedFacts(context, missing.plan, missing.reads));
  if (others !== undefined) facts.include(others.facts);
  const planned = (rows.pacing ?? others?.pacing)?.total;
  if (deriveContext.plan.attributes) addCampaigns(facts, context.entities, rows.pacing?.onlyInTotal ?? []);
  const ofTotals = { ...deriveContext, plannedOf: () => planned, shareOf: () => rows.shares?.total ?? null };
  return { totals: deriveTotals(facts, ofTotals), scannedRows: others?.scannedRows ?? 0 };
}

/** @returns the metrics over exactly the rows that a metric filter keeps; share_of_voice is null, because market impressions cannot be restricted to these rows */
export function totalKeptRows(rows: AccumulatedRows, kept: Uint32Array, deriveContext: DeriveContext): Totals {
  const planned = rows.pacing?.over(kept);
  return deriveTotals(rows.facts.fold(kept), { ...deriveContext, plannedOf: () => planned, shareOf: () => null });
}

/** Records that planned cost in the total belongs to the campaigns. @param facts folded into group 1 */
function addCampaigns(facts: Accumulators, entities: EntityCodes, budgets: readonly Budget[]): void {
  for (const { advertiserId, adGroupIds } of budgets) {
    const campaign = entities.campaignOf(entities.adGroup(advertiserId, adGroupIds[0] ?? null));
    facts.addEntities('campaign', { kind: 'one', group: 1 }, [0], [campaign]);
  }
}

/** @param facts folded into group 1 */
function deriveTotals(facts: Accumulators, deriveContext: DeriveContext): Totals {
  const { metrics } = deriveContext.plan.query;
  const ofTotals = { ...deriveContext, experienceOf: undefined };
  return Object.fromEntries(metrics.map((name) => [name, toUnits(name, deriveMetric(name, facts, ofTotals)(1))]));
}
