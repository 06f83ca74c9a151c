import {
  type AdvertiserShard,
  type FactHead,
  type Manifest,
  memoryOfHead,
  memoryOfRollups,
  memoryOfRun,
  type PartitionRef,
} from '../catalog/partitions.ts';
import type { SegmentSource } from '../catalog/segment-reads.ts';
import { DimensionCache } from './cache/dimension-cache.ts';
import { MarketCache } from './cache/market-cache.ts';
import { CommitCache } from './commit/commit-cache.ts';
import type { CommitState } from './commit/commits.ts';
import { readAdvertiserShards } from './facts/advertiser-shards.ts';
import { readFactHeads, readManifests } from './facts/manifests.ts';
import { readRuns } from './facts/read-runs.ts';
import { readRollups } from './facts/stored-rollups.ts';
import { manifestKey } from './table/item-keys.ts';
import type { Table } from './table/table.ts';

/** The data that an instance caches across reports. */
export class SourceCaches {
  readonly heads = new CommitCache<FactHead>({ sizeOf: memoryOfHead });
  readonly shards = new CommitCache<readonly AdvertiserShard[]>({ sizeOf: sizeOfShards });
  readonly manifests = new CommitCache<Manifest>({ sizeOf: sizeOfManifest });
  readonly dimensions = new DimensionCache();
  readonly market = new MarketCache();
}

/** @returns the source of facts and dimension tables at `state`. The table limits the number of concurrent calls. */
export function openSegmentSource(
  table: Table,
  state: CommitState,
  { heads, shards, manifests, dimensions, market }: SourceCaches = new SourceCaches(),
): SegmentSource {
  return {
    factHeads: async (advertiserIds) => {
      const found = await heads.read(state, advertiserIds, String, async (ids) => {
        const read = await readFactHeads(table, ids, state);
        return ids.map((id) => read.get(id));
      });
      return new Map(found.filter((head) => head !== undefined).map((head) => [head.advertiserId, head]));
    },
    advertiserShards: async () => {
      const [found] = await shards.read(state, ['all'], String, async () => [await readAdvertiserShards(table, state)]);
      return found ?? [];
    },
    manifests: async (refs) => {
      const found = await manifests.read(state, refs, keyOf, async (missing) => {
        const read = new Map((await readManifests(table, missing, state)).map((manifest) => [manifest.ref, manifest]));
        return missing.map((ref) => read.get(ref));
      });
      return found.filter((manifest) => manifest !== undefined);
    },
    runs: async function* (reads) {
      const ofMarket = reads.filter(({ ref }) => ref.table === 'market');
      if (ofMarket.length > 0) yield* market.runs(table, ofMarket);
      yield* readRuns(
        table,
        reads.filter(({ ref }) => ref.table !== 'market'),
      );
    },
    rollups: (reads) => readRollups(table, reads),
    dimensionTables: (name, advertiserIds, columns) => dimensions.read(table, name, advertiserIds, state, columns),
  };
}

const keyOf = (ref: PartitionRef): string => manifestKey(ref).pk;

function sizeOfShards(shards: readonly AdvertiserShard[]): number {
  return shards.reduce((sum, { advertiserIds, days, rollups }) => {
    const texts = [...days.values()].flatMap((ofAdvertiser) => [...ofAdvertiser.values()]);
    return sum + advertiserIds.length * 8 + texts.join('').length + memoryOfRollups(rollups);
  }, 0);
}

function sizeOfManifest({ runs }: Manifest): number {
  return runs.reduce((bytes, run) => bytes + memoryOfRun(run), 0);
}
