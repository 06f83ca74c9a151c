import type { PartitionRead } from '../../catalog/partitions.ts';
import { MAX_SHARD_ADVERTISERS } from '../../catalog/rollup-keys.ts';
import type { FactTable } from '../../catalog/tables.ts';
import type { MarketReads } from '../plan/plan-market.ts';
import { bytesOfRollup, daysInPeriod, type PlannedReads, type ScannedRollup } from '../plan/plan-reads.ts';
import type { Plan } from '../plan/plan-report.ts';
import type { ReportQuery } from '../query/query.ts';
import { interleavedStride } from '../sums/sum-layout.ts';
import { countAxisValues, countDistinct, estimateSearches } from './filter-cost.ts';
import { boundGroups, estimateUsers } from './group-cost.ts';

/** The estimated cost of a report. */
export interface CostEstimate {
  /** Rows to read of the caller's own facts. */
  readonly rows: number;
  /** Encoded bytes to read of the caller's own facts. */
  readonly bytes: number;
  /** Time for reading, scanning and writing the page, at the speed at which the constants below were measured. */
  readonly seconds: number;
  /** The part of `seconds` for scanning the caller's own facts, without the transfer from the table, groups, sort keys, budgets and the page. */
  readonly scanSeconds: number;
  /** The part of `scanSeconds` for testing values against filters. */
  readonly filterSeconds: number;
  /** The part of `seconds` that share_of_voice takes. */
  readonly shareSeconds: number;
  /** Groups of the result, at most: as if no filter dropped rows, and no two days had the same groups. */
  readonly groups: number;
  /** Memory of so many groups with their sums, and about what counting their distinct users takes. */
  readonly memoryBytes: number;
}

/** Time per value of a column. Measured on one vCPU, including decoding; see `npm run bench`. */
const NANOSECONDS_PER_VALUE = 12;
/** Time per distinct value of a day, for each axis, to decode it and find its code. Measured: 100 to 170 ns; 600 to 1,100 ns where each value is new. */
const NANOSECONDS_PER_DISTINCT = 150;
/**
 * Time per distinct value of an advertiser and per dimension, on axes with several dimensions or with joined or computed values, which are computed once per
 * report. Measured: 600 to 1,200 ns.
 */
const NANOSECONDS_PER_JOINED_VALUE = 600;
/**
 * Time per rollup; and per day of a fact table; both besides the time for their values, to unpack and select them. Measured: 70 µs; 22 µs for days of 300
 * rows.
 */
const [SECONDS_PER_ROLLUP, SECONDS_PER_DAY] = [70e-6, 20e-6];
/** Time per row of delivery or market that share_of_voice assigns to a cell, besides the time for its values. */
const NANOSECONDS_PER_CELL_ROW = 100;
/** Time per group and sort field. Measured: 320 to 540 ns for a late page of a million groups. */
const NANOSECONDS_PER_SORT_VALUE = 500;
/** Time per group with pacing, whose budgets are distributed over the groups. Measured: 2,400 ns. */
const NANOSECONDS_PER_PACED_GROUP = 2_500;
/**
 * Time per ad group with delivery, counted once per month, to find its budget and plan its cost. Measured: 3,400 ns, a third of it for decoding its row of
 * the table.
 */
const NANOSECONDS_PER_BUDGET = 3_000;
/** Time per ad group and day of the period, where budgets are distributed over groups by date. Measured: 45 to 80 ns. */
const NANOSECONDS_PER_BUDGET_DAY = 60;
/** Time per ad group and day, where attributes or budgets are looked up. Measured: 400 to 750 ns before one of two look-ups was removed. */
const NANOSECONDS_PER_AD_GROUP_DAY = 400;
/** Time per value of the page, to make it, write it and compress it. Measured: 150 ns in CSV of 100,000 rows with 91 fields. */
const NANOSECONDS_PER_PAGE_VALUE = 200;
/** The rate at which one function reads from the table. One partition key gives up to 24 MB/s, and each column has its own. */
const BYTES_PER_SECOND = 40_000_000;
/** Time per search in a text of ordinary length, and per test of a filter. Measured: 30 to 80 ns. */
const NANOSECONDS_PER_SEARCH = 60;
/** Processor time of the DynamoDB client per call. */
const SECONDS_PER_CALL = 0.0005;
/** A call returns at most one page of a Query. */
const BYTES_PER_CALL = 1_000_000;

/**
 * Maximum rows per fact table of a shard's monthly rollup, and maximum bytes per value. Stored numbers are not used, because they depend on other users'
 * facts.
 */
const MAX_SHARD_ROWS = MAX_SHARD_ADVERTISERS * 31;
const MAX_BYTES_PER_SHARD_VALUE = 3;

