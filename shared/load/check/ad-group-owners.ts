import type { CommitState, CommitWriter } from '../../store/commit/commits.ts';
import { readEncodedTables, writeEncodedTable } from '../../store/commit/encoded-tables.ts';
import type { Table } from '../../store/table/client.ts';
import { loadTableRef } from '../../store/table/keys.ts';
import { joinCampaigns, type Network } from './network.ts';
import { packRows, unpackRows } from './stored-rows.ts';

/** The advertiser of each ad group, by the id of the ad group. The advertiser owns the ad group's facts. */
export type AdGroupOwners = ReadonlyMap<number, number>;

const DELISTED = loadTableRef('gone/ad_groups');

/** @returns the owners of the ad groups whose campaign is known */
export function ownersOfAdGroups(network: Pick<Network, 'ad_groups' | 'campaigns'>): AdGroupOwners {
  return new Map(joinCampaigns(network).map(({ adGroup, campaign }) => [adGroup.id, campaign.advertiserId]));
}

/**
 * The facts of an ad group stay when it is no longer listed. Its owner is stored, so that another advertiser cannot list it later.
 * @param known the owners before the load, of listed and delisted ad groups
 * @returns the owners of the ad groups that are not listed after the load, by ascending id
 */
export function findDelisted(known: AdGroupOwners, after: Pick<Network, 'ad_groups'>): AdGroupOwners {
  const listed = new Set(after.ad_groups.map((row) => row.id));
  return new Map([...known].filter(([id]) => !listed.has(id)).sort(([a], [b]) => a - b));
}

/** @returns all advertisers that may have facts: the owners of all ad groups that are or were listed */
export function advertisersOf(...owners: readonly AdGroupOwners[]): ReadonlySet<number> {
  return new Set(owners.flatMap((byAdGroup) => [...byAdGroup.values()]));
}

/** Replaces the stored owners of delisted ad groups. */
export function writeDelisted(writer: CommitWriter, delisted: AdGroupOwners): Promise<unknown> {
  return writeEncodedTable(writer, DELISTED, packRows([...delisted]));
}

/** @returns the stored owners of delisted ad groups as of the state */
export async function readDelisted(table: Table, state: CommitState): Promise<AdGroupOwners> {
  const [stored] = await readEncodedTables(table, [DELISTED], state);
  return new Map(unpackRows(stored, 'delisted ad groups') as [number, number][]); // the rows are the entries of a map
}
