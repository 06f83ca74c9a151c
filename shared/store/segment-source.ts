import {
  type AdvertiserShard,
  type FactHead,
  type Manifest,
  memoryOfHead,
  memoryOfRollups,
  memoryOfRun,
  type PartitionRef,
} from '../layout/partitions.ts';
import type { LoadTime, SegmentSource } from '../layout/segment-reads.ts';
import { DimensionCache } from './cache/dimension-cache.ts';
import { CachedFacts, FactCache } from './cache/fact-cache.ts';
import { CommitCache, openCacheBudget } from './commit/commit-cache.ts';
import type { CommitState } from './commit/commits.ts';
import { readLoadTime } from './commit/load-time.ts';
import { readAdvertiserShards } from './facts/advertiser-shards.ts';
import { readFactHeads, readManifests } from './facts/manifests.ts';
import { manifestKey } from './table/item-keys.ts';
import type { Table } from './table/table.ts';

/** The data that an instance caches across reports. */
export class SourceCaches {
  readonly heads: CommitCache<FactHead>;
  readonly shards: CommitCache<readonly AdvertiserShard[]>;
  readonly manifests: CommitCache<Manifest>;
  readonly times: CommitCache<LoadTime>;
  readonly dimensions: DimensionCache;
  readonly facts: FactCache;

  /** @param budget that of all caches of the instance */
  constructor(budget = openCacheBudget()) {
    this.heads = new CommitCache({ budget, of: ['facts'], sizeOf: memoryOfHead });
    this.shards = new CommitCache({ budget, of: ['facts'], sizeOf: sizeOfShards });
    this.manifests = new CommitCache({ budget, of: ['facts'], sizeOf: sizeOfManifest });
    this.times = new CommitCache({ budget, of: [] }); // never change
    this.dimensions = new DimensionCache(budget);
    this.facts = new FactCache(budget);
  }
}

/** @returns the source of facts and dimension tables at `state`. The table limits the number of concurrent calls. */
export function openSegmentSource(
  table: Table,
  state: CommitState,
  { heads, shards, manifests, times, dimensions, facts }: SourceCaches = new SourceCaches(),
): SegmentSource {
  const cached = new CachedFacts(facts, table, state.identity ?? '');
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
    loadTime: async (n) => {
      // under a key of its own, so that a report takes two reads whether or not others have loaded since
      const key = n ?? `latest ${state.commit}`;
      const [time] = await times.read(state, [key], String, async () => [await readLoadTime(table, n ?? state.commit)]);
      return time;
    },
    isKept: (read) => cached.isKept(read),
    emptyCaches: () => facts.empty(),
    runs: (reads) => cached.runs(reads),
    rollups: (reads) => cached.rollups(reads),
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
