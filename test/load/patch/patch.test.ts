import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type LoadOptions, loadFolder } from '../../../shared/load/load-folder.ts';
import type { LoadReport } from '../../../shared/load/load-report.ts';
import { LISTING_FILES, type ListingFile } from '../../../shared/load/schema/file-columns.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import type { LoadRow } from '../../real/write-folder.ts';
import { dieAtCall } from '../../store/sample-load.ts';
import { useEngine } from '../../support/use-engine.ts';
import { folderOf } from '../folder.ts';
import { FACTS, type FolderRows, NETWORK } from '../network-rows.ts';
import { parquetFolderOf } from '../parquet-folder.ts';
import { readWorld } from '../read-world.ts';

const engine = useEngine();

async function load(rows: FolderRows, table: Table, more: Partial<LoadOptions> = {}): Promise<LoadReport> {
  using folder = folderOf(rows);
  return await loadFolder({ folder: folder.path, table, timeZone: 'UTC', ...more });
}

/** @returns a table that holds these files */
async function tableWith(rows: FolderRows): Promise<Table> {
  const { table } = await engine.createTable();
  expect((await load(rows, table)).outcome).toBe('loaded');
  return table;
}

/** @returns the files of the network, some of them replaced */
const networkWith = (changed: FolderRows): FolderRows => ({ ...NETWORK, ...changed });

/** @returns the rows of the listing in the network */
const rowsOf = (listing: ListingFile): readonly LoadRow[] => NETWORK[listing] ?? [];

const NEW_USER = { userId: 'u-new', name: 'Nina', userType: 'CPG', accountIds: [2] };
const CHANGED_USER = { userId: 'u-agency', name: 'Agnes B.', userType: 'AGENCY', accountIds: [1] };
const USERS_PATCH = [NEW_USER, CHANGED_USER, { userId: 'u-cpg', deleted: true }];
const PATCHED_USERS = [CHANGED_USER, NEW_USER];

interface Patch {
  readonly patch: readonly LoadRow[];
  /** The whole listing that has the same rows as the patched one. */
  readonly whole: readonly LoadRow[];
  readonly added: number;
  readonly replaced: number;
  readonly removed: number;
}

/** The network without what refers to the rows that the patches remove. */
const BASE = networkWith({
  insertion_orders: [],
  creatives: [...rowsOf('creatives'), { key: 'k2', name: 'Film', advertiserId: 11 }],
});

const ADDED = { added: 1, replaced: 1, removed: 0 };

/** One patch per listing, each over the rows of NETWORK. */
const PATCHES: Readonly<Record<ListingFile, Patch>> = {
  accounts: {
    patch: [
      { id: 3, name: 'Gamma' },
      { id: 2, name: 'Beta' },
    ],
    whole: [
      { id: 2, name: 'Beta' },
      { id: 1, name: 'Ácme' },
      { id: 3, name: 'Gamma' },
    ],
    ...ADDED,
  },
  advertisers: {
    // the replaced row has no description, type, brands or second account any more
    patch: [
      { id: 11, name: 'Eleven', accountId: 2 },
      { id: 12, name: 'Twelve', accountId: 1, brandNames: ['New'] },
    ],
    whole: [
      { id: 11, name: 'Eleven', accountId: 2 },
      ...rowsOf('advertisers').slice(1),
      { id: 12, name: 'Twelve', accountId: 1, brandNames: ['New'] },
    ],
    ...ADDED,
  },
  contacts: {
    patch: [{ id: 5, deleted: true }],
    whole: rowsOf('contacts').slice(1),
    added: 0,
    replaced: 0,
    removed: 1,
  },
  addresses: {
    patch: [{ id: 8, deleted: true }],
    whole: rowsOf('addresses').slice(1),
    added: 0,
    replaced: 0,
    removed: 1,
  },
  placements: {
    patch: [
      { id: 1, deleted: true },
      { id: 3, name: 'Cart', experiences: ['pla'], deleted: false },
    ],
    whole: [...rowsOf('placements').slice(1), { id: 3, name: 'Cart', experiences: ['pla'] }],
    added: 1,
    replaced: 0,
    removed: 1,
  },
  products: {
    // product 23 takes the UPC of the removed product 21, products 20 and 21 are of one advertiser
    patch: [
      { id: 21, deleted: true },
      { id: 23, advertiserId: 10, upc: '12', name: 'Barley' },
    ],
    whole: [...rowsOf('products').slice(1), { id: 23, advertiserId: 10, upc: '12', name: 'Barley' }],
    added: 1,
    replaced: 0,
    removed: 1,
  },
  campaigns: {
    patch: [{ id: 100, name: 'Summer', advertiserId: 10, status: 'ENDED', startDate: '2026-03-01' }],
    whole: [
      { id: 100, name: 'Summer', advertiserId: 10, status: 'ENDED', startDate: '2026-03-01' },
      ...rowsOf('campaigns').slice(1),
    ],
    added: 0,
    replaced: 1,
    removed: 0,
  },
  ad_groups: {
    patch: [
      { id: 1001, deleted: true },
      { id: 1002, name: 'New', campaignId: 100, status: 'DRAFT', productIds: [21] },
    ],
    whole: [
      ...rowsOf('ad_groups').slice(1),
      { id: 1002, name: 'New', campaignId: 100, status: 'DRAFT', productIds: [21] },
    ],
    added: 1,
    replaced: 0,
    removed: 1,
  },
  creatives: {
    patch: [{ key: 'k1', deleted: true }],
    whole: [{ key: 'k2', name: 'Film', advertiserId: 11 }],
    added: 0,
    replaced: 0,
    removed: 1,
  },
  insertion_orders: {
    patch: [{ campaignId: 110, billings: 'Weekly' }],
    whole: [{ campaignId: 110, billings: 'Weekly' }],
    added: 1,
    replaced: 0,
    removed: 0,
  },
  users: { patch: USERS_PATCH, whole: PATCHED_USERS, added: 1, replaced: 1, removed: 1 },
  freshness: {
    patch: [
      { experience: 'pla', advertiserId: 11, deleted: true },
      { experience: 'pla', completeThrough: '2026-03-05' },
      { experience: 'toa', advertiserId: 11, completeThrough: '2026-02-01' },
    ],
    whole: [
      { experience: 'toa', completeThrough: '2026-02-28' },
      { experience: 'pla', completeThrough: '2026-03-05' },
      { experience: 'toa', advertiserId: 11, completeThrough: '2026-02-01' },
    ],
    added: 1,
    replaced: 1,
    removed: 1,
  },
};

