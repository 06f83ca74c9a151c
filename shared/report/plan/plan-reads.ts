import { type BaseColumn, type Experience, type FactTable, TABLE_KEYS } from '../../catalog/tables.ts';
import { SHOPPER_BANDS } from '../../columns/column.ts';
import type { DayRows, FactHead, MonthRef, PartitionRead, PartitionRef, RollupRead } from '../../layout/partitions.ts';
import { hasRollupKeys } from '../../layout/rollup-keys.ts';
import { formatDay } from '../../lib/calendar.ts';
import type { ReportScope } from '../query/query.ts';
import type { Joins } from './joins.ts';
import {
  basesOf,
  isConstant,
  measuresOf,
  monthsOf,
  type Plan,
  type RowCondition,
  type TableScan,
} from './plan-report.ts';
import { HEADS_PER_READ, type HeadContext } from './read-heads.ts';
import type { Sample } from './sample.ts';
import { type FactSources, rollupColumnsOf, rollupsOfShards, type ScannedRollup } from './shards.ts';

/** What to read for a plan: for each scan, the days of partitions that no rollup replaces; and the rollups. */
export interface ReadPlan {
  readonly days: readonly { readonly scan: TableScan; readonly partitions: readonly PartitionRead[] }[];
  readonly rollups: readonly ScannedRollup[];
  /** The bands of shoppers to read during the scan. */
  readonly shopperBands: readonly (typeof SHOPPER_BANDS)[number][];
  readonly shoppers: ShopperAmount;
}

/** The size of the shoppers that are probably read. */
interface ShopperAmount {
  readonly bytes: number;
  /** Those of `bytes` that are read after the scan, where groups have few shoppers in the first band. */
  readonly laterBytes: number;
  /** Pairs of a shopper and a row, without those of rollups: their number is not stored. */
  readonly pairs: number;
}

/** A plan, and what it reads. */
export interface PlannedReads {
  readonly plan: Plan;
  readonly reads: ReadPlan;
  /** For the number of ad groups; absent = there are none. */
  readonly joins?: Joins;
}

/** What reads are planned with. */
export interface ReadContext extends Pick<HeadContext, 'source'> {
  readonly joins: Joins;
  /** Of an estimate, which reads few manifests. */
  readonly sample?: Sample;
}

/** Shoppers are read from rollups only in periods of at least this many days: a rollup has the shoppers of its whole month, so few days are smaller. */
const MIN_DAYS_FOR_ROLLED_UP_USERS = 8;

/** Up to this total size, all bands of shoppers are read during the scan: a second pass would cost more than it saves. */
const MAX_SINGLE_PASS_USER_BYTES = 4_000_000;

/**
 * @returns what to read for each scan: of the shards their rollups; of other advertisers the rollup where it has all columns that the report needs,
 * and else, or in months without it, the existing days of the period that pass the conditions on dates
 */
