import { describe, expect, test } from 'vitest';
import { readCommit } from '../../shared/store/commit/commits.ts';
import { openTable } from '../../shared/store/table/table.ts';
import { pacedWrites } from '../../shared/store/table/write-rate.ts';
import { type Capacity, type MeteredTable, meterTable } from '../support/metered-table.ts';
import type { TestTable } from '../support/table.ts';
import { useEngine } from '../support/use-engine.ts';
import { loadRows } from './support/load-rows.ts';
import { FACTS, type FolderRows, NETWORK } from './support/network-rows.ts';
import { readStoredNetwork } from './support/read-stored-network.ts';

const engine = useEngine();

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

/** Loads ROWS through a metering proxy. @returns the table, and the proxy, which has counted the units */
async function loadThrough(
  capacity: Capacity,
  maxStallMs: number,
): Promise<{ made: TestTable; metered: MeteredTable }> {
  const made = await engine.createTable();
  const metered = await meterTable(made.endpoint, capacity);
  const { tableName } = made;
  const options = { endpoint: metered.endpoint, region: 'us-east-1', requestMs: 30_000 };
  const table = openTable({ tableName, ...options, throttling: pacedWrites(maxStallMs) });
  try {
    expect((await loadRows(ROWS, table)).outcome).toBe('loaded');
  } finally {
    await metered[Symbol.asyncDispose]();
  }
  return { made, metered };
}

describe('a load into a table that throttles', () => {
  test('is paced and has the same result if the table accepts, per second, a tenth of the load’s write units', async () => {
    const free = await loadThrough({}, 60_000);
    const demand = free.metered.units.accepted;
    expect(demand).toBeGreaterThan(150); // so that it takes seconds at a tenth per second
    expect(free.metered.units.rejected).toBe(0);

    const slow = await loadThrough({ table: demand / 10 }, 60_000);
    expect(await readStoredNetwork(slow.made.table)).toEqual(await readStoredNetwork(free.made.table));
    const { accepted, rejected } = slow.metered.units;
    expect(rejected).toBeGreaterThan(0);
    expect(rejected / (accepted + rejected)).toBeLessThan(0.5); // without pacing, most would be rejected
  });

  test('succeeds where each partition key accepts only 10 write units per second', async () => {
    const { made, metered } = await loadThrough({ partition: 10 }, 60_000);
    expect((await readStoredNetwork(made.table)).latestDelivery).toMatchObject({ toa: '2026-03-31' }); // the last day of ROWS
    expect(metered.units.rejected).toBeGreaterThan(0);
  });

  test('fails when the table rejects everything for too long, and leaves nothing visible', async () => {
    const { metered: free } = await loadThrough({}, 60_000);
    const made = await engine.createTable();
    await using metered = await meterTable(made.endpoint, { total: free.units.accepted / 2 });
    const options = { endpoint: metered.endpoint, region: 'us-east-1', requestMs: 30_000 };
    const table = openTable({ tableName: made.tableName, ...options, throttling: pacedWrites(300) });
    const lease = { silenceMs: 600_000 }; // a busy machine may otherwise lose it first
    await expect(loadRows(ROWS, table, { lease })).rejects.toMatchObject({ code: 'STORE_BUSY' });
    expect(metered.units.accepted).toBeGreaterThan(free.units.accepted / 4); // much was written before
    expect((await readCommit(made.table)).commit).toBe(0);
    expect((await made.content()).some(({ pk }) => pk.startsWith('FACTS#'))).toBe(true); // no reader sees it, and the next load removes it
  });
});
