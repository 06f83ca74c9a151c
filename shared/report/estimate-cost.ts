import type { BaseColumn, FactTable } from '../catalog/tables.ts';
import { packOf } from '../columns/runs.ts';
import type { PartitionRead, PartitionRef, RunEntry } from '../layout/partitions.ts';
import type { MarketReads } from './plan/plan-market.ts';
import { bytesOfRollup, daysInPeriod, type PlannedReads } from './plan/plan-reads.ts';
import { basesOf, type Plan } from './plan/plan-report.ts';
import type { ScannedRollup } from './plan/shards.ts';
import type { CostEstimate } from './query/report-input.ts';

/** Time of each kind of work on one vCPU, in seconds; a byte is read from the table. */
const SECONDS = {
  read: { byte: 25e-9, call: 0.5e-3, pack: 100e-6, run: 20e-6, rollup: 70e-6, head: 250e-6 },
  scan: { value: 12e-9, distinctValue: 250e-9, search: 60e-9, shopperByte: 85e-9, marketRow: 100e-9 },
  plan: { budget: 25e-6, cost: 2.5e-6 },
  // 350,000 to 1,000,000 groups by 5 and by 45 dimensions took 0.3 to 0.4 µs each to make, 1.0 to 1.7 µs to sort, and 0.4 to 1.1 µs to join
  group: { make: 200e-9, sort: 900e-9, join: 350e-9, field: 15e-9 },
  write: { sortValue: 500e-9, pageValue: 200e-9 },
};
const DAYS_PER_ROLLUP = 31;
const BYTES_PER_READ_UNIT = 8_192;

/** What an estimate adds up. */
interface Work {
  seconds: number;
  /** The part of the seconds that reads what is kept. */
  keptSeconds: number;
  bytes: number;
  reads: number;
  readonly isKept: (read: PartitionRead | ScannedRollup) => boolean;
}

/** @returns the cost of reading so many fact heads or manifests */
export function estimatePlanning(items: number): CostEstimate {
  const seconds = items * SECONDS.read.head;
  return { ...estimateCost([]), readUnits: items, seconds, warmSeconds: seconds };
}

/**
 * @param market what is read for share_of_voice
 * @param isKept whether the instance keeps all that is read
 */
export function estimateCost(
  all: readonly PlannedReads[],
  market?: MarketReads,
  isKept: Work['isKept'] = () => false,
): CostEstimate {
  const work: Work = { seconds: 0, keptSeconds: 0, bytes: 0, reads: 0, isKept };
  const sizes = all.map((planned) => addPlan(work, planned));
  const ownRows = sumOf([...(market?.own ?? []), ...(market?.others ?? [])], (read) => addRuns(work, read));
  const { bytes } = work;
  const marketRows = sumOf(market?.estimated ?? [], (read) => addRuns(work, read));
  const seconds = work.seconds + (ownRows + marketRows) * SECONDS.scan.marketRow;
  return {
    rows: Math.round(ownRows + sumOf(sizes, ({ rows }) => rows)),
    bytes,
    readUnits: Math.ceil(bytes / BYTES_PER_READ_UNIT + work.reads / 2),
    seconds,
    warmSeconds: seconds - work.keptSeconds,
    groups: sumOf(sizes, ({ groups }) => groups),
  };
}

function addPlan(work: Work, { plan, reads, joins }: PlannedReads): { rows: number; groups: number } {
  const { query, axes, planned } = plan;
  const { rollups, shoppers } = reads;
  const partitions = reads.days.flatMap((read) => read.partitions);
  const runs = partitions.flatMap(({ ref, runs }) => runs.map((run) => ({ run, rows: rowsIn(query, ref, run) })));
  const rolledUp = sumOf(rollups, (read) => addRollup(work, read));
  const rows = rolledUp + sumOf(partitions, (read) => addRuns(work, read, query));
  const combinations = (run: RunEntry) => axes.reduce((product, { base }) => product * distinctOf(run, base), 1);
  const adGroups = planned !== undefined || plan.attributes ? (joins?.adGroupCount ?? 0) : 0;
  const isBy = (...bases: readonly BaseColumn[]) => axes.some(({ base }) => bases.includes(base));
  const plannedDays = planned === undefined ? 0 : daysInPeriod(plan);
  const plannedGroups = (isBy('date') ? plannedDays : 1) * (isBy('ad_group_id', 'advertiser') ? adGroups : 1);
  const ofDays = rolledUp + sumOf(runs, ({ run, rows }) => Math.min(rows, combinations(run)));
  const ofAxes = axes.reduce((product, { base }) => product * maxDistinctOf(base, plan, joins), 1);
  const factGroups = Math.min(ofDays, ofAxes);
  const groups = axes.length === 0 ? 1 : factGroups + (planned === undefined ? 0 : plannedGroups);
  const distinct = sumOf(basesOf(plan), (base) => rolledUp + sumOf(runs, ({ run }) => distinctOf(run, base)));
  let searches = groups * sumOf(plan.groupConditions, (own) => own.searches + own.filters);
  for (const { base, fields } of plan.rowConditions) {
    // a value is tested once in a month
    const inMonths = sumOf(partitions, (read) => Math.max(...read.runs.map((run) => distinctOf(run, base))));
    const values = rolledUp / DAYS_PER_ROLLUP + inMonths;
    searches += values * sumOf(fields, (own) => own.filters + own.searches);
  }
  const pageValues = Math.min(query.pagination.size, groups) * (query.dimensions.length + query.metrics.length);
  const { read, scan, group, write } = SECONDS;
  const sorted = Math.min(groups, 4 * (query.pagination.offset + query.pagination.size)); // sortAndPage sorts no more groups
  const fields = query.dimensions.length * group.field;
  work.seconds += groups * (group.make + (query.compare === undefined ? 0 : group.join + fields));
  work.seconds += sorted * (group.sort + fields);
  work.bytes += shoppers.laterBytes;
  work.seconds += shoppers.laterBytes * read.byte + Math.max(shoppers.bytes, shoppers.pairs) * scan.shopperByte;
  work.seconds += distinct * scan.distinctValue + searches * scan.search;
  work.seconds += groups * query.sort.length * write.sortValue + pageValues * write.pageValue;
  if (planned !== undefined) {
    const plannedRows = adGroups * (isBy('date') ? plannedDays : plannedDays / DAYS_PER_ROLLUP);
    work.seconds += adGroups * SECONDS.plan.budget + (groups + plannedRows) * SECONDS.plan.cost;
  }
  return { rows, groups };
}

