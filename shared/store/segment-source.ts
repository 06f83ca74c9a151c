import type { SegmentSource } from '../catalog/segment-source.ts';
import { DimensionCache } from './cache/dimension-cache.ts';
import { MarketCache } from './cache/market-cache.ts';
import type { CommitState } from './commit/commits.ts';
import { readFactHeads, readManifests } from './facts/manifests.ts';
import { readDays } from './facts/read-days.ts';
import { readRollups } from './facts/rollups.ts';
import type { Table } from './table/client.ts';

/** The data that an instance caches across reports. */
export class SourceCaches {
  readonly dimensions = new DimensionCache();
  readonly market = new MarketCache();
}

/** @returns the source of facts and dimension tables at `state`. The table limits the number of concurrent calls. */
export function openSegmentSource(
  table: Table,
  state: CommitState,
  { dimensions, market }: SourceCaches = new SourceCaches(),
): SegmentSource {
  return {
    factHeads: (advertiserIds) => readFactHeads(table, advertiserIds, state),
    manifests: (refs) => readManifests(table, refs, state),
    days: (ref, days, columns) =>
      ref.table === 'market' ? market.days(table, ref, days, columns) : readDays(table, ref, days, columns),
    rollups: (rollups, users) => readRollups(table, rollups, users),
    dimensionTables: (name, advertiserIds, columns) => dimensions.read(table, name, advertiserIds, state, columns),
  };
}
