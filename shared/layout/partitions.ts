import { type DayColumn, type Experience, FACT_TABLES, type FactTable } from '../catalog/tables.ts';
import { OBJECT_BYTES } from '../lib/memory-of.ts';
import type { DayRange } from './day-ranges.ts';

/**
 * The id that stands for the platform where data are stored by advertiser: the partitions of market, the dimension tables of the platform, and the fact head
 * with the latest delivery day of all advertisers.
 */
export const PLATFORM_ID = 0;

/** The id that stands for all accounts: in the `accountIds` of a user, and where the advertisers of accounts are stored. */
export const ALL_ACCOUNTS = 0;

/** One month of one advertiser's facts in one experience. */
export interface MonthRef {
  readonly advertiserId: number;
  readonly experience: Experience;
  /** `YYYY-MM` */
  readonly month: string;
}

/** One month of one fact table of one advertiser (`PLATFORM_ID` for market) in one experience. */
export interface PartitionRef extends MonthRef {
  readonly table: FactTable;
}

/** A manifest's entry for one column of a run. */
export interface ColumnEntry {
  /** Number of items that the column is split into; 0 if it is in a pack of its run. */
  readonly chunks: number;
  /** Size of all chunks in bytes; of a column in a pack, before that is compressed. */
  readonly bytes: number;
  /** Distinct values of a key column, 0 if all are null; of a band of shoppers (`users_0`, …), its pairs of a shopper and a row; 0 for measures. */
  readonly distinct: number;
}

/** The rows of one day in a run. */
export interface DayRows {
  /** Day of the month, 1–31. */
  readonly day: number;
  readonly rows: number;
  /** The number of its hours; 0 if its rows have none. */
  readonly hours: number;
}

/** One or several days of a partition that are one segment, in the version that is current at the reader's commit. */
export interface RunEntry {
  /** The first day. */
  readonly day: number;
  /** The number of the commit that wrote the items. */
  readonly version: number;
  /** Of all days. */
  readonly rows: number;
  /** The days, ascending. The rows of the segment are in this order. */
  readonly days: readonly DayRows[];
  readonly columns: ReadonlyMap<string, ColumnEntry>;
}

/** @returns the days of the runs, ascending */
export function daysIn(runs: readonly RunEntry[]): DayRows[] {
  return runs.flatMap(({ days }) => days);
}

/** @returns the approximate size of the entry in memory, in bytes */
export function memoryOfRun({ days, columns }: RunEntry): number {
  return (3 + days.length + columns.size) * OBJECT_BYTES;
}

export interface Manifest {
  readonly ref: PartitionRef;
  /** Ascending by day; days without rows are absent. */
  readonly runs: readonly RunEntry[];
}

/** A summary of all facts of one advertiser, or of the platform (`PLATFORM_ID`). */
export interface FactHead {
  readonly advertiserId: number;
  /** Months (`YYYY-MM`, ascending) that have rows, by experience and table. */
  readonly months: ReadonlyMap<Experience, ReadonlyMap<FactTable, readonly string[]>>;
  /** The latest day (`YYYY-MM-DD`) with delivery, by experience. In the platform's head: with delivery of any advertiser. */
  readonly latestDelivery: ReadonlyMap<Experience, string>;
  /** The number of the last load that changed the facts, by experience. In the platform's head: that changed the market. */
  readonly versions: ReadonlyMap<Experience, number>;
  /** The days with rows of each table, and with delivery rows without impressions. In the platform's head: of any advertiser. */
  readonly days?: LoadedDays;
  /** The days with rows that lack a measure or key column: no file had it, or no row a value. Of a part of UNIDENTIFIED, the days with rows that have some of it. */
  readonly unmeasured?: UnmeasuredDays;
  /** In the platform's head: the number of advertisers that have facts. */
  readonly advertisers?: ReadonlyMap<Experience, number>;
  /** Months without one are read day by day. */
  readonly rollups?: Rollups;
}

/** Days by experience and name, as ascending ranges. */
export type DaysBy<Name> = ReadonlyMap<Experience, ReadonlyMap<Name, readonly DayRange[]>>;
/**
 * A day has `delivery` where an advertiser has rows with impressions, or without the measure. It is `undelivered` where there are only rows
 * with 0 impressions, such as credits and fees.
 */
