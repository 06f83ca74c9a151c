import type { Client, FileFormat } from './client.ts';
import { dataChanged, EndcapError } from './endcap-error.ts';
import { readFitting } from './read-fitting.ts';
import type { Compare, Dimension, Experience, Metric, ReportQuery, ReportWarning } from './report-types.ts';

/** One page of a report as a file of its own. */
export interface FilePage {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly offset: number;
  /** Offset after the last row. */
  readonly end: number;
  /** Rows of the whole report, which may be more than `limit`. */
  readonly total: number;
  /** The warnings of the report, which a CSV file has no place for. */
  readonly warnings: readonly FileWarning[];
  /** The number of further warnings, which did not fit into the response's header. */
  readonly warningsOmitted: number;
}

/** A warning from the response's header. All lack their details, or also their messages, if these would make the header too long. */
type FileWarning = Pick<ReportWarning, 'code' | 'field' | 'fields'> & Partial<ReportWarning>;

interface FilePagesOptions {
  /** Maximum number of rows; all by default. */
  readonly limit?: number | undefined;
  /** Maximum number of rows of a page; 10,000 by default. */
  readonly size?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const MAX_ATTEMPTS = 3;

/**
 * Iterates over the pages of a report as files; a page that would be too large is read in smaller ones. There is at least one page.
 * @throws EndcapError DATA_CHANGED if data is loaded while the pages are read: their rows would not fit together
 */
export async function* readFilePages(
  client: Client,
  experience: Experience,
  query: ReportQuery<Metric, Dimension, Compare | undefined>,
  format: FileFormat,
  { limit = Number.POSITIVE_INFINITY, size: firstSize = 10_000, signal }: FilePagesOptions = {},
): AsyncGenerator<FilePage, void> {
  let [offset, size] = [0, firstSize];
  let version: string | null | undefined;
  let dated = query;
  for (;;) {
    const read = (fitting: number) =>
      client.reportFile(experience, dated, format, { offset, size: fitting, ...(signal && { signal }) });
    const [response, fitting] = await readFitting(read, Math.min(size, limit - offset));
    size = Math.min(size, fitting);
    const { headers } = response;
    const bytes = new Uint8Array(await response.arrayBuffer());
    version ??= headers.get('endcap-data-version');
    if (version !== headers.get('endcap-data-version')) throw dataChanged(headers.get('x-request-id') ?? undefined);
    const compared = JSON.parse(headers.get('endcap-compared') ?? 'null');
    const compare = compared && { startDate: compared.startDate, endDate: compared.endDate };
    dated = { ...query, ...JSON.parse(headers.get('endcap-period') ?? '{}'), ...(compare && { compare }) }; // relative dates have other days after midnight
    const total = Number(headers.get('x-total-count') ?? 0);
    const end = Math.min(total, Number(headers.get('endcap-next-offset') ?? total));
    const warnings: readonly FileWarning[] = JSON.parse(headers.get('endcap-warnings') ?? '[]');
    const warningsOmitted = Number(headers.get('endcap-warnings-omitted') ?? 0);
    yield { bytes, offset, end, total, warnings, warningsOmitted };
    if (end >= Math.min(total, limit)) return;
    offset = end;
  }
}

/**
 * Reads several pages or reports, and starts over if data is loaded meanwhile.
 * @param read reads all of them; a second call must discard what the first has read
 * @throws EndcapError DATA_CHANGED if it happens in every attempt
 */
export async function readUnchanged<Result>(read: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read();
    } catch (error) {
      const isChange = error instanceof EndcapError && error.code === 'DATA_CHANGED';
      if (!isChange || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

const LINE_FEED = 0x0a;

/** @returns the part of a page that belongs in one CSV file of all pages: only the first keeps its header line, whose names contain no line feed */
export function csvPart({ bytes, offset }: FilePage): Uint8Array<ArrayBuffer> {
  return offset === 0 ? bytes : bytes.subarray(bytes.indexOf(LINE_FEED) + 1);
}
