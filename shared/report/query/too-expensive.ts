import { ApiError } from '../../lib/errors.ts';

/** Memory of a report. Of the function's 1,769 MB, the rest is for the program, its caches, and what is read ahead: 16 MB per stream. */
export const MAX_BYTES = 1_100_000_000;

/** @throws ApiError 422 where a report takes more memory than it may */
export function rejectTooLarge(bytes: number, maxBytes: number): void {
  if (bytes <= maxBytes) return;
  const limit = `It takes more than ${(MAX_BYTES / 1e6).toLocaleString('en-US')} MB of memory, which is the limit.`;
  throw tooExpensive(limit, 'Use fewer days, advertisers, dimensions or metrics.');
}

/** @returns the error for a report that exceeds the limit that `estimate` names */
export function tooExpensive(estimate: string, allowed: string, pointer = '/endDate'): ApiError {
  const advice =
    'Request fewer days or advertisers, use fewer patterns in filters, remove a dimension with many values (hour, keyword, entity, placement), or group and filter only by ad group, campaign, advertiser and date.';
  return new ApiError('REPORT_TOO_EXPENSIVE', `${estimate} ${advice}`, {
    fields: [{ in: 'body', pointer, code: 'TOO_EXPENSIVE', detail: allowed }],
  });
}
