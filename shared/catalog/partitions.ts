import type { Experience, FactTable } from './tables.ts';

/**
 * The id under which data of the platform is stored: the partitions of market, and a fact head with the latest delivery day of
 * all advertisers.
 */
export const MARKET_ADVERTISER = 0;

/** One month of one fact table of one advertiser (0 for market, which belongs to the platform). */
export interface PartitionRef {
  readonly advertiserId: number;
  readonly experience: Experience;
  readonly table: FactTable;
  /** `YYYY-MM` */
  readonly month: string;
}

/** A manifest's entry for one column of one day. */
export interface ColumnEntry {
  readonly chunks: number;
  /** Encoded size in bytes, all chunks. */
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
  readonly packed: boolean;
  readonly columns: ReadonlyMap<string, ColumnEntry>;
}

export interface Manifest {
  readonly ref: PartitionRef;
  /** Ascending by day; days without rows are absent. */
  readonly days: readonly DayEntry[];
}

/** An overview of all facts of one advertiser, or of the platform (`MARKET_ADVERTISER`). */
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
  /** Packed size of its keys and measures. */
  readonly bytes: number;
  /** Size of each user column, by its name: `<cube>/<column of the band>`. */
  readonly users: ReadonlyMap<string, number>;
}

/** A rollup as it is stored: the keys and measures of all cubes packed together, user columns separate. Names are `<cube>/<column>`. */
export interface EncodedRollup {
  readonly ref: RollupRef;
  readonly packed: Uint8Array;
  readonly users: ReadonlyMap<string, Uint8Array>;
}

/** The encoded columns of one day, with the chunks of each column already joined. */
export interface EncodedDay {
  readonly entry: DayEntry;
  readonly columns: ReadonlyMap<string, Uint8Array>;
}

/** A joined table as encoded key columns. Every column has `rows` values. */
export interface EncodedTable {
  readonly rows: number;
  readonly columns: ReadonlyMap<string, Uint8Array>;
}