/** Peak bytes per group for its key and its hash-table slots, reached while both arrays are copied to larger ones. */
const GROUP_BYTES = 150;
/** A sum while the sums grow by half: the old array and the new one have 1 + 1.5 doubles per group so far. */
const SUM_BYTES = 2.5 * 8;

/** The options of `estimateCost`. */
interface CostInput {
  /** The searches for selecting advertisers; 0 by default. */
  readonly advertiserSearches?: number;
  /** What share_of_voice reads; absent if the report lacks it. */
  readonly market?: MarketReads | undefined;
}

/**
 * @returns the cost of reading and scanning everything, as if no filter dropped rows, of testing the filters, and of writing the page
 * @param all the plan of the rows first: it has the page
 */
export function estimateCost(
  all: readonly PlannedReads[],
  { advertiserSearches = 0, market }: CostInput = {},
): CostEstimate {
  const partitions = all.flatMap(({ reads }) => reads.days.flatMap((days) => days.partitions));
  const facts = estimatePartitions(partitions);
  for (const read of all.flatMap(({ reads }) => reads.rollups)) {
    const isShard = read.advertiserIds !== undefined;
    let values = 0;
    for (const { table, measures } of read.scans) {
      const rows = rowsOfRollup(read, table);
      facts.rows += rows;
      values += rows * (2 + measures.length);
    }
    const bytes = isShard ? values * MAX_BYTES_PER_SHARD_VALUE : bytesOfRollup(read);
    facts.values += values;
    facts.bytes += bytes;
    facts.seconds += SECONDS_PER_ROLLUP;
    facts.calls += bytes / BYTES_PER_CALL;
  }
  const rows = all.map(({ reads }) => rowsOf(reads));
  const groups = all.map(({ plan, reads }, i) => boundGroups(plan, reads, rows[i] ?? 0));
  const searches =
    advertiserSearches + sumOf(all, (planned, i) => estimateSearches(planned, rows[i] ?? 0, groups[i] ?? 0));
  const filterSeconds = (searches * NANOSECONDS_PER_SEARCH) / 1e9;
  const users = all.map(({ plan, reads }, i) => estimateUsers(plan, reads, groups[i] ?? 0));
  const laterBytes = sumOf(users, (cost) => cost.laterBytes);
  facts.bytes += laterBytes;
  facts.calls += laterBytes / BYTES_PER_CALL;
  const userSeconds = sumOf(users, ({ seconds }) => seconds);
  const lookUpSeconds =
    (sumOf(all, (planned, i) => countAdGroupDays(planned, rows[i] ?? 0)) * NANOSECONDS_PER_AD_GROUP_DAY) / 1e9;
  const codeSeconds = sumOf(all, (planned, i) => secondsOfCodes(planned, rows[i] ?? 0));
  const scanSeconds = scanSecondsFor(facts) + filterSeconds + userSeconds + lookUpSeconds + codeSeconds;
  const groupSeconds = sumOf(
    all,
    (planned, i) => (groups[i] ?? 0) * secondsPerGroup(planned.plan) + budgetSeconds(planned, rows[i] ?? 0),
  );
  const share = market === undefined ? NO_SHARE : estimateShare(market);
  const shareSeconds = share.bytes / BYTES_PER_SECOND + share.scanSeconds;
  const pageSeconds = (estimatePageValues(all[0]?.plan.query, groups[0] ?? 0) * NANOSECONDS_PER_PAGE_VALUE) / 1e9;
  const seconds = facts.bytes / BYTES_PER_SECOND + scanSeconds + groupSeconds + shareSeconds + pageSeconds;
  return {
    rows: Math.round(facts.rows + share.ownRows),
    bytes: facts.bytes + share.ownBytes,
    ...{ seconds, scanSeconds, filterSeconds, shareSeconds },
    groups: sumOf(groups, (number) => number),
    memoryBytes:
      sumOf(all, ({ plan }, i) => (groups[i] ?? 0) * bytesPerGroup(plan)) +
      sumOf(users, ({ memoryBytes }) => memoryBytes),
  };
}

function sumOf<T>(items: readonly T[], numberOf: (item: T, index: number) => number): number {
  return items.reduce((sum, item, index) => sum + numberOf(item, index), 0);
}

/** @returns the estimated number of fact rows that one plan reads */
function rowsOf({ days, rollups }: PlannedReads['reads']): number {
  const ofDays = sumOf(days, ({ partitions }) => sumOf(partitions, (read) => sumOf(read.days, ({ rows }) => rows)));
  return ofDays + sumOf(rollups, (read) => sumOf(read.scans, ({ table }) => rowsOfRollup(read, table)));
}

