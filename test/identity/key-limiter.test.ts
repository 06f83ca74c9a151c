import { describe, expect, test, vi } from 'vitest';
import { KeyLimiter } from '../../shared/identity/key-limiter.ts';
import { readUsage } from '../../shared/identity/key-usage.ts';
import type { ApiKey } from '../../shared/identity/keys/key-record.ts';
import type { KeyLimits } from '../../shared/identity/keys/key-rights.ts';
import { systemClock } from '../../shared/lib/clock.ts';
import { Table } from '../../shared/store/table/table.ts';
import { FREEZES, stopClock } from '../support/test-clock.ts';
import { useTablePerTest } from '../support/use-engine.ts';

const KEY: ApiKey = { id: 'a', digest: 'a', userId: 'ana', createdAt: 0, expiresAt: 1 };
const NOON = Date.UTC(2026, 2, 1, 12);

const made = useTablePerTest();
let now = NOON;

/** Instances that share the table; `writes` counts their writes, which fail while `isDown`. */
function startInstances(count: number, limits: KeyLimits) {
  now = NOON;
  const calls = { writes: 0, isDown: false, last: Promise.resolve() as Promise<unknown> };
  const table = Object.create(made.table, {
    metered: { value: () => table },
    updateAndGet: {
      value: (...given: Parameters<Table['updateAndGet']>) => {
        calls.writes += 1;
        const written = calls.isDown ? Promise.reject(new Error('unreachable')) : made.table.updateAndGet(...given);
        calls.last = written.catch(() => undefined);
        return written;
      },
    },
  });
  const limiters = Array.from(
    { length: count },
    () =>
      new KeyLimiter(
        table,
        () => now,
        limits,
        () => now,
      ),
  );
  const instance = (index: number) =>
    limiters[index % count] ??
    new KeyLimiter(
      table,
      () => now,
      limits,
      () => now,
    );
  /** Sends requests to the instances in turn, `everyMs`. @returns how many are admitted */
  const admit = async (requests: number, { everyMs = 0, readUnits = 0 } = {}) => {
    let admitted = 0;
    for (let request = 0; request < requests; request += 1) {
      const { rejection, end } = instance(request).admit(KEY);
      await calls.last;
      if (rejection === undefined) admitted += 1;
      if (rejection === undefined) await end(readUnits);
      now += everyMs;
    }
    await calls.last;
    return admitted;
  };
  return {
    calls,
    instance,
    admit,
    start: () =>
      new KeyLimiter(
        table,
        () => now,
        limits,
        () => now,
      ),
  };
}

