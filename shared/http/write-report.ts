import type { ReportResultResponse } from '../contract/report/report-response.ts';
import type { Deadline } from '../lib/deadline.ts';
import { ApiError } from '../lib/errors.ts';
import { MAX_TEXT_UNITS } from '../lib/shape-rows.ts';
import { toArrow } from './format/arrow.ts';
import { fileColumns, jsonRows } from './format/compared-columns.ts';
import {
  acceptedCoding,
  encode,
  fittingSize,
  MAX_RESPONSE_BYTES,
  type ReadHeader,
  sizeInResponse,
} from './format/content-coding.ts';
import { toCsv } from './format/csv.ts';
import { reportHeaders } from './format/file-headers.ts';
import type { HandlerResult } from './message/json-response.ts';
import { contentTypeOf, MEDIA_TYPES, type Representation } from './message/negotiate.ts';

/** What of the request decides how the report is written. */
interface ReportTarget {
  readonly representation: Representation;
  readonly headerOf: ReadHeader;
  readonly deadline: Deadline;
}

type Body = string | Buffer;

const VARY = { Vary: 'Accept, Accept-Encoding' };

/**
 * @returns the report as JSON, CSV or Arrow, compressed if it exceeds MAX_RESPONSE_BYTES and the client accepts that
 * @throws ApiError PAGE_TOO_LARGE, with a smaller page size, if it exceeds MAX_TEXT_UNITS, or MAX_RESPONSE_BYTES all the same; DEADLINE_EXCEEDED
 */
export async function reportResponse(report: ReportResultResponse, target: ReportTarget): Promise<HandlerResult> {
  const { representation, headerOf } = target;
  const contentType = contentTypeOf(representation);
  const headers =
    representation.format === 'json' ? {} : { ...reportHeaders(report), ...dispositionOf(report, representation) };
  const rows = countRows(report);
  if (rows < report.data.length)
    throw pageTooLarge(Math.max(1, rows), `This page would have more than ${MAX_TEXT_UNITS} characters of text. From`);
  const body = write(report, target);
  const bytes = sizeInResponse(body);
  if (bytes <= MAX_RESPONSE_BYTES) return { body, contentType, headers };
  const coding = acceptedCoding(headerOf);
  if (coding === undefined) throw tooManyBytes(report, target, bytes);
  const encoded = await encode(coding, body);
  const encodedBytes = sizeInResponse(encoded);
  if (encodedBytes > MAX_RESPONSE_BYTES) throw tooManyBytes(report, target, encodedBytes, true);
  return { body: encoded, contentType, headers: { ...headers, ...VARY, 'Content-Encoding': coding } };
}

function write(report: ReportResultResponse, { representation, deadline }: ReportTarget): Body {
  deadline.check();
  switch (representation.format) {
    case 'json':
      return JSON.stringify(report.meta.compared === undefined ? report : { ...report, data: jsonRows(report) });
    case 'csv':
      return toCsv(
        fileColumns(report),
        report.data,
        representation,
        representation.comments ? describeMeta(report) : [],
      );
    case 'arrow':
      return toArrow(report);
  }
}

function dispositionOf({ meta: { period } }: ReportResultResponse, representation: Representation) {
  if (representation.format !== 'csv' || representation.isDownload !== true) return {};
  return { 'Content-Disposition': `attachment; filename="report-${period.startDate}-${period.endDate}.csv"` };
}

/** @returns what a reader of the rows must know, as comments */
function describeMeta({ meta }: ReportResultResponse): string[] {
  const { period, compared, dataCompleteThrough, dataFinalThrough, warnings } = meta;
  return [
    `Period: ${period.startDate} to ${period.endDate}`,
    ...(compared === undefined ? [] : [`Compared with: ${compared.startDate} to ${compared.endDate}`]),
    `Data complete through: ${dataCompleteThrough ?? 'unknown'}`,
    ...(dataFinalThrough === null ? [] : [`Data final through: ${dataFinalThrough}`]),
    ...warnings.map(({ code, detail }) => `Warning ${code}: ${detail}`),
  ];
}

/** @returns the number of rows whose texts have together at most MAX_TEXT_UNITS */
function countRows(report: ReportResultResponse): number {
  const { data } = report;
  const names = fileColumns(report)
    .filter(({ type }) => type === 'text')
    .map(({ name }) => name);
  let units = 0;
  for (const [index, row] of data.entries()) {
    for (const name of names) {
      const value = row[name];
      if (typeof value === 'string') units += value.length;
    }
    if (units > MAX_TEXT_UNITS) return index;
  }
  return data.length;
}

/** @param isCompressed whether the bytes are those of the compressed page */
function tooManyBytes(
  { data }: ReportResultResponse,
  { representation }: ReportTarget,
  bytes: number,
  isCompressed = false,
): ApiError {
  const kind = isCompressed ? ', compressed' : '';
  const compress = isCompressed
    ? 'From'
    : `To get it compressed, send the headers Accept: ${MEDIA_TYPES[representation.format]} and Accept-Encoding: gzip. Otherwise, from`;
  return pageTooLarge(
    fittingSize(data.length, bytes),
    `This page would have ${bytes} bytes${kind}; the maximum is ${MAX_RESPONSE_BYTES}. ${compress}`,
  );
}

/** @returns the error for a URL without a size, whose response must have all rows */
export function tooManyRows(
  { totalCount, data }: Pick<ReportResultResponse, 'totalCount' | 'data'>,
  { format }: Representation,
): ApiError {
  const more = format === 'json' ? ', and more with format=csv' : '';
  const detail = `The report has ${totalCount} rows; without size, a response has at most ${data.length}${more}. Filter it, group by less, or read it in pages, with size and offset.`;
  const fields = [{ in: 'query', pointer: 'size', code: 'PAGE_TOO_LARGE', detail } as const];
  return new ApiError('PAGE_TOO_LARGE', detail, { fields });
}

/** @param reason followed by "this offset on, …" */
function pageTooLarge(size: number, reason: string): ApiError {
  return new ApiError('PAGE_TOO_LARGE', `${reason} this offset on, request a size of ${size} or less.`, {
    fields: [
      { in: 'body', pointer: '/pagination/size', code: 'PAGE_TOO_LARGE', detail: `Must be ${size} or less here.` },
    ],
    headers: VARY,
  });
}
