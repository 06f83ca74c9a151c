import { Account } from '../../contract/resources/account.ts';
import { Address } from '../../contract/resources/address.ts';
import { Advertiser } from '../../contract/resources/advertiser.ts';
import { Contact } from '../../contract/resources/contact.ts';
import { Placement } from '../../contract/resources/placement.ts';
import { Product } from '../../contract/resources/product.ts';
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
    { ref: allPlacements, items: itemsOf(Placement, () => network.placements) },
    ...listProducts(network),
  ];
  return new Map(listings.map((listing) => [`${listing.ref.listing}#${listing.ref.audience}`, listing]));
}

function listAccounts({ users, accounts }: Network): DerivedListing[] {
  return users.map(({ userId, accountIds }) => {
    const visible = new Set(accountIds);
    const items = itemsOf(Account, () => accounts.filter((account) => visible.has(account.id)));
    return { ref: accountsOfUser(userId), items };
  });
}

function listAdvertisers({ accounts, advertisers }: Network): DerivedListing[] {
  const owned = groupByMembers(advertisers, ownersOf);
  return accounts.map(({ id }) => {
    return { ref: advertisersOfAccount(id), items: itemsOf(Advertiser, () => owned.get(id) ?? []) };
  });
}

function listContacts({ accounts, contacts }: Network): DerivedListing[] {
  const owned = groupByMembers(contacts, (contact) => contact.accountIds);
  return accounts.map(({ id }) => {
    return { ref: contactsOfAccount(id), items: itemsOf(Contact, () => owned.get(id) ?? []) };
  });
}

function listAddresses({ accounts, addresses }: Network): DerivedListing[] {
  const owned = groupByMembers(addresses, (address) => address.accountIds);
  return accounts.flatMap(({ id }) => {
    const all = owned.get(id) ?? [];
    const ofCpgs = () => all.filter((address) => address.addressType === 'CPG');
    return [
      { ref: addressesOfAccount(id, 'ALL'), items: itemsOf(Address, () => all) },
      { ref: addressesOfAccount(id, 'CPG'), items: itemsOf(Address, ofCpgs) },
    ];
  });
}

/** One listing per advertiser, and one per distinct list of products of its ad groups. */
function listProducts(network: Network): DerivedListing[] {
  const owned = Map.groupBy(network.products, (product) => product.advertiserId);
  const whole = [...owned].map(([advertiserId, products]) => {
    return { ref: productsOfAdvertiser(advertiserId), items: itemsOf(Product, () => products) };
  });
  const chosen = joinCampaigns(network).flatMap(({ adGroup, campaign }) => {
    const { productIds } = adGroup;
    if (productIds === undefined) return [];
    const wanted = new Set(productIds);
    const products = owned.get(campaign.advertiserId) ?? [];
    const items = itemsOf(Product, () => products.filter((product) => wanted.has(product.id)));
    return [{ ref: productsOfAdvertiser(campaign.advertiserId, productIds), items }];
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

/** @returns the rows, ascending by id, each with the members that the contract's schema has */
function itemsOf(
  { shape }: { readonly shape: object },
  rows: () => readonly (Readonly<Record<string, unknown>> & { readonly id: number })[],
): () => object[] {
  const members = Object.keys(shape);
  return () =>
    rows()
      .toSorted((a, b) => a.id - b.id)
      .map((row) => Object.fromEntries(members.flatMap((name) => (name in row ? [[name, row[name]]] : []))));
}
