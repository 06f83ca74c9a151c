import type { ReportResultResponse } from '../contract/report/report-response.ts';
import type { Deadline } from '../lib/deadline.ts';
import { ApiError } from '../lib/errors.ts';
import { toArrow } from './format/arrow.ts';
import { acceptedCoding, type ContentCoding, encode, type ReadHeader } from './format/content-coding.ts';
import { toCsv } from './format/csv.ts';
import { reportHeaders } from './format/file-headers.ts';
import { contentTypeOf, MEDIA_TYPES, type Representation } from './format/negotiate.ts';
import type { HandlerResult } from './json-response.ts';

/** Maximum size of a response body, in bytes. Lambda's limit is 6 MB, which also covers the headers. */
export const MAX_RESPONSE_BYTES = 5_500_000;

/** The request id differs between two requests for the same page, and changes the size of a compressed page by a few bytes. */
const ID_BYTES = 64;

/** What of the request decides how the report is written. */
export interface ReportTarget {
  readonly representation: Representation;
  readonly headerOf: ReadHeader;
  readonly deadline: Deadline;
}

type Body = string | Buffer;

const VARY = { Vary: 'Accept, Accept-Encoding' };

/**
 * @returns the report as JSON, CSV or Arrow, compressed if it exceeds MAX_RESPONSE_BYTES and the client accepts that
 * @throws ApiError PAGE_TOO_LARGE if it exceeds MAX_RESPONSE_BYTES all the same; it states the largest page size that fits from this offset on
 */
export async function reportResponse(report: ReportResultResponse, target: ReportTarget): Promise<HandlerResult> {
  const { representation, headerOf } = target;
  const contentType = contentTypeOf(representation);
  const headers = representation.format === 'json' ? {} : reportHeaders(report);
  const body = write(report, target);
  const bytes = sizeInResponse(body);
  if (bytes <= MAX_RESPONSE_BYTES) return { body, contentType, headers };
  const coding = acceptedCoding(headerOf);
  if (coding === undefined) throw await pageTooLarge(report, target, bytes, undefined);
  const encoded = await encode(coding, body);
  const encodedBytes = sizeInResponse(encoded);
  if (encodedBytes > MAX_RESPONSE_BYTES) throw await pageTooLarge(report, target, encodedBytes, coding);
  return { body: encoded, contentType, headers: { ...headers, ...VARY, 'Content-Encoding': coding } };
}

function write(report: ReportResultResponse, { representation, deadline }: ReportTarget): Body {
  switch (representation.format) {
    case 'json':
      return JSON.stringify(report);
    case 'csv':
      return toCsv(report.headers, report.data, representation, deadline);
    case 'arrow':
      return toArrow(report, deadline);
  }
}

async function pageTooLarge(
  report: ReportResultResponse,
  target: ReportTarget,
  bytes: number,
  coding: ContentCoding | undefined,
): Promise<ApiError> {
  const { data } = report;
  const sizeOf = async (size: number) => {
    const body = write({ ...report, data: data.slice(0, size) }, target);
    return coding === undefined ? sizeInResponse(body) : sizeInResponse(await encode(coding, body)) + ID_BYTES;
  };
  const size = await largestSize(data.length, bytes, sizeOf);
  const kind = coding === undefined ? '' : ', compressed';
  const compress =
    coding === undefined
      ? `To get it compressed, send the headers Accept: ${MEDIA_TYPES[target.representation.format]} and Accept-Encoding: gzip. Otherwise, from`
      : 'From';
  const detail = `This page would have ${bytes} bytes${kind}; the maximum is ${MAX_RESPONSE_BYTES}. ${compress} this offset on, request a size of ${size} or less.`;
  return new ApiError('PAGE_TOO_LARGE', detail, {
    fields: [
      { in: 'body', pointer: '/pagination/size', code: 'PAGE_TOO_LARGE', detail: `Must be ${size} or less here.` },
    ],
    headers: VARY,
  });
}

/**
 * Searches by interpolation, because the bytes of a page are nearly proportional to its rows, in turn with bisection, which bounds the number of steps.
 * @param total a number of rows that does not fit, and `totalBytes` their size
 * @returns the largest number of rows that fits, but at least 1, because 1 is the smallest page size
 */
async function largestSize(
  total: number,
  totalBytes: number,
  sizeOf: (rows: number) => Promise<number>,
): Promise<number> {
  let fits = { rows: 0, bytes: 0 };
  let exceeds = { rows: total, bytes: totalBytes };
  for (let step = 0; exceeds.rows - fits.rows > 1; step++) {
    const share = step % 2 === 0 ? (MAX_RESPONSE_BYTES - fits.bytes) / (exceeds.bytes - fits.bytes) : 0.5;
    const guess = fits.rows + Math.floor((exceeds.rows - fits.rows) * share);
    const rows = Math.min(Math.max(guess, fits.rows + 1), exceeds.rows - 1);
    const bytes = await sizeOf(rows);
    if (bytes <= MAX_RESPONSE_BYTES) fits = { rows, bytes };
    else exceeds = { rows, bytes };
  }
  return Math.max(1, fits.rows);
}

/**
 * @returns the size of a body as Lambda counts it: bytes in base64, and a text as a JSON string, in which quotation marks, backslashes and line ends take two
 * bytes. Other control characters take six, but are too rare to count.
 */
function sizeInResponse(body: Body): number {
  if (typeof body !== 'string') return Math.ceil(body.length / 3) * 4;
  return Buffer.byteLength(body) + (body.match(/["\\\t\r\n]/g)?.length ?? 0);
}
