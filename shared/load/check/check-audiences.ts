import { productsOfAdvertiser } from '../../store/table/keys.ts';
import type { ListingFile } from '../schema/file-columns.ts';
import type { Problems } from '../schema/problems.ts';
import { joinCampaigns, type Network, ownersOf } from './network.ts';
import type { ParsedListing } from './parse-rows.ts';
import { LIST_MEMBER_UNITS, sizeOfRow } from './row-budget.ts';

/** Limits of the items of one listing for all its audiences together. Without them, a small file could cause gigabytes of writes. */
const MAX_ITEMS = 2_000_000;
/** UTF-16 code units: 1,000 per item, so that an average item takes one write unit (1 KB). */
const MAX_CODE_UNITS = 2_000_000_000;

/** Items of the same size: their number, and the UTF-16 code units of each. */
type Copies = readonly [items: number, codeUnits: number];

/** A column of ids that decides how often rows are stored. */
interface Multiplier {
  readonly from: ListingFile;
  readonly column: string;
  /** The file of the rows that are stored once per id. (An ad group is stored once, with the ids.) */
  readonly rows: ListingFile;
  /** A file that joins the two, if there is one. */
  readonly through?: ListingFile;
  /** How much may be stored, as the end of a sentence. */
  readonly limit: string;
  readonly copies: (network: Network) => Iterable<Copies>;
}

const UNITS = `${MAX_CODE_UNITS.toLocaleString('en-US')} UTF-16 code units`;
/** Of rows that are stored once for each id. */
const PER_ID = `those may be stored ${MAX_ITEMS.toLocaleString('en-US')} times, with ${UNITS} of text, counted once for each id in`;

const MULTIPLIERS: readonly Multiplier[] = [
  {
    from: 'users',
    column: 'accountIds',
    rows: 'accounts',
    limit: `${PER_ID} accountIds of users`,
    copies: copiesOfAccounts,
  },
  {
    from: 'advertisers',
    column: 'accountIds',
    rows: 'advertisers',
    limit: `${PER_ID} accountIds of advertisers`,
    copies: copiesOfAdvertisers,
  },
  {
    from: 'contacts',
    column: 'accountIds',
    rows: 'contacts',
    limit: `${PER_ID} accountIds of contacts`,
    copies: ({ contacts }) => copiesByAccount(contacts),
  },
  {
    from: 'addresses',
    column: 'accountIds',
    rows: 'addresses',
    limit: `${PER_ID} accountIds of addresses, twice for addresses of the type CPG`,
    copies: copiesOfAddresses,
  },
  {
    from: 'ad_groups',
    column: 'productIds',
    rows: 'products',
    limit: `${PER_ID} each different list in productIds of ad_groups`,
    copies: copiesOfProducts,
  },
  {
    from: 'advertisers',
    column: 'accountIds',
    rows: 'ad_groups',
    through: 'campaigns',
    limit: `each is stored with the owners of its advertiser, and all owners together may take ${UNITS}, ${LIST_MEMBER_UNITS} for each id in accountIds of advertisers`,
    copies: copiesOfOwners,
  },
];

/** Checks that the rows stored per account, user or ad group are not too many. @param network the rows as they will be after the load */
export function checkAudiences(
  network: Network,
  parsed: ReadonlyMap<ListingFile, ParsedListing>,
  problems: Problems,
): void {
  for (const { from, column, rows, through = rows, limit, copies } of MULTIPLIERS) {
    const file = parsed.get(from) ?? parsed.get(rows) ?? parsed.get(through);
    if (file === undefined || isWithinLimits(copies(network))) continue;
    const reason = `has too many ids for the ${rows}: ${limit}`;
    problems.add({ file: file.file, line: null, field: file.listing === from ? column : null, reason });
  }
}

function isWithinLimits(all: Iterable<Copies>): boolean {
  let [items, codeUnits] = [0, 0];
  for (const [number, size] of all) {
    items += number;
    codeUnits += number * size;
    if (items > MAX_ITEMS || codeUnits > MAX_CODE_UNITS) return false;
  }
  return true;
}

function* copiesOfAccounts({ users, accounts }: Network): Iterable<Copies> {
  const sizes = new Map(accounts.map((account) => [account.id, sizeOfRow(account)]));
  for (const { accountIds } of users) for (const id of accountIds) yield [1, sizes.get(id) ?? 0];
}

function* copiesOfAdvertisers({ advertisers }: Network): Iterable<Copies> {
  for (const advertiser of advertisers) yield [ownersOf(advertiser).length, sizeOfRow(advertiser)];
}

function* copiesByAccount(rows: readonly { readonly accountIds: readonly number[] }[]): Iterable<Copies> {
  for (const row of rows) yield [row.accountIds.length, sizeOfRow(row)];
}

/** Those that CPG users are shown are in two listings of an account: the one for agencies, and the one for CPG users. */
function* copiesOfAddresses({ addresses }: Network): Iterable<Copies> {
  yield* copiesByAccount(addresses);
  yield* copiesByAccount(addresses.filter(({ addressType }) => addressType === 'CPG'));
}

/** Ad groups with equal products share a listing. */
function* copiesOfProducts(network: Network): Iterable<Copies> {
  const sizes = new Map(network.products.map((product) => [product.id, sizeOfRow(product)]));
  const audiences = new Set<string>();
  for (const { adGroup, campaign } of joinCampaigns(network)) {
    const { audience } = productsOfAdvertiser(campaign.advertiserId, adGroup.productIds);
    if (adGroup.productIds === undefined || audiences.has(audience)) continue;
    audiences.add(audience);
    for (const id of adGroup.productIds) yield [1, sizes.get(id) ?? 0];
  }
}

/** An ad group is stored with the accounts that own its advertiser. */
function* copiesOfOwners(network: Network): Iterable<Copies> {
  const owners = new Map(network.advertisers.map((advertiser) => [advertiser.id, ownersOf(advertiser).length]));
  for (const { campaign } of joinCampaigns(network))
    yield [1, LIST_MEMBER_UNITS * (owners.get(campaign.advertiserId) ?? 0)];
}
