import { parseCompare, writeLink, writeReport } from '../contract/report/report-text.ts';
import { quoteText } from '../lib/quote-text.ts';
import { findAdvertisers } from './advertisers.ts';
import type { Texts } from './arguments.ts';
import type { CallApi } from './call-api.ts';
import { compactCsv, describeBasis } from './describe-result.ts';
import { flattenCompared } from './flatten-compared.ts';
import { fitLines } from './limit-result.ts';
import { requestReport } from './request-report.ts';

export const MAX_ROWS = 200;
export const DEFAULT_ROWS = 25;
const BOOLEANS = new Map([
  [undefined, false],
  ['false', false],
  ['true', true],
]);

/** @returns the totals, up to `limit` rows as CSV, as many as fit into a result, the warnings, and a link to the report in the explorer, as lines. @throws Error that says what to correct */
export async function runReport(call: CallApi, texts: Texts, url: string): Promise<string[]> {
  const [given = `${DEFAULT_ROWS}`] = texts.limit ?? [];
  const isCapped = Number(given) > MAX_ROWS;
  const [isValidation] = texts.validateOnly ?? [];
  const advertisers = await findAdvertisers(call, texts.advertisers ?? []);
  const { experience, body, report } = await requestReport(call, {
    given: texts,
    sent: {
      ...texts,
      ...(advertisers.length > 0 && { advertisers }),
      ...{ sort: texts.sort ?? defaultSort(texts), size: [isCapped ? `${MAX_ROWS}` : given] },
    },
    names: { size: 'limit' },
    validateOnly: BOOLEANS.get(isValidation) ?? isValidation,
  });
  const { totalCount, meta } = report;
  const { compared, period, estimate } = meta;
  const { headers, data, totals } = flattenCompared(report);
  const { filter = [] } = texts;
  const { offset } = meta.page;
  const rows = totalCount === 1 ? '1 row' : `${totalCount} rows`;
  const totalsOf =
    totalCount === 1 ? 'the only row' : filter.length === 0 ? `all ${rows}` : `the ${rows} that pass the filters`;
  const warnings = meta.warnings.map(({ fields, message }) => `Warning, ${fields.join(', ')}: ${message}`);
  if (estimate !== undefined) {
    const [units, stored] = [estimate.readUnits, estimate.rows].map((value) => value.toLocaleString('en-US'));
    const seconds = estimate.seconds.toPrecision(2);
    return [
      `The report is valid. It would take about ${seconds} seconds and ${units} read units, for ${stored} stored rows.`,
      ...warnings,
    ];
  }
  const before = [
    `${experience}, ${period.startDate} to ${period.endDate}. ${describeBasis(meta)}`,
    ...(compared === undefined
      ? []
      : [`Compared with ${compared.startDate} to ${compared.endDate}: columns _before, _change and _relative_change.`]),
    ...(filter.length === 0 ? [] : [`Filters: ${filter.map(quoteText).join(' and ')}`]),
    ...(advertisers.length === 0 ? [] : [`Advertisers: ${advertisers.join(', ')}`]),
    ...(isCapped ? [`limit ${given} is above the maximum, ${MAX_ROWS}.`] : []),
    `Totals of ${totalsOf}:`,
    ...compactCsv(
      headers.filter(({ role }) => role === 'metric'),
      [totals],
    ),
  ];
  const link = writeLink(
    writeReport({
      ...{ experience, startDate: String(body.startDate), endDate: String(body.endDate) },
      ...{ metrics: body.metrics, dimensions: body.dimensions, filters: body.filters, sort: body.sort },
      ...{ advertiserIds: body.advertiserIds.map(Number), compare: texts.compare?.map(parseCompare)[0] },
    }),
  );
  const after = [...warnings, `Open in the explorer: ${url}/explorer#/report?${link}`];
  if (totalCount === 0) return [...before, ...after];
  if (data.length === 0)
    return [...before, `No rows from offset ${offset} on; the report has ${totalCount}.`, ...after];
  const rowsAndNotes = (count: number) => {
    const end = offset + count;
    return [
      `Rows ${offset + 1} to ${end} of ${totalCount}:`,
      ...compactCsv(headers, data.slice(0, count)),
      ...(end < totalCount ? [`For the rest, filter, sort, or read on with offset ${end}.`] : []),
    ];
  };
  return fitLines(data.length, (count) => [...before, ...rowsAndNotes(count), ...after]);
}

/** @returns dates ascending, else the first metric descending */
function defaultSort({ by = [], metrics = [] }: Texts): readonly string[] {
  const names = (texts: readonly string[]) => texts.flatMap((text) => text.split(',').map((name) => name.trim()));
  const dates = names(by).filter((name) => name.endsWith('_date'));
  return dates.length > 0
    ? dates
    : names(metrics)
        .slice(0, 1)
        .filter((name) => /^\w+$/.test(name)) // of another, metrics says what is wrong
        .map((name) => `-${name}`);
}
