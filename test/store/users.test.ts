import { describe, expect, test } from 'vitest';
import type { CommitWriter } from '../../shared/store/commit/commits.ts';
import { beginCommit, CommitReader, readCommit } from '../../shared/store/commit/commits.ts';
import { readDimensionTables, writeDimensionTable } from '../../shared/store/facts/dimensions.ts';
import { readAdvertisersOfAccounts, writeAccountAdvertisers } from '../../shared/store/listings/account-advertisers.ts';
import { readAdGroup, readAdGroupProducts, writeAdGroups } from '../../shared/store/listings/ad-groups.ts';
import { writeListing } from '../../shared/store/listings/listings.ts';
import type { User } from '../../shared/store/listings/users.ts';
import { readUser, writeUsers } from '../../shared/store/listings/users.ts';
import type { Meter } from '../../shared/store/table/client.ts';
import { productsOfAdvertiser } from '../../shared/store/table/keys.ts';
import { ENGINES } from '../support/table.ts';
import { useTablePerTest } from '../support/use-engine.ts';

const ANNA: User = { userId: 'anna', name: 'Anna', userType: 'AGENCY', accountIds: [3, 20, 100] };
const BEN: User = { userId: 'ben#1', name: 'Ben', userType: 'CPG', accountIds: [20] };