export async function planReads(
  context: ReadContext,
  plan: Plan,
  { advertiserIds }: ReportScope,
  { heads, shards }: FactSources,
): Promise<ReadPlan> {
  const bases = basesOf(plan);
  const ofAdvertisers = (hasRollupKeys(bases) ? advertiserIds : []).flatMap((id) =>
    rollupsOfAdvertiser(plan, heads.get(id)),
  );
  const covered = new Set(
    ofAdvertisers.flatMap(({ ref, scans }) => scans.map(({ table }) => partitionKey(ref, table))),
  );
  const rollups = [...ofAdvertisers, ...rollupsOfShards(plan, shards, new Set(advertiserIds))];
  const scans = await Promise.all(
    plan.scans.map(async (scan) => {
      const refs = advertiserIds.flatMap((id) =>
        partitionsOf(plan, heads.get(id), scan.table).filter((ref) => !covered.has(partitionKey(ref, ref.table))),
      );
      const keys = storedColumns(scan.table, bases);
      const columnsIn = (experience: Experience) => [...keys, ...measuresOf(plan, scan, experience)];
      return { scan, partitions: await planRuns(context, plan, refs, columnsIn, plan.rowConditions) };
    }),
  );
  const amountOf = (bands: ReadPlan['shopperBands']) => shopperAmount(scans, rollups, bands);
  const isSinglePass = amountOf(SHOPPER_BANDS).bytes <= MAX_SINGLE_PASS_USER_BYTES;
  const shopperBands = isSinglePass ? SHOPPER_BANDS : SHOPPER_BANDS.slice(0, 1);
  const first = amountOf(shopperBands);
  const later = isFirstBandEnough(plan, first.bytes) ? NO_SHOPPERS : amountOf(SHOPPER_BANDS.slice(shopperBands.length));
  const shoppers = { bytes: first.bytes + later.bytes, pairs: first.pairs + later.pairs, laterBytes: later.bytes };
  const bandColumns = shopperBands.map(({ column }) => column);
  const days = scans.map(({ scan, partitions }) => {
    if (!scan.shoppers) return { scan, partitions };
    return { scan, partitions: partitions.map((read) => ({ ...read, columns: [...read.columns, ...bandColumns] })) };
  });
  const withShoppers = rollups.map((read) => {
    const counting = read.scans.filter((scan) => scan.shoppers);
    const bands = counting.flatMap(({ table }) => bandColumns.map((column) => `${table}/${column}`));
    return { ...read, columns: [...read.columns, ...bands] };
  });
  return { days, rollups: withShoppers, shopperBands, shoppers };
}

/** @returns the number of days of the report's period */
export function daysInPeriod({ period }: Plan): number {
  return period.lastDay - period.firstDay + 1;
}

/** @returns the size of what is read of the rollup */
export function bytesOfRollup({ entry, columns }: RollupRead): number {
  return columns.reduce((sum, column) => sum + (entry.columns.get(column) ?? 0), entry.bytes);
}

const NO_SHOPPERS = { bytes: 0, pairs: 0 };

/**
 * @returns whether all groups probably have so many shoppers in the first band, a sixteenth of all, that no other is read: 4,096 of them take 8 bytes each. Only
 * groups by date, or the only group, without a filter on rows are sure to have nearly all shoppers that are read.
 */
function isFirstBandEnough(plan: Plan, bytes: number): boolean {
  if (plan.axes.some(({ base }) => base !== 'date')) return false;
  if (plan.rowConditions.some(({ base }) => !isConstant(base))) return false;
  return bytes >= (plan.axes.length === 0 ? 1 : daysInPeriod(plan)) * 4_096 * 8;
}

/** @returns the size of the shoppers of the bands */
function shopperAmount(
  scans: ReadPlan['days'],
  rollups: readonly ScannedRollup[],
  bands: ReadPlan['shopperBands'],
): typeof NO_SHOPPERS {
  let [bytes, pairs] = [0, 0];
  for (const { scan, partitions } of scans) {
    if (!scan.shoppers) continue;
    for (const { runs } of partitions) {
      const columns = runs.flatMap((run) => bands.flatMap((band) => run.columns.get(band.column) ?? []));
      for (const column of columns) [bytes, pairs] = [bytes + column.bytes, pairs + column.distinct];
    }
  }
  for (const { scans: ofRollup, entry } of rollups) {
    for (const { table } of ofRollup.filter((scan) => scan.shoppers))
      for (const band of bands) bytes += entry.columns.get(`${table}/${band.column}`) ?? 0;
  }
  return { bytes, pairs };
}

/** @returns the condition that the days of a rollup are in the report's period, which may cover only part of the month */
export function inPeriod(plan: Plan): RowCondition {
  const { startDate, endDate } = plan.query;
  const passes: RowCondition['passes'] = (_values, _advertiserId, date) =>
    String(date) >= startDate && String(date) <= endDate;
  return { base: 'date', fields: [], passes };
}

