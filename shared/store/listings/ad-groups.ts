import type { CommitWriter, Snapshot } from '../commit/commits.ts';
import { readEntries, replaceEntries } from '../commit/entries.ts';
import type { Table } from '../table/client.ts';
import { adGroupEntry, entryRange } from '../table/keys.ts';
import type { ListingPage, ListingRef, ListingVersion } from './listings.ts';
import { readListingItems, readListingVersions } from './listings.ts';

/** Whose ad group it is, and which products it can show. */
export interface AdGroup {
  readonly adGroupId: number;
  readonly advertiserId: number;
  /** The accounts that own the advertiser. */
  readonly accountIds: readonly number[];
  readonly products: ListingRef;
}

/** An ad group as read, with the version of its products that was in force with it. */
export interface FoundAdGroup extends AdGroup {
  readonly version: ListingVersion;
}

/**
 * Makes these all ad groups there are. Each carries the version of its products listing, so a page of products is two round trips; therefore call
 * this after the listings are written, and whenever one of them was.
 */
export async function writeAdGroups(writer: CommitWriter, adGroups: readonly AdGroup[]): Promise<void> {
  await writer.flush();
  const audiences = new Map(adGroups.map(({ products }) => [products.audience, products]));
  const versions = await readListingVersions(writer.table, [...audiences.values()], writer.state);
  const versionOf = new Map([...audiences.keys()].map((audience, index) => [audience, versions[index]]));
  await replaceEntries(
    writer,
    'ad-groups',
    adGroups.map(({ adGroupId, advertiserId, accountIds, products }) => ({
      ref: adGroupEntry(adGroupId),
      value: { advertiserId, accountIds, audience: products.audience, ...(versionOf.get(products.audience) ?? NONE) },
    })),
  );
}

/** @returns the ad group, in one call; undefined where there is none. */
export async function readAdGroup(
  table: Table,
  adGroupId: number,
  snapshot: Snapshot,
): Promise<FoundAdGroup | undefined> {
  const ref = adGroupEntry(adGroupId);
  const value = (await readEntries(table, entryRange(ref), snapshot)).get(ref.name);
  if (value === undefined) return undefined;
  const { advertiserId, accountIds, audience, n, total } = value;
  if (
    typeof advertiserId !== 'number' ||
    !Array.isArray(accountIds) ||
    typeof audience !== 'string' ||
    typeof n !== 'number' ||
    typeof total !== 'number'
  ) {
    throw new Error(`the entry of the ad group ${adGroupId} is not readable`);
  }
  const products: ListingRef = { listing: 'products', audience };
  return { adGroupId, advertiserId, accountIds: accountIds.map(Number), products, version: { n, total } };
}

/** @returns the page of the ad group's products, in one call. */
export async function readAdGroupProducts(
  table: Table,
  adGroup: FoundAdGroup,
  page: { readonly offset: number; readonly size: number },
): Promise<ListingPage> {
  const items = await readListingItems(table, adGroup.products, adGroup.version, page);
  return { items, total: adGroup.version.total };
}

/** No products: no item is ever read of it. */
const NONE: ListingVersion = { n: 0, total: 0 };
