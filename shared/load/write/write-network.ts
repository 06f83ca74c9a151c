import type { DimensionTable } from '../../catalog/definitions.ts';
import { NO_ROWS } from '../../columns/build-day.ts';
import { ALL_ACCOUNTS, PLATFORM_ID } from '../../layout/partitions.ts';
import { forEachConcurrently } from '../../lib/concurrency.ts';
import type { LoggedListing } from '../../store/changes/change-log.ts';
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

/** The tables whose changes are logged; those of other listings are found by their rows. */
const LOGGED_TABLES: readonly (DimensionTable & LoggedListing)[] = ['campaigns', 'ad_groups', 'insertion_orders'];

const AD_GROUP_INPUTS: readonly ListingFile[] = ['ad_groups', 'campaigns', 'advertisers', 'products'];

/** What a load has changed in listings. */
interface NetworkChanges {
  /** Whether the rows of each file of the folder have changed. */
  readonly outcomes: ReadonlyMap<ListingFile, 'written' | 'unchanged'>;
  /** What has changed of each advertiser, and of what all may see (PLATFORM_ID). */
  readonly changed: ReadonlyMap<number, ReadonlySet<LoggedListing>>;
}

interface BeforeAndAfter {
  readonly before: Network;
  readonly after: Network;
}

/**
 * Writes everything that depends on the folder's listing files. Listings and tables of audiences and advertisers that no longer exist become empty.
 * @param files the listing files of the folder
 * @param onDone called with the number of parts done, changed or not, and of all parts
 */
export async function writeNetwork(
  writer: CommitWriter,
  change: BeforeAndAfter,
  files: readonly ListingFile[],
  signal: AbortSignal,
  onDone: (done: number, total: number) => void,
): Promise<NetworkChanges> {
  const { before, after } = change;
  const listed = { before: listedRows(before), after: listedRows(after) };
  const touches = (inputs: readonly ListingFile[]) => inputs.some((file) => files.includes(file));
  const outcomes = new Map<ListingFile, 'written' | 'unchanged'>();
  const changed = changedRows(change, files);
  const log = (id: number, listing: LoggedListing) => changed.set(id, new Set([...(changed.get(id) ?? []), listing]));
  const parts = [
    ...files.map((file) => async () => void outcomes.set(file, await storeListing(writer, file, after[file]))),
    ...listingParts(writer, listed, touches),
    ...tableParts(writer, change, touches, log),
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
  return { outcomes, changed };
}

/**
 * Advertisers are compared without their owners: one account must not see another one. Products of ad groups and creatives are not in tables of the advertiser, and tables do
 * not have all columns of placements and products.
 * @returns the advertisers of which rows differ, and PLATFORM_ID for placements
 */
function changedRows(
  { before, after }: BeforeAndAfter,
  files: readonly ListingFile[],
): Map<number, Set<LoggedListing>> {
  const changed = new Map<number, Set<LoggedListing>>();
  const compare = (listing: LoggedListing, file: ListingFile, rowsOf: (network: Network) => readonly OwnedRow[]) => {
    if (!files.includes(file)) return;
    const [old, current] = [textsByOwner(rowsOf(before)), textsByOwner(rowsOf(after))];
    for (const id of new Set([...old.keys(), ...current.keys()]))
      if (old.get(id) !== current.get(id)) changed.set(id, new Set([...(changed.get(id) ?? []), listing]));
  };
  const ownOf = (rows: readonly { readonly advertiserId: number }[]) =>
    rows.map((row) => [row.advertiserId, row] as const);
  compare('advertisers', 'advertisers', ({ advertisers }) =>
    advertisers.map(({ accountId, accountIds, ...row }) => [row.id, row]),
  );
  compare('placements', 'placements', ({ placements }) => placements.map((row) => [PLATFORM_ID, row]));
  compare('creatives', 'creatives', ({ creatives }) => ownOf(creatives));
  compare('products', 'products', ({ products }) => ownOf(products));
  compare('products', 'ad_groups', (network) =>
    joinCampaigns(network).map(({ adGroup: { id, productIds }, campaign }) => [
      campaign.advertiserId,
      { id, productIds },
    ]),
  );
  return changed;
}

type OwnedRow = readonly [owner: number, row: object];

/** @returns the rows of each owner as a text that does not depend on their order */
function textsByOwner(rows: readonly OwnedRow[]): Map<number, string> {
  const textOf = ([, row]: OwnedRow) => JSON.stringify(Object.entries(row).sort());
  const groups = Map.groupBy(rows, ([owner]) => owner);
  return new Map([...groups].map(([owner, own]) => [owner, own.map(textOf).sort().join()]));
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

function tableParts(
  writer: CommitWriter,
  { before, after }: BeforeAndAfter,
  touches: Touches,
  log: (advertiserId: number, listing: LoggedListing) => void,
): Part[] {
  const next = deriveTables(after);
  const all = new Map([...deriveTables(before), ...next]);
  return [...all]
    .filter(([, { table }]) => touches(TABLE_INPUTS[table]))
    .map(([key, { table, advertiserId }]) => async () => {
      const outcome = await writeDimensionTable(writer, table, advertiserId, next.get(key)?.encode() ?? NO_ROWS);
      const logged = LOGGED_TABLES.find((name) => name === table);
      if (outcome === 'written' && logged !== undefined) log(advertiserId, logged);
    });
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
