import { createHash } from 'node:crypto';
import type { DimensionTable } from '../../catalog/definitions.ts';
import type { MonthRef, PartitionRef, ShardRef } from '../../layout/partitions.ts';
import { shortDigest } from './short-digest.ts';

/** A primary key of the table. All keys are built in this file. */
export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** One listing as one audience sees it, such as the contacts of an account. */
export interface ListingRef {
  readonly listing: string;
  readonly audience: string;
}

/** What a load may change, each of which is cached until a load changes it. */
export type ChangeKind = 'users' | 'listings' | 'dimensions' | 'facts';

/** By the first part of the partition key. Other items are read by loads only, or not cached. */
const KIND_OF: ReadonlyMap<string | undefined, ChangeKind> = new Map([
  ['USER', 'users'],
  ['LISTING', 'listings'],
  ['ACCOUNT', 'listings'],
  ['ADGROUP', 'listings'],
  ['DIMENSION', 'dimensions'],
  ['FACTS', 'facts'],
  ['ROLLUP', 'facts'],
  ['SHARD', 'facts'],
  ['COLUMNS', 'facts'],
]);
/** @returns what writing the item changes */
export const kindOf = ({ pk }: Key): ChangeKind | undefined => KIND_OF.get(pk.split('#', 1)[0]);

/** How long items that a commit supersedes are still read: by reads in progress, or through the users' views. */
export type Retention = 'readers' | 'views';

const HEAD = 'HEAD';
export const isHead = ({ sk }: Key): boolean => sk === HEAD;
/** Sorts after all letters and digits, so the range `x#` to `x#~` contains all keys that continue `x#` with them. */
const AFTER_ALPHANUMERIC = '~';

const commitText = (n: number): string => String(n).padStart(10, '0');
const ordinalText = (ordinal: number): string => String(ordinal).padStart(8, '0');
const chunkText = (chunk: number): string => String(chunk).padStart(4, '0');
const dayText = (day: number): string => String(day).padStart(2, '0');
const numberedKey = (pk: string, n: number, ordinal: number): Key => ({
  pk,
  sk: `${commitText(n)}#${ordinalText(ordinal)}`,
});

/** The sort keys of a partition from those that continue `first` to those that continue `last`. */
function rangeOf(pk: string, first: string, last = first): { pk: string; from: string; to: string } {
  return { pk, from: `${first}#`, to: `${last}#${AFTER_ALPHANUMERIC}` };
}

// Commits

export const STATE_KEY: Key = { pk: 'COMMIT', sk: 'STATE' };
/** The settings that the data was loaded with. */
export const DATA_SETTINGS_KEY: Key = { pk: 'COMMIT', sk: 'SETTINGS' };

/** When load `n` was made. */
export const loadTimeKey = (n: number): Key => ({ pk: 'COMMIT', sk: `TIME#${commitText(n)}` });

/** A folder whose load waits for listings. @param folder at most 1,019 bytes */
export const waitingKey = (folder: string): Key => ({ pk: 'COMMIT', sk: `WAIT#${folder}` });
export const WAITING_RANGE = rangeOf('COMMIT', 'WAIT');

export const JOURNAL_PK = 'JOURNAL';
export const journalKey = (n: number, part: number): Key => numberedKey(JOURNAL_PK, n, part);
export const journalRange = (n: number) => rangeOf(JOURNAL_PK, commitText(n));

export const garbagePk = (retention: Retention): string => `GARBAGE#${retention}`;
/** The item with the time of commit `n`, which sorts before the parts of `n`. */
export const garbageStampKey = (retention: Retention, n: number): Key => ({
  pk: garbagePk(retention),
  sk: commitText(n),
});
export const garbageKey = (retention: Retention, n: number, part: number): Key =>
  numberedKey(garbagePk(retention), n, part);
/** @returns the commit number at the start of the sort key of a journal or garbage item */
export const commitOfSortKey = (sk: string): number => Number(sk.slice(0, 10));

// Listings

export const accountsOfUser = (userId: string): ListingRef => ({ listing: 'accounts', audience: userId });
/** Advertisers, contacts, and whatever else has one listing per account. */
export const listingOfAccount = (listing: string, id: number): ListingRef => ({ listing, audience: String(id) });
export const allPlacements: ListingRef = { listing: 'placements', audience: 'all' };

/** @param include CPG users see CPG addresses only */
export const addressesOfAccount = (id: number, include: 'ALL' | 'CPG'): ListingRef => ({
  listing: 'addresses',
  audience: `${id}#${include}`,
});

