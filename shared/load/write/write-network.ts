import type { DimensionTable } from '../../catalog/definitions.ts';
import { NO_ROWS } from '../../columns/build-day.ts';
import { ALL_ACCOUNTS } from '../../layout/partitions.ts';
import { forEachConcurrently } from '../../lib/concurrency.ts';
import type { CommitWriter } from '../../store/commit/commits.ts';
import { writeDimensionTable } from '../../store/facts/dimension-items.ts';
import { writeAccountAdvertisers } from '../../store/listings/account-advertisers.ts';
import { type AdGroup, writeAdGroups } from '../../store/listings/ad-groups.ts';
import { writeListing } from '../../store/listings/listings.ts';
import { type User, writeUsers } from '../../store/listings/users.ts';
import { productsOfAdvertiser } from '../../store/table/item-keys.ts';
import { BATCH_GET_KEYS } from '../../store/table/requests.ts';
import { joinCampaigns, listedRows, type Network, ownersOf, seesAll, storeListing } from '../listings/known-network.ts';
import type { ListingFile } from '../schema/file-columns.ts';
import { deriveListings } from './derive-listings.ts';
import { deriveTables } from './derive-tables.ts';

/** Which files each dimension table is made from. */
const TABLE_INPUTS: Readonly<Record<DimensionTable, readonly ListingFile[]>> = {
  accounts: ['accounts'],
  advertisers: ['advertisers'],
  placements: ['placements'],
  campaigns: ['campaigns', 'advertisers', 'budgets'],
  ad_groups: ['ad_groups', 'campaigns', 'advertisers', 'budgets'],
  creatives: ['creatives'],
  insertion_orders: ['insertion_orders', 'campaigns'],
  products: ['products'],
  freshness: ['freshness'],
};

const AD_GROUP_INPUTS: readonly ListingFile[] = ['ad_groups', 'campaigns', 'advertisers', 'products'];

interface BeforeAndAfter {
  readonly before: Network;
  readonly after: Network;
}

/**
 * Writes everything that depends on the folder's listing files. Listings and tables of audiences and advertisers that no longer exist become empty.
 * @param files the listing files of the folder
 * @param onDone called with the number of parts done, changed or not, and of all parts
 * @returns whether the rows of each file have changed
 */
export async function writeNetwork(
  writer: CommitWriter,
  change: BeforeAndAfter,
  files: readonly ListingFile[],
  signal: AbortSignal,
  onDone: (done: number, total: number) => void,
): Promise<Map<ListingFile, 'written' | 'unchanged'>> {
  const { before, after } = change;
  const listed = { before: listedRows(before), after: listedRows(after) };
  const touches = (inputs: readonly ListingFile[]) => inputs.some((file) => files.includes(file));
  const outcomes = new Map<ListingFile, 'written' | 'unchanged'>();
  const parts = [
    ...files.map((file) => async () => void outcomes.set(file, await storeListing(writer, file, after[file]))),
    ...listingParts(writer, listed, touches),
    ...tableParts(writer, change, touches),
    ...ownerParts(writer, change, touches),
    ...(touches(['users', 'accounts']) ? [() => writeUsers(writer, usersOf(after))] : []),
  ];
  const last = touches(AD_GROUP_INPUTS) ? [() => writeAdGroups(writer, adGroupsOf(listed.after))] : [];
  let done = 0;
  const perform = async (part: () => Promise<unknown>): Promise<void> => {
    signal.throwIfAborted();
    await part();
    onDone(++done, parts.length + last.length);
  };
  await forEachConcurrently(parts, BATCH_GET_KEYS, perform); // heads that are read at the same time share a call
  await forEachConcurrently(last, 1, perform); // ad groups hold the versions of their product listings
  return outcomes;
}

type Touches = (inputs: readonly ListingFile[]) => boolean;
type Part = () => Promise<unknown>;

function listingParts(writer: CommitWriter, { before, after }: BeforeAndAfter, touches: Touches): Part[] {
  const next = deriveListings(after, touches);
  const all = new Map([...deriveListings(before, touches), ...next]);
  return [...all].map(
    ([key, { ref }]) =>
      () =>
        writeListing(writer, ref, next.get(key)?.items ?? (() => [])),
  );
}

function tableParts(writer: CommitWriter, { before, after }: BeforeAndAfter, touches: Touches): Part[] {
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

/** @returns the parts that write the advertisers of each account, and of all while users see all, which the reports of its users cover: also delisted ones, whose past it keeps */
function ownerParts(writer: CommitWriter, { before, after }: BeforeAndAfter, touches: Touches): Part[] {
  if (!touches(['accounts', 'advertisers', 'users'])) return [];
  const owned = new Map<number, number[]>(after.accounts.map(({ id }) => [id, []]));
  for (const advertiser of after.advertisers) {
    for (const owner of ownersOf(advertiser)) owned.get(owner)?.push(advertiser.id);
  }
  owned.set(ALL_ACCOUNTS, after.users.some(seesAll) ? after.advertisers.map(({ id }) => id) : []);
  for (const { id } of before.accounts) if (!owned.has(id)) owned.set(id, []);
  return [...owned].map(
    ([accountId, ids]) =>
      () =>
        writeAccountAdvertisers(writer, accountId, ids),
  );
}

function usersOf({ users, accounts }: Network): User[] {
  return users.map((user) => {
    const { userId, name, userType } = user;
    const ids = seesAll(user) ? accounts.map(({ id }) => id) : user.accountIds;
    return { userId, name, userType, accountIds: [...new Set(ids)].sort((a, b) => a - b), seesAll: seesAll(user) };
  });
}

function adGroupsOf(network: Network): AdGroup[] {
  const owners = new Map(network.advertisers.map((advertiser) => [advertiser.id, ownersOf(advertiser)]));
  return joinCampaigns(network).flatMap(({ adGroup, campaign: { advertiserId } }) => {
    const accountIds = owners.get(advertiserId);
    if (accountIds === undefined) return [];
    const products = productsOfAdvertiser(advertiserId, adGroup.productIds);
    return [{ adGroupId: adGroup.id, advertiserId, accountIds, products }];
  });
}
