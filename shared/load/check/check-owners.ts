import type { PartitionRef } from '../../catalog/partitions.ts';
import type { SegmentSource } from '../../catalog/segment-reads.ts';
import { tableHas } from '../../catalog/tables.ts';
import { decodeKeys } from '../../columns/coded-keys.ts';
import { forEachConcurrently } from '../../lib/concurrency.ts';
import type { CommitState } from '../../store/commit/commits.ts';
import { openSegmentSource } from '../../store/segment-source.ts';
import type { Table } from '../../store/table/table.ts';
import type { ListingFile } from '../schema/file-columns.ts';
import type { Problems } from '../schema/problems.ts';
import { type Network, ownersOfAdGroups } from './known-network.ts';
import type { ParsedListing } from './parse-rows.ts';

/** An ad group that the folder moves to another advertiser. */
interface MovedAdGroup {
  readonly id: number;
  readonly campaignId: number;
  readonly from: number;
  readonly to: number;
}

/** The network before the load and after it. */
interface OwnersChange {
  /** Returns the owner of an ad group that was listed before the load, or earlier; undefined for others. */
  readonly knownOwnerOf: (id: number) => number | undefined;
  readonly before: Network;
  readonly after: Network;
}

/**
 * Facts are stored under the advertiser that owned the ad group at load time. If an ad group changed owner, its facts would stay with the old owner, and
 * a reload would count them twice. So an ad group with facts cannot move to another advertiser.
 */
export async function checkOwners(
  { knownOwnerOf, before, after }: OwnersChange,
  parsed: ReadonlyMap<ListingFile, ParsedListing>,
  problems: Problems,
  table: Table,
  state: CommitState,
): Promise<void> {
  const moved = findMoved(knownOwnerOf, after);
  if (moved.length === 0) return;
  const withFacts = await findAdGroupsWithFacts(table, state, [...new Set(moved.map((adGroup) => adGroup.from))]);
  const withOwnFacts = moved.filter((adGroup) => withFacts.has(adGroup.id));
  const campaignBefore = new Map(before.campaigns.map((campaign) => [campaign.id, campaign.advertiserId]));
  // if the campaign itself was moved, one problem reports it instead of one per ad group
  const byCampaign = new Map(
    withOwnFacts
      .filter((adGroup) => campaignBefore.get(adGroup.campaignId) === adGroup.from)
      .map((adGroup) => [adGroup.campaignId, adGroup]),
  );
  reportMoved(parsed.get('campaigns'), 'advertiserId', byCampaign, problems, ({ id, from, to }) => {
    return `must remain ${from}: ad group ${id} of this campaign already has facts of that advertiser. Use a new id for the campaign of ${to}`;
  });
  const alone = new Map(
    withOwnFacts.filter((adGroup) => !byCampaign.has(adGroup.campaignId)).map((adGroup) => [adGroup.id, adGroup]),
  );
  reportMoved(parsed.get('ad_groups'), 'campaignId', alone, problems, ({ id, from, to }) => {
    return `must be a campaign of advertiser ${from}: ad group ${id} already has facts of that advertiser. Use a new id for the ad group of ${to}`;
  });
}

function findMoved(knownOwnerOf: OwnersChange['knownOwnerOf'], after: Network): MovedAdGroup[] {
  const owners = ownersOfAdGroups(after);
  return after.ad_groups.flatMap(({ id, campaignId }) => {
    const from = knownOwnerOf(id);
    const to = owners.get(id);
    return from === undefined || to === undefined || from === to ? [] : [{ id, campaignId, from, to }];
  });
}

function reportMoved(
  file: ParsedListing | undefined,
  field: string,
  moved: ReadonlyMap<number, MovedAdGroup>,
  problems: Problems,
  reasonOf: (moved: MovedAdGroup) => string,
): void {
  for (const [index, row] of (file?.rows ?? []).entries()) {
    const found = 'id' in row ? moved.get(row.id) : undefined;
    if (file === undefined || found === undefined) continue;
    problems.add({ file: file.file, line: null, ...file.places[index], field, reason: reasonOf(found) });
  }
}

/** @returns the ids of the advertisers' ad groups that have facts as of the state. Reads one column of all their days. */
async function findAdGroupsWithFacts(
  table: Table,
  state: CommitState,
  advertiserIds: readonly number[],
): Promise<Set<number>> {
  const source = openSegmentSource(table, state);
  const found = new Set<number>();
  await forEachConcurrently(await partitionsOf(source, advertiserIds), READ_CONCURRENCY, async (ref) => {
    const [manifest] = await source.manifests([ref]);
    for await (const { columns } of source.days([{ ref, days: manifest?.days ?? [], columns: [COLUMN] }])) {
      const { dictionary } = decodeKeys(columns.get(COLUMN) ?? new Uint8Array(0), COLUMN);
      for (const id of dictionary) found.add(Number(id));
    }
  });
  return found;
}

const COLUMN = 'ad_group_id';
const READ_CONCURRENCY = 8;

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
