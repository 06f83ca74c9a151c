import type { Dimension, Experience, Metric, Report, ReportQuery } from '../../../shared/client/client.ts';
import type { Service } from '../query/open-client.ts';

export interface FileReport {
  readonly service: Service;
  readonly experience: Experience;
  readonly query: ReportQuery<Metric, Dimension>;
  readonly limit: number;
}

const MAX_PAGE = 10_000;

/** @returns the pages of a report as one, up to `limit` rows */
export async function readReport({
  service,
  experience,
  query,
  limit,
}: FileReport): Promise<Report<Metric, Dimension>> {
  let report: Report<Metric, Dimension> | undefined;
  for await (const page of service.client.pages(experience, query, { size: Math.min(limit, MAX_PAGE) })) {
    report = report === undefined ? page : { ...report, data: [...report.data, ...page.data] };
    if (report.data.length >= limit) break;
  }
  if (report === undefined) throw new Error('the report has no page');
  return { ...report, data: report.data.slice(0, limit) };
}

/** Yields a report as CSV page by page; only the first page has the line with the names. */
export async function* readCsv({ service, experience, query, limit }: FileReport): AsyncGenerator<string> {
  let offset = 0;
  while (offset < limit) {
    const size = Math.min(MAX_PAGE, limit - offset);
    const response = await service.client.reportFile(experience, query, 'csv', { offset, size });
    const text = await response.text();
    yield offset === 0 ? text : text.slice(text.indexOf('\n') + 1);
    const next = response.headers.get('endcap-next-offset');
    if (next === null) return;
    offset = Number(next);
  }
}

/** @returns a report as an Arrow stream, and how many rows it leaves out: a stream has one page, of at most 10,000 rows */
export async function readArrow({ service, experience, query, limit }: FileReport) {
  const size = Math.min(MAX_PAGE, limit);
  const response = await service.client.reportFile(experience, query, 'arrow', { size });
  const total = Number(response.headers.get('x-total-count') ?? 0);
  return { bytes: new Uint8Array(await response.arrayBuffer()), omitted: Math.max(0, Math.min(total, limit) - size) };
}