/** The advertiser's products, or the given ones of them. Ad groups with equal products share one listing. */
export function productsOfAdvertiser(id: number, productIds?: readonly number[]): ListingRef {
  if (productIds === undefined) return { listing: 'products', audience: String(id) };
  const list = [...new Set(productIds)].sort((a, b) => a - b).join(',');
  const digest = shortDigest(createHash('sha256').update(list));
  return { listing: 'products', audience: `${id}#${digest}` };
}

const listingPk = (ref: ListingRef): string => `LISTING#${ref.listing}#${ref.audience}`;
export const listingHeadKey = (ref: ListingRef): Key => ({ pk: listingPk(ref), sk: HEAD });
export const listingItemKey = (ref: ListingRef, n: number, ordinal: number): Key =>
  numberedKey(listingPk(ref), n, ordinal);

// Entries: one item per version, in ascending order

/** An entry: the partition it belongs to, and its name there. */
export interface EntryRef {
  readonly pk: string;
  readonly name: string;
}

const USER = 'USER#';
const userPk = (userId: string): string => `${USER}${userId}`;
const PROFILE = 'PROFILE';
const MEMBER = 'ACCOUNT';

export const profileEntry = (userId: string): EntryRef => ({ pk: userPk(userId), name: PROFILE });
/** @returns the id of the user whose profile the entry is; undefined for other entries */
export const userOfProfile = ({ pk, name }: EntryRef): string | undefined =>
  name === PROFILE ? pk.slice(USER.length) : undefined;
/** Account ids are padded so that a user's memberships are sorted by id. */
export const membershipEntry = (userId: string, accountId: number): EntryRef => ({
  pk: userPk(userId),
  name: `${MEMBER}#${String(accountId).padStart(16, '0')}`,
});
/** @returns the account id in the entry name of a membership; undefined for other names */
export const accountOfEntry = (name: string): number | undefined =>
  name.startsWith(`${MEMBER}#`) ? Number(name.slice(MEMBER.length + 1)) : undefined;
/** The range of a user's memberships and profile. */
export const userRange = (userId: string) => rangeOf(userPk(userId), MEMBER, PROFILE);
/** In a partition of its own, so that functions that may write views have no permission to write memberships. */
export const viewKey = (userId: string): Key => ({ pk: `VIEW#${userId}`, sk: HEAD });

export const adGroupEntry = (adGroupId: number): EntryRef => ({ pk: `ADGROUP#${adGroupId}`, name: 'OWNER' });

export const entryKey = (ref: EntryRef, n: number): Key => ({ pk: ref.pk, sk: `${ref.name}#${commitText(n)}` });
export const entryRange = (ref: EntryRef) => rangeOf(ref.pk, ref.name);
/** @returns the entry's name and commit number from its sort key */
export function parseEntryKey(key: Key): { name: string; n: number } {
  const cut = key.sk.lastIndexOf('#');
  return { name: key.sk.slice(0, cut), n: Number(key.sk.slice(cut + 1)) };
}

// API keys, by digest

export const apiKeyKey = (digest: string): Key => ({ pk: `KEY#${digest}`, sk: HEAD });
export const userApiKeysPk = (userId: string): string => `KEYS#${userId}`;
export const userApiKeyKey = (userId: string, digest: string): Key => ({ pk: userApiKeysPk(userId), sk: digest });
/** What the functions record about the use of a key, in a partition of its own: they have no permission to write keys. */
const usagePk = (digest: string): string => `USAGE#${digest}`;
export const lastUsedKey = (digest: string): Key => ({ pk: usagePk(digest), sk: 'LAST' });
/** What a key has used on a day, by its number since 1970. */
export const usageKey = (digest: string, day: number): Key => ({ pk: usagePk(digest), sk: `DAY#${day}` });

// Audit: entries by month, in the order of their times

