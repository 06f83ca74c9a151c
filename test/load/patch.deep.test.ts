import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { isListed, readNetwork } from '../../shared/load/listings/known-network.ts';
import { loadFolder } from '../../shared/load/load-folder.ts';
import { LISTING_FILES, type ListingFile } from '../../shared/load/schema/file-columns.ts';
import { formatProblem } from '../../shared/load/schema/problems.ts';
import { readCommit } from '../../shared/store/commit/commits.ts';
import type { LoadRow } from '../real/write-folder.ts';
import { useEngine } from '../support/use-engine.ts';
import { userIdKey } from '../support/user-id-key.ts';
import { folderOf, makeFolder } from './support/folder.ts';
import { killAtCalls, loadRows, tableWith } from './support/load-rows.ts';
import { FACTS, type FolderRows, NETWORK } from './support/network-rows.ts';
import { parquetFolderOf } from './support/parquet-folder.ts';
import { readStoredNetwork } from './support/read-stored-network.ts';

const engine = useEngine();

/** @returns the files of the network, some of them replaced */
const networkWith = (changed: FolderRows): FolderRows => ({ ...NETWORK, ...changed });

describe('a patch', () => {
  test.each(PATCHED_LISTINGS)('of %s lists the same as the whole listing with the patched rows', async (listing) => {
    const { patch, whole, ...counts } = patchOf(listing);
    const table = await tableWith(engine, BASE);
    const report = await loadRows({ [`${listing}.patch`]: patch }, table);
    expect(report).toMatchObject({ outcome: 'loaded', problems: [], facts: [], changes: [] });
    expect(report.listings).toMatchObject([{ listing, rows: whole.length, outcome: 'written', changes: counts }]);
    // reports show a row that was never listed, and one that was removed, differently
    const listed = await readStoredNetwork(await tableWith(engine, { ...BASE, [listing]: whole }));
    const found = await readStoredNetwork(table);
    expect(found).toEqual(counts.removed === 0 ? listed : { ...listed, tables: found.tables });
    // the stored rows are equal, too, in the same order
    expect((await loadRows({ [listing]: whole }, table)).outcome).toBe('unchanged');
  });

  test('that is loaded again changes nothing, and warns of the row that is removed already', async () => {
    const table = await tableWith(engine, NETWORK);
    expect(await loadRows({ 'users.patch': USERS_PATCH }, table)).toMatchObject({ outcome: 'loaded', warnings: [] });
    const after = await readStoredNetwork(table);
    expect(await loadRows({ 'users.patch': USERS_PATCH }, table)).toMatchObject({
      outcome: 'unchanged',
      warnings: ['users.patch.ndjson:3: userId u-cpg is not among the users; 1 of 1 deleted rows are not listed'],
      listings: [{ listing: 'users', rows: 2, outcome: 'unchanged', changes: { added: 0, replaced: 0, removed: 0 } }],
    });
    expect(await readStoredNetwork(table)).toEqual(after);
  });

  test('of an empty table adds its rows, in one load with the listings that they refer to', async () => {
    const { table } = await engine.createTable();
    const patches = { 'accounts.patch': rowsOf('accounts'), 'users.patch': rowsOf('users') };
    expect((await loadRows(patches, table)).outcome).toBe('loaded');
    const whole = await tableWith(engine, { accounts: rowsOf('accounts'), users: rowsOf('users') });
    expect(await readStoredNetwork(table)).toEqual(await readStoredNetwork(whole));
  });

  test('may be of one listing while another is replaced and facts are loaded', async () => {
    const table = await tableWith(engine, NETWORK);
    const accounts = [...rowsOf('accounts'), { id: 3, name: 'Gamma' }];
    const user = { ...NEW_USER, accountIds: [3] };
    const report = await loadRows({ ...FACTS, accounts, 'users.patch': [user] }, table);
    expect(report.outcome).toBe('loaded');
    const whole = await tableWith(engine, {
      ...networkWith({ accounts, users: [...rowsOf('users'), user] }),
      ...FACTS,
    });
    expect(await readStoredNetwork(table)).toEqual(await readStoredNetwork(whole));
  });

  test('keeps the facts of an ad group that it removes, and the ad group cannot come back to another advertiser', async () => {
    const table = await tableWith(engine, { ...NETWORK, ...FACTS });
    const { facts } = await readStoredNetwork(table);
    expect((await loadRows({ 'ad_groups.patch': [{ id: 1001, deleted: true }] }, table)).outcome).toBe('loaded');
    expect((await readStoredNetwork(table)).facts).toEqual(facts);
    const moved = { id: 1001, name: 'Moved', campaignId: 110, status: 'ACTIVE' };
    const { outcome, problems } = await loadRows({ 'ad_groups.patch': [moved] }, table);
    expect([outcome, ...problems.map(formatProblem)]).toEqual([
      'rejected',
      'ad_groups.patch.ndjson:1: campaignId must be a campaign of advertiser 10: ad group 1001 already has facts of that advertiser. Use a new id for the ad group of 11',
    ]);
  });

  test('adds an ad group that facts of the same folder belong to', async () => {
    const table = await tableWith(engine, NETWORK);
    const adGroup = { id: 1002, name: 'New', campaignId: 110, status: 'ACTIVE' };
    const facts = [{ daily_date: '2026-03-02', hour: 1, ad_group_id: 1002, impressions: 9 }];
    expect((await loadRows({ 'facts/toa/delivery': facts }, table)).outcome).toBe('rejected');
    expect(await loadRows({ 'ad_groups.patch': [adGroup], 'facts/toa/delivery': facts }, table)).toMatchObject({
      outcome: 'loaded',
      facts: [{ rows: 1 }],
    });
  });

  test('that has no rows changes nothing, and one that removes all rows empties the listing; both warn', async () => {
    const table = await tableWith(engine, NETWORK);
    expect(await loadRows({ 'contacts.patch': [] }, table)).toMatchObject({
      outcome: 'unchanged',
      warnings: ['contacts.patch.ndjson: no rows, so contacts stay as they were'],
    });
    const all = rowsOf('contacts').map(({ id }) => ({ id, deleted: true }));
    expect(await loadRows({ 'contacts.patch': all }, table)).toMatchObject({
      outcome: 'loaded',
      warnings: ['contacts.patch.ndjson: removes all rows, so the listing contacts is empty now'],
      listings: [{ listing: 'contacts', rows: 0 }],
    });
  });
});

