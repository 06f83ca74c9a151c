import type { FactHead } from '../catalog/partitions.ts';
import { warnRows, warnUndefined } from './finish/describe-report.ts';
import { warnMarket } from './market/warn-market.ts';
import { warnPacing } from './pacing/warn-pacing.ts';
import { checkFilters } from './plan/check-filters.ts';
import { warnLoadedPeriod } from './plan/loaded-period.ts';
import type { ReportScope, ReportSettings, ReportWarning } from './query/query.ts';
import type { SeenValues } from './scan/seen-values.ts';
import type { PreparedReport, ScannedReport } from './scan-report.ts';

/** @returns the warnings that are known before facts are read */
export function warnPrepared({ weekStartsOn }: ReportSettings, { plan, loaded }: PreparedReport): ReportWarning[] {
  const { query } = plan;
  return [...warnLoadedPeriod(query, loaded, weekStartsOn), ...checkFilters(query), ...warnUndefined(plan)];
}

/** @returns the warnings about the kept groups and their facts */
export function describeWarnings(
  { weekStartsOn, marketMinOthers }: ReportSettings,
  { prepared: { plan, selected, heads, completeness, loaded }, rows }: ScannedReport,
  seen: SeenValues,
  kept: Uint32Array,
): ReportWarning[] {
  return [
    ...warnLoadedPeriod(plan.query, loaded, weekStartsOn),
    ...checkFilters(plan.query),
    ...seen.warnings(),
    ...warnRows(plan, rows.facts, kept),
    ...warnMarket(rows.shares, marketMinOthers),
    ...warnPacing(plan, rows.pacing, headsOf(selected, heads), completeness),
  ];
}

/** @returns the fact heads of the advertisers that no filter excludes */
function headsOf({ advertiserIds }: ReportScope, heads: ReadonlyMap<number, FactHead>): FactHead[] {
  return advertiserIds.flatMap((id) => heads.get(id) ?? []);
}
