import type { DayEntry, PartitionRead } from '../../catalog/partitions.ts';
import type { BaseColumn, FactTable } from '../../catalog/tables.ts';
import type { MarketReads } from '../plan/plan-market.ts';
import { bytesOfRollup, daysInPeriod, type PlannedReads, type ScannedRollup } from '../plan/plan-reads.ts';
import { basesOf, type Plan } from '../plan/plan-report.ts';
import { interleavedStride } from '../sums/sum-layout.ts';

/** The estimated cost of a report, as if no filter dropped rows. */
export interface CostEstimate {
  /** Rows and encoded bytes to read of the caller's own facts. */
  readonly rows: number;
  readonly bytes: number;
  /** DynamoDB's read units for these: one per 8 KB, and half a one for the rounding of each read. */
  readonly readUnits: number;
  readonly seconds: number;
  /** The parts of `seconds` for testing values against filters, and for share_of_voice. */
  readonly filterSeconds: number;
  readonly shareSeconds: number;
  /** At most so many: a day has at most one per row, and at most one per combination of its values. */
  readonly groups: number;
  /** Memory without groups and their users, and with so many groups. */
  readonly baseBytes: number;
  readonly memoryBytes: number;
}

/** Time of each kind of work on one vCPU, in seconds; a byte is read from the table. */
const SECONDS = {
  ...{ byte: 25e-9, call: 0.5e-3, day: 20e-6, rollup: 70e-6, value: 12e-9, distinctValue: 250e-9, search: 60e-9 },
  ...{ userByte: 85e-9, sortValue: 500e-9, budget: 25e-6, plannedCost: 2.5e-6, cellRow: 100e-9, pageValue: 200e-9 },
};
/** Memory of each kind of object: of a row or byte of a day while it is decoded, of a sum while it is copied to a larger array. */
const BYTES = {
  ...{ listedDay: 2_000, byteOfDay: 4, rowOfDay: 48, keptRow: 4, adGroup: 350, pageValue: 24 },
  ...{ group: 110, sum: 17, sortValue: 8, plannedCost: 310 },
};
const DAYS_PER_ROLLUP = 30;
const BYTES_PER_READ_UNIT = 8_192;
const NO_WORK = { seconds: 0, filterSeconds: 0, bytes: 0, reads: 0, memoryBytes: 0, largestDay: 0 };
type Work = typeof NO_WORK;

export function estimateCost(all: readonly PlannedReads[], market?: MarketReads): CostEstimate {
  const [work, share] = [{ ...NO_WORK }, { ...NO_WORK }];
  const sizes = all.map((planned) => addPlan(work, planned));
  const shareRows = sumOf([...(market?.own ?? []), ...(market?.others ?? [])], (read) => addDays(share, read));
  const bytes = work.bytes + share.bytes;
  const marketRows = sumOf(market?.estimated ?? [], (read) => addDays(share, read));
  share.seconds += (shareRows + marketRows) * SECONDS.cellRow;
  const largestDay = Math.max(work.largestDay, share.largestDay);
  const baseBytes = work.memoryBytes + share.memoryBytes + largestDay + (all[0]?.joins?.bytes ?? 0);
  const readUnits = Math.ceil(bytes / BYTES_PER_READ_UNIT + (work.reads + share.reads) / 2);
  return {
    ...{ rows: Math.round(shareRows + sumOf(sizes, ({ rows }) => rows)), bytes, readUnits },
    ...{ seconds: work.seconds + share.seconds, filterSeconds: work.filterSeconds, shareSeconds: share.seconds },
    ...{ groups: sumOf(sizes, ({ groups }) => groups), baseBytes },
    memoryBytes: baseBytes + sumOf(sizes, (size) => size.groupBytes),
  };
}

/** @returns the cost of two reports together */
export function sumCosts(a: CostEstimate, b: CostEstimate): CostEstimate {
  return {
    ...{ rows: a.rows + b.rows, bytes: a.bytes + b.bytes, readUnits: a.readUnits + b.readUnits },
    ...{ seconds: a.seconds + b.seconds, filterSeconds: a.filterSeconds + b.filterSeconds },
    ...{ shareSeconds: a.shareSeconds + b.shareSeconds, groups: a.groups + b.groups },
    ...{ baseBytes: a.baseBytes + b.baseBytes, memoryBytes: a.memoryBytes + b.memoryBytes },
  };
}

/** @returns the memory of a group with its sums and sort keys, but without its users */
export function bytesPerGroup({ scans, query, planned }: Plan): number {
  const sums = interleavedStride(sumOf(scans, (scan) => scan.sums.length)) * BYTES.sum;
  return BYTES.group + sums + query.sort.length * BYTES.sortValue + (planned === undefined ? 0 : BYTES.plannedCost);
}