describe('the format of a patch', () => {
  /** In CSV and Parquet, a row that is removed has the columns of the others, without values. */
  const patchRows = [
    NEW_USER,
    CHANGED_USER,
    { userId: 'u-cpg', name: '', userType: '', accountIds: [], deleted: true },
  ].map((row) => ({
    deleted: '',
    ...row,
  }));

  test('may be CSV', async () => {
    const patched = await tableWith(engine, NETWORK);
    using folder = folderOf({ 'users.patch': patchRows }, 'csv');
    expect((await loadFolder({ userIdKey, folder: folder.path, table: patched, timeZone: 'UTC' })).outcome).toBe(
      'loaded',
    );
    expect(await readStoredNetwork(patched)).toEqual(
      await readStoredNetwork(await tableWith(engine, networkWith({ users: PATCHED_USERS }))),
    );
  });

  test('may be Parquet, gzipped or not', async () => {
    const expected = await readStoredNetwork(await tableWith(engine, networkWith({ users: PATCHED_USERS })));
    using folder = await parquetFolderOf({ 'users.patch': patchRows });
    const options = { folder: folder.path, timeZone: 'UTC' };
    const plain = await tableWith(engine, NETWORK);
    expect((await loadFolder({ userIdKey, ...options, table: plain })).outcome).toBe('loaded');
    expect(await readStoredNetwork(plain)).toEqual(expected);
    folder.write('users.patch.parquet.gz', gzipSync(readFileSync(join(folder.path, 'users.patch.parquet'))));
    rmSync(join(folder.path, 'users.patch.parquet'));
    const gzipped = await tableWith(engine, NETWORK);
    expect((await loadFolder({ userIdKey, ...options, table: gzipped })).outcome).toBe('loaded');
    expect(await readStoredNetwork(gzipped)).toEqual(expected);
  });

  const paused = [
    ['ad_groups.patch.csv', 'id,status,endDate\n1000,PAUSED,\n'],
    ['ad_groups.patch.ndjson', '{"id":1000,"status":"PAUSED","endDate":null}\n'],
  ] as const;

  test.each(paused)('%s keeps what it does not mention, also products that are gone', async (name, content) => {
    const row = { id: 1000, name: 'Wide', campaignId: 100, status: 'ACTIVE', productIds: [20, 21] };
    const table = await tableWith(engine, networkWith({ ad_groups: [{ ...row, endDate: '2026-12-31' }] }));
    await loadRows({ 'products.patch': [{ id: 20, deleted: true }] }, table);
    using folder = makeFolder();
    folder.write(name, content);
    const { problems, listings } = await loadFolder({ userIdKey, folder: folder.path, table, timeZone: 'UTC' });
    expect(problems).toEqual([]);
    expect(listings).toMatchObject([
      { changes: { added: 0, replaced: 1, removed: 0, columns: { status: 1, endDate: 1 } } },
    ]);
    const { ad_groups } = await readNetwork(table, await readCommit(table), ['ad_groups']);
    expect(ad_groups.filter(isListed)).toEqual([{ ...row, status: 'PAUSED' }]);
  });

  test('may be CSV with the id and the column deleted alone', async () => {
    const patched = await tableWith(engine, NETWORK);
    using folder = folderOf({ 'users.patch': [{ userId: 'u-cpg', deleted: true }] }, 'csv');
    const report = await loadFolder({ userIdKey, folder: folder.path, table: patched, timeZone: 'UTC' });
    expect(report.listings).toMatchObject([{ rows: 1, changes: { added: 0, replaced: 0, removed: 1 } }]);
    expect((await readStoredNetwork(patched)).users).toEqual(
      (await readStoredNetwork(await tableWith(engine, networkWith({ users: rowsOf('users').slice(0, 1) })))).users,
    );
  });
});