describe('the requests per minute of a key', () => {
  test('are counted over all instances, and start again with each minute', async () => {
    const { admit } = startInstances(4, { requestsPerMinute: 600 });
    expect(await admit(1_200, { everyMs: 40 })).toBeLessThanOrEqual(600 + 4 * 20);
    now += 60_000;
    expect(await admit(580, { everyMs: 90 })).toBe(580);
  });

  test('are all admitted below the limit, however many instances there are; beyond it, each instance admits one more at most', async () => {
    const { admit } = startInstances(50, { requestsPerMinute: 60 });
    expect(await admit(60, { everyMs: 900 })).toBe(60);
    expect(await admit(50, { everyMs: 10 })).toBeLessThanOrEqual(50);
    expect(await admit(50, { everyMs: 10 })).toBe(0);
  });

  test('are settled with one write per second or 20 requests of an instance', async () => {
    const { admit, calls } = startInstances(1, { requestsPerMinute: 10_000, dailyReadUnits: 1e6 });
    await admit(100, { everyMs: 100, readUnits: 1 });
    expect(calls.writes).toBe(10);
    calls.writes = 0;
    await admit(201);
    expect(calls.writes).toBe(11);
  });

  test('are not written by a key that has no limits', async () => {
    const { admit, calls, instance } = startInstances(1, {});
    expect([await admit(10), calls.writes]).toEqual([10, 0]);
    expect(instance(0).admit(KEY).headers()).toEqual({});
  });

  test('cost nothing beyond the limit', async () => {
    const { admit, calls } = startInstances(1, { requestsPerMinute: 20 });
    expect(await admit(30)).toBe(20);
    calls.writes = 0;
    expect([await admit(100, { everyMs: 100 }), calls.writes]).toEqual([0, 0]);
  });

  test.each(FREEZES)('an instance %s adds what it has counted to the totals', async (_, clocksAfter) => {
    const clock = stopClock();
    using _clock = { [Symbol.dispose]: clock.release };
    const updateAndGet = vi.fn(async () => ({}));
    const table = Object.create(Table.prototype, {
      metered: { value: () => table },
      updateAndGet: { value: updateAndGet },
    });
    const limiter = new KeyLimiter(table, systemClock, { dailyReadUnits: 1_000 });
    limiter.admit(KEY);
    limiter.admit(KEY);
    clock.advance(...clocksAfter(1_100));
    limiter.admit(KEY);
    await vi.waitFor(() => expect(updateAndGet).toHaveBeenCalledTimes(2));
  });

  test('do not wait for the table', () => {
    const table = Object.create(Table.prototype, {
      metered: { value: () => table },
      updateAndGet: { value: () => new Promise(() => undefined) },
    });
    const limiter = new KeyLimiter(
      table,
      () => NOON,
      { requestsPerMinute: 1_200, dailyReadUnits: 1e6 },
      () => NOON,
    );
    for (let request = 0; request < 100; request += 1) expect(limiter.admit(KEY).rejection).toBeUndefined();
  });

  test('are not limited while the table cannot be reached, and are again afterwards', async () => {
    const { admit, calls } = startInstances(1, { requestsPerMinute: 60 });
    calls.isDown = true;
    expect(await admit(500, { everyMs: 50 })).toBe(500);
    calls.isDown = false;
    now += 60_000;
    expect(await admit(200)).toBe(60);
  });

  test('outside the operations and addresses of a key have counts of their own', async () => {
    const { instance } = startInstances(1, { requestsPerMinute: 2 });
    const limiter = instance(0);
    const forbidden = [1, 2, 3].map(() => limiter.admit(KEY, true).rejection?.retryAfterS);
    expect(forbidden).toEqual([undefined, undefined, 60]);
    expect(limiter.admit(KEY).rejection).toBeUndefined();
  });

  test('of past minutes are removed from the item of the day', async () => {
    const { admit } = startInstances(2, { requestsPerMinute: 600 });
    await admit(20, { everyMs: 30_000 });
    const [item] = await made.content();
    expect(Object.keys(item ?? {}).filter((name) => name.startsWith('requests')).length).toBeLessThanOrEqual(3);
  });
});

describe('the read units of a day', () => {
  test('are counted over all instances, and start again with each day', async () => {
    const { admit } = startInstances(8, { dailyReadUnits: 2_000 });
    const admitted = await admit(400, { everyMs: 1_100, readUnits: 10 });
    expect(admitted).toBeGreaterThanOrEqual(200);
    expect(admitted).toBeLessThanOrEqual(200 + 2 * 8);
    now += 86_400_000;
    expect(await admit(100, { everyMs: 1_100, readUnits: 10 })).toBe(100);
  });

  test('once used up, are left for one request of a new instance, and for no report', async () => {
    const { admit, start, calls } = startInstances(1, { dailyReadUnits: 100 });
    await admit(20, { everyMs: 1_100, readUnits: 10 });
    const limiter = start();
    const admission = limiter.admit(KEY);
    expect(admission.rejection).toBeUndefined();
    expect(await admission.startReport()).toMatchObject({
      reason: 'The API key has used its 100 read units of this day (UTC).',
    });
    await calls.last;
    expect(limiter.admit(KEY).rejection).toMatchObject({ retryAfterS: 12 * 3600 - 22 });
  });

  test('of a report are settled at its end', async () => {
    const { instance, start } = startInstances(1, { dailyReadUnits: 100 });
    const admission = instance(0).admit(KEY);
    await admission.startReport();
    await admission.end(250);
    expect(await start().admit(KEY).startReport()).toMatchObject({ retryAfterS: 12 * 3600 });
  });
});

describe('the write units of counting', () => {
  test('are those of each settlement, taken once, that of a report’s end by the next request', async () => {
    const limiter = new KeyLimiter(made.table, () => now, { concurrentReports: 2 });
    const first = limiter.admit(KEY); // settles in the background
    await first.startReport();
    expect([first.takeWriteUnits(), first.takeWriteUnits()]).toEqual([2, 0]);
    await first.end(1);
    const second = limiter.admit(KEY);
    expect([second.takeWriteUnits(), second.takeWriteUnits()]).toEqual([1, 0]);
  });
});

