import { PLATFORM_ID } from '../../shared/catalog/partitions.ts';
import {
  apiKeyKey,
  factHeadChunksPk,
  factHeadKey,
  JOURNAL_PK,
  LISTINGS,
  type Listing,
  lastUsedKey,
  listingHeadKey,
  profileEntry,
  resultHeadKey,
  STATE_KEY,
  viewKey,
} from '../../shared/store/table/item-keys.ts';

const LISTING_PARTITIONS = Object.fromEntries(
  LISTINGS.map((listing) => [listing, listingHeadKey({ listing, audience: '*' }).pk]),
) as Record<Listing, string>; // of exactly these names

/**
 * The table's partitions by content, each as a pattern with which IAM compares partition keys (`dynamodb:LeadingKeys`); `*` matches any text, including
 * `#` and `/`. Some are written out, as in `shared/store/README.md`; a test calls every route and loads a folder with these
 * patterns enforced.
 */
export const PARTITIONS = {
  commit: STATE_KEY.pk,
  journal: JOURNAL_PK,
  garbage: 'GARBAGE#*',
  loadAudit: 'AUDIT#LOAD#*',
  apiKeys: apiKeyKey('*').pk,
  usage: lastUsedKey('*').pk,
  users: profileEntry('*').pk,
  views: viewKey('*').pk,
  ...LISTING_PARTITIONS,
  adGroups: 'ADGROUP#*',
  owners: 'ACCOUNT#*',
  dimensions: 'DIMENSION#*',
  facts: 'FACTS#*',
  /**
   * The platform's fact head: the latest delivery day of any advertiser, and the months that have market facts. The market facts themselves are in other
   * partitions.
   */
  platformFactHead: factHeadKey(PLATFORM_ID).pk,
  /** What of it does not fit into its item. */
  platformFactHeadChunks: factHeadChunksPk(PLATFORM_ID),
  rollups: 'ROLLUP#*',
  shards: 'SHARD#*',
  collections: 'COLLECTION#*',
  results: resultHeadKey('*').pk,
} as const;
export type PartitionName = keyof typeof PARTITIONS;

/** What every route that needs a key reads: the caller, the use of its key, and the current commit. */
export const CALLER_PARTITIONS: readonly PartitionName[] = ['commit', 'apiKeys', 'usage', 'users'];

/** What a load reads and writes: everything except keys, their use, views and results; it also adds entries of loads to the audit. */
export const LOADED_PARTITIONS: readonly PartitionName[] = [
  'commit',
  'journal',
  'garbage',
  'users',
  ...LISTINGS,
  'adGroups',
  'owners',
  'dimensions',
  'facts',
  'rollups',
  'shards',
  'collections',
];
