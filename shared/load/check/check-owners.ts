import { decodeKeys } from '../../columns/coded-keys.ts';
import type { PartitionRef } from '../../layout/partitions.ts';
import type { SegmentSource } from '../../layout/segment-reads.ts';
import { CONCURRENCY, forEachConcurrently } from '../../lib/concurrency.ts';
import type { CommitState } from '../../store/commit/commits.ts';
import { openSegmentSource } from '../../store/segment-source.ts';
import type { Table } from '../../store/table/table.ts';
import { type Network, ownersOfAdGroups } from '../listings/known-network.ts';
import type { ParsedListing } from '../listings/parse-rows.ts';
import type { ListingFile } from '../schema/file-columns.ts';
import type { Problem, Problems } from '../schema/problems.ts';

/**
 * Facts are stored under the advertiser that owned the ad group at load time. If an ad group changed owner, its facts would stay with the old owner, and
 * a reload would count them twice. So an ad group with facts cannot move to another advertiser. If its campaign was moved, one problem reports all of them.
 */
export async function checkOwners(
  before: Network,
  after: Network,
  parsed: ReadonlyMap<ListingFile, ParsedListing>,
  problems: Problems,
  table: Table,
  state: CommitState,
): Promise<void> {
  const [ownersBefore, owners] = [ownersOfAdGroups(before), ownersOfAdGroups(after)];
  const moved = after.ad_groups.flatMap(({ id, campaignId }) => {
    const [from, to] = [ownersBefore.get(id), owners.get(id)];
    return from === undefined || to === undefined || from === to ? [] : [{ id, campaignId, from, to }];
  });
  if (moved.length === 0) return;
  const withFacts = await findAdGroupsWithFacts(table, state, [...new Set(moved.map(({ from }) => from))]);
  const campaignOwners = new Map(before.campaigns.map((campaign) => [campaign.id, campaign.advertiserId]));
  const reported = new Set<number>();
  for (const { id, campaignId, from, to } of moved.filter((adGroup) => withFacts.has(adGroup.id))) {
    const facts = 'already has facts of that advertiser. Use a new id for the';
    if (campaignOwners.get(campaignId) !== from) {
      const reason = `must be a campaign of advertiser ${from}: ad group ${id} ${facts} ad group of ${to}`;
      addProblem(parsed.get('ad_groups'), id, { field: 'campaignId', reason }, problems);
    } else if (!reported.has(campaignId)) {
      reported.add(campaignId);
      const reason = `must remain ${from}: ad group ${id} of this campaign ${facts} campaign of ${to}`;
      addProblem(parsed.get('campaigns'), campaignId, { field: 'advertiserId', reason }, problems);
    }
  }
}

function addProblem(
  file: ParsedListing | undefined,
  id: number,
  problem: Pick<Problem, 'field' | 'reason'>,
  problems: Problems,
): void {
  const index = file?.rows.findIndex((row) => 'id' in row && row.id === id) ?? -1;
  if (file !== undefined) problems.add({ file: file.file, line: null, ...file.places[index], ...problem });
}

/** @returns the ids of the advertisers' ad groups that have facts as of the state. Reads one column of all their days. */
async function findAdGroupsWithFacts(
  table: Table,
  state: CommitState,
  advertiserIds: readonly number[],
): Promise<Set<number>> {
  const source = openSegmentSource(table, state);
  const found = new Set<number>();
  await forEachConcurrently(await partitionsOf(source, advertiserIds), CONCURRENCY, async (ref) => {
    const [manifest] = await source.manifests([ref]);
    for await (const { columns } of source.runs([{ ref, runs: manifest?.runs ?? [], columns: [COLUMN] }])) {
      const { dictionary } = decodeKeys(columns.get(COLUMN) ?? new Uint8Array(0), COLUMN);
      for (const id of dictionary) found.add(Number(id));
    }
  });
  return found;
}

const COLUMN = 'ad_group_id';

/** @returns the partitions of the advertisers that have facts */
export async function partitionsOf(source: SegmentSource, advertiserIds: readonly number[]): Promise<PartitionRef[]> {
  const heads = await source.factHeads(advertiserIds);
  return [...heads].flatMap(([advertiserId, { months }]) =>
    [...months].flatMap(([experience, tables]) =>
      [...tables].flatMap(([table, list]) => list.map((month) => ({ advertiserId, experience, table, month }))),
    ),
  );
}
