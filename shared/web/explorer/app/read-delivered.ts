import { MAX_REPORT_DAYS } from '../../../contract/report/report-limits.ts';
import { DAY } from '../question/compare-rows.ts';
import type { ReportRequest } from '../question/question.ts';
import type { Api } from './api.ts';

/** @returns the dates of the period on which its advertisers have delivery; undefined if it is not by day */
export async function readDelivered(
  api: Pick<Api, 'report'>,
  experience: string,
  { startDate, endDate, advertiserIds, dimensions }: ReportRequest,
  signal: AbortSignal,
): Promise<ReadonlySet<string> | undefined> {
  if (!dimensions.includes(DAY)) return undefined;
  const fields = { metrics: ['impressions'], dimensions: [DAY], filters: [], sort: [] };
  const request = { startDate, endDate, advertiserIds, ...fields };
  const { data } = await api.report(experience, request, { offset: 0, size: MAX_REPORT_DAYS, signal });
  return new Set(data.map((row) => String(row[DAY])));
}
