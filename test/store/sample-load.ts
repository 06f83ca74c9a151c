import { createHash } from 'node:crypto';
import { type MonthRef, type PartitionRef, PLATFORM_ID } from '../../shared/layout/partitions.ts';
import type { CommitState, CommitWriter } from '../../shared/store/commit/commits.ts';
import { writeDimensionTable } from '../../shared/store/facts/dimension-items.ts';
import { FactWriter } from '../../shared/store/facts/fact-writer.ts';
import { readOf } from '../../shared/store/facts/stored-rollups.ts';
import { readAdvertisersOfAccounts, writeAccountAdvertisers } from '../../shared/store/listings/account-advertisers.ts';
import { readAdGroup, readAdGroupProducts, writeAdGroups } from '../../shared/store/listings/ad-groups.ts';
import { readListingPage, writeListing } from '../../shared/store/listings/listings.ts';
import { readUser, writeUsers } from '../../shared/store/listings/users.ts';
import { openSegmentSource } from '../../shared/store/segment-source.ts';
import { type Key, listingOfAccount, productsOfAdvertiser, STATE_KEY } from '../../shared/store/table/item-keys.ts';
import type { Meter, Table } from '../../shared/store/table/table.ts';
import { dayOf, rowsOf } from './fact-days.ts';

const MAY: PartitionRef = { advertiserId: 7, experience: 'pla', table: 'delivery', month: '2026-05' };
const MONTH: MonthRef = { advertiserId: 7, experience: 'pla', month: '2026-05' };
const PAGE = { offset: 0, size: 100 };

/** Writes data of every kind that the store has; a different seed changes, adds and removes some of each kind. Seed 4 has no rollups. */
export async function writeSample(writer: CommitWriter, seed: number): Promise<void> {
  const named = (count: number) => Array.from({ length: count }, (_, id) => ({ id, name: `item ${id} of ${seed}` }));
  const bytes = (length: number) => new Uint8Array(length).fill(seed);
  const products = productsOfAdvertiser(7, [seed, 2, 3]);
  await writeListing(writer, listingOfAccount('contacts', 1), () => named(3 + seed));
  await writeListing(writer, products, () => named(5));
  await writeUsers(writer, [
    { userId: 'u-1', name: `User of ${seed}`, userType: 'AGENCY', accountIds: [1, 10 + seed] },
    { userId: `u-${10 + seed}`, name: 'Changing', userType: 'CPG', accountIds: [1] },
  ]);
  await writeAccountAdvertisers(writer, 1, [7, 70 + seed]);
  await writeDimensionTable(writer, 'campaigns', 7, { rows: seed, columns: new Map([['id', bytes(100)]]) });
  await writeDimensionTable(writer, 'products', 7, { rows: seed, columns: new Map([['id', bytes(20_000)]]) });
  const facts = new FactWriter(writer);
  await facts.writeDay(MAY, 1, rowsOf(seed, 50, true));
  await facts.writeDay(MAY, 1 + seed, dayOf(seed, { clicks: 360_000, cost: 9 }));
  if (seed !== 4) {
    const columns = new Map([['delivery/users_0', bytes(7)]]);
    const rollup = { rows: new Map([['delivery', seed]] as const), packed: bytes(30), columns };
    await facts.writeRollup(MONTH, rollup);
  }
  await facts.finish();
  await writeAdGroups(writer, [
    { adGroupId: 5, advertiserId: 7, accountIds: [1], products },
    { adGroupId: 50 + seed, advertiserId: 7, accountIds: [1], products },
  ]);
}

/** @returns all data that `writeSample` writes with any of the seeds 1–9, as readers see it at `state` */
export async function readSample(table: Table, state: CommitState): Promise<unknown> {
  const seeds = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  const source = openSegmentSource(table, state);
  const [manifest] = await source.manifests([MAY]);
  const days = [];
  for await (const { run, columns } of source.runs([
    { ref: MAY, runs: manifest?.runs ?? [], columns: ['clicks', 'cost'] },
  ])) {
    days.push({ day: run.day, rows: run.rows, columns: digestBytes(columns) });
  }
  const heads = await source.factHeads([PLATFORM_ID, 7]);
  const entry = heads.get(7)?.rollups?.get('pla')?.get(MONTH.month);
  const rollups = [];
  for await (const { encoded } of source.rollups(entry ? [readOf({ ref: MONTH, entry })] : [])) {
    rollups.push(digestBytes(new Map([['packed', encoded.packed], ...encoded.columns])));
  }
  const adGroups = await Promise.all([5, ...seeds.map((seed) => 50 + seed)].map((id) => readAdGroup(table, id, state)));
  return {
    contacts: await readListingPage(table, listingOfAccount('contacts', 1), PAGE, state),
    products: await Promise.all(adGroups.map((found) => found && readAdGroupProducts(table, found, PAGE))),
    users: await Promise.all(['u-1', ...seeds.map((seed) => `u-${10 + seed}`)].map((id) => readUser(table, id, state))),
    advertisers: await readAdvertisersOfAccounts(table, [1, 2], state),
    campaigns: digestBytes((await source.dimensionTables('campaigns', [7], ['id'])).get(7)?.columns),
    productTable: digestBytes((await source.dimensionTables('products', [7], ['id'])).get(7)?.columns),
    heads,
    days,
    rollups,
  };
}

/** @returns the table as used by a process that is killed at its n-th call: that call and all later ones fail */
export function dieAtCall(table: Table, calls: number): Table {
  const death = new AbortController();
  let made = 0;
  const meter: Meter = {
    readUnits: 0,
    writeUnits: 0,
    get calls() {
      return made;
    },
    set calls(count: number) {
      made = count;
      if (made >= calls) death.abort(new Error('killed'));
    },
  };
  return table.withSignal(death.signal).metered(meter);
}

/** Makes the lease of a killed load expire now, so that tests neither wait for that nor depend on how fast the machine is. */
export async function expireLease(table: Table): Promise<void> {
  const change = { text: 'SET #lease.#silenceMs = :ms', values: { ms: 1 } };
  await table.update(STATE_KEY, change, { text: 'attribute_exists(#lease)' });
}

/** @returns the keys that contain the load's number */
export function keysOfLoad(items: readonly Key[], n: number): string[] {
  const number = new RegExp(`[ #]${String(n).padStart(10, '0')}(#|$)`);
  return items.map(({ pk, sk }) => `${pk} ${sk}`).filter((key) => number.test(key));
}

/** @returns the value with digests instead of bytes, which are much faster to compare, and objects instead of maps with texts as keys */
export function digestBytes(value: unknown): unknown {
  if (value instanceof Uint8Array) return createHash('sha256').update(value).digest('hex');
  if (Array.isArray(value)) return value.map(digestBytes);
  if (value instanceof Map) return digestBytes(Object.fromEntries(value));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, digestBytes(member)]));
}
