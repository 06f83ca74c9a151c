import type { DimensionTable } from '../../catalog/definitions.ts';
import type { EncodedTable } from '../../catalog/partitions.ts';
import { forEachConcurrently } from '../../lib/concurrency.ts';
import type { CommitWriter } from '../../store/commit/commits.ts';
import { writeDimensionTable } from '../../store/facts/dimensions.ts';
import { writeAccountAdvertisers } from '../../store/listings/account-advertisers.ts';
import { type AdGroup, writeAdGroups } from '../../store/listings/ad-groups.ts';
import { type Listing, writeListing } from '../../store/listings/listings.ts';
import { writeUsers } from '../../store/listings/users.ts';
import { productsOfAdvertiser } from '../../store/table/keys.ts';
import { type AdGroupOwners, keepGone } from '../check/ad-group-owners.ts';
import { keepListing, type Network, ownersOf, placeAdGroups } from '../check/network.ts';
import type { ListingFile } from '../schema/file-columns.ts';
import { deriveListings } from './derive-listings.ts';
import { deriveTables } from './derive-tables.ts';

/** Which files each listing is made from. */
const LISTING_INPUTS: Readonly<Record<Listing, readonly ListingFile[]>> = {
  accounts: ['accounts', 'users'],
  advertisers: ['accounts', 'advertisers'],
  contacts: ['accounts', 'contacts'],
  addresses: ['accounts', 'addresses'],
  placements: ['placements'],
  products: ['products', 'campaigns', 'ad_groups'],
};

/** Which files each joined table is made from. */
const TABLE_INPUTS: Readonly<Record<DimensionTable, readonly ListingFile[]>> = {
  accounts: ['accounts'],
  advertisers: ['advertisers'],
  placements: ['placements'],
  campaigns: ['campaigns'],
  ad_groups: ['ad_groups', 'campaigns'],
  creatives: ['creatives'],
  insertion_orders: ['insertion_orders', 'campaigns'],
  products: ['products'],
  freshness: ['freshness'],
};

const AD_GROUP_INPUTS: readonly ListingFile[] = ['ad_groups', 'campaigns', 'advertisers', 'products'];
const NO_ROWS: EncodedTable = { rows: 0, columns: new Map() };
const WRITES_AT_ONCE = 16;

/** What changes with a folder's listing files. */
export interface NetworkChange {
  readonly before: Network;
  readonly after: Network;
  /** The owners of ad groups that are listed no more. */
  readonly gone: AdGroupOwners;
  /** The files of the folder. */
  readonly files: readonly ListingFile[];
}

/**
 * Writes everything that depends on the folder's listing files, also for audiences and advertisers that are no more: theirs become empty.
 * @param onDone called with the parts written and how many there are
 * @returns whether each file's rows are new
 */
export async function writeNetwork(
  writer: CommitWriter,
  change: NetworkChange,
  signal: AbortSignal,
  onDone: (done: number, total: number) => void,
): Promise<Map<ListingFile, 'written' | 'unchanged'>> {
  const { after, gone, files } = change;
  const touches = (inputs: readonly ListingFile[]) => inputs.some((it) => files.includes(it));
  const outcomes = new Map<ListingFile, 'written' | 'unchanged'>();
  const parts = [
    ...files.map((it) => async () => void outcomes.set(it, await keepListing(writer, it, after[it]))),
    ...listingParts(writer, change, touches),
    ...tableParts(writer, change, touches),
    ...ownerParts(writer, change, touches),
    ...(touches(['ad_groups']) ? [() => keepGone(writer, gone)] : []),
    ...(touches(['users']) ? [() => writeUsers(writer, usersOf(after))] : []),
  ];
  const last = touches(AD_GROUP_INPUTS) ? [() => writeAdGroups(writer, adGroupsOf(after))] : [];
  let done = 0;
  const perform = async (part: () => Promise<unknown>): Promise<void> => {
    signal.throwIfAborted();
    await part();
    onDone(++done, parts.length + last.length);
  };
  await forEachConcurrently(parts, WRITES_AT_ONCE, perform);
  await forEachConcurrently(last, 1, perform); // ad groups carry the versions of their product listings
  return outcomes;
}

type Touches = (inputs: readonly ListingFile[]) => boolean;
type Part = () => Promise<unknown>;

function listingParts(writer: CommitWriter, { before, after }: NetworkChange, touches: Touches): Part[] {
  const next = deriveListings(after);
  const all = new Map([...deriveListings(before), ...next]);
  return [...all]
    .filter(([, { ref }]) => touches(LISTING_INPUTS[ref.listing]))
    .map(
      ([key, { ref }]) =>
        () =>
          writeListing(writer, ref, next.get(key)?.items() ?? []),
    );
}

function tableParts(writer: CommitWriter, { before, after }: NetworkChange, touches: Touches): Part[] {
  const next = deriveTables(after);
  const all = new Map([...deriveTables(before), ...next]);
  return [...all]
    .filter(([, { table }]) => touches(TABLE_INPUTS[table]))
    .map(
      ([key, { table, advertiserId }]) =>
        () =>
          writeDimensionTable(writer, table, advertiserId, next.get(key)?.encode() ?? NO_ROWS),
    );
}

/** The advertisers of each account, which decide what its users' reports cover. */
function ownerParts(writer: CommitWriter, { before, after }: NetworkChange, touches: Touches): Part[] {
  if (!touches(['accounts', 'advertisers'])) return [];
  const accounts = new Set([...before.accounts, ...after.accounts].map((it) => it.id));
  const owned = new Map([...accounts].map((id) => [id, [] as number[]]));
  for (const advertiser of after.advertisers) {
    for (const owner of ownersOf(advertiser)) owned.get(owner)?.push(advertiser.id);
  }
  return [...owned].map(
    ([accountId, ids]) =>
      () =>
        writeAccountAdvertisers(writer, accountId, ids),
  );
}

function usersOf({
  users,
}: Network): { userId: string; name: string; userType: 'AGENCY' | 'CPG'; accountIds: number[] }[] {
  return users.map(({ userId, name, userType, accountIds }) => ({
    userId,
    name,
    userType,
    accountIds: [...new Set(accountIds)].sort((a, b) => a - b),
  }));
}

function adGroupsOf(network: Network): AdGroup[] {
  const advertisers = new Map(network.advertisers.map((it) => [it.id, it]));
  return placeAdGroups(network).flatMap(({ adGroup, campaign }) => {
    const advertiser = advertisers.get(campaign.advertiserId);
    if (advertiser === undefined) return [];
    return [
      {
        adGroupId: adGroup.id,
        advertiserId: advertiser.id,
        accountIds: ownersOf(advertiser),
        products: productsOfAdvertiser(advertiser.id, adGroup.productIds),
      },
    ];
  });
}