test('a load of a patch that is killed at one of many calls leaves the old data, and has the same result when run again', async () => {
  const table = await tableWith(engine, NETWORK);
  const patch = { 'users.patch': USERS_PATCH };
  expect(await killAtCalls(table, 11, (dying) => loadRows(patch, dying))).toBeGreaterThan(2);
  expect((await loadRows(patch, table)).outcome).toMatch(/^(loaded|unchanged)$/);
  expect(await readStoredNetwork(table)).toEqual(
    await readStoredNetwork(await tableWith(engine, networkWith({ users: PATCHED_USERS }))),
  );
});

test('of two concurrent patches of one listing, neither undoes the other', async () => {
  const table = await tableWith(engine, NETWORK);
  const reports = await Promise.all([
    loadRows({ 'users.patch': [NEW_USER] }, table),
    loadRows({ 'users.patch': [{ userId: 'u-cpg', deleted: true }] }, table),
  ]);
  expect(reports.map((report) => report.outcome)).toEqual(['loaded', 'loaded']);
  expect(Object.keys((await readStoredNetwork(table)).users).sort()).toEqual(['u-agency', 'u-new']);
});

/** @returns the rows of the listing in the network */
const rowsOf = (listing: ListingFile): readonly LoadRow[] => NETWORK[listing] ?? [];

const NEW_USER = { userId: 'u-new', name: 'Nina', userType: 'CPG', accountIds: [2] };
const CHANGED_USER = { userId: 'u-agency', name: 'Agnes B.', userType: 'AGENCY', accountIds: [1] };
const USERS_PATCH = [NEW_USER, CHANGED_USER, { userId: 'u-cpg', deleted: true }];
const PATCHED_USERS = [CHANGED_USER, NEW_USER];

