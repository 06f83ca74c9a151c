import { MAX_PAGE_SIZE } from '../../../../shared/contract/report/report-limits.ts';
import type {
  Compare,
  Dimension,
  Experience,
  Metric,
  Report,
  ReportQuery,
} from '../../../../shared/web/client/client.ts';
import { csvPart, type FilePage, readFilePages, readUnchanged } from '../../../../shared/web/client/file-pages.ts';
import { joinArrow } from '../../../../shared/web/explorer/export/join-arrow.ts';
import type { Service } from '../query/open-client.ts';

type AnyReport = Report<Metric, Dimension, Compare | undefined>;

type CsvFormat = 'csv' | 'spreadsheet';

export interface ReportToRead {
  readonly service: Service;
  readonly experience: Experience;
  readonly query: ReportQuery<Metric, Dimension, Compare | undefined>;
  /** Maximum number of rows; Infinity for all. */
  readonly limit: number;
  readonly onPage?: (page: FilePage) => void;
}

/**
 * @returns the pages of a report as one, up to `limit` rows; starts over if data is loaded meanwhile
 * @throws EndcapError DATA_CHANGED if data was loaded in each of three attempts
 */
export async function readReport({ service, experience, query, limit }: ReportToRead): Promise<AnyReport> {
  return readUnchanged(async () => {
    const data: AnyReport['data'][number][] = [];
    let report: AnyReport | undefined;
    for await (const page of service.client.pages(experience, query, { size: Math.min(limit, MAX_PAGE_SIZE) })) {
      report ??= page;
      for (const row of page.data.slice(0, limit - data.length)) data.push(row);
      if (data.length >= limit) break;
    }
    if (report === undefined) throw new Error('the report has no page');
    const page = { offset: 0, size: data.length, hasMore: data.length < report.totalCount };
    return { ...report, data, meta: { ...report.meta, page } };
  });
}

/**
 * Yields the parts of a report as CSV page by page. It cannot start over, because what it has yielded may be written already.
 * @throws EndcapError DATA_CHANGED if data is loaded meanwhile
 */
export async function* readCsv(report: ReportToRead, format: CsvFormat): AsyncGenerator<Uint8Array> {
  for await (const page of filePages(report, format)) yield csvPart(page);
}

/**
 * @returns a report as one Arrow stream; starts over if data is loaded meanwhile
 * @throws EndcapError DATA_CHANGED if data was loaded in each of three attempts
 */
export async function readArrow(report: ReportToRead): Promise<Uint8Array> {
  return readUnchanged(async () => {
    const pages = await Array.fromAsync(filePages(report, 'arrow'));
    return joinArrow(
      pages.map(({ bytes }) => bytes),
      pages[0]?.total ?? 0,
    );
  });
}

async function* filePages(
  { service, experience, query, limit, onPage }: ReportToRead,
  format: CsvFormat | 'arrow',
): AsyncGenerator<FilePage> {
  for await (const page of readFilePages(service.client, experience, query, format, { limit })) {
    onPage?.(page);
    yield page;
  }
}
