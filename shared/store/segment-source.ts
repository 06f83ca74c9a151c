import { MARKET_ADVERTISER } from '../catalog/partitions.ts';
import type { SegmentSource } from '../catalog/segment-source.ts';
import type { Table } from './client.ts';
import type { CommitState } from './commits.ts';
import { DimensionCache } from './dimension-cache.ts';
import { readFactHeads, readManifests } from './manifests.ts';
import { MarketCache } from './market-cache.ts';
import { readDays } from './read-days.ts';
import { readRollups } from './rollups.ts';

/** What an instance keeps from report to report. */
export class SourceCaches {
  readonly dimensions = new DimensionCache();
  readonly market = new MarketCache();
}

/** @returns all of the facts and joined tables as of the state. Calls under way at once are bounded by the table’s concurrency. */
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
    rollups: (rollups, users) =>
      rollups.every(({ ref }) => ref.advertiserId === MARKET_ADVERTISER)
        ? market.rollups(table, rollups)
        : readRollups(table, rollups, users),
    dimensionTables: (name, advertiserIds, columns) => dimensions.read(table, name, advertiserIds, state, columns),
  };
}
