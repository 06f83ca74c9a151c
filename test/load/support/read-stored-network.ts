import type { DimensionTable } from '../../../shared/catalog/definitions.ts';
import { DIMENSION_COLUMNS, PLATFORM_TABLES } from '../../../shared/catalog/dimension-tables.ts';
import {
  type FactTable,
  measuresOf,
  TABLE_KEYS,
  TABLES_WITH_SHOPPERS,
  UNIDENTIFIED,
} from '../../../shared/catalog/tables.ts';
import { decodeKeys, expandKeys } from '../../../shared/columns/coded-keys.ts';
import { type KeyValue, SHOPPER_BANDS } from '../../../shared/columns/column.ts';
import { decodeMeasure, expandMeasure } from '../../../shared/columns/measures.ts';
import { decodeShoppers } from '../../../shared/columns/shopper-rows.ts';
import { type PartitionRef, PLATFORM_ID } from '../../../shared/layout/partitions.ts';
import type { SegmentSource } from '../../../shared/layout/segment-reads.ts';
import { type CommitState, readCommit } from '../../../shared/store/commit/commits.ts';
import { readAdvertisersOfAccounts } from '../../../shared/store/listings/account-advertisers.ts';
import { readAdGroup, readAdGroupProducts } from '../../../shared/store/listings/ad-groups.ts';
import { readListingPage } from '../../../shared/store/listings/listings.ts';
import { readUser } from '../../../shared/store/listings/users.ts';
import { openSegmentSource } from '../../../shared/store/segment-source.ts';
import * as keys from '../../../shared/store/table/item-keys.ts';
import type { Table } from '../../../shared/store/table/table.ts';

/** A listed item as it is returned, or a stored row without members that are null, 0 or an empty list. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * What readers see of a table that holds the test network or parts of it: the ids below, without the numbers of commits. Rollups
 * are not read; `checkRollups` compares them with the facts.
 */
export interface StoredNetwork {
  /** Items of every listing that is not empty, by listing and audience. */
  readonly listings: Readonly<Record<string, readonly Row[]>>;
  readonly users: Readonly<Record<string, unknown>>;
  /** Advertisers of each account. */
  readonly owned: Readonly<Record<number, readonly number[]>>;
  /** Each ad group's advertiser, owners and product ids. */
  readonly adGroups: Readonly<Record<number, unknown>>;
  /** Dimension tables that have rows, by table and advertiser. */
  readonly tables: Readonly<Record<string, readonly Row[]>>;
  /** The platform's latest day with delivery, by experience. */
  readonly latestDelivery: Readonly<Record<string, string>>;
  /** Fact rows by experience, table, advertiser and day; measures as stored, users as sorted hashes. */
  readonly facts: Readonly<Record<string, readonly Row[]>>;
}

/* The ids that the tests use. Ids without data are left out. */
const ACCOUNTS = [1, 2, 3];
const ADVERTISERS = [10, 11, 12];
const AD_GROUPS = [1000, 1001, 1002, 1100];
const USERS = ['u-agency', 'u-cpg', 'u-new'];
const PAGE = { offset: 0, size: 1_000_000 };

export async function readStoredNetwork(table: Table): Promise<StoredNetwork> {
  const state = await readCommit(table);
  const source = openSegmentSource(table, state);
  const [listings, users, owned, adGroups, tables, latestDelivery, facts] = await Promise.all([
    readListings(table, state),
    collect(USERS, (id) => readUser(table, id, state)),
    collect(ACCOUNTS, async (id) => undefinedIfEmpty(await readAdvertisersOfAccounts(table, [id], state))),
    collect(AD_GROUPS, (id) => readAdGroupOwner(table, id, state)),
    readTables(source, ADVERTISERS),
    readLatestDelivery(source),
    readDays(source, [PLATFORM_ID, ...ADVERTISERS]),
  ]);
  return { listings, users, owned, adGroups, tables, latestDelivery, facts };
}

async function readListings(table: Table, state: CommitState): Promise<StoredNetwork['listings']> {
  const refs = [
    ...USERS.map(keys.accountsOfUser),
    ...ACCOUNTS.flatMap((id) => [
      keys.listingOfAccount('advertisers', id),
      keys.listingOfAccount('contacts', id),
      keys.addressesOfAccount(id, 'ALL'),
      keys.addressesOfAccount(id, 'CPG'),
    ]),
    keys.allPlacements,
    ...ADVERTISERS.map((id) => keys.productsOfAdvertiser(id)),
    keys.productsOfAdvertiser(10, [20]),
  ];
  const listings = await Promise.all(
    refs.map(async (ref) => {
      const { items } = await readListingPage(table, ref, PAGE, state);
      return [`${ref.listing} ${ref.audience}`, items] as const;
    }),
  );
  return Object.fromEntries(listings.filter(([, items]) => items.length > 0));
}

/** @returns the ad group's advertiser, owners and product ids; undefined if it does not exist */
async function readAdGroupOwner(table: Table, adGroupId: number, state: CommitState): Promise<unknown> {
  const found = await readAdGroup(table, adGroupId, state);
  if (found === undefined) return undefined;
  const { items } = await readAdGroupProducts(table, found, PAGE);
  return {
    advertiserId: found.advertiserId,
    accountIds: found.accountIds,
    products: items.map((product) => product.id),
  };
}

