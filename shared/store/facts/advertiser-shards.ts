import type { AdvertiserShard, EncodedTable } from '../../catalog/partitions.ts';
import type { CommitState, CommitWriter } from '../commit/commits.ts';
import { readEncodedTables, writeEncodedTable } from '../commit/encoded-tables.ts';
import { compressJson, decompressJson } from '../table/compress.ts';
import { shardsRef } from '../table/item-keys.ts';
import type { Table } from '../table/table.ts';
import { formatRollups, parseRollups, parseVersions } from './fact-heads.ts';

const COLUMN = 'shards';
const WHERE = 'the shards of advertisers';

/** @returns the shards. @throws ApiError STORE_INCONSISTENT if part of them is missing; Error if they are damaged */
export async function readAdvertiserShards(table: Table, state: CommitState): Promise<AdvertiserShard[]> {
  const [stored] = await readEncodedTables(table, [shardsRef], state);
  return parseShards(stored);
}

/** Replaces the shards. Call this at most once per load. */
export async function writeAdvertiserShards(writer: CommitWriter, shards: readonly AdvertiserShard[]): Promise<void> {
  const list = shards.map(({ shard, advertiserIds, versions, rollups }) => {
    const versionsOf = (id: number) => Object.fromEntries(versions.get(id) ?? []);
    return [shard, advertiserIds, advertiserIds.map(versionsOf), formatRollups(rollups)];
  });
  const columns = new Map([[COLUMN, compressJson(list)]]);
  await writeEncodedTable(writer, shardsRef, { rows: shards.length, columns });
}

function parseShards(table: EncodedTable | undefined): AdvertiserShard[] {
  const bytes = table?.columns.get(COLUMN);
  if (bytes === undefined) return [];
  const list: unknown = decompressJson(bytes, WHERE);
  if (!Array.isArray(list)) throw new Error(`${WHERE} are not readable`);
  return list.map((member) => {
    const [shard, ids, versions, rollups] = Array.isArray(member) ? member : [];
    if (!Array.isArray(ids) || !Array.isArray(versions)) throw new Error(`${WHERE} are not readable`);
    const advertiserIds = ids.map(Number);
    const versionsOf = new Map(advertiserIds.map((id, index) => [id, parseVersions(versions[index])]));
    return { shard: Number(shard), advertiserIds, versions: versionsOf, rollups: parseRollups(rollups, WHERE) };
  });
}
