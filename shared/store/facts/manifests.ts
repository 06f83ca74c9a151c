import type { FactHead, Manifest, PartitionRef } from '../../layout/partitions.ts';
import { readVersioned, type Snapshot } from '../commit/commits.ts';
import { readEncodedTables } from '../commit/encoded-tables.ts';
import { type Version, versionsOfHeads, visibleVersion } from '../commit/versions.ts';
import { factHeadRef, manifestKey } from '../table/item-keys.ts';
import type { Table } from '../table/table.ts';
import { decodeFactHead } from './fact-heads.ts';
import { decodeManifest, type StoredRun } from './manifest-codec.ts';

/** @returns the manifests that exist, in the order of the refs. @throws Error if one is damaged */
export async function readManifests(
  table: Table,
  refs: readonly PartitionRef[],
  snapshot: Snapshot,
): Promise<Manifest[]> {
  const keys = refs.map(manifestKey);
  const read = () => table.getMany(keys, { consistent: true });
  const [items, state] = await readVersioned(snapshot, table, read, versionsOfHeads);
  const manifests: Manifest[] = [];
  for (const [index, ref] of refs.entries()) {
    const runs = parseManifest(visibleVersion(items[index], state), manifestKey(ref).pk);
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
  const tables = await readEncodedTables(table, advertiserIds.map(factHeadRef), snapshot);
  const heads = advertiserIds.flatMap((id, index) => {
    const stored = tables[index];
    return stored === undefined ? [] : [[id, decodeFactHead(id, stored)] as const];
  });
  return new Map(heads);
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