/** @returns the rollups of the advertiser in the months of the period, and the scans that they answer */
function rollupsOfAdvertiser(plan: Plan, head: FactHead | undefined): (ScannedRollup & { readonly ref: MonthRef })[] {
  if (head === undefined) return [];
  const mayHaveShoppers = daysInPeriod(plan) >= MIN_DAYS_FOR_ROLLED_UP_USERS;
  return monthsOf(plan).flatMap(({ experience, month }) => {
    const entry = head.rollups?.get(experience)?.get(month);
    if (entry === undefined) return [];
    const hasShoppers = (table: FactTable) =>
      mayHaveShoppers && entry.columns.has(`${table}/${SHOPPER_BANDS[0].column}`); // large months lack them
    const scans = plan.scans.filter(
      ({ table, shoppers }) => entry.rows.get(table) && (!shoppers || hasShoppers(table)),
    );
    if (scans.length === 0) return [];
    const columns = scans.flatMap((scan) => rollupColumnsOf(plan, scan, experience));
    return [{ ref: { advertiserId: head.advertiserId, experience, month }, entry, columns, scans }];
  });
}

function partitionKey({ advertiserId, experience, month }: MonthRef, table: FactTable): string {
  return `${advertiserId}/${experience}/${table}/${month}`;
}

/** @returns the existing partitions of an advertiser (`PLATFORM_ID` for market) in the period */
export function partitionsOf(plan: Plan, head: FactHead | undefined, table: FactTable): PartitionRef[] {
  if (head === undefined) return [];
  return monthsOf(plan)
    .filter(({ experience, month }) => head.months.get(experience)?.get(table)?.includes(month))
    .map(({ experience, month }) => ({ advertiserId: head.advertiserId, experience, table, month }));
}

/** @returns what to read of the partitions: the columns of their experience, of the runs with days in the period that pass the conditions on the date */
export async function planRuns(
  { source, joins, sample }: ReadContext,
  plan: Plan,
  refs: readonly PartitionRef[],
  columnsIn: (experience: Experience) => readonly string[],
  conditions: readonly RowCondition[],
): Promise<PartitionRead[]> {
  const columnsOf = new Map(plan.experiences.map((experience) => [experience, columnsIn(experience)]));
  const isRead = dateTestOf(plan, joins, conditions);
  const reads: PartitionRead[] = [];
  const represented = Map.groupBy(sample?.choose(refs) ?? refs, (ref) => partitionKey(ref, ref.table));
  const chosen = [...represented.values()].flatMap(([ref]) => ref ?? []);
  for (let start = 0; start < chosen.length; start += HEADS_PER_READ) {
    for (const { ref, runs } of await source.manifests(chosen.slice(start, start + HEADS_PER_READ))) {
      const count = represented.get(partitionKey(ref, ref.table))?.length ?? 1;
      const read = runs.filter((run) => run.days.some((day) => isRead(dateOf(ref, day))));
      const columns = columnsOf.get(ref.experience) ?? [];
      if (read.length > 0) for (let i = 0; i < count; i++) reads.push({ ref, runs: read, columns });
    }
  }
  return reads;
}

/** @returns a function that returns whether a date is in the period and passes the conditions on dates */
export function dateTestOf(plan: Plan, joins: Joins, conditions: readonly RowCondition[]): (date: string) => boolean {
  const { startDate, endDate } = plan.query;
  const onDates = conditions.filter(({ base }) => base === 'date');
  return (date) => {
    return (
      date >= startDate && date <= endDate && onDates.every(({ passes }) => passes(joins, 0, date)) // a date means the same for every advertiser
    );
  };
}

/** @returns the days of the period that pass the conditions on dates, ascending, whether or not they have facts */
export function daysOf(plan: Plan, joins: Joins, conditions: readonly RowCondition[]): number[] {
  const { firstDay, lastDay } = plan.period;
  const days = Array.from({ length: lastDay - firstDay + 1 }, (_, i) => firstDay + i);
  const passes = dateTestOf(plan, joins, conditions);
  return conditions.some(({ base }) => base === 'date') ? days.filter((day) => passes(formatDay(day))) : days;
}

/** @returns the day as `YYYY-MM-DD` */
export function dateOf(ref: PartitionRef, entry: Pick<DayRows, 'day'>): string {
  return `${ref.month}-${String(entry.day).padStart(2, '0')}`;
}

/** @returns those of `bases` that are stored as columns of the table */
export function storedColumns(table: FactTable, bases: readonly BaseColumn[]): string[] {
  return TABLE_KEYS[table].filter((base) => base !== 'date' && bases.includes(base));
}