/** @returns the rows of the read; of the period, if there is one: some days of a run may be outside it */
function addRuns(work: Work, partition: PartitionRead, period?: Plan['query']): number {
  const { ref, runs, columns } = partition;
  const rows = sumOf(runs, (run) => (period === undefined ? run.rows : rowsIn(period, ref, run)));
  const bytesOf = (run: RunEntry) => sumOf(columns, (name) => run.columns.get(name)?.bytes ?? 0);
  const bytes = sumOf(runs, bytesOf);
  const { read, scan } = SECONDS;
  const chunksOf = (run: RunEntry, name: string) => run.columns.get(name)?.chunks;
  // small runs are packs, of which a call reads a hundred
  const packs = sumOf(
    runs,
    (run) => new Set(columns.filter((name) => chunksOf(run, name) === 0).map((name) => packOf(name))).size,
  );
  const calls = columns.filter((name) => runs.some((run) => (chunksOf(run, name) ?? 0) > 0)).length;
  work.bytes += bytes;
  work.reads += calls + packs;
  const ofCalls = (calls + bytes / 1e6) * read.call + packs * read.pack;
  addRead(work, partition, bytes * read.byte + ofCalls + runs.length * read.run);
  work.seconds += rows * columns.length * scan.value;
  return rows;
}

function addRead(work: Work, read: PartitionRead | ScannedRollup, seconds: number): void {
  work.seconds += seconds;
  if (work.isKept(read)) work.keptSeconds += seconds;
}

/** @param ref of a month of the period */
function rowsIn({ startDate, endDate }: Plan['query'], ref: PartitionRef, { days }: RunEntry): number {
  const from = startDate.startsWith(ref.month) ? Number(startDate.slice(8)) : 1;
  const to = endDate.startsWith(ref.month) ? Number(endDate.slice(8)) : 31;
  return sumOf(days, ({ day, rows }) => (day >= from && day <= to ? rows : 0));
}

/** @returns the rows of the rollup; a shard's are at most one per advertiser and day, because what is stored depends on other users' facts */
function addRollup(work: Work, read: ScannedRollup): number {
  const { entry, scans, advertiserIds } = read;
  const rowsOf = (table: FactTable) =>
    advertiserIds ? advertiserIds.size * DAYS_PER_ROLLUP : (entry.rows.get(table) ?? 0);
  const values = sumOf(scans, ({ table, sums }) => rowsOf(table) * (2 + sums.length));
  const bytes = advertiserIds ? values * 3 : bytesOfRollup(read);
  work.bytes += bytes;
  work.reads += 1;
  work.seconds += values * SECONDS.scan.value;
  addRead(work, read, bytes * SECONDS.read.byte + SECONDS.read.rollup);
  return sumOf(scans, ({ table }) => rowsOf(table));
}

/** @returns the most values that the base column can have in the period; infinite where that is not known without reading facts */
function maxDistinctOf(base: BaseColumn, plan: Plan, joins: PlannedReads['joins']): number {
  if (base === 'date') return daysInPeriod(plan);
  if (base === 'experience') return Math.max(1, plan.experiences.length);
  if (base === 'hour') return 25; // the 24 hours, and none
  return (base === 'ad_group_id' && joins?.adGroupCount) || Number.POSITIVE_INFINITY;
}

function distinctOf({ days, columns }: RunEntry, base: BaseColumn): number {
  return base === 'date' ? days.length : columns.get(base)?.distinct || 1;
}

function sumOf<T>(items: readonly T[], numberOf: (item: T) => number): number {
  return items.reduce((sum, item) => sum + numberOf(item), 0);
}
