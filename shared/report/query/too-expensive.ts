import { ApiError } from '../../lib/errors.ts';

/** Cells of all groups of a report: their sums, and KEY_CELLS for each group. A cell takes 10 to 20 bytes. */
export const MAX_CELLS = 50_000_000;
export const KEY_CELLS = 6;

/** Distinct values of one base column. Each takes about 250 bytes, and as much again when rows are written. */
export const MAX_VALUES = 2_500_000;
/** Values in all dimension tables that a report joins. Each takes about 80 bytes. */
export const MAX_NAMES = 10_000_000;

/** @throws ApiError 422 if a report has more than `max` of something */
export function rejectAbove(max: number, count: number, things: string): void {
  if (count > max) throw tooLarge(`It has more than ${max.toLocaleString('en-US')} ${things}, which is the limit.`);
}

/** @returns the error for a report that takes too much memory */
export function tooLarge(reason: string): ApiError {
  return tooExpensive(reason, 'Use fewer days, advertisers, dimensions or metrics.');
}

/** @returns the error for a report that exceeds the limit that `estimate` names */
export function tooExpensive(estimate: string, allowed: string, pointer = '/endDate'): ApiError {
  const advice =
    'Request fewer days or advertisers, use fewer patterns in filters, remove a dimension with many values (hour, keyword, entity, placement), or group and filter only by ad group, campaign, advertiser and date.';
  return new ApiError('REPORT_TOO_EXPENSIVE', `${estimate} ${advice}`, {
    fields: [{ in: 'body', pointer, code: 'TOO_EXPENSIVE', detail: allowed }],
  });
}
