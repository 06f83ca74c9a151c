import { FILE_HEADERS } from '../../contract/header-names.ts';
import type { ReportResultResponse } from '../../contract/report/report-response.ts';

/** Of totals, days, attribution and warnings. API Gateway allows 10,240 bytes for all headers of a response; totals of all metrics take about 2,500, warnings about parameters up to 1,500. */
const MAX_REPORT_BYTES = 6_500;
/** Gaps, and missing days of a table, in `meta.data` and in that of the compared period. */
const MAX_LISTED = 8;

/** Which part of a listing or a report a page is. */
interface PagePosition {
  readonly offset: number;
  readonly size: number;
  readonly total: number;
}

/** @returns the headers that describe the page of a listing or a report */
export function pageHeaders({ offset, size, total }: PagePosition): Record<string, string> {
  const next = offset + size;
  return {
    [FILE_HEADERS.totalCount]: String(total),
    ...(next < total ? { [FILE_HEADERS.nextOffset]: String(next) } : {}),
  };
}

/** @returns the headers that hold a report's totals and meta */
export function reportHeaders({
  totalCount,
  totals,
  comparedTotals,
  meta,
}: ReportResultResponse): Record<string, string> {
  const { page, period, data, compared, dataVersion, timezone, currency, attribution, warnings } = meta;
  const figures = {
    [FILE_HEADERS.totals]: headerJson(totals),
    ...(comparedTotals && { [FILE_HEADERS.comparedTotals]: headerJson(comparedTotals) }),
    ...(compared && { [FILE_HEADERS.compared]: headerJson({ ...compared, data: shorten(compared.data) }) }),
    [FILE_HEADERS.data]: headerJson(shorten(data)),
    [FILE_HEADERS.attribution]: headerJson(attribution),
  };
  const listed = fitWarnings(warnings, MAX_REPORT_BYTES - Object.values(figures).join('').length);
  const omitted = warnings.length - listed.length;
  return {
    ...pageHeaders({ ...page, total: totalCount }),
    ...figures,
    [FILE_HEADERS.period]: headerJson(period),
    ...headersOf(meta, ['dataCompleteThrough', 'dataFinalThrough', 'dataUpdatedAt']),
    [FILE_HEADERS.dataVersion]: dataVersion,
    [FILE_HEADERS.timezone]: timezone,
    [FILE_HEADERS.currency]: currency,
    [FILE_HEADERS.warnings]: headerJson(listed),
    ...(omitted === 0 ? {} : { [FILE_HEADERS.warningsOmitted]: String(omitted) }),
  };
}

/** @returns a header for each member that is not null */
function headersOf<Name extends keyof ReportResultResponse['meta'] & keyof typeof FILE_HEADERS>(
  meta: { readonly [Member in Name]: string | null },
  names: readonly Name[],
): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (meta[name] === null ? [] : [[FILE_HEADERS[name], meta[name]]])));
}

const shorten = (data: ReportResultResponse['meta']['data']) => ({
  ...data,
  gaps: data.gaps.slice(0, MAX_LISTED),
  tables: data.tables.map((table) => ({ ...table, missingDays: table.missingDays.slice(0, MAX_LISTED) })),
});

/** @returns the warnings; if they are too long for a header, without their details, then without texts, dates and things, and then as many as fit */
function fitWarnings(warnings: ReportResultResponse['meta']['warnings'], maxBytes: number): readonly object[] {
  if (headerJson(warnings).length <= maxBytes) return warnings;
  const messages = warnings.map(({ detail, ...warning }) => warning);
  if (headerJson(messages).length <= maxBytes) return messages;
  const short = warnings.map(({ code, field, fields, drop }) => ({ code, field, fields, drop }));
  while (short.length > 0 && headerJson(short).length > maxBytes) short.pop();
  return short;
}

/** @returns JSON in ASCII, because headers have no agreed encoding */
export function headerJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
