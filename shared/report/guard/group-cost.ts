import { daysInPeriod, type ReadPlan } from '../plan/plan-reads.ts';
import { isConstant, type Plan } from '../plan/plan-report.ts';

/** Encoded size of a pair of a user and a row. Measured: 0.9 where users are in hundreds of rows, to 6.4 where each is in one. */
const BYTES_PER_PAIR = 3;
/** Time per such pair, including decoding. Measured: 180 ns in 24 groups of many users, 330 to 620 ns in a thousand to five million groups. */
const NANOSECONDS_PER_PAIR = 250;
/**
 * The same where few users are in all rows, so that pairs take nearly no bytes: in few groups, and in many, which are far apart in memory. Measured: 43 ns for
 * a thousand users in 5,000 rows of a day; 80 to 160 ns in a million groups of up to 40 users, and 380 to 520 ns in groups of 100 to 200.
 */
const [MIN_NANOSECONDS_PER_PAIR, NANOSECONDS_PER_SPREAD_PAIR] = [45, 150];
/** More groups than this are far apart in memory. */
const MANY_GROUPS = 100_000;
/** Memory per such pair where all are in different groups or of different users. Measured: 8 to 56 bytes. */
const MEMORY_PER_PAIR = 32;
/**
 * The first band has a sixteenth of the users. It is enough where each group has 4,096 of them, which take about this many bytes with one row each. Fewer users
 * in many rows or on many days take as many: then the later bands are read although the estimate omits them.
 */
const SETTLED_BYTES_PER_GROUP = 4_096 * 8;

/** What counting distinct users adds to the cost of a plan, besides the bytes of the bands that the scan reads. */
export interface UserCost {
  /** Bytes of the bands that are read after the scan. */
  readonly laterBytes: number;
  readonly seconds: number;
  readonly memoryBytes: number;
}

/** @param groups the maximum number of groups of the plan @returns the cost of counting their distinct users */
export function estimateUsers(plan: Plan, reads: ReadPlan, groups: number): UserCost {
  const { first, later } = reads.users;
  const read = isFirstBandEnough(plan, first.bytes) ? [first] : [first, later];
  const bytes = read.reduce((sum, amount) => sum + amount.bytes, 0);
  const statedPairs = read.reduce((sum, amount) => sum + amount.pairs, 0);
  const pairs = bytes / BYTES_PER_PAIR;
  const isSpread = groups > MANY_GROUPS;
  const nanoseconds = Math.max(
    pairs * NANOSECONDS_PER_PAIR,
    statedPairs * (isSpread ? NANOSECONDS_PER_SPREAD_PAIR : MIN_NANOSECONDS_PER_PAIR),
  );
  const memoryBytes = Math.max(pairs, isSpread ? statedPairs : 0) * MEMORY_PER_PAIR;
  return { laterBytes: bytes - first.bytes, seconds: nanoseconds / 1e9, memoryBytes };
}

/**
 * @returns whether all groups probably have so many users that the later bands are not read. This is assumed only of
 * groups by date and of a single group, and only if no filter on rows excludes anything but whole days or advertisers: then nearly all users that are read count.
 */
function isFirstBandEnough(plan: Plan, firstBytes: number): boolean {
  if (plan.axes.some(({ base }) => base !== 'date')) return false;
  if (plan.rowConditions.some(({ base }) => !isConstant(base))) return false;
  const groups = plan.axes.length === 0 ? 1 : daysInPeriod(plan);
  return firstBytes >= groups * SETTLED_BYTES_PER_GROUP;
}

/**
 * @param rows the estimated number of fact rows that this plan reads
 * @returns an upper bound of the number of groups: a day has at most one per row, and at most one per combination of its values
 */
export function boundGroups(plan: Plan, reads: ReadPlan, rows: number): number {
  if (plan.axes.length === 0) return 1;
  let groups = 0;
  let rowsOfDays = 0;
  for (const { partitions } of reads.days) {
    for (const { days } of partitions) {
      for (const { rows: rowsOfDay, columns } of days) {
        const combinations = plan.axes.reduce((product, { base }) => product * (columns.get(base)?.distinct || 1), 1);
        groups += Math.min(rowsOfDay, combinations);
        rowsOfDays += rowsOfDay;
      }
    }
  }
  return Math.round(groups + Math.max(0, rows - rowsOfDays));
}