describe('the use of a key', () => {
  const DAY_MS = 86_400_000;

  test('is that of the last 7 days (UTC), of all instances', async () => {
    const { admit } = startInstances(3, { requestsPerMinute: 1_200 });
    for (let day = 0; day < 9; day += 1) {
      await admit(30, { everyMs: 1_100, readUnits: 2 });
      now += DAY_MS - 30 * 1_100;
    }
    now -= DAY_MS; // the last of the nine days
    const [used, unused] = await readUsage(made.table, ['a', 'b'], now);
    expect(used?.requests).toBe(7 * 30);
    expect(used?.readUnits).toBeGreaterThan(7 * (2 * 30 - 3 * 2) - 1); // each instance has not settled its last request
    expect(used?.readUnits).toBeLessThanOrEqual(7 * 2 * 30);
    expect(unused).toBeUndefined();
  });

  test('expires when no list shows it any more', async () => {
    await startInstances(1, { requestsPerMinute: 60 }).admit(2);
    const [item] = await made.content();
    expect(Number(item?.expiresAt) * 1000).toBe(NOON + 8 * DAY_MS);
  });
});

describe('the concurrent reports of a key', () => {
  const EXCEEDED = { reason: 'The API key may run 2 reports at the same time.', retryAfterS: 1 };

  test('are limited exactly over all instances, and run again when others have ended', async () => {
    const { instance } = startInstances(8, { concurrentReports: 2 });
    const reports = Array.from({ length: 8 }, (_, index) => instance(index).admit(KEY));
    const outcomes = await Promise.all(reports.map((report) => report.startReport()));
    expect(outcomes.filter((outcome) => outcome === undefined)).toHaveLength(2);
    expect(outcomes.filter((outcome) => outcome !== undefined)).toEqual(Array.from({ length: 6 }, () => EXCEEDED));
    for (const report of reports) await report.end(1);
    const again = instance(0).admit(KEY);
    expect(await again.startReport()).toBeUndefined();
    await again.end(1);
  });

  test('of a crashed instance end after 30 seconds, and no longer take space', async () => {
    const { instance } = startInstances(2, { concurrentReports: 1 });
    expect(await instance(0).admit(KEY).startReport()).toBeUndefined();
    now += 29_000;
    const rejected = instance(1).admit(KEY);
    expect(await rejected.startReport()).toMatchObject({ retryAfterS: 1 });
    await rejected.end(1);
    now += 1_000;
    const admission = instance(1).admit(KEY);
    expect(await admission.startReport()).toBeUndefined();
    await admission.end(1);
    now += 1_000;
    const last = instance(1).admit(KEY);
    await last.startReport();
    await last.end(1);
    const [item] = await made.content();
    expect(Object.keys(item ?? {}).filter((name) => name.startsWith('report'))).toHaveLength(1);
  });

  test('are not limited while the table cannot be reached', async () => {
    const { instance, calls } = startInstances(1, { concurrentReports: 1 });
    calls.isDown = true;
    const reports = [1, 2, 3].map(() => instance(0).admit(KEY));
    expect(await Promise.all(reports.map((report) => report.startReport()))).toEqual([undefined, undefined, undefined]);
  });
});

describe('the headers', () => {
  test('state the limits, what is left, and when it is restored, as structured fields', async () => {
    const limits = { requestsPerMinute: 1_200, concurrentReports: 4, dailyReadUnits: 200_000 };
    const { instance } = startInstances(1, limits);
    now = Date.UTC(2026, 2, 1, 23, 59, 18);
    const admission = instance(0).admit({ ...KEY, dailyReadUnits: 1_000 });
    await admission.end(2.5);
    expect(admission.headers()).toEqual({
      'RateLimit-Policy':
        '"requests";q=1200;w=60, "read-units";q=1000;w=86400;qu="read-units", "reports";q=4;qu="concurrent-requests"',
      RateLimit: '"requests";r=1199;t=42, "read-units";r=990;t=42', // 997.5 in steps of 1 %
    });
  });
});
