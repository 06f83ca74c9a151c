import type { DimensionTable } from '../catalog/definitions.ts';
import type {
  DayEntry,
  EncodedDay,
  EncodedRollup,
  EncodedTable,
  FactHead,
  Manifest,
  PartitionRef,
} from '../catalog/partitions.ts';
import type { Table } from './client.ts';
import type { CommitState } from './commits.ts';
import { DimensionCache } from './dimension-cache.ts';
import { readFactHeads, readManifests } from './manifests.ts';
import { readDays } from './read-days.ts';
import type { RolledUp } from './rollups.ts';
import { readRollups } from './rollups.ts';

/** Where the report engine's data comes from; satisfies the engine's SegmentSource. */
export interface StoredSegments {
  factHeads(advertiserIds: readonly number[]): Promise<ReadonlyMap<number, FactHead>>;
  manifests(refs: readonly PartitionRef[]): Promise<readonly Manifest[]>;
  days(ref: PartitionRef, days: readonly DayEntry[], columns: readonly string[]): AsyncIterable<EncodedDay>;
  rollups(rollups: readonly RolledUp[], users: readonly string[]): AsyncIterable<EncodedRollup>;
  dimensionTables(
    table: DimensionTable,
    advertiserIds: readonly number[],
    columns: readonly string[],
  ): Promise<ReadonlyMap<number, EncodedTable>>;
}

/**
 * @param dimensions keeps joined tables from one source to the next
 * @returns all of the facts and joined tables as of the state. Calls under way at once are bounded by the table’s concurrency.
 */
export function openSegmentSource(
  table: Table,
  state: CommitState,
  dimensions: DimensionCache = new DimensionCache(),
): StoredSegments {
  return {
    factHeads: (advertiserIds) => readFactHeads(table, advertiserIds, state),
    manifests: (refs) => readManifests(table, refs, state),
    days: (ref, days, columns) => readDays(table, ref, days, columns),
    rollups: (rollups, users) => readRollups(table, rollups, users),
    dimensionTables: (name, advertiserIds, columns) => dimensions.read(table, name, advertiserIds, state, columns),
  };
}