/** Entries of loads are in partitions of their own, so that the ingestion cannot replace entries of keys. */
const AUDITED = { keys: 'AUDIT#', loads: 'AUDIT#LOAD#' } as const;
const auditPk = (subject: keyof typeof AUDITED, time: string): string => `${AUDITED[subject]}${time.slice(0, 7)}`;
/** @param at ISO time @param unique distinguishes entries of the same millisecond */
export const auditKey = (subject: keyof typeof AUDITED, at: string, unique: string): Key => ({
  pk: auditPk(subject, at),
  sk: `${at}#${unique}`,
});
/** @returns the ranges with the entries from `from` to `to` (milliseconds since 1970), two for each month */
export function auditRange(from: number, to: number): ReturnType<typeof rangeOf>[] {
  const [first, last] = [new Date(from).toISOString(), new Date(to).toISOString()];
  const ranges: ReturnType<typeof rangeOf>[] = [];
  for (
    let month = new Date(`${first.slice(0, 7)}-01T00:00:00Z`);
    month.toISOString().slice(0, 7) <= last.slice(0, 7);
  ) {
    for (const subject of ['keys', 'loads'] as const)
      ranges.push({ pk: auditPk(subject, month.toISOString()), from: first, to: `${last}#${AFTER_ALPHANUMERIC}` });
    month = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1));
  }
  return ranges;
}

// Encoded tables: a head and the chunks of the columns

/** The keys of an encoded table; `columnPk` returns the partition of a column's chunks. */
export interface EncodedTableRef {
  readonly head: Key;
  readonly columnPk: (column: string) => string;
}

export const dimensionRef = (table: DimensionTable, advertiserId: number): EncodedTableRef =>
  encodedTableRef(`DIMENSION#${table}#${advertiserId}`);

export const accountAdvertisersRef = (accountId: number): EncodedTableRef =>
  encodedTableRef(`ACCOUNT#${accountId}#ADVERTISERS`);

/** A table that only loads read, such as the rows of a listing file or the index of all entries of a kind. */
export const loadTableRef = (name: string): EncodedTableRef => encodedTableRef(`COLLECTION#${name}`);

function encodedTableRef(pk: string): EncodedTableRef {
  return { head: { pk, sk: HEAD }, columnPk: (column) => `${pk}#${column}` };
}

export const columnChunkKey = (pk: string, n: number, chunk: number): Key => ({
  pk,
  sk: `${commitText(n)}#${chunkText(chunk)}`,
});
export const columnRange = (pk: string, n: number) => rangeOf(pk, commitText(n));

// Facts

export const factHeadRef = (advertiserId: number): EncodedTableRef => encodedTableRef(`FACTS#${advertiserId}`);

const partitionText = (ref: PartitionRef): string =>
  `FACTS#${ref.advertiserId}#${ref.experience}#${ref.table}#${ref.month}`;
export const manifestKey = (ref: PartitionRef): Key => ({ pk: partitionText(ref), sk: HEAD });

/** The column name of several columns that are packed into one. */
export const PACKED = '*';
export const segmentPk = (ref: PartitionRef, column: string): string => `${partitionText(ref)}#${column}`;
export const segmentKey = (pk: string, day: number, version: number, chunk: number): Key => ({
  pk,
  sk: `${dayText(day)}#${commitText(version)}#${chunkText(chunk)}`,
});
/** The partition of the runs' packs of that name. */
export const packPk = (ref: PartitionRef, pack: string): string => segmentPk(ref, `${PACKED}${pack}`);
/** The range of all versions of the days `[first, last]`. */
export const segmentRange = (pk: string, first: number, last: number) => rangeOf(pk, dayText(first), dayText(last));
/** @returns the day, version and chunk number from the sort key of a chunk */
export function parseSegmentKey(sk: string): { day: number; version: number; chunk: number } {
  return { day: Number(sk.slice(0, 2)), version: Number(sk.slice(3, 13)), chunk: Number(sk.slice(14)) };
}

/** The partition of a rollup's packed columns (PACKED), or of one of its columns that are stored separately. */
export function rollupPk(ref: MonthRef | ShardRef, column: string): string {
  const owner = 'shard' in ref ? `SHARD#${ref.shard}` : `ROLLUP#${ref.advertiserId}`;
  return `${owner}#${ref.experience}#${ref.month}#${column}`;
}

export const shardsRef: EncodedTableRef = encodedTableRef('SHARD#ALL');

/** The columns of facts that have ever had values, by advertiser. */
export const columnsWithDataRef: EncodedTableRef = encodedTableRef('COLUMNS#ALL');

/** What loads have changed of an advertiser, and of what all may see (PLATFORM_ID). */
export const changesRef = (advertiserId: number): EncodedTableRef => encodedTableRef(`CHANGES#${advertiserId}`);
/** When each advertiser was last changed. */
export const lastChangesRef: EncodedTableRef = encodedTableRef('CHANGES#ALL');
