import { type CsvColumn, toCsv } from '../../../http/format/csv.ts';
import { type Api, checkNextPage, checkSameData, type ReportHeader, type ReportMeta } from '../app/api.ts';
import { datesOf, readDelivered } from '../app/read-delivered.ts';
import type { Result } from '../app/use-result.ts';
import { type Catalogue, isNumericMetric } from '../question/catalogue.ts';
import { type ComparedRow, changeOf, comparedMetrics, compareRows, type Row } from '../question/compare-rows.ts';
import { isCurrency } from '../question/format.ts';
import { MAX_PAGE_SIZE } from '../question/limits.ts';
import type { ReportQuestion } from '../question/question.ts';
import type { TaskOptions } from './use-tasks.ts';

/**
 * Reads all rows of both periods, and the days with delivery again, because data may have been loaded since the result was read.
 * @throws EndcapError DATA_CHANGED if data is loaded meanwhile; Error if the question has no compared period
 * @returns CSV for spreadsheets; each numeric metric is followed by its value in the compared period and the difference, as `cost_before` and `cost_change`
 */
export async function readComparedCsv(
  api: Pick<Api, 'report'>,
  { question, resolved }: Pick<Result, 'question' | 'resolved'>,
  catalogue: Catalogue,
  { onProgress, signal }: TaskOptions,
): Promise<string> {
  const { request, range, compared } = resolved;
  if (compared === undefined) throw new Error('the question has no compared period');
  const done = [0, 0];
  const totals = [0, 0];
  const sum = ([a = 0, b = 0]: readonly number[]) => a + b;
  const read = (requested: ReportQuestion, period: number) =>
    readRows(api, question.experience, requested, {
      signal,
      onProgress: (rows, total) => {
        [done[period], totals[period]] = [rows, total];
        onProgress(sum(done), sum(totals));
      },
    });
  const [now, before, delivered] = await Promise.all([
    read(request, 0),
    read(compared.request, 1),
    readDelivered(api, question.experience, resolved, signal),
  ]);
  checkSameData([now, before]);
  const { headers } = now;
  const rows = compareRows({
    rows: now.rows,
    previous: before.rows,
    isComplete: true,
    range,
    compared: compared.range,
    weekStartsOn: catalogue.calendar.weekStartsOn,
    dimensions: headers.filter(({ role }) => role === 'dimension'),
    metrics: comparedMetrics(headers, now.meta.warnings, catalogue),
    delivered: delivered && datesOf(delivered),
  });
  return writeComparedCsv(headers, rows);
}

/** @returns the rows as CSV for spreadsheets: with a byte order mark, and with formulas escaped */
function writeComparedCsv(headers: readonly ReportHeader[], rows: readonly ComparedRow[]): string {
  const columns = headers.flatMap((header): CsvColumn[] => {
    const { name, type } = header;
    if (!isNumericMetric(header)) return [{ name, type }];
    return [
      { name, type },
      { name: `${name}_before`, type },
      { name: `${name}_change`, type },
    ];
  });
  const compared = headers.filter(isNumericMetric);
  const cells = rows.map(({ row, previous }) => {
    const added = compared.flatMap(({ name, unit }): [string, number | string | null][] => {
      const before = previous?.[name] ?? null;
      const change = changeOf(row[name], before);
      return [
        [`${name}_before`, before],
        [`${name}_change`, change === undefined ? null : round(change.difference, unit)],
      ];
    });
    return { ...row, ...Object.fromEntries(added) };
  });
  return toCsv(columns, cells, { bom: true, formulas: 'escaped' });
}

/** Removes the digits that come from binary fractions: 0.3 − 0.1 is 0.2. Money keeps 6 decimals, in ratios such as the cost per click, too. */
function round(value: number, unit: string | null): number {
  return isCurrency(unit) ? Number(value.toFixed(6)) : Number(value.toPrecision(15));
}

interface AllRows {
  readonly headers: readonly ReportHeader[];
  readonly rows: readonly Row[];
  readonly meta: ReportMeta;
}

async function readRows(
  api: Pick<Api, 'report'>,
  experience: string,
  request: ReportQuestion,
  { onProgress, signal }: TaskOptions,
): Promise<AllRows> {
  const read = (offset: number) => api.report(experience, request, { offset, size: MAX_PAGE_SIZE, signal });
  const { headers, totalCount, meta, data } = await read(0);
  const rows = [...data];
  onProgress(rows.length, totalCount);
  while (rows.length < totalCount) {
    const next = await read(rows.length);
    checkNextPage(next, meta.dataVersion);
    for (const row of next.data) rows.push(row);
    onProgress(rows.length, totalCount);
  }
  return { headers, rows, meta };
}
