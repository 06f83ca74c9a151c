import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { EncodedTable } from '../../catalog/partitions.ts';
import type { CommitState, CommitWriter } from '../../store/commit/commits.ts';
import { readEncodedTables, writeEncodedTable } from '../../store/commit/encoded-tables.ts';
import type { Table } from '../../store/table/client.ts';
import { loadTableRef } from '../../store/table/keys.ts';
import { LISTING_FILES, type ListingFile, type ListingRow } from '../schema/file-columns.ts';

/** The rows of all listing files: those of the folder, and those loaded before for the files that the folder lacks. */
export type Network = { readonly [L in ListingFile]: readonly ListingRow<L>[] };

const fileRef = (listing: ListingFile) => loadTableRef(`files/${listing}`);
const DELISTED = loadTableRef('gone/ad_groups');

/**
 * Stores the rows of a listing file, so that a later load of another file can be joined with them.
 * @returns whether they differ from the stored rows
 */
export function storeListing(
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
  return Object.fromEntries(LISTING_FILES.map((listing) => [listing, rows.get(listing) ?? []])) as unknown as Network; // storeListing stored rows of each type
}

/** @returns the accounts that own the advertiser, ascending. */
export function ownersOf(advertiser: ListingRow<'advertisers'>): number[] {
  const { accountId, accountIds } = advertiser;
  return [...new Set(accountIds ?? [accountId])].sort((a, b) => a - b);
}

/** An ad group and its campaign. */
export interface AdGroupWithCampaign {
  readonly adGroup: ListingRow<'ad_groups'>;
  readonly campaign: ListingRow<'campaigns'>;
}

/** @returns the ad groups that have a campaign, by ascending id */
export function joinCampaigns(network: Pick<Network, 'ad_groups' | 'campaigns'>): AdGroupWithCampaign[] {
  const campaigns = new Map(network.campaigns.map((campaign) => [campaign.id, campaign]));
  return network.ad_groups
    .flatMap((adGroup) => {
      const campaign = campaigns.get(adGroup.campaignId);
      return campaign === undefined ? [] : [{ adGroup, campaign }];
    })
    .sort((a, b) => a.adGroup.id - b.adGroup.id);
}

/** The advertiser of each ad group, by the id of the ad group. The advertiser owns the ad group's facts. */
export type AdGroupOwners = ReadonlyMap<number, number>;

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

/** Each part is unpacked as a whole. */
const PART_ROWS = 50_000;

/** @returns the rows packed for storage */
function packRows(rows: readonly object[]): EncodedTable {
  const columns = new Map<string, Uint8Array>();
  for (let start = 0; start < rows.length; start += PART_ROWS) {
    const text = JSON.stringify(rows.slice(start, start + PART_ROWS));
    columns.set(String(columns.size), new Uint8Array(zstdCompressSync(text)));
  }
  return { rows: rows.length, columns };
}

/**
 * @param name names the rows in errors
 * @returns the rows that `packRows` packed; none if nothing is stored
 */
function unpackRows(stored: EncodedTable | undefined, name: string): object[] {
  const rows = [...(stored?.columns.values() ?? [])].flatMap((bytes) => parsePart(bytes, name));
  if (rows.length !== (stored?.rows ?? 0)) throw new Error(`the stored rows of ${name} are incomplete`);
  return rows;
}

function parsePart(bytes: Uint8Array, name: string): object[] {
  const rows: unknown = JSON.parse(zstdDecompressSync(bytes).toString('utf8'));
  if (!Array.isArray(rows)) throw new Error(`the stored rows of ${name} are not readable`);
  return rows;
}
