import { ALL_ACCOUNTS } from '../../layout/partitions.ts';
import type { CommitState, CommitWriter } from '../../store/commit/commits.ts';
import { readEncodedTables, writeEncodedTable } from '../../store/commit/encoded-tables.ts';
import { loadTableRef } from '../../store/table/item-keys.ts';
import type { Table } from '../../store/table/table.ts';
import { LISTING_FILES, type ListingFile, type ListingRow } from '../schema/file-columns.ts';
import { packRows, unpackRows } from './pack-rows.ts';

/**
 * Rows that facts refer to outlive their listing. `archived`: a new file left the row out. `deleted`: a patch deleted it, and only its ids are kept, so that
 * reports show its facts under them.
 */
export type Delisted = { readonly delisted?: 'archived' | 'deleted' };

/** The text of an id that is one. It is stored with the row, so that later loads name it, and find others with the same integer. */
export type IdText = { readonly idText?: string };

/** @returns whether the row is listed, neither archived nor deleted */
export function isListed(row: { readonly delisted?: unknown }): boolean {
  return row.delisted === undefined;
}

/** @returns whether other rows and facts may refer to the row: it is listed or archived */
export function isKnown(row: { readonly delisted?: unknown }): boolean {
  return row.delisted !== 'deleted';
}

/** The rows of each listing file, and after them the delisted ones. Listings that were not read are empty. */
export type Network = { readonly [L in ListingFile]: readonly (ListingRow<L> & Delisted & IdText)[] };

const fileRef = (listing: ListingFile) => loadTableRef(`files/${listing}`);

/**
 * Stores the rows of a listing file, so that a later load of another file can be joined with them.
 * @returns whether they differ from the stored rows
 */
export function storeListing(
  writer: CommitWriter,
  listing: ListingFile,
  rows: readonly object[],
): Promise<'unchanged' | 'written'> {
  return writeEncodedTable(
    writer,
    fileRef(listing),
    packRows(rows.length, (start, end) => rows.slice(start, end)),
  );
}

/** @returns the rows of the wanted files as of the state; files that are not wanted, or were never loaded, are empty. */
export async function readNetwork(table: Table, state: CommitState, wanted: readonly ListingFile[]): Promise<Network> {
  const tables = await readEncodedTables(table, wanted.map(fileRef), state);
  const rows = new Map(wanted.map((listing, index) => [listing, [...unpackRows(tables[index], listing)]]));
  return Object.fromEntries(LISTING_FILES.map((listing) => [listing, rows.get(listing) ?? []])) as unknown as Network; // storeListing stored rows of each type
}

/** @returns the texts of the ids of these listings, by their integers */
export function textsOf(network: Network, listings: readonly ListingFile[] = LISTING_FILES): Map<number, string> {
  const rows = listings.flatMap((listing): readonly (IdText & { readonly id?: number })[] => network[listing]);
  return new Map(rows.flatMap(({ id, idText }) => (id === undefined || idText === undefined ? [] : [[id, idText]])));
}

/** @returns the rows that are listed. Ad groups of a delisted campaign and campaigns of a delisted advertiser are not. */
export function listedRows(network: Network): Network {
  const listed = Object.fromEntries(
    LISTING_FILES.map((listing) => [listing, network[listing].filter(isListed)]),
  ) as unknown as Network; // rows of the same types
  const advertisers = new Set(listed.advertisers.map(({ id }) => id));
  const campaigns = listed.campaigns.filter(({ advertiserId }) => advertisers.has(advertiserId));
  const ad_groups = joinCampaigns({ ...listed, campaigns }).map(({ adGroup }) => adGroup);
  return { ...listed, campaigns, ad_groups };
}

/** @returns the accounts that own the advertiser, ascending. */
export function ownersOf(advertiser: ListingRow<'advertisers'>): number[] {
  const { accountId, accountIds } = advertiser;
  return [...new Set(accountIds ?? [accountId])].sort((a, b) => a - b);
}

/** @returns whether the user sees all accounts, also later ones */
export const seesAll = ({ accountIds }: ListingRow<'users'>): boolean => accountIds.includes(ALL_ACCOUNTS);

/** @returns the ad groups that have a campaign, by ascending id, with it */
export function joinCampaigns(network: Pick<Network, 'ad_groups' | 'campaigns'>) {
  const campaigns = new Map(network.campaigns.map((campaign) => [campaign.id, campaign]));
  return network.ad_groups
    .flatMap((adGroup) => {
      const campaign = campaigns.get(adGroup.campaignId);
      return campaign === undefined ? [] : [{ adGroup, campaign }];
    })
    .sort((a, b) => a.adGroup.id - b.adGroup.id);
}

/** @returns the advertiser of each ad group whose campaign is known, by the id of the ad group; it owns the ad group's facts */
export function ownersOfAdGroups(network: Pick<Network, 'ad_groups' | 'campaigns'>): ReadonlyMap<number, number> {
  return new Map(joinCampaigns(network).map(({ adGroup, campaign }) => [adGroup.id, campaign.advertiserId]));
}