export const DAY_LISTS = [...FACT_TABLES, 'undelivered'] as const;
export type DayList = (typeof DAY_LISTS)[number];
export type LoadedDays = DaysBy<DayList>;
export type UnmeasuredDays = DaysBy<DayColumn>;

/** @returns the approximate size of the head in memory, in bytes */
export function memoryOfHead({ months, days, unmeasured, rollups }: FactHead): number {
  let objects = 3;
  for (const lists of [...months.values(), ...(days?.values() ?? []), ...(unmeasured?.values() ?? [])])
    for (const list of lists.values()) objects += list.length;
  return objects * OBJECT_BYTES + memoryOfRollups(rollups);
}

/** @returns the approximate size of the entries in memory, in bytes */
export function memoryOfRollups(rollups: Rollups = new Map()): number {
  let objects = 0;
  for (const entries of rollups.values()) for (const { columns } of entries.values()) objects += 5 + columns.size;
  return objects * OBJECT_BYTES;
}

/** The rollups of an advertiser or shard, by experience and month. */
export type Rollups = ReadonlyMap<Experience, ReadonlyMap<string, RollupEntry>>;

/** A set of advertisers whose facts of a month are one rollup, by advertiser and day, so that an overview of hundreds of advertisers reads few items. */
export interface AdvertiserShard {
  /** Names the shard's rollups in the store. */
  readonly shard: number;
  /** The rollups have all facts of these advertisers, in ROLLUP_TABLES. Rows of other advertisers may be outdated and do not count. */
  readonly advertiserIds: readonly number[];
  /** `FactHead.versions` of each advertiser. */
  readonly versions: ReadonlyMap<number, FactHead['versions']>;
  /** The days with delivery rows of each advertiser, as `formatRanges` formats them, because few of them are needed. */
  readonly days: ReadonlyMap<number, ReadonlyMap<Experience, string>>;
  /** `<experience>/<measure>` for each measure that rows of the advertiser lack on some day; absent = none. */
  readonly unmeasured: ReadonlyMap<number, ReadonlySet<string>>;
  readonly rollups: Rollups;
}

/** One month of one shard's facts in one experience. */
export interface ShardRef extends Omit<MonthRef, 'advertiserId'> {
  readonly shard: number;
}

/** What a fact head or shard says of the rollup of one month, in the version that is current at the reader's commit. */
export interface RollupEntry {
  /** The number of the commit that wrote it. */
  readonly version: number;
  /** Its rows of each fact table. */
  readonly rows: ReadonlyMap<FactTable, number>;
  /** Size of the pack of its keys, and of its measures unless they are in `columns`. */
  readonly bytes: number;
  /** Size of each column that is stored separately, by its name: `<table>/<column>`. These are shoppers, the pack of parts of purchases, and the measures of large rollups. */
  readonly columns: ReadonlyMap<string, number>;
}

/** A rollup to read, with the separately stored columns that are needed. Names that it lacks are ignored. */
export interface RollupRead {
  readonly ref: MonthRef | ShardRef;
  readonly entry: RollupEntry;
  readonly columns: readonly string[];
}

/** A rollup as it is stored: one pack, and columns that are stored separately. Names of columns are `<table>/<column>`. */
export interface EncodedRollup {
  readonly packed: Uint8Array;
  readonly columns: ReadonlyMap<string, Uint8Array>;
}

/** What to read of one partition: the named columns of some of its runs. */
export interface PartitionRead {
  readonly ref: PartitionRef;
  /** Ascending. */
  readonly runs: readonly RunEntry[];
  readonly columns: readonly string[];
}

/** The encoded columns of one run, with the chunks of each column already joined. */
export interface RunColumns {
  readonly ref: PartitionRef;
  readonly run: RunEntry;
  readonly columns: ReadonlyMap<string, Uint8Array>;
}

/**
 * A number of rows and named columns of bytes. In dimension tables, each column is an encoded key column with `rows` values; other tables hold compressed
 * JSON.
 */
export interface EncodedTable {
  readonly rows: number;
  readonly columns: ReadonlyMap<string, Uint8Array>;
}

/** Some columns of a stored table. */
export interface StoredTable extends EncodedTable {
  /** The number of the load that has changed it last. */
  readonly version: number;
}
