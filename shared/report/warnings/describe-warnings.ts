import type { ReportWarning } from '../query/query.ts';
import type { DescribedReport, Warn } from './described-report.ts';
import { warnLengths, warnLoadedPeriod, warnMethod, warnPartialUnits, warnRunningDay } from './warn-days.ts';
import { warnFilters } from './warn-filters.ts';
import { warnMarket } from './warn-market.ts';
import { warnFewUsers, warnSeveral, warnUndefined, warnUnidentified } from './warn-metrics.ts';
import { warnNamesakes } from './warn-names.ts';
import { warnPlans } from './warn-plans.ts';
import { warnLateTables, warnTables } from './warn-tables.ts';
import { warnKeyless, warnUnmeasured } from './warn-unmeasured.ts';

/** All warnings of a report but that it has no rows (`explain-empty.ts`), in the order of the response. */
const WARNINGS: readonly Warn[] = [
  ...[
    warnLoadedPeriod,
    warnRunningDay,
    warnLengths,
    warnTables,
    warnUnmeasured,
    warnKeyless,
    warnLateTables,
    warnMethod,
    warnPartialUnits,
  ],
  ...[warnFilters, warnUndefined, warnSeveral, warnUnidentified, warnFewUsers, warnNamesakes, warnMarket, warnPlans],
];

/** @returns the warnings of one period; before facts are read, those that the request and the loaded days decide */
export async function describeWarnings(report: DescribedReport): Promise<ReportWarning[]> {
  const found: ReportWarning[] = [];
  for (const warn of WARNINGS) found.push(...(await warn(report)));
  return found;
}
