import type { PartitionRef } from '../../catalog/partitions.ts';
import type { SegmentSource } from '../../catalog/segment-source.ts';
import { tableHas } from '../../catalog/tables.ts';
import { decodeKeys } from '../../columns/keys.ts';
import { forEachConcurrently } from '../../lib/concurrency.ts';
import type { CommitState } from '../../store/commit/commits.ts';
import { openSegmentSource } from '../../store/segment-source.ts';
import type { Table } from '../../store/table/client.ts';
import type { ListingFile } from '../schema/file-columns.ts';
import type { Problems } from '../schema/problems.ts';
import { type AdGroupOwners, ownersOfAdGroups } from './ad-group-owners.ts';
import type { Network } from './network.ts';
import type { ParsedListing } from './parse-listing.ts';

/** An ad group that the folder gives to another advertiser. */
interface Moved {
  readonly id: number;
  readonly campaignId: number;
  readonly from: number;
  readonly to: number;
}

/** What is known of the network before the load and after it. */
export interface OwnersChange {
  /** Of the ad groups that were listed before the load, or earlier. */
  readonly known: AdGroupOwners;
  readonly before: Network;
  readonly after: Network;
}

/**
 * Facts lie with the advertiser whose ad group it was when they were loaded. Were the ad group another's afterwards, they would be reported for
 * the old one, and the same file loaded again would count for both; so an ad group that has facts stays with its advertiser.
 */
export async function checkOwners(
  { known, before, after }: OwnersChange,
  parsed: ReadonlyMap<ListingFile, ParsedListing>,
  problems: Problems,
  table: Table,
  state: CommitState,
): Promise<void> {
  const moved = findMoved(known, after);
  if (moved.length === 0) return;
  const withFacts = await findAdGroupsWithFacts(table, state, [...new Set(moved.map((it) => it.from))]);
  const bound = moved.filter((it) => withFacts.has(it.id));
  const campaignBefore = new Map(before.campaigns.map((it) => [it.id, it.advertiserId]));
  // where the campaign itself was moved, that is the mistake, and not each of its ad groups
  const byCampaign = new Map(
    bound.filter((it) => campaignBefore.get(it.campaignId) === it.from).map((it) => [it.campaignId, it]),
  );
  tell(parsed.get('campaigns'), 'advertiserId', byCampaign, problems, ({ id, from, to }) => {
    return `must stay ${from}: the facts of the campaign’s ad group ${id} are that advertiser’s; give the campaign of ${to} another id`;
  });
  const alone = new Map(bound.filter((it) => !byCampaign.has(it.campaignId)).map((it) => [it.id, it]));
  tell(parsed.get('ad_groups'), 'campaignId', alone, problems, ({ id, from, to }) => {
    return `must be a campaign of advertiser ${from}: the facts of ad group ${id} are that advertiser’s; give the ad group of ${to} another id`;
  });
}

function findMoved(known: AdGroupOwners, after: Network): Moved[] {
  const owners = ownersOfAdGroups(after);
  return after.ad_groups.flatMap(({ id, campaignId }) => {
    const from = known.get(id);
    const to = owners.get(id);
    return from === undefined || to === undefined || from === to ? [] : [{ id, campaignId, from, to }];
  });
}

function tell(
  file: ParsedListing | undefined,
  field: string,
  moved: ReadonlyMap<number, Moved>,
  problems: Problems,
  reasonOf: (moved: Moved) => string,
): void {
  for (const [index, row] of (file?.rows ?? []).entries()) {
    const found = 'id' in row ? moved.get(row.id) : undefined;
    if (file === undefined || found === undefined) continue;
    problems.add({ file: file.file, line: file.lines[index] ?? null, field, reason: reasonOf(found) });
  }
}

/** @returns the ids of the ad groups that the advertisers have facts of as of the state. Reads one column of all their days. */
async function findAdGroupsWithFacts(
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
