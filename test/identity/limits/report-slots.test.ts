import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { runInSlot } from '../../../shared/identity/limits/report-slots.ts';
import type { Meter } from '../../../shared/store/table/client.ts';
import { runningReportKey } from '../../../shared/store/table/keys.ts';
import { useTablePerTest } from '../../support/use-engine.ts';

const made = useTablePerTest();
const LIMIT = 2;
const slot = (digest = 'd') => ({ table: made.table, clock: Date.now, digest, limit: LIMIT });

/** A report that runs until `finish` is called, or its signal aborts. */
function openReport(id: string, digest?: string) {
  const { promise, resolve } = Promise.withResolvers<string>();
  let aborted = false;
  const outcome = runInSlot(slot(digest), async (signal) => {
    const abortion = new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => {
        aborted = true;
        reject(signal.reason);
      }),
    );
    return Promise.race([promise, abortion]);
  });
  return { outcome, finish: () => resolve(id), isAborted: () => aborted };
}

const storedReports = async () =>
  (await made.content()).filter(({ sk }) => sk.startsWith('REPORT#')).map(({ sk }) => sk);

describe('the concurrent reports of a key', () => {
  test('are limited: the last ones are aborted while they run, and the next ones run when others have ended', async () => {
    const first = [openReport('1'), openReport('2')];
    await expect.poll(storedReports).toHaveLength(LIMIT);
    const more = [openReport('3'), openReport('4')];
    expect(await Promise.all(more.map(({ outcome }) => outcome))).toEqual([undefined, undefined]);
    expect(more.map(({ isAborted }) => isAborted())).toEqual([true, true]);
    expect(await storedReports()).toHaveLength(LIMIT);
    const foreign = openReport('5', 'another key');
    foreign.finish();
    for (const { finish } of first) finish();
    expect(await Promise.all([...first, foreign].map(({ outcome }) => outcome))).toEqual(['1', '2', '5']);
    expect(await storedReports()).toEqual([]);
    const next = openReport('6');
    await expect.poll(storedReports).toHaveLength(1);
    next.finish();
    expect(await next.outcome).toBe('6');
  });

  test('are limited exactly even if many start together, where all have the same clock and writes are fast', async () => {
    const reports = Array.from({ length: 8 }, (_, index) => openReport(String(index)));
    const running = new Set(reports);
    for (const report of reports) void report.outcome.then((result) => result === undefined && running.delete(report));
    await expect.poll(() => running.size).toBe(LIMIT);
    await sleep(50);
    expect(running.size).toBe(LIMIT);
    for (const { finish } of reports) finish();
    const results = await Promise.all(reports.map(({ outcome }) => outcome));
    expect(results.filter((result) => result !== undefined)).toHaveLength(LIMIT);
    expect(await storedReports()).toEqual([]);
  });

  test('are not counted, and cost nothing, if they end within 100 ms', async () => {
    const meter: Meter = { readUnits: 0, writeUnits: 0, calls: 0 };
    const table = made.table.metered(meter);
    const results = Array.from({ length: 10 }, (_, index) => runInSlot({ ...slot(), table }, async () => index));
    expect(await Promise.all(results)).toEqual(Array.from({ length: 10 }, (_, index) => index));
    expect(meter.calls).toBe(0);
  });

  /** A sort of seconds has no turn of the event loop, so neither its timer ran nor was its slot taken before it ended. */
  test('are counted before they compute for long, without the timer', async () => {
    const original = globalThis.setTimeout;
    const spy = vi
      .spyOn(globalThis, 'setTimeout')
      .mockImplementation(((call: () => void, ms?: number) =>
        original(ms === 100 ? () => undefined : call, ms)) as typeof setTimeout);
    try {
      await runInSlot(slot(), async (_signal, expectMs) => {
        expectMs(99);
        await sleep(50);
        expect(await storedReports()).toEqual([]);
      });
      await runInSlot(slot(), async (_signal, expectMs) => {
        expectMs(100);
        await expect.poll(storedReports).toHaveLength(1);
      });
    } finally {
      spy.mockRestore();
    }
    expect(await storedReports()).toEqual([]);
  });

  test('are free again 30 seconds after an instance crashed', async () => {
    const crashedAt = Date.now() - 30_001;
    for (const id of ['a', 'b', 'c']) {
      await made.table.put({ ...runningReportKey('d', id), startedAt: crashedAt, endsAt: crashedAt + 30_000 });
    }
    const report = openReport('1');
    await expect.poll(storedReports).toHaveLength(4);
    await sleep(50);
    report.finish();
    expect(await report.outcome).toBe('1');
  });

  test('keep the error of a report that fails, and release its slot', async () => {
    const failing = runInSlot(slot(), async () => {
      await expect.poll(storedReports).toHaveLength(1);
      throw new Error('the report failed');
    });
    await expect(failing).rejects.toThrow('the report failed');
    expect(await storedReports()).toEqual([]);
  });
});