describe('a patch', () => {
  test.each(LISTING_FILES)('of %s has the same result as the whole listing with the patched rows', async (listing) => {
    const { patch, whole, ...counts } = PATCHES[listing];
    const table = await tableWith({ ...BASE, ...FACTS });
    const report = await load({ [`${listing}.patch`]: patch }, table);
    expect(report).toMatchObject({ outcome: 'loaded', problems: [], facts: [], emptied: [] });
    expect(report.listings).toEqual([{ listing, rows: whole.length, outcome: 'written', patch: counts }]);
    const expected = await tableWith({ ...BASE, ...FACTS });
    expect((await load({ [listing]: whole }, expected)).outcome).toBe('loaded');
    expect(await readWorld(table)).toEqual(await readWorld(expected));
    // the stored rows are equal, too, in the same order
    expect((await load({ [listing]: whole }, table)).outcome).toBe('unchanged');
  });

  test('that is loaded again changes nothing, and warns of the row that is removed already', async () => {
    const table = await tableWith(NETWORK);
    expect(await load({ 'users.patch': USERS_PATCH }, table)).toMatchObject({ outcome: 'loaded', warnings: [] });
    const after = await readWorld(table);
    expect(await load({ 'users.patch': USERS_PATCH }, table)).toMatchObject({
      outcome: 'unchanged',
      warnings: ['users.patch.ndjson:3: userId u-cpg is not among the users; 1 of 1 deleted rows are not listed'],
      listings: [{ listing: 'users', rows: 2, outcome: 'unchanged', patch: { added: 0, replaced: 0, removed: 0 } }],
    });
    expect(await readWorld(table)).toEqual(after);
  });

  test('of an empty table adds its rows, in one load with the listings that they refer to', async () => {
    const { table } = await engine.createTable();
    const patches = { 'accounts.patch': rowsOf('accounts'), 'users.patch': rowsOf('users') };
    expect((await load(patches, table)).outcome).toBe('loaded');
    const whole = await tableWith({ accounts: rowsOf('accounts'), users: rowsOf('users') });
    expect(await readWorld(table)).toEqual(await readWorld(whole));
  });

  test('may be of one listing while another is replaced and facts are loaded', async () => {
    const table = await tableWith(NETWORK);
    const accounts = [...rowsOf('accounts'), { id: 3, name: 'Gamma' }];
    const user = { ...NEW_USER, accountIds: [3] };
    const report = await load({ ...FACTS, accounts, 'users.patch': [user] }, table);
    expect(report.outcome).toBe('loaded');
    const whole = await tableWith({ ...networkWith({ accounts, users: [...rowsOf('users'), user] }), ...FACTS });
    expect(await readWorld(table)).toEqual(await readWorld(whole));
  });

  test('adds an ad group that facts of the same folder belong to', async () => {
    const table = await tableWith(NETWORK);
    const adGroup = { id: 1002, name: 'New', campaignId: 110, status: 'ACTIVE' };
    const facts = [{ daily_date: '2026-03-02', hour: 1, ad_group_id: 1002, impressions: 9 }];
    expect((await load({ 'facts/toa/delivery': facts }, table)).outcome).toBe('rejected');
    expect(await load({ 'ad_groups.patch': [adGroup], 'facts/toa/delivery': facts }, table)).toMatchObject({
      outcome: 'loaded',
      facts: [{ rows: 1 }],
    });
  });

  test('that has no rows changes nothing, and one that removes all rows empties the listing; both warn', async () => {
    const table = await tableWith(NETWORK);
    expect(await load({ 'contacts.patch': [] }, table)).toMatchObject({
      outcome: 'unchanged',
      warnings: ['contacts.patch.ndjson: no rows, so contacts stay as they were'],
    });
    const all = rowsOf('contacts').map(({ id }) => ({ id, deleted: true }));
    expect(await load({ 'contacts.patch': all }, table)).toMatchObject({
      outcome: 'loaded',
      warnings: ['contacts.patch.ndjson: removes all rows, so the listing contacts is empty now'],
      listings: [{ listing: 'contacts', rows: 0 }],
    });
  });
});

