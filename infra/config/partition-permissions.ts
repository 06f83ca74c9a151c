import { PLATFORM_ID } from '../../shared/layout/partitions.ts';
import { keysOf } from '../../shared/lib/keys-of.ts';
import { LISTINGS } from '../../shared/load/write/derive-listings.ts';
import { HEAD_COLUMN } from '../../shared/store/facts/fact-heads.ts';
import {
  apiKeyKey,
  factHeadRef,
  JOURNAL_PK,
  lastUsedKey,
  listingHeadKey,
  profileEntry,
  STATE_KEY,
  viewKey,
} from '../../shared/store/table/item-keys.ts';

/**
 * The table's partitions by content, besides those of the listings. Some are written out, as in `shared/store/README.md`; a test calls every route and
 * loads a folder with these patterns enforced.
 */
const PARTITIONS = {
  commit: STATE_KEY.pk,
  journal: JOURNAL_PK,
  garbage: 'GARBAGE#*',
  loadAudit: 'AUDIT#LOAD#*',
  apiKeys: apiKeyKey('*').pk,
  usage: lastUsedKey('*').pk,
  users: profileEntry('*').pk,
  views: viewKey('*').pk,
  adGroups: 'ADGROUP#*',
  owners: 'ACCOUNT#*',
  dimensions: 'DIMENSION#*',
  facts: 'FACTS#*',
  /**
   * The platform's fact head: the latest delivery day of any advertiser, and the months that have market facts. The market facts themselves are in other
   * partitions.
   */
  platformFactHead: factHeadRef(PLATFORM_ID).head.pk,
  /** What of it does not fit into its item. */
  platformFactHeadChunks: factHeadRef(PLATFORM_ID).columnPk(HEAD_COLUMN),
  columnsWithData: 'COLUMNS#*',
  changes: 'CHANGES#*',
  rollups: 'ROLLUP#*',
  shards: 'SHARD#*',
  collections: 'COLLECTION#*',
} as const;
export type PartitionName = keyof typeof PARTITIONS | keyof typeof LISTINGS;

/** @returns the pattern with which IAM compares partition keys (`dynamodb:LeadingKeys`); `*` matches any text, including `#` and `/` */
export function partitionPattern(name: PartitionName): string {
  const patterns: Readonly<Partial<Record<PartitionName, string>>> = PARTITIONS;
  return patterns[name] ?? listingHeadKey({ listing: name, audience: '*' }).pk;
}

/** What every route that needs a key reads: the caller, the use of its key, and the current commit. */
export const CALLER_PARTITIONS: readonly PartitionName[] = ['commit', 'apiKeys', 'usage', 'users'];

/** What a load reads and writes: everything except keys, their use and views; it also adds entries of loads to the audit. */
export const LOADED_PARTITIONS: readonly PartitionName[] = [
  'commit',
  'journal',
  'garbage',
  'users',
  ...keysOf(LISTINGS),
  'adGroups',
  'owners',
  'dimensions',
  'facts',
  'columnsWithData',
  'changes',
  'rollups',
  'shards',
  'collections',
];