/** @returns the rows of dimension tables, by table and advertiser */
export async function readTables(
  source: SegmentSource,
  advertiserIds: readonly number[],
): Promise<StoredNetwork['tables']> {
  const platform: readonly DimensionTable[] = PLATFORM_TABLES;
  const found: Record<string, Row[]> = {};
  for (const [name, columns] of Object.entries(DIMENSION_COLUMNS)) {
    const table = name as DimensionTable; // the keys of DIMENSION_COLUMNS are the tables
    const encoded = await source.dimensionTables(
      table,
      platform.includes(table) ? [PLATFORM_ID] : advertiserIds,
      columns,
    );
    for (const [advertiserId, { rows, columns: encodedColumns }] of encoded) {
      const values = [...encodedColumns].map(([name, bytes]) => [name, expandKeys(decodeKeys(bytes, name))] as const);
      found[`${table} ${advertiserId}`] = rowsOf(rows, values);
    }
  }
  return found;
}

async function readLatestDelivery(source: SegmentSource): Promise<Record<string, string>> {
  const heads = await source.factHeads([PLATFORM_ID]);
  return Object.fromEntries(heads.get(PLATFORM_ID)?.latestDelivery ?? []);
}

/** @returns the rows of each day, by experience, table, advertiser and day */
export async function readDays(
  source: SegmentSource,
  advertiserIds: readonly number[],
): Promise<Record<string, Row[]>> {
  const reads = (await source.manifests(await readPartitions(source, advertiserIds))).map(({ ref, runs }) => {
    return { ref, runs, columns: columnsOf(ref.table) };
  });
  const found: Record<string, Row[]> = {};
  for await (const { ref, run, columns } of source.runs(reads)) {
    const rows = factRowsOf(ref.table, run.rows, columns);
    for (const { day, rows: count } of run.days) {
      const date = `${ref.month}-${String(day).padStart(2, '0')}`;
      found[`${ref.experience} ${ref.table} ${ref.advertiserId} ${date}`] = rows.splice(0, count);
    }
  }
  return found;
}

/** @returns the partitions that the advertisers may have */
export async function readPartitions(source: SegmentSource, advertiserIds: readonly number[]): Promise<PartitionRef[]> {
  return [...(await source.factHeads(advertiserIds)).values()].flatMap(({ advertiserId, months }) =>
    [...months].flatMap(([experience, tables]) =>
      [...tables].flatMap(([table, ofTable]) => ofTable.map((month) => ({ advertiserId, experience, table, month }))),
    ),
  );
}

const storedKeys = (table: FactTable) => TABLE_KEYS[table].filter((column) => column !== 'date');
const hasShoppers = (table: FactTable) => TABLES_WITH_SHOPPERS.some((name) => name === table);

function columnsOf(table: FactTable): string[] {
  const users = hasShoppers(table) ? SHOPPER_BANDS.map((band) => band.column) : [];
  return [...storedKeys(table), ...measuresOf(table), ...users];
}

/** @returns the rows of a day's encoded columns, as `addUnidentified` leaves them with the sign -1 */
export function factRowsOf(table: FactTable, rows: number, columns: ReadonlyMap<string, Uint8Array>): Row[] {
  const bytesOf = (column: string) => columns.get(column) ?? new Uint8Array(0);
  const values: [string, readonly unknown[]][] = [
    ...storedKeys(table).map((column): [string, KeyValue[]] => [
      column,
      columns.has(column) ? expandKeys(decodeKeys(bytesOf(column), column)) : new Array(rows).fill(null),
    ]),
    ...measuresOf(table).map((name): [string, number[]] => [
      name,
      columns.has(name) ? [...expandMeasure(decodeMeasure(bytesOf(name), name))] : new Array(rows).fill(0),
    ]),
  ];
  if (hasShoppers(table)) values.push(['users', usersOfRows(rows, bytesOf)]);
  return rowsOf(rows, values).map((row) => addUnidentified(table, row, -1));
}

/** @returns the row with more, or less, of what rows without users have: by what it has if it is itself such a row */
export function addUnidentified(table: FactTable, row: Row, sign: 1 | -1): Row {
  const shoppers = TABLES_WITH_SHOPPERS.find((name) => name === table);
  if (shoppers === undefined || 'users' in row) return row;
  const { part, whole } = UNIDENTIFIED[shoppers];
  return omitEmpty({ ...row, [part]: Number(row[part] ?? 0) + sign * Math.max(0, Number(row[whole] ?? 0)) });
}

function usersOfRows(rows: number, bytesOf: (column: string) => Uint8Array): number[][] {
  const users: number[][] = Array.from({ length: rows }, () => []);
  for (const { column } of SHOPPER_BANDS) {
    const { hashes, offsets, positions } = decodeShoppers(bytesOf(column), column);
    for (let user = 0; user < hashes.length; user++) {
      for (let i = offsets[user] ?? 0; i < (offsets[user + 1] ?? 0); i++)
        users[positions[i] ?? 0]?.push(hashes[user] ?? 0);
    }
  }
  return users;
}

/** @returns the rows of columns */
function rowsOf(rows: number, columns: readonly (readonly [string, readonly unknown[]])[]): Row[] {
  return Array.from({ length: rows }, (_, row) =>
    omitEmpty(Object.fromEntries(columns.map(([name, values]) => [name, values[row]]))),
  );
}

/** @returns the row without members that are undefined, null, 0 or an empty list; empty text remains */
export function omitEmpty(row: Row): Row {
  const isPresent = (value: unknown) => (value ?? 0) !== 0 && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(row).filter(([, value]) => isPresent(value)));
}

function undefinedIfEmpty<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}

/** @returns what `read` returns for each id, without what is undefined */
async function collect<K extends string | number, V>(
  ids: readonly K[],
  read: (id: K) => Promise<V | undefined>,
): Promise<Record<string, Awaited<V>>> {
  const found = await Promise.all(
    ids.map(async (id) => {
      const value = await read(id);
      return value === undefined ? [] : [[id, value] as const];
    }),
  );
  return Object.fromEntries(found.flat());
}