describe('the format of a patch', () => {
  /** In CSV and Parquet, a row that is removed has the columns of the others, without values. */
  const table = [
    NEW_USER,
    CHANGED_USER,
    { userId: 'u-cpg', name: '', userType: '', accountIds: [], deleted: true },
  ].map((row) => ({
    deleted: '',
    ...row,
  }));

  test.each(['ndjson', 'jsonl.gz', 'csv', 'csv.gz'])('may be %s', async (format) => {
    const patched = await tableWith(NETWORK);
    using folder = folderOf({ 'users.patch': table }, format);
    expect((await loadFolder({ folder: folder.path, table: patched, timeZone: 'UTC' })).outcome).toBe('loaded');
    expect(await readWorld(patched)).toEqual(await readWorld(await tableWith(networkWith({ users: PATCHED_USERS }))));
  });

  test('may be Parquet, gzipped or not', async () => {
    const expected = await readWorld(await tableWith(networkWith({ users: PATCHED_USERS })));
    using folder = await parquetFolderOf({ 'users.patch': table });
    const options = { folder: folder.path, timeZone: 'UTC' };
    const plain = await tableWith(NETWORK);
    expect((await loadFolder({ ...options, table: plain })).outcome).toBe('loaded');
    expect(await readWorld(plain)).toEqual(expected);
    folder.write('users.patch.parquet.gz', gzipSync(readFileSync(join(folder.path, 'users.patch.parquet'))));
    rmSync(join(folder.path, 'users.patch.parquet'));
    const gzipped = await tableWith(NETWORK);
    expect((await loadFolder({ ...options, table: gzipped })).outcome).toBe('loaded');
    expect(await readWorld(gzipped)).toEqual(expected);
  });

  test('may be CSV with the id and the column deleted alone', async () => {
    const patched = await tableWith(NETWORK);
    using folder = folderOf({ 'users.patch': [{ userId: 'u-cpg', deleted: true }] }, 'csv');
    const report = await loadFolder({ folder: folder.path, table: patched, timeZone: 'UTC' });
    expect(report.listings).toMatchObject([{ rows: 1, patch: { added: 0, replaced: 0, removed: 1 } }]);
    expect((await readWorld(patched)).users).toEqual(
      (await readWorld(await tableWith(networkWith({ users: rowsOf('users').slice(0, 1) })))).users,
    );
  });
});

test('a load of a patch that is killed at any call leaves the old data, and has the same result when run again', async () => {
  const table = await tableWith(NETWORK);
  const before = await readWorld(table);
  const patch = { 'users.patch': USERS_PATCH };
  let killed = 0;
  for (let calls = 3; calls < 1000; calls += 5) {
    const outcome = await load(patch, dieAtCall(table, calls), { lease: { silenceMs: 700 } }).then(
      (report) => report.outcome,
      (error: Error) => error.message,
    );
    if (outcome === 'loaded') break;
    expect(outcome).toMatch(/killed|has lost its lease/);
    expect(await readWorld(table)).toEqual(before);
    killed++;
  }
  expect(killed).toBeGreaterThan(2);
  expect((await load(patch, table)).outcome).toMatch(/^(loaded|unchanged)$/);
  expect(await readWorld(table)).toEqual(await readWorld(await tableWith(networkWith({ users: PATCHED_USERS }))));
});

test('of two concurrent patches of one listing, neither undoes the other', async () => {
  const table = await tableWith(NETWORK);
  const reports = await Promise.all([
    load({ 'users.patch': [NEW_USER] }, table),
    load({ 'users.patch': [{ userId: 'u-cpg', deleted: true }] }, table),
  ]);
  expect(reports.map((report) => report.outcome)).toEqual(['loaded', 'loaded']);
  expect(Object.keys((await readWorld(table)).users).sort()).toEqual(['u-agency', 'u-new']);
});
