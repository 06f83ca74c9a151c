import { describe, expect, test } from 'vitest';
import type { ApiKey } from '../../../shared/identity/key-record.ts';
import { KeyLimiter } from '../../../shared/identity/limits/key-limiter.ts';
import { openCounters } from './counters.ts';

const KEY: ApiKey = { id: 'a', digest: 'a', userId: 'ana', createdAt: 0, expiresAt: 1 };

describe('a report whose cost is far more than what an instance may use before it leases', () => {
  /** Of a limit of 2,000,000, an instance leases portions of 5,000 (a 400th), and may use two of them before it leases. */
  const REPORT_UNITS = 88_000;

  /** Runs a report as a request does. @returns whether it has run */
  async function report(limiter: KeyLimiter): Promise<boolean> {
    const admission = await limiter.admit(KEY);
    if (admission.rejection !== undefined) return false;
    const result = await admission.runReport(async () => ({ ran: true }));
    await admission.charge('ran' in result ? REPORT_UNITS : 1);
    return 'ran' in result;
  }

  test('does not run in new instances once the read units of the day are used up', async () => {
    const { table } = openCounters();
    const start = () => new KeyLimiter(table, () => Date.UTC(2026, 2, 1, 12), { dailyReadUnits: 2_000_000 });
    const warm = start();
    let ran = 0;
    while (await report(warm)) ran += 1;
    expect(ran * REPORT_UNITS).toBeGreaterThanOrEqual(0.8 * 2_000_000);
    for (let instance = 0; instance < 100; instance += 1) if (await report(start())) ran += 1;
    expect(ran * REPORT_UNITS).toBeLessThanOrEqual(1.2 * 2_000_000);
  });

  test.each([
    ['one unit', 1],
    ['half a portion', 2_500],
    ['two portions', 10_000],
  ])('does not run in instances that have used %s before the read units were used up elsewhere', async (_, used) => {
    let now = Date.UTC(2026, 2, 1, 8);
    const { table } = openCounters();
    const start = () => new KeyLimiter(table, () => now, { dailyReadUnits: 2_000_000 });
    const warm = Array.from({ length: 50 }, start);
    for (const limiter of warm) {
      const admission = await limiter.admit(KEY);
      await admission.runReport(async () => ({ ran: true }));
      await admission.charge(used);
    }
    now += 60_000;
    let units = 50 * used;
    const busy = start();
    while (await report(busy)) units += REPORT_UNITS;
    now += 300_000;
    for (const limiter of warm) if (await report(limiter)) units += REPORT_UNITS;
    expect(units).toBeGreaterThanOrEqual(0.8 * 2_000_000);
    expect(units).toBeLessThanOrEqual(1.2 * 2_000_000);
  });

  test('is aborted if the read units are used up, and its error is not lost otherwise', async () => {
    const { table } = openCounters();
    const start = () => new KeyLimiter(table, () => Date.UTC(2026, 2, 1, 12), { dailyReadUnits: 100_000 });
    const busy = start();
    while (await report(busy));
    const admission = await start().admit(KEY);
    const aborted = Promise.withResolvers<string>();
    const result = await admission.runReport(async (signal) => {
      signal.addEventListener('abort', () => aborted.resolve('aborted'));
      return aborted.promise.then(() => ({ ran: true }));
    });
    expect(result).toMatchObject({ reason: 'The API key has used its 100000 read units of this day (UTC).' });
    expect(await aborted.promise).toBe('aborted');
    const open = openCounters();
    const other = await new KeyLimiter(open.table, () => 0, { dailyReadUnits: 100_000 }).admit(KEY);
    await expect(other.runReport(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });

  test('is charged to the day even if each instance runs one report and is then lost', async () => {
    const { table } = openCounters();
    let ran = 0;
    for (let instance = 0; instance < 200; instance += 1) {
      const limiter = new KeyLimiter(table, () => Date.UTC(2026, 2, 1, 12), { dailyReadUnits: 2_000_000 });
      if (await report(limiter)) ran += 1;
    }
    expect(Math.abs(ran * REPORT_UNITS - 2_000_000)).toBeLessThanOrEqual(400_000);
  });

  test('runs while the counters cannot be reached, and does not once they show that the read units are used up', async () => {
    const { table, counters } = openCounters();
    counters.failing = true;
    const limiter = new KeyLimiter(table, () => 0, { dailyReadUnits: 2_000_000 });
    for (let i = 0; i < 30; i += 1) expect(await report(limiter)).toBe(true);
    counters.failing = false;
    await report(limiter); // leases what it owes
    expect(await report(limiter)).toBe(false);
  });

  test('does not take from the read units of the next day what was used while the counters could not be reached', async () => {
    let now = Date.UTC(2026, 2, 1, 12);
    const { table, counters } = openCounters();
    counters.failing = true;
    const limiter = new KeyLimiter(table, () => now, { dailyReadUnits: 2_000_000 });
    for (let i = 0; i < 60; i += 1) expect(await report(limiter)).toBe(true);
    counters.failing = false;
    await report(limiter);
    expect(await report(limiter)).toBe(false);
    now += 86_400_000;
    let ran = 0;
    while (await report(limiter)) ran += 1;
    expect(Math.abs(ran * REPORT_UNITS - 2_000_000)).toBeLessThanOrEqual(400_000);
  });
});
