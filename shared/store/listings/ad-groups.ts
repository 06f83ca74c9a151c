import type { CommitWriter, Snapshot } from '../commit/commits.ts';
import { readEntries, replaceEntries } from '../commit/entries.ts';
import { adGroupEntry, entryRange } from '../table/item-keys.ts';
import type { Table } from '../table/table.ts';
import {
  type ListingPage,
  type ListingRef,
  type ListingVersion,
  readListingItems,
  readListingVersions,
} from './listings.ts';

const NO_PRODUCTS: ListingVersion = { n: 0, total: 0 };

/** The owners of an ad group and the products that are available to it. */
export interface AdGroup {
  readonly adGroupId: number;
  readonly advertiserId: number;
  /** The accounts that own the advertiser. */
  readonly accountIds: readonly number[];
  readonly products: ListingRef;
}

/** An ad group as stored, with the version of its products listing. */
interface StoredAdGroup extends AdGroup {
  readonly version: ListingVersion;
}

/**
 * Replaces all ad groups. Each is stored with the version of its products listing, so that a page of products takes two round trips. Call this in every
 * load that writes a products listing, after writing the listings.
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
      value: {
        advertiserId,
        accountIds,
        audience: products.audience,
        ...(versionOf.get(products.audience) ?? NO_PRODUCTS),
      },
    })),
  );
}

/**
 * Reads one range, and the commit if `snapshot` has none that is recent enough.
 * @returns the ad group; undefined if it does not exist
 * @throws Error if its entry is damaged
 */
export async function readAdGroup(
  table: Table,
  adGroupId: number,
  snapshot: Snapshot,
): Promise<StoredAdGroup | undefined> {
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
    throw new Error(`the entry of the ad group ${adGroupId} is invalid`);
  }
  const products: ListingRef = { listing: 'products', audience };
  return { adGroupId, advertiserId, accountIds: accountIds.map(Number), products, version: { n, total } };
}

/**
 * Reads one range, a second time if items are missing.
 * @returns a page of the ad group's products
 * @throws ApiError STORE_INCONSISTENT if items are missing in the second read as well
 */
export async function readAdGroupProducts(
  table: Table,
  adGroup: StoredAdGroup,
  page: { readonly offset: number; readonly size: number },
): Promise<ListingPage> {
  const items = await readListingItems(table, adGroup.products, adGroup.version, page);
  return { items, total: adGroup.version.total };
}
