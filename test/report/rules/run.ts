import type { ReportQuery, ReportResult } from '../../../shared/report/query.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import type { Dataset } from '../../support/facts.ts';
import { memorySource } from '../../support/memory-source.ts';
import { SETTINGS } from '../../support/report-settings.ts';

/**
 * @param parts members of the query that differ from the default: no fields, in pla, over March 2025
 * @returns the report over all advertisers of the dataset; the caller owns account 1 by default
 */
export function run(
  data: Dataset,
  parts: Partial<ReportQuery> & { readonly accountIds?: readonly number[] },
): Promise<ReportResult> {
  const { accountIds = [1], ...changes } = parts;
  const query: ReportQuery = {
    ...{ experience: 'pla', startDate: '2025-03-01', endDate: '2025-03-31', metrics: [], dimensions: [], filters: [] },
    ...{ sort: [], pagination: { offset: 0, size: 100 } },
    ...changes,
  };
  const advertiserIds = data.tables.advertisers.map((advertiser) => Number(advertiser.id)).toSorted((a, b) => a - b);
  const scope = { accountIds: new Set(accountIds), advertiserIds };
  return runReport({ query, scope, settings: SETTINGS, source: memorySource(data) });
}

/** @returns the fields with a warning */
export function warned(report: ReportResult): string[] {
  return report.meta.warnings.map((warning) => warning.field);
}
