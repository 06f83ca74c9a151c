import type { CommitState, CommitWriter } from '../../store/commit/commits.ts';
import { readEncodedTables, writeEncodedTable } from '../../store/commit/encoded-tables.ts';
import type { Table } from '../../store/table/client.ts';
import { loadTableRef } from '../../store/table/keys.ts';
import { LISTING_FILES, type ListingFile, type ListingRow } from '../schema/file-columns.ts';
import { packRows, unpackRows } from './stored-rows.ts';

/** The rows of all listing files: those of the folder, and for files the folder lacks those loaded before. */
export type Network = { readonly [L in ListingFile]: readonly ListingRow<L>[] };

const fileRef = (listing: ListingFile) => loadTableRef(`files/${listing}`);

/**
 * Keeps a listing file's rows as they were loaded, so that a later load of another file can be joined with them.
 * @returns whether they differ from what was kept
 */
export function keepListing(
  writer: CommitWriter,
  listing: ListingFile,
  rows: readonly object[],
): Promise<'unchanged' | 'written'> {
  return writeEncodedTable(writer, fileRef(listing), packRows(rows));
}

/** @returns the rows of the wanted files as of the state; files that are not wanted, or were never loaded, are empty. */
export async function readNetwork(table: Table, state: CommitState, wanted: readonly ListingFile[]): Promise<Network> {
  const tables = await readEncodedTables(table, wanted.map(fileRef), state);
  const rows = new Map(wanted.map((listing, index) => [listing, unpackRows(tables[index], listing)]));
  return Object.fromEntries(LISTING_FILES.map((it) => [it, rows.get(it) ?? []])) as unknown as Network; // keepListing was given rows of each type
}

/** @returns the network with the given files replaced. */
export function replaceListings(network: Network, files: Partial<Network>): Network {
  return { ...network, ...files };
}

/** @returns the accounts that own the advertiser, ascending. */
export function ownersOf(advertiser: ListingRow<'advertisers'>): number[] {
  const { accountId, accountIds } = advertiser;
  return [...new Set(accountIds ?? [accountId])].sort((a, b) => a - b);
}

/** An ad group with what its campaign says. */
export interface AdGroupWithCampaign {
  readonly adGroup: ListingRow<'ad_groups'>;
  readonly campaign: ListingRow<'campaigns'>;
}

/** @returns the ad groups by ascending id. */
export function placeAdGroups(network: Pick<Network, 'ad_groups' | 'campaigns'>): AdGroupWithCampaign[] {
  const campaigns = new Map(network.campaigns.map((it) => [it.id, it]));
  return network.ad_groups
    .flatMap((adGroup) => {
      const campaign = campaigns.get(adGroup.campaignId);
      return campaign === undefined ? [] : [{ adGroup, campaign }];
    })
    .sort((a, b) => a.adGroup.id - b.adGroup.id);
}
