import type { DimensionTable } from '../catalog/definitions.ts';
import type { Experience } from '../catalog/tables.ts';
import type {
  AdvertiserShard,
  EncodedRollup,
  FactHead,
  Manifest,
  PartitionRead,
  PartitionRef,
  RollupRead,
  RunColumns,
  StoredTable,
} from './partitions.ts';

/** Times are in milliseconds since 1970, by the clock of the loader; each load has a later one than all loads before it. */
export interface LoadTime {
  /** When the load was made. */
  readonly at: number;
  /** When a load, up to this one, last changed the days with rows of any advertiser. */
  readonly days: { readonly [Name in Experience]?: number };
}

/**
 * The source of a report's data, all of it as of one commit. The engine depends on no other part of the store.
 * Every method returns complete results or throws: a missing segment is an error and never means fewer rows.
 */
export interface SegmentSource {
  /**
   * @returns the heads of those advertisers that have facts. Include `PLATFORM_ID` for the platform's head, which exists where there is
   * market or delivery.
   */
  factHeads(advertiserIds: readonly number[]): Promise<ReadonlyMap<number, FactHead>>;
  /** @returns the shards of advertisers; an advertiser is in one of them at most */
  advertiserShards(): Promise<readonly AdvertiserShard[]>;
  /** @returns the manifests of those partitions that exist */
  manifests(refs: readonly PartitionRef[]): Promise<readonly Manifest[]>;
  /**
   * Yields the runs in any order. Columns that a run lacks are absent.
   */
  runs(reads: readonly PartitionRead[]): AsyncIterable<RunColumns>;
  /** Yields the rollups in any order, each with the read that requested it. */
  rollups<R extends RollupRead>(
    reads: readonly R[],
  ): AsyncIterable<{ readonly read: R; readonly encoded: EncodedRollup }>;
  /** @returns whether all runs of the read, or the rollup, are kept of other reports */
  isKept?(read: PartitionRead | RollupRead): boolean;
  /** @param n a load; absent: the last one @returns undefined if there is none */
  loadTime?(n?: number): Promise<LoadTime | undefined>;
  /** Forgets what is kept across reports. */
  emptyCaches?(): void;
  /** @returns the named columns of the table, for each advertiser that has one; tables of the platform are under `PLATFORM_ID` */
  dimensionTables(
    table: DimensionTable,
    advertiserIds: readonly number[],
    columns: readonly string[],
  ): Promise<ReadonlyMap<number, StoredTable>>;
}
