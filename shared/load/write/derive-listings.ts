import { Account } from '../../contract/resources/account.ts';
import { Address } from '../../contract/resources/address.ts';
import { Advertiser } from '../../contract/resources/advertiser.ts';
import { Contact } from '../../contract/resources/contact.ts';
import { Placement } from '../../contract/resources/placement.ts';
import { Product } from '../../contract/resources/product.ts';
import {
  accountsOfUser,
  addressesOfAccount,
  allPlacements,
  type ListingRef,
  listingOfAccount,
  productsOfAdvertiser,
} from '../../store/table/item-keys.ts';
import { joinCampaigns, type Network, ownersOf, seesAll } from '../listings/known-network.ts';
import type { ListingFile } from '../schema/file-columns.ts';

/** A listing for one audience. */
interface DerivedListing {
  readonly ref: ListingRef;
  /** The items in the order of the listing. */
  readonly items: () => readonly object[];
}

interface StoredListing {
  /** The files that it is made from. */
  readonly files: readonly ListingFile[];
  /** @returns the listings of all audiences */
  readonly derive: (network: Network) => DerivedListing[];
}

/** The listings that are stored as items; campaigns and ad groups are read from dimension tables. */
export const LISTINGS = {
  accounts: { files: ['accounts', 'users'], derive: listAccounts },
  advertisers: {
    files: ['accounts', 'advertisers'],
    derive: ({ accounts, advertisers }) => ofAccounts('advertisers', Advertiser, accounts, advertisers, ownersOf),
  },
  contacts: {
    files: ['accounts', 'contacts'],
    derive: ({ accounts, contacts }) => ofAccounts('contacts', Contact, accounts, contacts, accountIdsOf),
  },
  addresses: { files: ['accounts', 'addresses'], derive: listAddresses },
  placements: {
    files: ['placements'],
    derive: ({ placements }) => [{ ref: allPlacements, items: itemsOf(Placement, () => placements) }],
  },
  products: { files: ['products', 'campaigns', 'ad_groups'], derive: listProducts },
} as const satisfies Readonly<Record<string, StoredListing>>;

/**
 * @param touches whether one of the files has changed
 * @returns the listings of all audiences that are made from them, by `<listing>#<audience>`
 */
export function deriveListings(
  network: Network,
  touches: (files: readonly ListingFile[]) => boolean,
): Map<string, DerivedListing> {
  const listings = Object.values(LISTINGS)
    .filter(({ files }) => touches(files))
    .flatMap(({ derive }) => derive(network));
  return new Map(listings.map((listing) => [`${listing.ref.listing}#${listing.ref.audience}`, listing]));
}

function listAccounts({ users, accounts }: Network): DerivedListing[] {
  const byId = new Map(accounts.map((account) => [account.id, account]));
  return users.map((user) => {
    const own = () => (seesAll(user) ? accounts : pick(byId, user.accountIds));
    return { ref: accountsOfUser(user.userId), items: itemsOf(Account, own) };
  });
}

/** @returns one listing per account, with the rows whose members include the account */
function ofAccounts<R extends ItemRow>(
  listing: string,
  schema: ItemSchema,
  accounts: Network['accounts'],
  rows: readonly R[],
  membersOf: (row: R) => readonly number[],
): DerivedListing[] {
  const owned = groupByMembers(rows, membersOf);
  return accounts.map(({ id }) => {
    return { ref: listingOfAccount(listing, id), items: itemsOf(schema, () => owned.get(id) ?? []) };
  });
}

function accountIdsOf({ accountIds }: { readonly accountIds: readonly number[] }): readonly number[] {
  return accountIds;
}

function listAddresses({ accounts, addresses }: Network): DerivedListing[] {
  const owned = groupByMembers(addresses, accountIdsOf);
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

type ItemSchema = { readonly shape: object };
type ItemRow = Readonly<Record<string, unknown>> & { readonly id: number };

/** @returns a function that returns the rows, ascending by id, each with the members that the contract's schema has */
function itemsOf({ shape }: ItemSchema, rows: () => readonly ItemRow[]): () => object[] {
  const members = Object.keys(shape);
  return () =>
    rows()
      .toSorted((a, b) => a.id - b.id)
      .map((row) => Object.fromEntries(members.flatMap((name) => (name in row ? [[name, row[name]]] : []))));
}
