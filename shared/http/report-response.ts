import { ApiError } from '../lib/errors.ts';
import type { Answer } from './json-response.ts';

/** The largest body that is answered, in bytes: Lambda passes on 6 MB, and there are headers beside it. */
export const MAX_RESPONSE_BYTES = 5_500_000;

/** The part of a report answer that matters for its size. */
interface Report {
  readonly data: readonly object[];
}

/**
 * @returns the report as JSON
 * @throws ApiError 422 when that is larger than an answer may be; it names the largest page size that fits from this offset on
 */
export function reportResponse<R extends Report>(report: R): Answer {
  const body = JSON.stringify(report);
  const bytes = sizeInResponse(body);
  if (bytes <= MAX_RESPONSE_BYTES) return { body };
  const size = rowsThatFit(report.data, MAX_RESPONSE_BYTES - sizeInResponse(JSON.stringify({ ...report, data: [] })));
  const detail = `This page would have ${bytes} bytes, and an answer may have ${MAX_RESPONSE_BYTES}. From this offset on, ask for a size of ${size} or less.`;
  throw new ApiError('PAGE_TOO_LARGE', detail, {
    fields: [
      { in: 'body', pointer: '/pagination/size', code: 'PAGE_TOO_LARGE', detail: `Must be ${size} or less here.` },
    ],
  });
}

/** @returns the size of a body as Lambda counts it: inside a JSON text, where quotation marks and backslashes take two bytes. */
function sizeInResponse(body: string): number {
  return Buffer.byteLength(body) + (body.match(/["\\]/g)?.length ?? 0);
}

/** At least one row is answered even where it alone is too large: there is nothing smaller to ask for. */
function rowsThatFit(rows: readonly object[], room: number): number {
  let left = room;
  const first = rows.findIndex((row) => {
    left -= sizeInResponse(JSON.stringify(row)) + 1; // and a comma
    return left < 0;
  });
  return Math.max(1, first);
}
