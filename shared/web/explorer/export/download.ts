import { csvPart, readUnchanged } from '../../client/file-pages.ts';
import { isNumericMetric } from '../question/catalogue.ts';
import type { Api, FilePage } from '../service/api.ts';
import { comparedRows } from '../service/api.ts';
import type { Result } from '../service/use-result.ts';
import type { TaskOptions } from './use-tasks.ts';

/**
 * Downloads all rows of the result, in its order, in one file. If data is loaded meanwhile, it starts over, at most
 * twice.
 * @throws EndcapError DATA_CHANGED if that happens in every attempt
 */
export async function downloadReport(
  api: Api,
  { question, request }: Pick<Result, 'question' | 'request'>,
  format: 'csv' | 'arrow',
  name: string,
  { onProgress, signal }: TaskOptions,
): Promise<void> {
  const read = async () => {
    const parts: Blob[] = []; // a browser may keep blobs on disk
    let total = 0;
    // Excel recognizes UTF-8 only by the byte order mark, and evaluates texts that look like formulas
    const pages = api.files(question.experience, request, format === 'csv' ? 'spreadsheet' : format, signal);
    for await (const page of pages) {
      parts.push(new Blob([format === 'csv' ? csvPart(page) : page.bytes]));
      total = page.total;
      onProgress(page.end, total);
    }
    return { parts, total };
  };
  const { parts, total } = await readUnchanged(read);
  const joined = format === 'arrow' && parts.length > 1 ? [await joinArrowParts(parts, total)] : parts;
  saveBlob(new Blob(joined), `${name}.${format}`, signal);
}

/** The module that reads and writes Arrow is only loaded for a file of several pages. */
async function joinArrowParts(parts: readonly Blob[], total: number): Promise<FilePage['bytes']> {
  const { joinArrow } = await import('./join-arrow.ts');
  const pages = await Promise.all(parts.map(async (part) => new Uint8Array(await part.arrayBuffer())));
  return joinArrow(pages, total);
}

/**
 * Lets the browser save the bytes as a file.
 * @throws the signal's reason if it is aborted
 */
export function saveBlob(blob: Blob, name: string, signal: AbortSignal): void {
  signal.throwIfAborted();
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // by then, the download has started
}

/**
 * @returns all rows of the result with a line of titles, their cells separated by tabs, as spreadsheets paste them. Figures are those of the API; with a
 * compared period, the earlier ones follow them
 * @throws EndcapError DATA_CHANGED as `downloadReport`
 */
export function copyRows(
  api: Pick<Api, 'pages'>,
  { question, request, page: { headers, comparedTotals } }: Pick<Result, 'question' | 'request' | 'page'>,
  { onProgress, signal }: TaskOptions,
): Promise<string> {
  const columns = headers.map(({ name, title, ...type }) => ({
    name,
    title,
    isCompared: comparedTotals !== undefined && isNumericMetric(type),
  }));
  const toLine = (cells: readonly unknown[]) => cells.map((cell) => String(cell ?? '').replace(/\s/g, ' ')).join('\t');
  return readUnchanged(async () => {
    const lines = [
      toLine(columns.flatMap(({ title, isCompared }) => [title, ...(isCompared ? [`${title} before`] : [])])),
    ];
    for await (const page of api.pages(question.experience, request, signal)) {
      for (const { row, previous } of comparedRows(page))
        lines.push(
          toLine(columns.flatMap(({ name, isCompared }) => [row[name], ...(isCompared ? [previous?.[name]] : [])])),
        );
      onProgress(lines.length - 1, page.totalCount);
    }
    return lines.join('\n');
  });
}
