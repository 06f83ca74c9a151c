import type { PartitionRef } from '../catalog/partitions.ts';
import type { SegmentSource } from '../catalog/segment-source.ts';
import { tableHas } from '../catalog/tables.ts';
import { decodeKeys } from '../columns/keys.ts';
import { forEachConcurrently } from '../lib/concurrency.ts';
import type { CommitState } from '../store/commit/commits.ts';
import { openSegmentSource } from '../store/segment-source.ts';
import type { Table } from '../store/table/client.ts';

/** @returns the ids of the ad groups that the advertisers have facts of as of the state. Reads one column of all their days. */
export async function findAdGroupsWithFacts(
  table: Table,
  state: CommitState,
  advertiserIds: readonly number[],
): Promise<Set<number>> {
  const source = openSegmentSource(table, state);
  const found = new Set<number>();
  await forEachConcurrently(await partitionsOf(source, advertiserIds), READS_AT_ONCE, async (ref) => {
    const [manifest] = await source.manifests([ref]);
    for await (const { columns } of source.days(ref, manifest?.days ?? [], [COLUMN])) {
      const { dictionary } = decodeKeys(columns.get(COLUMN) ?? new Uint8Array(0), COLUMN);
      for (const id of dictionary) found.add(Number(id));
    }
  });
  return found;
}

const COLUMN = 'ad_group_id';
const READS_AT_ONCE = 8;

async function partitionsOf(source: SegmentSource, advertiserIds: readonly number[]): Promise<PartitionRef[]> {
  const heads = await source.factHeads(advertiserIds);
  return [...heads].flatMap(([advertiserId, { months }]) =>
    [...months].flatMap(([experience, tables]) =>
      [...tables].flatMap(([table, list]) =>
        tableHas(table, COLUMN) ? list.map((month) => ({ advertiserId, experience, table, month })) : [],
      ),
    ),
  );
}
