import type { FactHead } from '../catalog/partitions.ts';
import { warnRows, warnUndefined } from './finish/describe-report.ts';
import { warnNamesakes } from './finish/warn-namesakes.ts';
import { warnMarket } from './market/warn-market.ts';
import { warnPacing } from './pacing/warn-pacing.ts';
import { checkFilters } from './plan/check-filters.ts';
import { warnLoadedPeriod, warnTables } from './plan/loaded-period.ts';
import { warnPartialUnits } from './plan/partial-units.ts';
import type { ReportScope, ReportSettings, ReportWarning } from './query/query.ts';
import type { SeenValues } from './scan/seen-values.ts';
import type { PreparedReport, ScannedReport } from './scan-report.ts';

/** @returns the warnings that are known before facts are read */
export function warnPrepared(settings: ReportSettings, prepared: PreparedReport): ReportWarning[] {
  const { plan } = prepared;
  return [...warnDates(settings, prepared), ...checkFilters(plan.query), ...warnUndefined(plan)];
}

/** @returns the warnings about the kept groups and their facts */
export function describeWarnings(
  settings: ReportSettings,
  { prepared, rows }: ScannedReport,
  seen: SeenValues,
  kept: Uint32Array,
): ReportWarning[] {
  const { plan, selected, heads, completeDays, joins } = prepared;
  return [
    ...warnDates(settings, prepared),
    ...checkFilters(plan.query),
    ...seen.warnings(),
    ...warnRows(plan, rows.facts, kept),
    ...warnNamesakes(plan.query, rows, joins, kept),
    ...warnMarket(rows.shares, settings.marketMinOthers),
    ...warnPacing(plan, rows.pacing, headsOf(selected, heads), completeDays),
  ];
}

function warnDates({ weekStartsOn }: ReportSettings, { plan, loaded }: PreparedReport): ReportWarning[] {
  return [
    ...warnLoadedPeriod(plan, loaded, weekStartsOn),
    ...warnTables(plan, loaded),
    ...warnPartialUnits(plan.query, weekStartsOn),
  ];
}

/** @returns the fact heads of the advertisers that no filter excludes */
function headsOf({ advertiserIds }: ReportScope, heads: ReadonlyMap<number, FactHead>): FactHead[] {
  return advertiserIds.flatMap((id) => heads.get(id) ?? []);
}
