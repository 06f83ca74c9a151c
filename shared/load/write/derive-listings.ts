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
  type Listing,
  type ListingRef,
  productsOfAdvertiser,
} from '../../store/table/item-keys.ts';
import { joinCampaigns, type Network, ownersOf } from '../check/known-network.ts';
import type { ListingFile } from '../schema/file-columns.ts';

/** Which files each listing is made from. */
export const LISTING_INPUTS: Readonly<Record<Listing, readonly ListingFile[]>> = {
  accounts: ['accounts', 'users'],
  advertisers: ['accounts', 'advertisers'],
  contacts: ['accounts', 'contacts'],
  addresses: ['accounts', 'addresses'],
  placements: ['placements'],
  products: ['products', 'campaigns', 'ad_groups'],
};

/** A listing for one audience. */
interface DerivedListing {
  readonly ref: ListingRef;
  /** The items in the order of the listing. */
  readonly items: () => readonly object[];
}

/** @returns the listings of all audiences of the network, by `<listing>#<audience>` */
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
  const byId = new Map(accounts.map((account) => [account.id, account]));
  return users.map(({ userId, accountIds }) => {
    return { ref: accountsOfUser(userId), items: itemsOf(Account, () => pick(byId, accountIds)) };
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

/** One listing per advertiser with products, and one per distinct list of products of its ad groups. */
function listProducts(network: Network): DerivedListing[] {
  const owned = Map.groupBy(network.products, (product) => product.advertiserId);
  const whole = [...owned].map(([advertiserId, products]) => {
    return { ref: productsOfAdvertiser(advertiserId), items: itemsOf(Product, () => products) };
  });
  const byId = new Map(network.products.map((product) => [product.id, product]));
  const chosen = joinCampaigns(network).flatMap(({ adGroup: { productIds }, campaign: { advertiserId } }) => {
    if (productIds === undefined) return [];
    const products = () => pick(byId, productIds).filter((product) => product.advertiserId === advertiserId);
    return [{ ref: productsOfAdvertiser(advertiserId, productIds), items: itemsOf(Product, products) }];
  });
  return [...whole, ...chosen];
}

/** @returns the rows with the ids, each once; ids without a row are left out */
function pick<R>(rows: ReadonlyMap<number, R>, ids: readonly number[]): R[] {
  return [...new Set(ids)].flatMap((id) => rows.get(id) ?? []);
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

/** @returns a function that returns the rows, ascending by id, each with the members that the contract's schema has */
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
