import { ApiError } from '../lib/errors.ts';
import type { HandlerResult } from './json-response.ts';

/** Maximum size of a response body, in bytes. Lambda's limit is 6 MB, which also covers the headers. */
export const MAX_RESPONSE_BYTES = 5_500_000;

/** The part of a report that its size depends on. */
interface Report {
  readonly data: readonly object[];
}

/**
 * @returns the report as JSON
 * @throws ApiError PAGE_TOO_LARGE if the report exceeds MAX_RESPONSE_BYTES; it states the largest page size that fits from this offset on
 */
export function reportResponse<R extends Report>(report: R): HandlerResult {
  const body = JSON.stringify(report);
  const bytes = sizeInResponse(body);
  if (bytes <= MAX_RESPONSE_BYTES) return { body };
  const envelopeBytes = sizeInResponse(JSON.stringify({ ...report, data: [] }));
  const size = rowsThatFit(report.data, MAX_RESPONSE_BYTES - envelopeBytes);
  const detail = `This page would have ${bytes} bytes; the maximum is ${MAX_RESPONSE_BYTES}. From this offset on, request a size of ${size} or less.`;
  throw new ApiError('PAGE_TOO_LARGE', detail, {
    fields: [
      { in: 'body', pointer: '/pagination/size', code: 'PAGE_TOO_LARGE', detail: `Must be ${size} or less here.` },
    ],
  });
}

/** @returns the size of a body as Lambda counts it: as a JSON string, in which quotation marks and backslashes take two bytes */
function sizeInResponse(body: string): number {
  return Buffer.byteLength(body) + (body.match(/["\\]/g)?.length ?? 0);
}

/** @returns how many rows fit into `bytes`, at least 1, because 1 is the smallest page size */
function rowsThatFit(rows: readonly object[], bytes: number): number {
  let left = bytes;
  const first = rows.findIndex((row) => {
    left -= sizeInResponse(JSON.stringify(row)) + 1; // 1 for the comma
    return left < 0;
  });
  return Math.max(1, first);
}
