import { createHash } from 'node:crypto';
import { type CommitState, type CommitWriter, readVersioned, type Snapshot } from '../commit/commits.ts';
import { type Version, versionsOfHeads, visibleVersion } from '../commit/versions.ts';
import { writeHeads } from '../commit/write-heads.ts';
import { readComplete } from '../table/chunks.ts';
import { asRecord, type Item, textIn } from '../table/item.ts';
import { type ListingRef, listingHeadKey, listingItemKey, type Retention } from '../table/item-keys.ts';
import { shortDigest } from '../table/short-digest.ts';
import type { Table } from '../table/table.ts';

export type { ListingRef } from '../table/item-keys.ts';

type ListedItem = Readonly<Record<string, unknown>>;

export interface ListingPage {
  readonly items: readonly ListedItem[];
  /** Number of items in the listing. */
  readonly total: number;
}

/** A version of a listing, with which its items can be read without its head. */
export interface ListingVersion {
  readonly n: number;
  readonly total: number;
}

/**
 * Replaces the items of the listing, which pages return in the given order; a listing without items is removed. An unchanged listing is not
 * written. Call this at most once per listing and load.
 * @param items makes the items; concurrent calls hold the items of one listing at a time in memory
 * @returns whether the listing has changed
 */
export async function writeListing(
  writer: CommitWriter,
  ref: ListingRef,
  items: () => readonly object[],
): Promise<'unchanged' | 'written'> {
  const stored = await writer.readHead(listingHeadKey(ref));
  return writer.inTurn(() => replaceItems(writer, ref, stored, items()));
}

async function replaceItems(
  writer: CommitWriter,
  ref: ListingRef,
  stored: Item | undefined,
  items: readonly object[],
): Promise<'unchanged' | 'written'> {
  const key = listingHeadKey(ref);
  const lines = items.map((item) => JSON.stringify(item));
  const hash = digestOf(lines);
  const before = parseHead(visibleVersion(stored, writer.state));
  if (before === undefined ? lines.length === 0 : before.hash === hash) return 'unchanged';
  writer.claim(key);
  await writer.putItems(lines.map((json, ordinal) => ({ ...listingItemKey(ref, writer.n, ordinal), json })));
  const retention = retentionOf(ref);
  if (before !== undefined) await writer.supersede(itemKeys(ref, before), retention);
  const value = lines.length === 0 ? null : { total: lines.length, hash };
  await writeHeads(writer, [{ key, stored, value, retention }]);
  return 'written';
}

/**
 * Takes two round trips, and the same read units at any offset.
 * @returns the items `[offset, offset + size)` of the listing; none if it does not exist
 * @throws ApiError STORE_INCONSISTENT if items are missing
 */
export async function readListingPage(
  table: Table,
  ref: ListingRef,
  page: { readonly offset: number; readonly size: number },
  snapshot: Snapshot,
): Promise<ListingPage> {
  const [version] = await readListingVersions(table, [ref], snapshot);
  if (version === undefined) return { items: [], total: 0 };
  return { items: await readListingItems(table, ref, version, page), total: version.total };
}

/** @returns one member per ref: the visible version of the listing, or undefined if it does not exist */
export async function readListingVersions(
  table: Table,
  refs: readonly ListingRef[],
  snapshot: Snapshot,
): Promise<(ListingVersion | undefined)[]> {
  const keys = refs.map(listingHeadKey);
  const [first] = keys;
  const readHeads = async () =>
    first !== undefined && keys.length === 1
      ? [await table.get(first, { consistent: true })]
      : table.getMany(keys, { consistent: true });
  const [heads, state] = await readVersioned(snapshot, table, readHeads, versionsOfHeads, retentionOf(refs[0]));
  return heads.map((head) => parseHead(visibleVersion(head, state)));
}

/**
 * Reads one range, a second time if items are missing.
 * @returns the items `[offset, offset + size)` of the version
 * @throws ApiError STORE_INCONSISTENT if items are missing in the second read as well
 */
export async function readListingItems(
  table: Table,
  ref: ListingRef,
  version: ListingVersion,
  page: { readonly offset: number; readonly size: number },
): Promise<ListedItem[]> {
  const end = Math.min(page.offset + page.size, version.total);
  if (end <= page.offset) return [];
  const { pk, sk: from } = listingItemKey(ref, version.n, page.offset);
  const { sk: to } = listingItemKey(ref, version.n, end - 1);
  return readComplete(table, { pk, from, to }, (items) =>
    items.length === end - page.offset ? items.map((item) => parseItem(textIn(item, 'json'))) : undefined,
  );
}

/** @returns all items of the listing at `state` */
export async function readWholeListing(
  table: Table,
  ref: ListingRef,
  state: CommitState,
): Promise<readonly ListedItem[]> {
  const page = await readListingPage(table, ref, { offset: 0, size: Number.MAX_SAFE_INTEGER }, state);
  return page.items;
}

const READ_THROUGH_VIEWS: ReadonlySet<string> = new Set(['contacts', 'addresses']);

/**
 * Contacts and addresses are read through the users' views, up to a month after they were superseded. Any version of that time may be the one that some user sees,
 * so the head keeps them: one for each load, if contacts change in every load.
 */
const retentionOf = (ref: ListingRef | undefined): Retention =>
  READ_THROUGH_VIEWS.has(ref?.listing ?? '') ? 'views' : 'readers';

const itemKeys = (ref: ListingRef, version: ListingVersion) =>
  Array.from({ length: version.total }, (_, ordinal) => listingItemKey(ref, version.n, ordinal));

function digestOf(lines: readonly string[]): string {
  const hash = createHash('sha256');
  for (const line of lines) hash.update(line).update('\n');
  return shortDigest(hash);
}

function parseHead(version: Version | undefined): (ListingVersion & { readonly hash: unknown }) | undefined {
  if (version === undefined) return undefined;
  const { total, hash } = asRecord(version.value) ?? {};
  if (typeof total !== 'number') throw new Error('the head of a listing has no total');
  return { n: version.n, total, hash };
}

function parseItem(json: string): ListedItem {
  const item = asRecord(JSON.parse(json));
  if (item === undefined) throw new Error('an item of a listing is not an object');
  return item;
}
