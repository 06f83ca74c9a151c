import type { FactHead, Manifest, PartitionRef } from '../../catalog/partitions.ts';
import { readVersioned, type Snapshot } from '../commit/commits.ts';
import { newestVersion, type Version, visibleVersion } from '../commit/versions.ts';
import { factHeadKey, type Key, manifestKey } from '../table/item-keys.ts';
import type { Table } from '../table/table.ts';
import { decodeManifest, type StoredRun } from './manifest-codec.ts';
import { readFactHead } from './stored-fact-head.ts';

/** @returns the manifests that exist, in the order of the refs. @throws Error if one is damaged */
export async function readManifests(
  table: Table,
  refs: readonly PartitionRef[],
  snapshot: Snapshot,
): Promise<Manifest[]> {
  const versions = await readVersions(table, refs.map(manifestKey), snapshot);
  const manifests: Manifest[] = [];
  for (const [index, ref] of refs.entries()) {
    const runs = parseManifest(versions[index], manifestKey(ref).pk);
    if (runs.length > 0) manifests.push({ ref, runs });
  }
  return manifests;
}

/**
 * @returns the fact heads that exist, by advertiser id
 * @throws ApiError STORE_INCONSISTENT if a chunk of one is missing; Error if one is damaged
 */
export async function readFactHeads(
  table: Table,
  advertiserIds: readonly number[],
  snapshot: Snapshot,
): Promise<ReadonlyMap<number, FactHead>> {
  const versions = await readVersions(table, advertiserIds.map(factHeadKey), snapshot);
  const heads = await Promise.all(
    advertiserIds.map((id, index) => {
      const version = versions[index];
      return version === undefined ? undefined : readFactHead(table, id, version);
    }),
  );
  return new Map(heads.filter((head) => head !== undefined).map((head) => [head.advertiserId, head]));
}

/**
 * @param where names the manifest in errors
 * @returns the runs of the manifest, ascending; none if there is no version
 * @throws Error if it is damaged
 */
export function parseManifest(version: Version | undefined, where: string): StoredRun[] {
  if (version === undefined) return [];
  if (!(version.value instanceof Uint8Array)) throw new Error(`the head ${where} contains no manifest`);
  return decodeManifest(version.value, where);
}

async function readVersions(table: Table, keys: readonly Key[], snapshot: Snapshot): Promise<(Version | undefined)[]> {
  const read = () => table.getMany(keys, { consistent: true });
  const [items, state] = await readVersioned(snapshot, table, read, newestVersion);
  return items.map((item) => visibleVersion(item, state));
}
