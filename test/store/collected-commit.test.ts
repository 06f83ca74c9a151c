import { afterAll, beforeAll, expect, test } from 'vitest';
import { CommitReader, readCommit, type Snapshot } from '../../shared/store/commit/commits.ts';
import { readDimensionTables } from '../../shared/store/facts/dimension-items.ts';
import { readFactHeads, readManifests } from '../../shared/store/facts/manifests.ts';
import { readAdGroup } from '../../shared/store/listings/ad-groups.ts';
import { readListingPage } from '../../shared/store/listings/listings.ts';
import { readUser } from '../../shared/store/listings/users.ts';
import { accountsOfUser, allPlacements, listingOfAccount } from '../../shared/store/table/item-keys.ts';
import { LISTINGS, PLA_DELIVERY } from '../http/support/network.ts';
import { openTestService, type TestService } from '../http/support/test-service.ts';

// A snapshot that is older than what the table retains: its process was stopped for longer than any request takes.

const MINUTE = 60_000;
const page = { offset: 0, size: 10 };

/** The network after `n` loads, each of which changes everything. */
function networkAt(n: number): Readonly<Record<string, readonly object[]>> {
  const listings = Object.entries(LISTINGS).map(([listing, rows]) => {
    const member = listing === 'contacts' ? 'firstName' : listing === 'addresses' ? 'companyName' : 'name';
    return [listing, rows.map((row) => ({ ...row, [member]: `${n}` }))];
  });
  const facts = PLA_DELIVERY.map((row) => ({ ...row, impressions: n + 1 }));
  return { ...Object.fromEntries(listings), 'facts/pla/delivery': facts };
}

let service: TestService;
let now = Date.now();

beforeAll(async () => {
  service = await openTestService({ files: networkAt(0), users: [] });
});
afterAll(() => service.close());

async function load(n: number, files = networkAt(n)): Promise<void> {
  now += 2 * MINUTE;
  await service.load(files, () => now);
}

const names = (rows: readonly Readonly<Record<string, unknown>>[]) => rows.map((row) => row.name ?? row.firstName);

const READS: Readonly<Record<string, (snapshot: Snapshot) => Promise<unknown>>> = {
  'a listing': async (snapshot) => names((await readListingPage(service.table, allPlacements, page, snapshot)).items),
  'a listing of an account': async (snapshot) =>
    names((await readListingPage(service.table, listingOfAccount('advertisers', 3), page, snapshot)).items),
  'the accounts of a user': async (snapshot) =>
    names((await readListingPage(service.table, accountsOfUser('zoe'), page, snapshot)).items),
  'a user': async (snapshot) => (await readUser(service.table, 'zoe', snapshot))?.name,
  'an ad group': async (snapshot) => (await readAdGroup(service.table, 702, snapshot))?.version.total,
  'a dimension table': async (snapshot) =>
    (await readDimensionTables(service.table, 'campaigns', [11], snapshot)).get(11)?.rows,
  'a fact head': async (snapshot) => (await readFactHeads(service.table, [11], snapshot)).get(11)?.advertiserId,
  'a manifest': async (snapshot) => {
    const ref = { advertiserId: 11, experience: 'pla', table: 'delivery', month: '2026-02' } as const;
    return (await readManifests(service.table, [ref], snapshot)).length;
  },
};

test('what a commit saw is read at the current one instead, or is STORE_INCONSISTENT for a given commit, once it has been deleted', async () => {
  const old = await readCommit(service.table);
  const readAll = (snapshotOf: () => Snapshot) =>
    Promise.all(
      Object.entries(READS).map(async ([name, read]) => {
        const found = await read(snapshotOf()).catch((error: unknown) => Object(error).code);
        return [name, found] as const;
      }),
    );
  /** @returns a reader that reads the commit once, because its clock stands still */
  const startStopped = async () => {
    const reader = new CommitReader(service.table, () => 0);
    await reader.current();
    return reader;
  };
  const stopped = await Promise.all(Object.keys(READS).map(startStopped));
  const expectedAt = (n: string) => [
    ['a listing', [n, n]],
    ['a listing of an account', [n, n]],
    ['the accounts of a user', [n]],
    ['a user', n],
    ['an ad group', 2],
    ['a dimension table', 1],
    ['a fact head', 11],
    ['a manifest', 1],
  ];
  expect(await readAll(() => old)).toEqual(expectedAt('0'));
  for (const n of [1, 2, 3]) await load(n);
  expect(await readAll(() => stopped.pop() ?? old)).toEqual(expectedAt('3'));
  expect(await readAll(() => old)).toEqual(Object.keys(READS).map((name) => [name, 'STORE_INCONSISTENT']));
});

test('what is new since a commit does not exist at it, which takes one more read of the commit', async () => {
  const before = await readCommit(service.table);
  const added = { userId: 'new', name: 'New', userType: 'CPG', accountIds: [1] };
  await load(4, { users: [...(networkAt(4).users ?? []), added] });
  const meter = { readUnits: 0, writeUnits: 0, calls: 0 };
  const read = (snapshot: Snapshot) =>
    readListingPage(service.table.metered(meter), accountsOfUser('new'), page, snapshot);
  expect([await read(before), meter.calls]).toEqual([{ items: [], total: 0 }, 2]);
  expect(names((await read(await readCommit(service.table))).items)).toEqual(['3']);
});