describe.each(ENGINES)('users, ad groups and joined tables on %s', (name) => {
  const made = useTablePerTest(name);

  const load = async (write: (writer: CommitWriter) => Promise<unknown>) => {
    const writer = await beginCommit(made.table, { owner: 'the test' });
    await write(writer);
    await writer.finish();
    return writer.n;
  };

  const startMeter = (): Meter => ({ readUnits: 0, writeUnits: 0, calls: 0 });

  test('a user comes with all accounts in one call', async () => {
    await load((writer) => writeUsers(writer, [ANNA, BEN, { ...BEN, userId: 'ben' }]));
    const meter = startMeter();
    const state = await readCommit(made.table);
    expect(await readUser(made.table.metered(meter), 'anna', state)).toEqual(ANNA);
    expect(meter).toMatchObject({ calls: 1, readUnits: 1 });
    expect(await readUser(made.table, 'ben#1', state)).toEqual(BEN);
    expect(await readUser(made.table, 'ben', state)).toEqual({ ...BEN, userId: 'ben' });
    expect(await readUser(made.table, 'be', state)).toBeUndefined();
  });

  test('users are replaced as a whole: changed, gone and new ones, and their memberships', async () => {
    await load((writer) => writeUsers(writer, [ANNA, BEN]));
    const before = await readCommit(made.table);
    const changed: User = { ...ANNA, name: 'Anne', accountIds: [1, 20] };
    const carl: User = { ...BEN, userId: 'carl' };
    await load((writer) => writeUsers(writer, [changed, carl]));
    const after = await readCommit(made.table);
    expect(await readUser(made.table, 'anna', after)).toEqual(changed);
    expect(await readUser(made.table, 'ben#1', after)).toBeUndefined();
    expect(await readUser(made.table, 'carl', after)).toEqual(carl);
    expect(await readUser(made.table, 'anna', before)).toEqual(ANNA);
    expect(await readUser(made.table, 'carl', before)).toBeUndefined();
    await load((writer) => writeUsers(writer, [ANNA, BEN]));
    expect(await readUser(made.table, 'ben#1', await readCommit(made.table))).toEqual(BEN);
    expect(await readUser(made.table, 'anna', await readCommit(made.table))).toEqual(ANNA);
  });

  test('the same users again are not written', async () => {
    const n = await load((writer) => writeUsers(writer, [ANNA, BEN]));
    await load((writer) => writeUsers(writer, [BEN, ANNA]));
    expect((await readCommit(made.table)).commit).toBe(n);
  });

  const products = (count: number) =>
    Array.from({ length: count }, (_, id) => ({ id, name: `product ${id}`, text: 'x'.repeat(600) }));

  test('a page of an ad group’s products is two calls and at most 3 read units', async () => {
    const ref = productsOfAdvertiser(7);
    await load(async (writer) => {
      await writeListing(writer, ref, products(300));
      await writeAdGroups(writer, [{ adGroupId: 41, advertiserId: 7, accountIds: [1, 2], products: ref }]);
    });
    const commits = new CommitReader(made.table);
    await commits.current();
    const meter = startMeter();
    const table = made.table.metered(meter);
    const adGroup = await readAdGroup(table, 41, commits);
    expect(adGroup).toEqual({
      adGroupId: 41,
      advertiserId: 7,
      accountIds: [1, 2],
      products: ref,
      version: { n: 1, total: 300 },
    });
    if (adGroup === undefined) throw new Error('unreachable');
    expect(await readAdGroupProducts(table, adGroup, { offset: 290, size: 10 })).toEqual({
      items: products(300).slice(290),
      total: 300,
    });
    expect(meter.calls).toBe(2);
    expect(meter.readUnits).toBeLessThanOrEqual(3);
    expect(await readAdGroup(table, 42, commits)).toBeUndefined();
    expect(await readAdGroup(table, Number.MAX_SAFE_INTEGER, commits)).toBeUndefined();
  });

  test('an ad group follows its products listing from load to load, and may have none', async () => {
    const ref = productsOfAdvertiser(7, [3, 1, 2, 1]);
    expect(ref).toEqual(productsOfAdvertiser(7, [1, 2, 3]));
    const adGroup = { adGroupId: 41, advertiserId: 7, accountIds: [1], products: ref };
    const pageNow = async () => {
      const found = await readAdGroup(made.table, 41, await readCommit(made.table));
      return found && readAdGroupProducts(made.table, found, { offset: 0, size: 2 });
    };
    await load((writer) => writeAdGroups(writer, [adGroup]));
    expect(await pageNow()).toEqual({ items: [], total: 0 });
    await load(async (writer) => {
      await writeListing(writer, ref, products(3));
      await writeAdGroups(writer, [adGroup]);
    });
    expect(await pageNow()).toEqual({ items: products(2), total: 3 });
    await load(async (writer) => {
      await writeListing(writer, ref, []);
      await writeAdGroups(writer, [adGroup]);
    });
    expect(await pageNow()).toEqual({ items: [], total: 0 });
    await load((writer) => writeAdGroups(writer, []));
    expect(await pageNow()).toBeUndefined();
  });

  test('the advertisers of 500 accounts are five calls', async () => {
    const accounts = Array.from({ length: 500 }, (_, index) => index + 1);
    await load(async (writer) => {
      await Promise.all(
        accounts.map((account) => writeAccountAdvertisers(writer, account, [account * 2, 1, account * 2])),
      );
    });
    const meter = startMeter();
    const state = await readCommit(made.table);
    expect(await readAdvertisersOfAccounts(made.table.metered(meter), accounts, state)).toEqual([
      1,
      ...accounts.map((account) => account * 2),
    ]);
    expect(meter.calls).toBe(5);
    await load((writer) => writeAccountAdvertisers(writer, 9, []));
    expect(await readAdvertisersOfAccounts(made.table, [9, 10, 900], await readCommit(made.table))).toEqual([1, 20]);
  });

  const tableOf = (seed: number, bytes: number) => ({
    rows: seed,
    columns: new Map([
      ['id', new Uint8Array(bytes).fill(seed)],
      ['name', new Uint8Array(bytes * 2).fill(seed + 1)],
    ]),
  });

  test.each([
    ['small, in its head', 100, 1],
    ['large, in segments of its own', 400_000, 2],
  ])('a joined table that is %s comes back with the columns asked for', async (_what, bytes, calls) => {
    await load((writer) => writeDimensionTable(writer, 'products', 7, tableOf(5, bytes)));
    await load((writer) => writeDimensionTable(writer, 'products', 8, tableOf(6, 9)));
    const meter = startMeter();
    const state = await readCommit(made.table);
    const id = await readDimensionTables(made.table.metered(meter), 'products', [9, 7], state, ['id', 'nothing']);
    expect(id).toEqual(new Map([[7, { rows: 5, columns: new Map([['id', new Uint8Array(bytes).fill(5)]]) }]]));
    expect(meter.calls).toBe(calls);
    expect(await readDimensionTables(made.table, 'products', [7, 8], state)).toEqual(
      new Map([
        [7, tableOf(5, bytes)],
        [8, tableOf(6, 9)],
      ]),
    );
    expect(await readDimensionTables(made.table, 'campaigns', [7, 8], state)).toEqual(new Map());
  });

  test('a joined table is replaced, left alone and removed', async () => {
    await load((writer) => writeDimensionTable(writer, 'products', 7, tableOf(5, 9_000)));
    await load(async (writer) => {
      expect(await writeDimensionTable(writer, 'products', 7, tableOf(5, 9_000))).toBe('unchanged');
      expect(await writeDimensionTable(writer, 'products', 8, { rows: 0, columns: new Map() })).toBe('unchanged');
    });
    expect((await readCommit(made.table)).commit).toBe(1);
    const readNow = async () => readDimensionTables(made.table, 'products', [7], await readCommit(made.table));
    await load((writer) => writeDimensionTable(writer, 'products', 7, tableOf(6, 10)));
    expect(await readNow()).toEqual(new Map([[7, tableOf(6, 10)]]));
    await load((writer) => writeDimensionTable(writer, 'products', 7, { rows: 0, columns: new Map() }));
    expect(await readNow()).toEqual(new Map());
  });

  test('a segment of a joined table that is missing is an error', async () => {
    await load((writer) => writeDimensionTable(writer, 'products', 7, tableOf(5, 400_000)));
    await made.table.deleteMany(
      (await made.content()).filter(({ pk, sk }) => pk.endsWith('#id') && sk.endsWith('#0001')),
    );
    const state = await readCommit(made.table);
    await expect(readDimensionTables(made.table, 'products', [7], state, ['id'])).rejects.toMatchObject({
      code: 'STORE_INCONSISTENT',
    });
    expect((await readDimensionTables(made.table, 'products', [7], state, ['name'])).size).toBe(1);
  });
});
