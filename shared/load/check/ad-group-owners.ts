import type { CommitState, CommitWriter } from '../../store/commit/commits.ts';
import { readEncodedTables, writeEncodedTable } from '../../store/commit/encoded-tables.ts';
import type { Table } from '../../store/table/client.ts';
import { loadTableRef } from '../../store/table/keys.ts';

import { type Network, placeAdGroups } from './network.ts';
import { packRows, unpackRows } from './stored-rows.ts';

/** The advertiser of each ad group, by the ad group's id: where its facts are. */
export type AdGroupOwners = ReadonlyMap<number, number>;

const GONE = loadTableRef('gone/ad_groups');

/** @returns the owners of the ad groups whose campaign is known */
export function ownersOfAdGroups(network: Pick<Network, 'ad_groups' | 'campaigns'>): AdGroupOwners {
  return new Map(placeAdGroups(network).map(({ adGroup, campaign }) => [adGroup.id, campaign.advertiserId]));
}

/**
 * Facts of an ad group stay when it is listed no more; so does the memory of whose they are, for when it comes back.
 * @param known the owners before the load, of ad groups listed or gone
 * @returns those that are not listed after it, by ascending id
 */
export function findDelisted(known: AdGroupOwners, after: Pick<Network, 'ad_groups'>): AdGroupOwners {
  const listed = new Set(after.ad_groups.map((it) => it.id));
  return new Map([...known].filter(([id]) => !listed.has(id)).sort(([a], [b]) => a - b));
}

/** @returns all advertisers that may have facts: those of the ad groups that are listed, and of those that once were */
export function advertisersOf(...owners: readonly AdGroupOwners[]): ReadonlySet<number> {
  return new Set(owners.flatMap((it) => [...it.values()]));
}

/** Replaces what is remembered of ad groups that are gone. */
export function keepGone(writer: CommitWriter, gone: AdGroupOwners): Promise<unknown> {
  return writeEncodedTable(writer, GONE, packRows([...gone]));
}

/** @returns what `keepGone` was given as of the state */
export async function readGone(table: Table, state: CommitState): Promise<AdGroupOwners> {
  const [kept] = await readEncodedTables(table, [GONE], state);
  return new Map(unpackRows(kept, 'ad groups that are gone') as [number, number][]); // the rows are the entries of a map
}
