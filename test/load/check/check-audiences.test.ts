import { describe, expect, test } from 'vitest';
import { checkAudiences } from '../../../shared/load/check/check-audiences.ts';
import type { Network } from '../../../shared/load/check/network.ts';
import type { ParsedListing } from '../../../shared/load/check/parse-rows.ts';
import type { ListingFile, ListingRow } from '../../../shared/load/schema/file-columns.ts';
import { formatProblem, Problems } from '../../../shared/load/schema/problems.ts';
import { ndjson } from '../support/fact-lines.ts';
import { useRejections } from '../support/use-rejections.ts';

const { expectProblems } = useRejections();

const EMPTY: Network = {
  accounts: [],
  advertisers: [],
  contacts: [],
  addresses: [],
  placements: [],
  products: [],
  campaigns: [],
  ad_groups: [],
  creatives: [],
  insertion_orders: [],
  users: [],
  freshness: [],
};
const ids = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const LIMITS =
  'those may be stored 2,000,000 times, with 2,000,000,000 UTF-16 code units of text, counted once for each id in';
const OWNERS =
  'each is stored with the owners of its advertiser, and all owners together may take 2,000,000,000 UTF-16 code units, 8 for each id in accountIds of advertisers';

/** @returns the problems of a folder with these files, whose rows make the network */
function problemsOf(network: Partial<Network>, files: readonly ListingFile[]): string[] {
  const parsed = files.map((listing): [ListingFile, ParsedListing] => {
    const rows = (network[listing] ?? []) as readonly ListingRow<ListingFile>[]; // the rows of one of the listings
    return [listing, { listing, file: `${listing}.csv`, rows, lines: [] }];
  });
  const problems = new Problems(10);
  checkAudiences({ ...EMPTY, ...network }, new Map(parsed), problems);
  return problems.list().map(formatProblem);
}

const accounts = ids(2_000).map((id) => ({ id, name: `Account ${id}`, active: true }));
const user = { userId: 'u', name: 'U', userType: 'CPG', accountIds: ids(2_000) } as const;
const advertiser = { id: 1, name: 'A', accountId: 1, accountIds: ids(2_000), active: true };
const contact = { firstName: 'A', lastName: 'B', email: 'c', contactType: 'CPG', active: true } as const;
const address = {
  companyName: 'A',
  addressLine1: 'B',
  city: 'C',
  country: 'D',
  addressType: 'CPG',
  active: true,
} as const;
const campaign = { id: 1, name: 'C', advertiserId: 1, status: 'ACTIVE', startDate: '2026-01-01' } as const;
const adGroup = { name: 'G', campaignId: 1, status: 'ACTIVE' } as const;
const product = { advertiserId: 1, upc: '1', name: 'P', available: true };

/** A network of `count` rows, how many rows the limit allows, and the problem of one row more. */
type Case = readonly [title: string, rows: (count: number) => Partial<Network>, max: number, problem: string];

