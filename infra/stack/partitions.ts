import {
  apiKeyKey,
  JOURNAL_PK,
  type Listing,
  listingHeadKey,
  profileEntry,
  resultHeadKey,
  STATE_KEY,
  viewKey,
} from '../../shared/store/table/keys.ts';

/**
 * The table's partitions by what they hold, each as a pattern of keys as IAM compares them (`dynamodb:LeadingKeys`); `*` stands for any text, `#` and
 * `/` included. Those that are made of numbers stand here as they are in `shared/store/README.md`; a test asks every route and loads a folder under them.
 */
export const PARTITIONS = {
  commit: STATE_KEY.pk,
  journal: JOURNAL_PK,
  garbage: 'GARBAGE#*',
  apiKeys: apiKeyKey('*').pk,
  users: profileEntry('*').pk,
  views: viewKey('*').pk,
  accounts: listing('accounts'),
  advertisers: listing('advertisers'),
  contacts: listing('contacts'),
  addresses: listing('addresses'),
  placements: listing('placements'),
  products: listing('products'),
  adGroups: 'ADGROUP#*',
  /** Which advertisers an account has. */
  owners: 'ACCOUNT#*',
  dimensions: 'DIMENSION#*',
  facts: 'FACTS#*',
  rollups: 'ROLLUP#*',
  collections: 'COLLECTION#*',
  results: resultHeadKey('*').pk,
} as const;
export type Partitions = keyof typeof PARTITIONS;

/** What every route reads, to know who asks and as of which commit. */
export const CALLER_PARTITIONS: readonly Partitions[] = ['commit', 'apiKeys', 'users'];

/** What a load reads and writes: neither keys, nor views, nor results. */
export const LOADED_PARTITIONS: readonly Partitions[] = [
  'commit',
  'journal',
  'garbage',
  'users',
  'accounts',
  'advertisers',
  'contacts',
  'addresses',
  'placements',
  'products',
  'adGroups',
  'owners',
  'dimensions',
  'facts',
  'rollups',
  'collections',
];

function listing(name: Listing): string {
  return listingHeadKey({ listing: name, audience: '*' }).pk;
}