/** The network without insertion orders, so that their patch only adds, and with a creative that remains when `k1` is removed. */
const BASE: FolderRows = {
  ...NETWORK,
  insertion_orders: [],
  creatives: [...rowsOf('creatives'), { key: 'k2', name: 'Film', advertiserId: 11 }],
};

/** Patches over the rows of BASE. */
const PATCHES: Partial<Readonly<Record<ListingFile, readonly LoadRow[]>>> = {
  accounts: [
    { id: 3, name: 'Gamma' },
    { id: 2, name: 'Beta' },
  ],
  // the replaced row keeps its second account and type, and has no description and brands any more
  advertisers: [
    { id: 11, name: 'Eleven', description: '', brandNames: [] },
    { id: 12, name: 'Twelve', accountId: 1, brandNames: ['New'] },
  ],
  placements: [
    { id: 1, deleted: true },
    { id: 3, name: 'Cart', experiences: ['pla'], deleted: false },
  ],
  // product 23 takes the UPC of the removed product 21, products 20 and 21 are of one advertiser
  products: [
    { id: 21, deleted: true },
    { id: 23, advertiserId: 10, upc: '12', name: 'Barley' },
  ],
  campaigns: [{ id: 100, name: 'Summer', advertiserId: 10, status: 'ENDED', startDate: '2026-03-01' }],
  ad_groups: [
    { id: 1001, deleted: true },
    { id: 1002, name: 'New', campaignId: 100, status: 'DRAFT', productIds: [21] },
  ],
  budgets: [
    { validFrom: '2026-03-05', campaignId: 110, deleted: true },
    { validFrom: '2026-03-20', adGroupId: 1000, budget: '80' },
    { validFrom: '2026-03-05', adGroupId: 1000, budget: '1', budgetType: 'DAILY' },
  ],
  insertion_orders: [{ campaignId: 110, billings: 'Weekly' }],
  users: USERS_PATCH,
  freshness: [
    { experience: 'pla', advertiserId: 11, deleted: true },
    { experience: 'pla', completeThrough: '2026-03-05' },
    { experience: 'toa', advertiserId: 11, completeThrough: '2026-02-01' },
  ],
};

/** The listings of BASE. */
const PATCHED_LISTINGS = LISTING_FILES.filter((listing) => listing in BASE);

/** @returns what identifies the row in its listing: its first value; of freshness and budgets, also whose it is */
const keyOf = (row: LoadRow | undefined): string => {
  const [first] = Object.values(row ?? {});
  if (row?.validFrom !== undefined) return [first, row.campaignId ?? '', row.adGroupId ?? ''].join();
  return [first, row?.experience === undefined ? '' : row.advertiserId].join();
};

/**
 * @returns a patch over the rows of BASE, which removes the listing's first row if none is stated; the whole listing that has the same rows as the patched
 * one; and how many rows the patch adds, replaces and removes
 */
function patchOf(listing: ListingFile) {
  const base = BASE[listing] ?? [];
  const [[key, id] = ['', '']] = Object.entries(base[0] ?? {});
  const patch: readonly LoadRow[] = PATCHES[listing] ?? [{ [key]: id, deleted: true }];
  const listed = patch.filter((row) => row.deleted !== true).map(({ deleted: _, ...row }): LoadRow => row);
  const patchedRow = new Map(patch.map((row) => [keyOf(row), listed.filter((other) => keyOf(other) === keyOf(row))]));
  const mergedRows = (row: LoadRow) => patchedRow.get(keyOf(row))?.map((changed) => ({ ...row, ...changed })) ?? [row];
  const baseKeys = new Set(base.map(keyOf));
  const added = listed.filter((row) => !baseKeys.has(keyOf(row)));
  const whole = [...base.flatMap(mergedRows), ...added];
  const replaced = listed.length - added.length;
  return { patch, whole, added: added.length, replaced, removed: patch.length - listed.length };
}
