import { readUnchanged } from '../../files/file-pages.ts';
import { type Api, comparedRows } from '../app/api.ts';
import type { Result } from '../app/use-result.ts';
import { isNumericMetric } from '../question/catalogue.ts';
import type { TaskOptions } from './use-tasks.ts';

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