function addPlan(work: Work, { plan, reads, joins }: PlannedReads) {
  const [{ query }, { users }] = [plan, reads];
  const partitions = reads.days.flatMap((read) => read.partitions);
  const days = partitions.flatMap((read) => read.days);
  const rolledUp = sumOf(reads.rollups, (read) => addRollup(work, read));
  const rows = rolledUp + sumOf(partitions, (read) => addDays(work, read));
  const combinations = (day: DayEntry) => plan.axes.reduce((product, { base }) => product * distinctOf(day, base), 1);
  const adGroups = plan.planned !== undefined || plan.attributes ? (joins?.adGroupCount ?? 0) : 0;
  const isBy = (...bases: readonly BaseColumn[]) => plan.axes.some(({ base }) => bases.includes(base));
  const plannedDays = plan.planned === undefined ? 0 : daysInPeriod(plan);
  const plannedRows = adGroups * (isBy('date') ? plannedDays : plannedDays / DAYS_PER_ROLLUP);
  const plannedGroups = (isBy('date') ? plannedDays : 1) * (isBy('ad_group_id', 'advertiser') ? adGroups : 1);
  const factGroups = rolledUp + sumOf(days, (day) => Math.min(day.rows, combinations(day)));
  const groups = plan.axes.length === 0 ? 1 : factGroups + (plan.planned === undefined ? 0 : plannedGroups);
  for (const base of basesOf(plan))
    work.seconds += (rolledUp + sumOf(days, (day) => distinctOf(day, base))) * SECONDS.distinctValue;
  let searches = groups * sumOf(plan.groupConditions, (own) => own.searches + own.filters);
  for (const { base, fields } of plan.rowConditions) {
    // a value is tested once in a month; any of the joined texts may belong to one
    const inMonths = sumOf(partitions, (read) => Math.max(...read.days.map((day) => distinctOf(day, base))));
    const values = rolledUp / DAYS_PER_ROLLUP + inMonths;
    for (const own of fields) {
      const { total, longest } = joins?.lengthsOf(own.field) ?? { total: 0, longest: 0 };
      const ofLengths = Math.min(total, longest * values) / 25; // the characters of an ordinary text
      searches += own.filters * values + own.searches * Math.max(values, ofLengths);
    }
  }
  work.filterSeconds += searches * SECONDS.search;
  work.bytes += users.laterBytes;
  work.seconds += searches * SECONDS.search + users.laterBytes * SECONDS.byte;
  work.seconds += Math.max(users.bytes, users.pairs) * SECONDS.userByte;
  work.seconds += groups * query.sort.length * SECONDS.sortValue;
  if (plan.planned !== undefined)
    work.seconds += adGroups * SECONDS.budget + (groups + plannedRows) * SECONDS.plannedCost;
  const pageValues = Math.min(query.pagination.size, groups) * (query.dimensions.length + query.metrics.length);
  work.seconds += pageValues * SECONDS.pageValue;
  work.memoryBytes += pageValues * BYTES.pageValue;
  work.memoryBytes += adGroups * BYTES.adGroup + (users.laterBytes > 0 ? rows * BYTES.keptRow : 0);
  return { rows, groups, groupBytes: groups * bytesPerGroup(plan) };
}

/** @returns the rows of the read */
function addDays(work: Work, { days, columns }: PartitionRead): number {
  const rows = sumOf(days, (day) => day.rows);
  const bytesOf = (day: DayEntry) => sumOf(columns, (name) => day.columns.get(name)?.bytes ?? 0);
  const bytes = sumOf(days, bytesOf);
  work.bytes += bytes;
  work.reads += columns.length;
  work.seconds += bytes * SECONDS.byte + (columns.length + bytes / 1e6) * SECONDS.call;
  work.seconds += rows * columns.length * SECONDS.value + days.length * SECONDS.day;
  work.memoryBytes += days.length * BYTES.listedDay;
  const memoryOf = (day: DayEntry) => day.rows * BYTES.rowOfDay + bytesOf(day) * BYTES.byteOfDay;
  work.largestDay = Math.max(work.largestDay, ...days.map(memoryOf));
  return rows;
}

/** @returns the rows of the rollup; a shard's are at most one per advertiser and day, because what is stored depends on other users' facts */
function addRollup(work: Work, read: ScannedRollup): number {
  const { entry, scans, advertiserIds } = read;
  const rowsOf = (table: FactTable) => (advertiserIds ? advertiserIds.size * 31 : (entry.rows.get(table) ?? 0));
  const values = sumOf(scans, ({ table, sums }) => rowsOf(table) * (2 + sums.length));
  const bytes = advertiserIds ? values * 3 : bytesOfRollup(read);
  work.bytes += bytes;
  work.reads += 1;
  work.memoryBytes += BYTES.listedDay;
  work.seconds += values * SECONDS.value + bytes * SECONDS.byte + SECONDS.rollup;
  return sumOf(scans, ({ table }) => rowsOf(table));
}

const distinctOf = ({ columns }: DayEntry, base: BaseColumn) => columns.get(base)?.distinct || 1;

function sumOf<T>(items: readonly T[], numberOf: (item: T) => number): number {
  return items.reduce((sum, item) => sum + numberOf(item), 0);
}