/** @returns the estimated number of rows that the rollup has of the table */
function rowsOfRollup({ entry, advertiserIds }: ScannedRollup, table: FactTable): number {
  return advertiserIds === undefined ? (entry.rows.get(table) ?? 0) : MAX_SHARD_ROWS;
}

/** @returns the time for finding the codes of the values by which the plan groups */
function secondsOfCodes(planned: PlannedReads, rows: number): number {
  const { ofDays, ofJoins } = countAxisValues(planned, rows);
  return (ofDays * NANOSECONDS_PER_DISTINCT + ofJoins * NANOSECONDS_PER_JOINED_VALUE) / 1e9;
}

/** @returns the time for the sort keys and the pacing of a group */
function secondsPerGroup({ query, pacing }: Plan): number {
  const paced = pacing === undefined ? 0 : NANOSECONDS_PER_PACED_GROUP;
  return (query.sort.length * NANOSECONDS_PER_SORT_VALUE + paced) / 1e9;
}

/** @returns how many ad groups the plan looks up, each on every day */
function countAdGroupDays({ plan, reads }: PlannedReads, rows: number): number {
  return plan.attributes || plan.pacing !== undefined ? countDistinct(reads, 'ad_group_id', rows).ofDays : 0;
}

/**
 * @returns the time to find the budgets of the ad groups with delivery and, where the report groups by date, to plan the days of all listed ad groups: which
 * of these have a budget and delivery is found only in the scan
 */
function budgetSeconds({ plan, reads, joins }: PlannedReads, rows: number): number {
  if (plan.pacing === undefined) return 0;
  const budgets = countDistinct(reads, 'ad_group_id', rows).ofMonths;
  const isByDate = plan.axes.some(({ base }) => base === 'date');
  const days = isByDate ? (joins?.adGroupCount ?? 0) * daysInPeriod(plan) : 0;
  return (budgets * NANOSECONDS_PER_BUDGET + days * NANOSECONDS_PER_BUDGET_DAY) / 1e9;
}

function estimatePageValues(query: ReportQuery | undefined, groups: number): number {
  if (query === undefined) return 0;
  const { dimensions, metrics, pagination } = query;
  return Math.min(pagination.size, groups) * (dimensions.length + metrics.length);
}

function bytesPerGroup({ scans }: Plan): number {
  return GROUP_BYTES + SUM_BYTES * interleavedStride(sumOf(scans, ({ measures }) => measures.length));
}

const NO_SHARE = { ownRows: 0, ownBytes: 0, bytes: 0, scanSeconds: 0 };

/** @returns what share_of_voice adds: rows and bytes of the caller's own delivery, and bytes and processor time of delivery and market */
function estimateShare({ own, others, marketSize }: MarketReads): typeof NO_SHARE {
  const delivery = estimatePartitions([...own, ...others]);
  const { days, rowsPerDay, bytesPerDay, columns } = marketSize;
  const [rows, bytes] = [days * rowsPerDay, days * bytesPerDay];
  const market = {
    rows,
    bytes,
    values: rows * columns,
    calls: Math.ceil(bytes / BYTES_PER_CALL) + columns,
    seconds: days * SECONDS_PER_DAY,
  };
  const inCells = ((delivery.rows + rows) * NANOSECONDS_PER_CELL_ROW) / 1e9;
  const scanSeconds = scanSecondsFor(delivery) + scanSecondsFor(market) + inCells;
  return { ownRows: delivery.rows, ownBytes: delivery.bytes, bytes: delivery.bytes + bytes, scanSeconds };
}

interface Amounts {
  rows: number;
  bytes: number;
  values: number;
  calls: number;
  /** Time besides that for values and calls. */
  seconds: number;
}

function estimatePartitions(reads: readonly PartitionRead[]): Amounts {
  const amounts = { rows: 0, bytes: 0, values: 0, calls: 0, seconds: 0 };
  for (const { days, columns } of reads) {
    const sizes = columns.map((name) => days.reduce((sum, day) => sum + (day.columns.get(name)?.bytes ?? 0), 0));
    const rows = days.reduce((sum, day) => sum + day.rows, 0);
    amounts.rows += rows;
    amounts.values += rows * columns.length;
    amounts.seconds += days.length * SECONDS_PER_DAY;
    for (const size of sizes) {
      amounts.bytes += size;
      amounts.calls += Math.ceil(size / BYTES_PER_CALL);
    }
  }
  return amounts;
}

function scanSecondsFor({ values, calls, seconds }: Amounts): number {
  return seconds + (values * NANOSECONDS_PER_VALUE) / 1e9 + calls * SECONDS_PER_CALL;
}
