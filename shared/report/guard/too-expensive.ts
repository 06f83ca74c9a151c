import { dayNumber } from '../../lib/calendar.ts';
import { ApiError } from '../../lib/errors.ts';
import type { ReportQuery } from '../query/query.ts';
import type { CostEstimate } from './guard-cost.ts';

/** A request ends after 25 seconds (`DEADLINE_DETAIL`); 7 of them are reserved for the error of the estimate. */
export const MAX_SECONDS = 18;

/** Memory of a cell in the hash table, with its counts. */
const CELL_BYTES = 80;
/** Memory of a fact row's group, cell and impressions. */
const CELL_ROW_BYTES = 16;
/** The memory that all cells and their rows may take. */
export const MAX_CELLS_BYTES = 400_000_000;

/**
 * @throws ApiError 422 with the estimate and how to narrow the report, where computing it would take too long
 */
export function rejectTooExpensive(cost: CostEstimate, query: ReportQuery): void {
  if (cost.seconds <= MAX_SECONDS) return;
  const period = dayNumber(query.endDate) - dayNumber(query.startDate) + 1;
  const days = Math.max(1, Math.floor((period * MAX_SECONDS) / cost.seconds));
  const share =
    cost.shareSeconds === 0 ? '' : ` share_of_voice takes about ${Math.ceil(cost.shareSeconds)} seconds of these.`;
  const estimate = `It would read about ${cost.rows.toLocaleString('en-US')} fact rows (${Math.ceil(cost.bytes / 1e6).toLocaleString('en-US')} MB) and take about ${Math.ceil(cost.seconds)} seconds; the limit is ${MAX_SECONDS} seconds.${share}`;
  if (cost.filterSeconds > cost.seconds / 2) {
    const filters = `About ${Math.ceil(cost.filterSeconds)} seconds of it are for filters, mostly for the patterns of LIKE, LIKE_IN and NOT_LIKE if there are any.`;
    throw tooExpensive(`${estimate} ${filters}`, 'Must have fewer filters or patterns.', '/filters');
  }
  if (period === 1) throw tooExpensive(estimate, 'Must have fewer dimensions or advertisers.', '/dimensions');
  const span = days === 1 ? '1 day' : `${days} days`;
  throw tooExpensive(estimate, `Must span at most about ${span} with these dimensions and advertisers.`);
}

/**
 * @param cells the cells in which the caller has impressions
 * @param rows the report's own rows with impressions
 * @throws ApiError 422 where share_of_voice would hold more of them than fit into the function's memory
 */
export function rejectTooManyCells(cells: number, rows: number): void {
  if (bytesOfCells(cells, rows) <= MAX_CELLS_BYTES) return;
  const estimate = `share_of_voice would compare at least ${cells.toLocaleString('en-US')} hours and slices of ${rows.toLocaleString('en-US')} fact rows, which exceeds the limit of memory.`;
  throw tooExpensive(estimate, 'Use fewer days or advertisers, or drop share_of_voice.');
}

/** @returns the memory of cells and own rows, as in `rejectTooManyCells` */
export function bytesOfCells(cells: number, rows: number): number {
  return cells * CELL_BYTES + rows * CELL_ROW_BYTES;
}

/** @returns the error for a report that exceeds the limit that `estimate` names */
export function tooExpensive(estimate: string, allowed: string, pointer = '/endDate'): ApiError {
  const advice =
    'Request fewer days or advertisers, remove a dimension with many values (hour, keyword, entity, placement), or group and filter only by ad group, campaign, advertiser and date.';
  return new ApiError('REPORT_TOO_EXPENSIVE', `${estimate} ${advice}`, {
    fields: [{ in: 'body', pointer, code: 'TOO_EXPENSIVE', detail: allowed }],
  });
}
