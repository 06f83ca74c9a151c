import { describe, expect, test } from 'vitest';
import { readCommit } from '../../shared/store/commit/commits.ts';
import { pacedWrites } from '../../shared/store/table/write-rate.ts';
import { openMemoryTable } from '../support/memory-table.ts';
import { loadRows } from './support/load-rows.ts';
import { FACTS, type FolderRows, NETWORK } from './support/network-rows.ts';
import { readStoredNetwork } from './support/read-stored-network.ts';

/** Two months of facts whose rows all differ, so that a load writes many bytes. */
const ROWS: FolderRows = {
  ...NETWORK,
  ...FACTS,
  'facts/toa/delivery': Array.from({ length: 24_000 }, (_, i) => ({
    daily_date: new Date(Date.UTC(2026, 1, 1 + (i % 59))).toISOString().slice(0, 10),
    hour: i % 24,
    ad_group_id: i % 2 === 0 ? 1000 : 1100,
    entity_id: String((i * 7_919) % 1_000_003),
    impressions: (i * 31) % 997,
    cost: ((i * 17) % 100_003) / 1_000,
  })),
};

/** What the table and each of its partition keys accept; every other write is throttled. */
interface Capacity {
  /** Write units per second of the whole table; absent = unlimited. */
  readonly table?: number;
  /** Write units per second of one partition key; absent = unlimited. */
  readonly partition?: number;
  /** Write units in all, after which every write is rejected; absent = unlimited. */
  readonly total?: number;
}

/** Capacity that refills with time, from the first rejection on: a writer on a busy machine is then rejected, too. Unused capacity is kept for a second. */
class Bucket {
  readonly #perSecond: number;
  #left: number;
  #refilledAt: number | undefined;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
    this.#left = perSecond;
  }

  has(units: number): boolean {
    if (this.#perSecond === Number.POSITIVE_INFINITY) return true; // infinity × 0 ms would be NaN
    const now = performance.now();
    const refill = ((now - (this.#refilledAt ?? now)) / 1_000) * this.#perSecond;
    this.#left = Math.min(this.#left + refill, this.#perSecond);
    if (this.#refilledAt !== undefined) this.#refilledAt = now;
    const hasUnits = this.#left >= Math.min(units, this.#perSecond);
    if (!hasUnits) this.#refilledAt ??= now;
    return hasUnits;
  }

  take(units: number): void {
    this.#left -= units;
  }
}

/** @returns a table that throttles, and the units of writes that it has accepted and rejected */
function openThrottled(capacity: Capacity, maxStallMs = 60_000) {
  const ofTable = new Bucket(capacity.table ?? Number.POSITIVE_INFINITY);
  const partitions = new Map<string, Bucket>();
  const units = { accepted: 0, rejected: 0 };
  const accept = (pk: string, needed: number): boolean => {
    const ofPartition = partitions.get(pk) ?? new Bucket(capacity.partition ?? Number.POSITIVE_INFINITY);
    partitions.set(pk, ofPartition);
    const isFull = units.accepted >= (capacity.total ?? Number.POSITIVE_INFINITY);
    const isAccepted = !isFull && ofTable.has(needed) && ofPartition.has(needed);
    units[isAccepted ? 'accepted' : 'rejected'] += needed;
    if (isAccepted) for (const bucket of [ofTable, ofPartition]) bucket.take(needed);
    return isAccepted;
  };
  return { ...openMemoryTable('throttled', { accept, throttling: pacedWrites(maxStallMs) }), units };
}

async function loadThrottled(capacity: Capacity) {
  const opened = openThrottled(capacity);
  expect((await loadRows(ROWS, opened.table)).outcome).toBe('loaded');
  return opened;
}

describe('a load into a table that throttles', () => {
  test('is paced and has the same result if the table accepts, per second, a tenth of the load’s write units', async () => {
    const free = await loadThrottled({});
    const demand = free.units.accepted;
    expect(demand).toBeGreaterThan(150); // so that it takes seconds at a tenth per second
    expect(free.units.rejected).toBe(0);

    const slow = await loadThrottled({ table: demand / 10 });
    expect(await readStoredNetwork(slow.table)).toEqual(await readStoredNetwork(free.table));
    const { accepted, rejected } = slow.units;
    expect(rejected).toBeGreaterThan(0);
    expect(rejected / (accepted + rejected)).toBeLessThan(0.5); // without pacing, most would be rejected
  });

  test('succeeds where each partition key accepts only 10 write units per second', async () => {
    const { table, units } = await loadThrottled({ partition: 10 });
    expect((await readStoredNetwork(table)).latestDelivery).toMatchObject({ toa: '2026-03-31' }); // the last day of ROWS
    expect(units.rejected).toBeGreaterThan(0);
  });

  test('fails when the table rejects everything for too long, and leaves nothing visible', async () => {
    const { units: free } = await loadThrottled({});
    const { table, items, units } = openThrottled({ total: free.accepted / 2 }, 300);
    const lease = { silenceMs: 600_000 }; // a busy machine may otherwise lose it first
    await expect(loadRows(ROWS, table, { lease })).rejects.toMatchObject({ code: 'STORE_BUSY' });
    expect(units.accepted).toBeGreaterThan(free.accepted / 4); // much was written before
    expect((await readCommit(table)).commit).toBe(0);
    expect(items().some(({ pk }) => pk.startsWith('FACTS#'))).toBe(true); // no reader sees it, and the next load removes it
  });
});
