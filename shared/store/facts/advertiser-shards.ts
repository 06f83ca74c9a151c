import { EXPERIENCES, type Experience } from '../../catalog/tables.ts';
import type { AdvertiserShard, EncodedTable } from '../../layout/partitions.ts';
import type { CommitState, CommitWriter } from '../commit/commits.ts';
import { readEncodedTables, writeEncodedTable } from '../commit/encoded-tables.ts';
import { compressJson, decompressJson } from '../table/compress.ts';
import { asRecord } from '../table/item.ts';
import { shardsRef } from '../table/item-keys.ts';
import type { Table } from '../table/table.ts';
import { formatRollups, parseNumbers, parseRollups } from './fact-heads.ts';

const COLUMN = 'shards';
const WHERE = 'the shards of advertisers';

/** @returns the shards. @throws ApiError STORE_INCONSISTENT if part of them is missing; Error if they are damaged */
export async function readAdvertiserShards(table: Table, state: CommitState): Promise<AdvertiserShard[]> {
  const [stored] = await readEncodedTables(table, [shardsRef], state);
  return parseShards(stored);
}

/** Replaces the shards. Call this at most once per load. */
export async function writeAdvertiserShards(writer: CommitWriter, shards: readonly AdvertiserShard[]): Promise<void> {
  const list = shards.map(({ shard, advertiserIds, versions, days, unmeasured, rollups }) => {
    const listOf = (values: ReadonlyMap<number, ReadonlyMap<Experience, unknown>>) =>
      advertiserIds.map((id) => Object.fromEntries(values.get(id) ?? []));
    const lacking = [...unmeasured].map(([id, names]) => [id, ...names]);
    const base = [shard, advertiserIds, listOf(versions), listOf(days), formatRollups(rollups)];
    return lacking.length === 0 ? base : [...base, lacking];
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
    const [shard, ids, versions, days, rollups, unmeasured = []] = Array.isArray(member) ? member : [];
    if (![ids, versions, days, unmeasured].every(Array.isArray)) throw new Error(`${WHERE} are not readable`);
    const advertiserIds: number[] = ids.map(Number);
    return {
      ...{ shard: Number(shard), advertiserIds },
      versions: new Map(advertiserIds.map((id, index) => [id, parseNumbers(versions[index])])),
      days: new Map(advertiserIds.map((id, index) => [id, parseDays(days[index])])),
      unmeasured: new Map(unmeasured.map(([id, ...names]: unknown[]) => [Number(id), new Set(names.map(String))])),
      rollups: parseRollups(rollups, WHERE),
    };
  });
}

function parseDays(value: unknown): Map<Experience, string> {
  const days = asRecord(value) ?? {};
  return new Map(EXPERIENCES.flatMap((name) => (name in days ? [[name, String(days[name])]] : [])));
}
