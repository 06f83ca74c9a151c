import type { Experience, FactTable } from './tables.ts';

/**
 * What belongs to the platform and to no advertiser is kept under this id: the partitions and rollups of market, and in its fact head the latest
 * day with delivery of any advertiser.
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

/** What the manifest says of one column of one day. */
export interface ColumnEntry {
  readonly chunks: number;
  /** Encoded size in bytes, all chunks. */
  readonly bytes: number;
  /** Distinct values of a key column; 0 for measures and users. */
  readonly distinct: number;
}

/** One day of a partition, in the version that the reader's commit sees. */
export interface DayEntry {
  /** Day of the month, 1–31. */
  readonly day: number;
  /** The commit number the day was written under. */
  readonly version: number;
  readonly rows: number;
  /** All columns together in one item, because they are small. */
  readonly packed: boolean;
  readonly columns: ReadonlyMap<string, ColumnEntry>;
}

export interface Manifest {
  readonly ref: PartitionRef;
  /** Ascending by day; days without rows are absent. */
  readonly days: readonly DayEntry[];
}

/** What an advertiser (`MARKET_ADVERTISER`: the platform) has in the fact tables, all times. */
export interface FactHead {
  readonly advertiserId: number;
  /** Months (`YYYY-MM`, ascending) that have rows, by experience and table. */
  readonly months: ReadonlyMap<Experience, ReadonlyMap<FactTable, readonly string[]>>;
  /** The latest day (`YYYY-MM-DD`) with delivery rows, by experience; of the platform: with delivery rows of any advertiser. */
  readonly latestDelivery: ReadonlyMap<Experience, string>;
  /** The months that are rolled up, by experience; the others are read day by day. */
  readonly rollups?: ReadonlyMap<Experience, ReadonlyMap<string, RollupEntry>>;
}

/** One month of one advertiser's facts (0: market's) in one experience, all its cubes together. */
export interface RollupRef {
  readonly advertiserId: number;
  readonly experience: Experience;
  /** `YYYY-MM` */
  readonly month: string;
}

/** What a fact head says of a rollup, in the version that the reader's commit sees. */
export interface RollupEntry {
  /** The commit number it was written under. */
  readonly version: number;
  /** Size of its keys and measures, packed. */
  readonly bytes: number;
  /** Size of each column of users, by its name: `<cube>/<band's column>`. */
  readonly users: ReadonlyMap<string, number>;
}

/** A rollup as it is stored: keys and measures of all cubes packed together, users apart, each under `<cube>/<column>`. */
export interface EncodedRollup {
  readonly ref: RollupRef;
  readonly packed: Uint8Array;
  readonly users: ReadonlyMap<string, Uint8Array>;
}

/** The encoded columns of one day; a column's chunks are already joined. */
export interface EncodedDay {
  readonly entry: DayEntry;
  readonly columns: ReadonlyMap<string, Uint8Array>;
}

/** A joined table: its encoded key columns, all of `rows` values, row i of one belonging to row i of the others. */
export interface EncodedTable {
  readonly rows: number;
  readonly columns: ReadonlyMap<string, Uint8Array>;
}
