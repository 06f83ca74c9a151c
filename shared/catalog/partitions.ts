import type { Experience, FactTable } from './tables.ts';

/**
 * The id that stands for the platform where data are stored by advertiser: the partitions of market, the dimension tables of the platform, and the fact head
 * with the latest delivery day of all advertisers.
 */
export const PLATFORM_ID = 0;

/** One month of one fact table of one advertiser (`PLATFORM_ID` for market). */
export interface PartitionRef {
  readonly advertiserId: number;
  readonly experience: Experience;
  readonly table: FactTable;
  /** `YYYY-MM` */
  readonly month: string;
}

/** A manifest's entry for one column of one day. */
export interface ColumnEntry {
  /** Number of items that the column is split into; 0 if it is in the one item of its day. */
  readonly chunks: number;
  /** Size of all chunks in bytes; of a column in the one item of its day, before that item is compressed. */
  readonly bytes: number;
  /** Distinct values of a key column; 0 for measures and users. */
  readonly distinct: number;
}

/** One day of a partition, in the version that is current at the reader's commit. */
export interface DayEntry {
  /** Day of the month, 1–31. */
  readonly day: number;
  /** The number of the commit that wrote the day. */
  readonly version: number;
  readonly rows: number;
  /** Whether all columns are in one item, because they are small. */
  readonly inOneItem: boolean;
  readonly columns: ReadonlyMap<string, ColumnEntry>;
}

export interface Manifest {
  readonly ref: PartitionRef;
  /** Ascending by day; days without rows are absent. */
  readonly days: readonly DayEntry[];
}

/** An overview of all facts of one advertiser, or of the platform (`PLATFORM_ID`). */
export interface FactHead {
  readonly advertiserId: number;
  /** Months (`YYYY-MM`, ascending) that have rows, by experience and table. */
  readonly months: ReadonlyMap<Experience, ReadonlyMap<FactTable, readonly string[]>>;
  /** The latest day (`YYYY-MM-DD`) with delivery rows, by experience. In the platform's head: with delivery rows of any advertiser. */
  readonly latestDelivery: ReadonlyMap<Experience, string>;
  /** The rolled-up months, by experience. Other months are read day by day. */
  readonly rollups?: ReadonlyMap<Experience, ReadonlyMap<string, RollupEntry>>;
}

/** One month of one advertiser's facts in one experience, with all its cubes. */
export interface RollupRef {
  readonly advertiserId: number;
  readonly experience: Experience;
  /** `YYYY-MM` */
  readonly month: string;
}

/** A fact head's entry for one rollup, in the version that is current at the reader's commit. */
export interface RollupEntry {
  /** The number of the commit that wrote the rollup. */
  readonly version: number;
  /** Size of the pack of its keys and measures. */
  readonly bytes: number;
  /** Size of each user column, by its name: `<cube>/<column of the band>`. */
  readonly users: ReadonlyMap<string, number>;
}

/** A rollup as it is stored: one pack of the keys and measures of all cubes, and the user columns. Their names are `<cube>/<column>`. */
export interface EncodedRollup {
  readonly ref: RollupRef;
  readonly packed: Uint8Array;
  readonly users: ReadonlyMap<string, Uint8Array>;
}

/** The encoded columns of one day, with the chunks of each column already joined. */
export interface DayColumns {
  readonly entry: DayEntry;
  readonly columns: ReadonlyMap<string, Uint8Array>;
}

/** Rows stored as encoded key columns, each of which has `rows` values: of a dimension table, a listing file or other items. */
export interface EncodedTable {
  readonly rows: number;
  readonly columns: ReadonlyMap<string, Uint8Array>;
}
