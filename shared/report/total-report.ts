import { type DeriveContext, deriveMetric, toUnits } from './finish/derive-metrics.ts';
import type { MarketShares } from './market/read-market-shares.ts';

import { type Budget, singleExperience } from './pacing/find-budgets.ts';
import { type PacedFacts, type PacingContext, scanPacedFacts } from './pacing/pacing.ts';

import type { Plan } from './plan/plan-report.ts';
import type { ReportEnvelope } from './query/query.ts';
import type { Accumulators } from './scan/accumulate.ts';
import type { EntityCodes } from './scan/entities.ts';
import type { OpenReads } from './scan/open-reads.ts';
import { NO_VALUE } from './sums/exact-numbers.ts';

/** The accumulated rows of a report; `shares` is undefined where neither they nor the totals include share_of_voice. */
export interface AccumulatedRows extends PacedFacts {
  readonly shares: MarketShares | undefined;
}

/** The part of the one-row report that the rows do not accumulate (see `planMissing`), and what is read for it. */
interface MissingFacts {
  readonly plan: Plan;
  readonly reads: OpenReads;
}

/** The accumulated facts of the one-row report, all in group 1, and what its metrics are derived with. */
export interface TotalFacts {
  readonly facts: Accumulators;
  readonly deriveContext: DeriveContext;
  readonly pacing: PacedFacts['pacing'];
}

/**
 * @param deriveContext that of the rows, with the plan of the same request without dimensions
 * @returns the one-row report of the same request, from all accumulated rows and the missing facts; and the number of fact rows read for the latter
 * @throws ApiError REPORT_TOO_EXPENSIVE or DEADLINE_EXCEEDED
 */
export async function totalAllRows(
  context: PacingContext,
  deriveContext: DeriveContext,
  rows: AccumulatedRows,
  missing: MissingFacts | undefined,
): Promise<{ readonly total: TotalFacts; readonly scannedRows: number }> {
  const facts = rows.facts.fold(rows.table.groups());
  const others = missing && (await scanPacedFacts(context, missing.plan, missing.reads));
  if (others !== undefined) facts.include(others.facts);
  const pacing = rows.pacing ?? others?.pacing;
  addBudgets(facts, deriveContext.plan, context.entities, rows.pacing?.onlyInTotal ?? []);
  const share = rows.shares?.total ?? NO_VALUE;
  const ofTotal = {
    ...deriveContext,
    plannedOf: () => pacing?.total,
    shareOf: () => share,
    ...ofAllGroups(deriveContext),
  };
  return { total: { facts, deriveContext: ofTotal, pacing }, scannedRows: others?.scannedRows ?? 0 };
}

/** @returns the total of exactly the rows that a metric filter keeps; share_of_voice is null, because market impressions cannot be restricted to these rows */
export function totalKeptRows(rows: AccumulatedRows, kept: Uint32Array, deriveContext: DeriveContext): TotalFacts {
  const planned = rows.pacing?.over(kept);
  const ofTotal = {
    ...deriveContext,
    plannedOf: () => planned,
    shareOf: () => NO_VALUE,
    ...ofAllGroups(deriveContext),
  };
  return { facts: rows.facts.fold(kept), deriveContext: ofTotal, pacing: rows.pacing };
}

/** @returns what depends on the dimensions of groups, without any */
function ofAllGroups({ knownIn }: DeriveContext): Pick<DeriveContext, 'experienceOf' | 'knownIn'> {
  return {
    experienceOf: undefined,
    knownIn: (table) => {
      const find = knownIn(table);
      return find && ((experiences) => find(experiences));
    },
  };
}

/** Records which campaigns and experiences planned cost in the total belongs to. @param facts folded into group 1 */
function addBudgets(facts: Accumulators, plan: Plan, entities: EntityCodes, budgets: readonly Budget[]): void {
  const grouping = { kind: 'one', group: 1 } as const;
  for (const budget of budgets) {
    const campaign = entities.campaignOf(entities.adGroup(budget.advertiserId, budget.adGroupIds[0] ?? null));
    if (plan.attributes) facts.addEntities('campaign', grouping, [0], [campaign]);
    if (plan.partialMetrics.size > 0 || plan.unmeasured.size > 0)
      facts.addExperience(grouping, 1, singleExperience(budget), false);
  }
}

/** @returns the metrics of the one-row report */
export function deriveTotals({ facts, deriveContext }: TotalFacts): ReportEnvelope['totals'] {
  const { metrics } = deriveContext.plan.query;
  return Object.fromEntries(metrics.map((name) => [name, toUnits(name, deriveMetric(name, facts, deriveContext)(1))]));
}
