import type { Api } from '../app/api.ts';
import type { Answer } from '../app/use-answer.ts';
import type { Catalogue } from '../question/catalogue.ts';

export type FileFormat = 'csv' | 'arrow';

/** Excel reads UTF-8 with the byte order mark only; texts that it would take for formulas are neutralised. */
const ACCEPT: Readonly<Record<FileFormat, string>> = {
  csv: 'text/csv;header=bom;formulas=escaped',
  arrow: 'application/vnd.apache.arrow.stream',
};
const PAGE = 10_000;

/** Downloads the rows of the answer, in its order, in one file. */
export async function downloadReport(
  api: Api,
  { question, resolved, page }: Answer,
  format: FileFormat,
): Promise<void> {
  const response = await api.file(question.experience, resolved.request, { offset: 0, size: PAGE }, ACCEPT[format]);
  saveBlob(await response.blob(), `${fileNameOf({ question, resolved })}.${format}`);
  if (page.totalCount > PAGE)
    throw new Error(`the file has the first ${PAGE} of ${page.totalCount} rows; filter the report for the others`);
}

/** @returns a name without an extension: `endcap-pla-campaign_name-2026-02-02-2026-03-01` */
export function fileNameOf({ question, resolved }: Pick<Answer, 'question' | 'resolved'>): string {
  const { startDate, endDate, dimensions } = resolved.request;
  return ['endcap', question.experience, ...dimensions, startDate, endDate].join('-');
}

/** Downloads the rows with those of the compared period, in one CSV file. */
export async function downloadCompared(api: Api, answer: Answer, catalogue: Catalogue): Promise<void> {
  const { readComparedCsv } = await import('./compared-file.ts');
  saveBlob(new Blob([await readComparedCsv(api, answer, catalogue)]), `${comparedNameOf(answer)}.csv`);
}

/** @returns the name of a file that has both periods: `endcap-pla-campaign_name-2026-02-02-2026-03-01-against-2026-01-05-2026-02-01` */
export function comparedNameOf({ question, resolved }: Pick<Answer, 'question' | 'resolved'>): string {
  const name = fileNameOf({ question, resolved });
  const { request } = resolved.compared ?? {};
  return request === undefined ? name : `${name}-against-${request.startDate}-${request.endDate}`;
}

/** Lets the browser save the bytes as a file. */
export function saveBlob(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
