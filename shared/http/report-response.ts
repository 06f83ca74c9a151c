import { ApiError } from '../lib/errors.ts';
import { acceptedCoding, type ContentCoding, encode, type ReadHeader } from './content-coding.ts';
import type { HandlerResult } from './json-response.ts';

/** Maximum size of a response body, in bytes. Lambda's limit is 6 MB, which also covers the headers. */
export const MAX_RESPONSE_BYTES = 5_500_000;

/** The request id differs between two requests for the same page, and changes the size of a compressed page by a few bytes. */
const ID_BYTES = 64;

/** The part of a report that its size depends on. */
interface Report {
  readonly data: readonly object[];
}

const VARY = { Vary: 'Accept-Encoding' };

/**
 * @param headerOf reads a header of the request
 * @returns the report as JSON, compressed if it exceeds MAX_RESPONSE_BYTES and the client accepts that
 * @throws ApiError PAGE_TOO_LARGE if it exceeds MAX_RESPONSE_BYTES all the same; it states the largest page size that fits from this offset on
 */
export async function reportResponse<R extends Report>(report: R, headerOf: ReadHeader): Promise<HandlerResult> {
  const body = JSON.stringify(report);
  const bytes = jsonSize(body);
  if (bytes <= MAX_RESPONSE_BYTES) return { body };
  const coding = acceptedCoding(headerOf);
  if (coding === undefined) throw await pageTooLarge(report, bytes, undefined);
  const encoded = await encode(coding, body);
  const encodedBytes = base64Size(encoded);
  if (encodedBytes > MAX_RESPONSE_BYTES) throw await pageTooLarge(report, encodedBytes, coding);
  return { body: encoded, headers: { ...VARY, 'Content-Encoding': coding } };
}

async function pageTooLarge(report: Report, bytes: number, coding: ContentCoding | undefined): Promise<ApiError> {
  const { data } = report;
  const sizeOf = async (size: number) => {
    const body = JSON.stringify({ ...report, data: data.slice(0, size) });
    return coding === undefined ? jsonSize(body) : base64Size(await encode(coding, body)) + ID_BYTES;
  };
  const size = await largestSize(data.length, bytes, sizeOf);
  const kind = coding === undefined ? '' : ', compressed';
  const compress =
    coding === undefined
      ? 'To get it compressed, send the headers Accept: application/json and Accept-Encoding: gzip. Otherwise, from'
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

/** @returns the size of a body as Lambda counts it: as a JSON string, in which quotation marks and backslashes take two bytes */
function jsonSize(body: string): number {
  return Buffer.byteLength(body) + (body.match(/["\\]/g)?.length ?? 0);
}

/** @returns the size of a binary body as Lambda counts it: in base64 */
function base64Size(body: Buffer): number {
  return Math.ceil(body.length / 3) * 4;
}
