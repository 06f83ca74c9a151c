import { DAY } from '../question/compare-rows.ts';
import { MAX_REPORT_DAYS } from '../question/limits.ts';
import type { ResolvedQuestion } from '../question/question.ts';
import type { Api, ReportPage } from './api.ts';

/**
 * @returns for each period of a report by day, a report with a row for each date on which its advertisers have delivery, whatever its filters and fields;
 * undefined if the report is not by day
 */
export async function readDelivered(
  api: Pick<Api, 'report'>,
  experience: string,
  { request, compared }: ResolvedQuestion,
  signal: AbortSignal,
): Promise<ReportPage[] | undefined> {
  if (!request.dimensions.includes(DAY)) return undefined;
  const fields = { metrics: ['impressions'], dimensions: [DAY], filters: [], sort: [] };
  const requests = compared === undefined ? [request] : [request, compared.request];
  return Promise.all(
    requests.map(({ startDate, endDate, advertiserIds }) =>
      api.report(
        experience,
        { startDate, endDate, advertiserIds, ...fields },
        { offset: 0, size: MAX_REPORT_DAYS, signal },
      ),
    ),
  );
}

/** @returns the dates of the rows */
export function datesOf(reports: readonly ReportPage[]): ReadonlySet<string> {
  return new Set(reports.flatMap(({ data }) => data.map((row) => String(row[DAY]))));
}
