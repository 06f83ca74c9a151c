import {
  accountsOfUser,
  addressesOfAccount,
  advertisersOfAccount,
  allPlacements,
  contactsOfAccount,
  type ListingRef,
  productsOfAdvertiser,
} from '../../store/table/keys.ts';
import { joinCampaigns, type Network, ownersOf } from '../check/network.ts';

/** A listing for one audience. */
export interface DerivedListing {
  readonly ref: ListingRef;
  /** The items in the order of the listing. */
  readonly items: () => readonly object[];
}

/** @returns the listings of every audience the network has, by listing and audience. */
export function deriveListings(network: Network): Map<string, DerivedListing> {
  const listings = [
    ...listAccounts(network),
    ...listAdvertisers(network),
    ...listContacts(network),
    ...listAddresses(network),
    listPlacements(network),
    ...listProducts(network),
  ];
  return new Map(listings.map((listing) => [`${listing.ref.listing}#${listing.ref.audience}`, listing]));
}

function listAccounts({ users, accounts }: Network): DerivedListing[] {
  return users.map(({ userId, accountIds }) => {
    const visible = new Set(accountIds);
    return {
      ref: accountsOfUser(userId),
      items: () =>
        pickSorted(
          accounts.filter((account) => visible.has(account.id)),
          ['id', 'name', 'active'],
        ),
    };
  });
}

function listAdvertisers({ accounts, advertisers }: Network): DerivedListing[] {
  const owned = groupByMembers(advertisers, ownersOf);
  const members = ['id', 'name', 'accountId', 'description', 'advertiserType', 'active'] as const;
  return accounts.map(({ id }) => ({
    ref: advertisersOfAccount(id),
    items: () => pickSorted(owned.get(id) ?? [], members),
  }));
}

function listContacts({ accounts, contacts }: Network): DerivedListing[] {
  const owned = groupByMembers(contacts, (contact) => contact.accountIds);
  const members = ['id', 'firstName', 'lastName', 'email', 'contactType', 'active', 'accountIds'] as const;
  return accounts.map(({ id }) => ({
    ref: contactsOfAccount(id),
    items: () => pickSorted(owned.get(id) ?? [], members),
  }));
}

function listAddresses({ accounts, addresses }: Network): DerivedListing[] {
  const owned = groupByMembers(addresses, (address) => address.accountIds);
  const members = [
    'id',
    'companyName',
    'addressLine1',
    'addressLine2',
    'city',
    'state',
    'postalCode',
    'country',
    'addressType',
    'active',
  ] as const;
  return accounts.flatMap(({ id }) => {
    const all = owned.get(id) ?? [];
    return [
      { ref: addressesOfAccount(id, 'ALL'), items: () => pickSorted(all, members) },
      {
        ref: addressesOfAccount(id, 'CPG'),
        items: () =>
          pickSorted(
            all.filter((address) => address.addressType === 'CPG'),
            members,
          ),
      },
    ];
  });
}

function listPlacements({ placements }: Network): DerivedListing {
  const members = ['id', 'name', 'description', 'experiences', 'active', 'priceFloor'] as const;
  return { ref: allPlacements, items: () => pickSorted(placements, members) };
}

/** One listing per advertiser, and one per distinct list of products of its ad groups. */
function listProducts(network: Network): DerivedListing[] {
  const owned = Map.groupBy(network.products, (product) => product.advertiserId);
  const members = [
    'id',
    'upc',
    'name',
    'brand',
    'category',
    'subcategory',
    'price',
    'minSuggestedBid',
    'maxSuggestedBid',
    'imageUrl',
    'available',
  ] as const;
  const whole = [...owned].map(([advertiserId, products]) => ({
    ref: productsOfAdvertiser(advertiserId),
    items: () => pickSorted(products, members),
  }));
  const chosen = joinCampaigns(network).flatMap(({ adGroup, campaign }) => {
    const { productIds } = adGroup;
    if (productIds === undefined) return [];
    const wanted = new Set(productIds);
    const products = owned.get(campaign.advertiserId) ?? [];
    return [
      {
        ref: productsOfAdvertiser(campaign.advertiserId, productIds),
        items: () =>
          pickSorted(
            products.filter((product) => wanted.has(product.id)),
            members,
          ),
      },
    ];
  });
  return [...whole, ...chosen];
}

function groupByMembers<R>(rows: readonly R[], membersOf: (row: R) => readonly number[]): Map<number, R[]> {
  const groups = new Map<number, R[]>();
  for (const row of rows) {
    for (const member of new Set(membersOf(row))) {
      const group = groups.get(member);
      if (group === undefined) groups.set(member, [row]);
      else group.push(row);
    }
  }
  return groups;
}

/** @returns the given members of each row, ascending by id. */
function pickSorted<R extends { readonly id: number }>(
  rows: readonly R[],
  members: readonly (keyof R)[],
): Partial<R>[] {
  return rows
    .toSorted((a, b) => a.id - b.id)
    .map((row) => {
      const item: Partial<R> = {};
      for (const member of members) if (row[member] !== undefined) item[member] = row[member];
      return item;
    });
}
