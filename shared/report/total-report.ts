import type { FactHead } from '../catalog/partitions.ts';
import { type DeriveContext, deriveMetric } from './finish/derive-metrics.ts';
import { type MarketShares, readMarketShares } from './market.ts';
import { type PacedFacts, type PacingInput, scanPacedFacts } from './pacing.ts';
import type { Plan } from './plan/plan-report.ts';
import type { Reads } from './plan/reads.ts';
import type { ReportValue } from './query.ts';
import { GroupTable } from './scan/group-table.ts';
import type { GroupedFacts, ScanContext } from './scan/scan-facts.ts';

export type Totals = Readonly<Record<string, ReportValue>>;

/** The rows of a report, accumulated; `shares` where they ask for share of voice. */
export interface AccumulatedRows extends PacedFacts {
  readonly shares: MarketShares | undefined;
}

/** What of the one-row report the rows do not accumulate, and what to read for it. */
export interface MissingFacts {
  readonly plan: Plan;
  readonly reads: Reads;
}

/**
 * @param whole the plan of the same request without dimensions
 * @returns the one-row report of the same request, and the fact rows that were read for it: all rows together, and what is missing in them
 */
export async function totalAllRows(
  context: ScanContext & { readonly pacing: PacingInput },
  whole: Plan,
  rows: AccumulatedRows,
  missing: MissingFacts | undefined,
  marketHead: FactHead | undefined,
): Promise<{ readonly totals: Totals; readonly scannedRows: number }> {
  const facts = rows.facts.fold(rows.table.groups());
  const others =
    missing === undefined ? undefined : await scanPacedFacts(context, missing.plan, missing.reads, context.pacing);
  if (others !== undefined) facts.include(others.facts);
  const table = new GroupTable(0);
  table.add([]);
  const shares =
    rows.shares ??
    (whole.market ? await readMarketShares(context, whole, marketHead, { axes: [], table, facts }) : undefined);
  const pacing = (rows.pacing ?? others?.pacing)?.total ?? null;
  const derivation = {
    plan: whole,
    joins: context.joins,
    entities: context.entities,
    pacingOf: () => pacing,
    shareOf: () => shares?.total ?? null,
  };
  return { totals: deriveTotals(facts, derivation), scannedRows: others?.scannedRows ?? 0 };
}

/** @returns the metrics over exactly the rows that a metric filter keeps; these have no market that they would be a share of */
export function totalKeptRows(rows: AccumulatedRows, kept: Uint32Array, derivation: DeriveContext): Totals {
  const pacing = rows.pacing?.over(kept) ?? null;
  return deriveTotals(rows.facts.fold(kept), { ...derivation, pacingOf: () => pacing, shareOf: () => null });
}

function deriveTotals(facts: GroupedFacts['facts'], derivation: DeriveContext): Totals {
  const { metrics } = derivation.plan.query;
  return Object.fromEntries(metrics.map((name) => [name, deriveMetric(name, facts, derivation)(1)]));
}