describe('a folder whose ids multiply rows beyond the limit is rejected', () => {
  test.each<Case>([
    [
      'users by accounts',
      (count) => ({ accounts, users: ids(count).map(() => user) }),
      1_000,
      `users.csv: accountIds has too many ids for the accounts: ${LIMITS} accountIds of users`,
    ],
    [
      'advertisers by accounts',
      (count) => ({ accounts, advertisers: ids(count).map(() => ({ ...advertiser, accountIds: ids(10) })) }),
      200_000,
      `advertisers.csv: accountIds has too many ids for the advertisers: ${LIMITS} accountIds of advertisers`,
    ],
    [
      'advertisers with long descriptions by accounts, although they are few',
      (count) => ({ accounts, advertisers: ids(count).map(() => ({ ...advertiser, description: 'x'.repeat(9_999) })) }),
      30, // rows of 32,893 code units, 2,000 times: description, name, and 8 plus its digits for each of 2,000 ids
      `advertisers.csv: accountIds has too many ids for the advertisers: ${LIMITS} accountIds of advertisers`,
    ],
    [
      'contacts by accounts',
      (count) => ({ accounts, contacts: ids(count).map((id) => ({ ...contact, id, accountIds: ids(10) })) }),
      200_000,
      `contacts.csv: accountIds has too many ids for the contacts: ${LIMITS} accountIds of contacts`,
    ],
    [
      'addresses by accounts, those of the type CPG twice for the two kinds of users',
      (count) => ({ accounts, addresses: ids(count).map((id) => ({ ...address, id, accountIds: ids(10) })) }),
      100_000,
      `addresses.csv: accountIds has too many ids for the addresses: ${LIMITS} accountIds of addresses, twice for addresses of the type CPG`,
    ],
    [
      'addresses by accounts, those of the type AGENCY once',
      (count) => ({
        accounts,
        addresses: ids(count).map((id) => ({ ...address, addressType: 'AGENCY', id, accountIds: ids(10) })),
      }),
      200_000,
      `addresses.csv: accountIds has too many ids for the addresses: ${LIMITS} accountIds of addresses, twice for addresses of the type CPG`,
    ],
    [
      'ad groups by products, once for each distinct list',
      (count) => ({
        products: ids(2_000).map((id) => ({ ...product, id })),
        campaigns: [campaign],
        ad_groups: ids(count).flatMap((id) => {
          const productIds = ids(2_001).filter((productId) => productId !== id);
          return [
            { ...adGroup, id: 2 * id, productIds },
            { ...adGroup, id: 2 * id + 1, productIds },
          ];
        }),
      }),
      1_000,
      `ad_groups.csv: productIds has too many ids for the products: ${LIMITS} each different list in productIds of ad_groups`,
    ],
    [
      'ad groups by owners of their advertiser',
      (count) => ({
        accounts,
        advertisers: [advertiser],
        campaigns: [campaign],
        ad_groups: ids(count).map((id) => ({ ...adGroup, id })),
      }),
      125_000, // each with 8 code units for each of 2,000 owners
      `advertisers.csv: accountIds has too many ids for the ad_groups: ${OWNERS}`,
    ],
  ])('%s', (_title, rows, max, problem) => {
    const [within, beyond] = [rows(max), rows(max + 1)];
    const files = Object.keys(beyond) as ListingFile[]; // the keys of a network are its files
    expect(problemsOf(within, files)).toEqual([]);
    expect(problemsOf(beyond, files)).toEqual([problem]);
  });

  test('the problem names the file of the rows if the file of the ids is not in the folder', () => {
    const network = { accounts, users: ids(1_001).map(() => user) };
    expect(problemsOf(network, ['accounts'])).toEqual([
      `accounts.csv: has too many ids for the accounts: ${LIMITS} accountIds of users`,
    ]);
    expect(problemsOf(network, ['placements'])).toEqual([]);
  });

  test('the limit also holds if only campaigns are loaded, which may move ad groups to an advertiser with more owners', () => {
    const ad_groups = ids(125_001).map((id) => ({ ...adGroup, id }));
    const network = { accounts, advertisers: [advertiser], campaigns: [campaign], ad_groups };
    expect(problemsOf(network, ['campaigns'])).toEqual([
      `campaigns.csv: has too many ids for the ad_groups: ${OWNERS}`,
    ]);
  });
});

test('rejects a small file of advertisers that would be written as gigabytes, and loads nothing', async () => {
  const advertisers = ids(120).map((id) => {
    return { id: 100 + id, name: 'A', accountId: 1, accountIds: ids(900), description: 'x'.repeat(10_000) };
  });
  const files = {
    'accounts.patch.ndjson': ndjson(...ids(900).map((id) => ({ id, name: 'A' }))),
    'advertisers.patch.ndjson': ndjson(...advertisers),
  };
  await expectProblems(files, [
    `advertisers.patch.ndjson: accountIds has too many ids for the advertisers: ${LIMITS} accountIds of advertisers`,
  ]);
});

test('rejects a row whose lists are too long, at its line', async () => {
  const accountIds = ids(30_000);
  const texts = ids(200).map(() => 'x'.repeat(1_000));
  const files = {
    'ad_groups.ndjson': ndjson({ ...adGroup, id: 1_000, campaignId: 100, segmentIds: texts }),
    'accounts.ndjson': ndjson(...accountIds.map((id) => ({ id, name: 'A' }))),
    'contacts.ndjson': ndjson({ ...contact, id: 1, accountIds: ids(2) }, { ...contact, id: 2, accountIds }),
    'advertisers.patch.ndjson': ndjson({
      id: 10,
      name: 'Ten',
      accountId: 1,
      brandNames: texts,
    }),
  };
  await expectProblems(files, [
    `advertisers.patch.ndjson:1: brandNames must be a list of at most 150,000 bytes as JSON, each text of at most 1,000 characters, not ["${'x'.repeat(55)}…`,
    'contacts.ndjson:2: accountIds must be a non-empty list of at most 150,000 bytes as JSON, each integer ≥ 1, not [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22…',
    `ad_groups.ndjson:1: segmentIds must be a list of at most 150,000 bytes as JSON, each text of at most 1,000 characters, not ["${'x'.repeat(55)}…`,
  ]);
});
