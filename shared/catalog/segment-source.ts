import type { DimensionTable } from './definitions.ts';
import type {
  DayEntry,
  EncodedDay,
  EncodedRollup,
  EncodedTable,
  FactHead,
  Manifest,
  PartitionRef,
  RollupEntry,
  RollupRef,
} from './partitions.ts';

/**
 * Where a report's data comes from, all of it as of one commit. The engine knows nothing else of the store.
 * Every method answers whole or throws: a segment that is missing is an error, never fewer rows.
 */
export interface SegmentSource {
  /**
   * Heads of the advertisers that have facts; those without are absent. Ask for `MARKET_ADVERTISER` to get the platform's: it exists where there is
   * market or delivery. Tables written by older versions have no latest delivery day in it until facts are loaded the next time.
   */
  factHeads(advertiserIds: readonly number[]): Promise<ReadonlyMap<number, FactHead>>;
  /** Manifests of those of the partitions that exist. */
  manifests(refs: readonly PartitionRef[]): Promise<readonly Manifest[]>;
  /** The named columns of the given days, handed over a day at a time in the order they arrive. */
  days(ref: PartitionRef, days: readonly DayEntry[], columns: readonly string[]): AsyncIterable<EncodedDay>;
  /** The rollups, each with those of the named columns of users that it has, in any order. */
  rollups(
    rollups: readonly { readonly ref: RollupRef; readonly entry: RollupEntry }[],
    users: readonly string[],
  ): AsyncIterable<EncodedRollup>;
  /** The joined table of each advertiser that has one (of the platform's tables: under 0), with the named columns. */
  dimensionTables(
    table: DimensionTable,
    advertiserIds: readonly number[],
    columns: readonly string[],
  ): Promise<ReadonlyMap<number, EncodedTable>>;
}
