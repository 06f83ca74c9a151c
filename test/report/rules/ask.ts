import type { ReportQuery, ReportResult } from '../../../shared/report/query.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import type { Dataset } from '../../support/facts.ts';
import { memorySource } from '../../support/memory-source.ts';
import { SETTINGS } from '../../support/report-settings.ts';

/** A report in pla over March 2025, of all the dataset's advertisers, as the owner of account 1, unless the parts say otherwise. */
export function ask(
  data: Dataset,
  parts: Partial<ReportQuery> & { readonly accountIds?: readonly number[] },
): Promise<ReportResult> {
  const { accountIds = [1], ...asked } = parts;
  const query: ReportQuery = {
    ...{ experience: 'pla', startDate: '2025-03-01', endDate: '2025-03-31', metrics: [], dimensions: [], filters: [] },
    ...{ sort: [], pagination: { offset: 0, size: 100 } },
    ...asked,
  };
  const advertiserIds = data.tables.advertisers.map((it) => Number(it.id)).toSorted((a, b) => a - b);
  const scope = { accountIds: new Set(accountIds), advertiserIds };
  return runReport({ query, scope, settings: SETTINGS, source: memorySource(data) });
}

/** @returns the fields that the report warns about */
export function warned(report: ReportResult): string[] {
  return report.meta.warnings.map((it) => it.field);
}
