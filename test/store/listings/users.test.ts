import { describe, expect, test } from 'vitest';
import { beginCommit, CommitReader, type CommitWriter, readCommit } from '../../../shared/store/commit/commits.ts';
import {
  readAdvertisersOfAccounts,
  writeAccountAdvertisers,
} from '../../../shared/store/listings/account-advertisers.ts';
import { readAdGroup, readAdGroupProducts, writeAdGroups } from '../../../shared/store/listings/ad-groups.ts';
import { writeListing } from '../../../shared/store/listings/listings.ts';
import { readUser, type User, writeUsers } from '../../../shared/store/listings/users.ts';
import { productsOfAdvertiser } from '../../../shared/store/table/item-keys.ts';
import type { Meter } from '../../../shared/store/table/table.ts';
import { useTablePerTest } from '../../support/use-engine.ts';

const ANNA: User = { userId: 'anna', name: 'Anna', userType: 'AGENCY', accountIds: [3, 20, 100] };
const BEN: User = { userId: 'ben#1', name: 'Ben', userType: 'CPG', accountIds: [20] };

describe('users and ad groups', () => {
  const made = useTablePerTest();

  const load = async (write: (writer: CommitWriter) => Promise<unknown>) => {
    const writer = await beginCommit(made.table, { owner: 'the test' });
    await write(writer);
    await writer.finish();
    return writer.n;
  };

  const startMeter = (): Meter => ({ readUnits: 0, writeUnits: 0, calls: 0 });

  test('one call reads a user with all accounts', async () => {
    await load((writer) => writeUsers(writer, [ANNA, BEN, { ...BEN, userId: 'ben' }]));
    const meter = startMeter();
    const state = await readCommit(made.table);
    expect(await readUser(made.table.metered(meter), 'anna', state)).toEqual(ANNA);
    expect(meter).toMatchObject({ calls: 1, readUnits: 1 });
    expect(await readUser(made.table, 'ben#1', state)).toEqual(BEN);
    expect(await readUser(made.table, 'ben', state)).toEqual({ ...BEN, userId: 'ben' });
    expect(await readUser(made.table, 'be', state)).toBeUndefined();
  });

  test('a load replaces all users and their memberships', async () => {
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

  test('unchanged users are not written', async () => {
    const n = await load((writer) => writeUsers(writer, [ANNA, BEN]));
    await load((writer) => writeUsers(writer, [BEN, ANNA]));
    expect((await readCommit(made.table)).commit).toBe(n);
  });

  const products = (count: number) =>
    Array.from({ length: count }, (_, id) => ({ id, name: `product ${id}`, text: 'x'.repeat(600) }));

  test('a page of an ad group’s products takes two calls and at most 3 read units', async () => {
    const ref = productsOfAdvertiser(7);
    await load(async (writer) => {
      await writeListing(writer, ref, () => products(300));
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

  test('an ad group has the newest version of its products listing, which may be empty', async () => {
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
      await writeListing(writer, ref, () => products(3));
      await writeAdGroups(writer, [adGroup]);
    });
    expect(await pageNow()).toEqual({ items: products(2), total: 3 });
    await load(async (writer) => {
      await writeListing(writer, ref, () => []);
      await writeAdGroups(writer, [adGroup]);
    });
    expect(await pageNow()).toEqual({ items: [], total: 0 });
    await load((writer) => writeAdGroups(writer, []));
    expect(await pageNow()).toBeUndefined();
  });

  test('five calls read the advertisers of 500 accounts', async () => {
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
});
