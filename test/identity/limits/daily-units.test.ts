import { describe, expect, test } from 'vitest';
import type { ApiKey } from '../../../shared/identity/key-record.ts';
import { KeyLimiter } from '../../../shared/identity/limits/key-limiter.ts';
import { openCounters } from './counters.ts';

const KEY: ApiKey = { id: 'a', digest: 'a', userId: 'ana', createdAt: 0, expiresAt: 1 };

describe('the read units of a day', () => {
  test('are held within 20 percent over eight instances, with at most one write per 20 requests', async () => {
    let now = Date.UTC(2026, 2, 1);
    const { table, counters } = openCounters();
    const limiters = Array.from({ length: 8 }, () => new KeyLimiter(table, () => now, { dailyReadUnits: 200_000 }));
    for (const _day of [1, 2]) {
      let used = 0;
      counters.writes = 0;
      for (let request = 0; request < 10_000; request += 1) {
        const admission = await limiters[request % 8]?.admit(KEY);
        if (admission?.rejection === undefined) {
          used += 50;
          await admission?.charge(50);
        } else expect(admission.rejection.reason).toBe('The API key has used its 200000 read units of this day (UTC).');
        await Promise.resolve();
        now += 1_000;
      }
      expect(Math.abs(used - 200_000)).toBeLessThanOrEqual(40_000);
      expect(counters.writes).toBeLessThanOrEqual(10_000 / 20);
      now = Math.ceil(now / 86_400_000) * 86_400_000;
    }
  });

  /** A report of 720 units was taken from the limit of 200 of this day and the next two. */
  test.each([
    ['one report', 1],
    ['reports of 50 instances', 50],
  ])('are whole on the day after they were exceeded by %s', async (_, instances) => {
    let now = Date.UTC(2026, 2, 1, 23, 57);
    const { table } = openCounters();
    const limiters = Array.from(
      { length: instances },
      () => new KeyLimiter(table, () => now, { dailyReadUnits: 2_000 }),
    );
    const admissions = await Promise.all(limiters.map((limiter) => limiter.admit(KEY)));
    await Promise.all(admissions.map((admission) => admission.charge(2_480)));
    expect((await limiters[0]?.admit(KEY))?.rejection).toMatchObject({ retryAfterS: 180 });
    now += 180_000;
    let used = 0;
    for (let request = 0; request < 3_000; request += 1) {
      const admission = await limiters[0]?.admit(KEY);
      if (admission?.rejection !== undefined) continue;
      used += 1;
      await admission?.charge(1);
    }
    expect(used).toBe(2_000);
  });

  /** Each of 200 new instances used a four-hundredth of the day's units once more: half of the limit. */
  test('are not used again by new instances once they are used up: each of them serves one request', async () => {
    const { table } = openCounters();
    const start = () => new KeyLimiter(table, () => Date.UTC(2026, 2, 1, 12), { dailyReadUnits: 200_000 });
    let used = 0;
    const useUp = async (limiter: KeyLimiter) => {
      for (;;) {
        const admission = await limiter.admit(KEY);
        if (admission.rejection !== undefined) return;
        used += 5;
        await admission.charge(5);
      }
    };
    await useUp(start());
    const before = used;
    expect(Math.abs(before - 200_000)).toBeLessThanOrEqual(40_000);
    for (let instance = 0; instance < 200; instance += 1) await useUp(start());
    expect(used - before).toBe(200 * 5);
  });

  test('are read once a minute by an instance that does not lease, and not by one that does', async () => {
    let now = Date.UTC(2026, 2, 1);
    const { table, counters } = openCounters();
    const limiter = new KeyLimiter(table, () => now, { dailyReadUnits: 200_000 });
    const requests = async (unitsPerMinute: number) => {
      counters.reads = 0;
      for (let request = 0; request < 600; request += 1) {
        await (await limiter.admit(KEY)).charge(unitsPerMinute / 60);
        now += 1_000;
      }
      return counters.reads;
    };
    expect(await requests(1)).toBe(10);
    expect(await requests(3_000)).toBeLessThanOrEqual(1);
  });

  test('are read again after a second if they could not be read', async () => {
    let now = Date.UTC(2026, 2, 1);
    const { table, counters } = openCounters();
    const limiter = new KeyLimiter(table, () => now, { dailyReadUnits: 200_000 });
    counters.failing = true;
    for (let request = 0; request < 10; request += 1) {
      expect((await limiter.admit(KEY)).rejection).toBeUndefined();
      await Promise.resolve();
      now += 250;
    }
    expect(counters.reads).toBe(3);
  });
});
