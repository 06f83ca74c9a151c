import { dayNumber } from '../../lib/calendar.ts';
import { ApiError } from '../../lib/errors.ts';
import type { ReportQuery } from '../query.ts';
import type { Reads } from './reads.ts';

/** What a report is going to take, by its manifests. */
export interface CostEstimate {
  readonly rows: number;
  readonly bytes: number;
  readonly seconds: number;
}

/** The gateway waits 29 seconds, the function is stopped after 28; a third of that is left for what the estimate misses. */
const MAX_SECONDS = 18;
/** Measured on one vCPU, decoding included; see `npm run bench`. */
const NANOSECONDS_A_CELL = 12;
/** What one function takes in from the table; a single partition key gives 24 MB/s, and columns are partitions of their own. */
const BYTES_A_SECOND = 40_000_000;
/** CPU of the client for one call. */
const SECONDS_A_CALL = 0.0005;
/** A call brings at most a page of a Query. */
const BYTES_A_CALL = 1_000_000;
/** A rollup's rows are not in its entry: about this many bytes each. */
const BYTES_A_ROLLED_UP_ROW = 12;

/** Groups are kept in memory: about 100 bytes each and 8 a metric, of the function's 1,769 MB. */
const GROUP_BYTES = 100;
const METRIC_BYTES = 8;
const MAX_GROUPS_BYTES = 900_000_000;

/** @returns what reading and scanning will take: an upper bound as far as filters drop rows. */
export function estimateCost(all: readonly Reads[]): CostEstimate {
  let [rows, bytes, cells, calls] = [0, 0, 0, 0];
  for (const { partitions } of all.flatMap((reads) => reads.days)) {
    for (const { days, columns } of partitions) {
      const sizes = columns.map((name) => days.reduce((sum, day) => sum + (day.columns.get(name)?.bytes ?? 0), 0));
      const rowsHere = days.reduce((sum, day) => sum + day.rows, 0);
      rows += rowsHere;
      cells += rowsHere * columns.length;
      for (const size of sizes) {
        bytes += size;
        calls += Math.ceil(size / BYTES_A_CALL);
      }
    }
  }
  for (const { entry, userBands } of all.flatMap(({ rollups, userBands }) =>
    rollups.map((it) => ({ ...it, userBands })),
  )) {
    const users = [...entry.users].filter(([name]) => userBands.some(({ column }) => name.endsWith(column)));
    const size = users.reduce((sum, [, column]) => sum + column, entry.bytes);
    bytes += size;
    rows += entry.bytes / BYTES_A_ROLLED_UP_ROW;
    cells += entry.bytes;
    calls += size / BYTES_A_CALL;
  }
  const seconds = Math.max(bytes / BYTES_A_SECOND, 0) + (cells * NANOSECONDS_A_CELL) / 1e9 + calls * SECONDS_A_CALL;
  return { rows: Math.round(rows), bytes, seconds };
}

/** @throws ApiError 422 that says the estimate and how to narrow the report, where it could not be answered in time */
export function rejectTooExpensive(cost: CostEstimate, query: ReportQuery): void {
  if (cost.seconds <= MAX_SECONDS) return;
  const window = dayNumber(query.endDate) - dayNumber(query.startDate) + 1;
  const days = Math.max(1, Math.floor((window * MAX_SECONDS) / cost.seconds));
  const estimate = `It would read about ${cost.rows.toLocaleString('en-US')} fact rows (${Math.ceil(cost.bytes / 1e6).toLocaleString('en-US')} MB) and take about ${Math.ceil(cost.seconds)} seconds; ${MAX_SECONDS} is the most.`;
  throw tooExpensive(estimate, `Must span at most about ${days} days with these dimensions and advertisers.`);
}

/** @throws ApiError 422 where the report's groups would not fit into the function's memory */
export function rejectTooManyGroups(groups: number, query: ReportQuery): void {
  const most = Math.floor(MAX_GROUPS_BYTES / (GROUP_BYTES + METRIC_BYTES * query.metrics.length));
  if (groups <= most) return;
  const estimate = `It has more than ${most.toLocaleString('en-US')} rows, which is the most with ${query.metrics.length} metrics.`;
  throw tooExpensive(estimate, 'Must span fewer days or be broken down less finely.');
}

function tooExpensive(estimate: string, allowed: string): ApiError {
  const advice =
    'Ask for fewer days or advertisers, drop a fine dimension (hour, keyword, entity, placement), or ask by ad group, campaign or advertiser and day: that is answered from rollups.';
  return new ApiError('REPORT_TOO_EXPENSIVE', `${estimate} ${advice}`, {
    fields: [{ in: 'body', pointer: '/endDate', code: 'TOO_EXPENSIVE', detail: allowed }],
  });
}
