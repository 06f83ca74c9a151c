import { performance } from 'node:perf_hooks';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { DayColumns } from '../../../shared/catalog/partitions.ts';
import { Calibration } from '../../../shared/report/guard/calibration.ts';
import { run, sourceOf } from './declared-source.ts';

/** Those of `sourceOf`. */
const KEYWORDS_PER_DAY = 10;

/** An instance on a processor that is `slowness` times as slow as the estimate says; its busy clock advances only while it scans. */
function createInstance(slowness: number) {
  let busySeconds = 0;
  const clock = { now: 0 };
  const calibration = new Calibration(
    () => busySeconds,
    () => clock.now,
  );
  /** Finishes a report of 31 days, two columns and no groups: 12 ns per value, 0.5 ms per column, 20 µs per day and 150 ns per keyword are estimated. */
  const finish = async (userId: string, rowsPerDay = 1_000_000, failure?: Error) => {
    const days = async function* (): AsyncGenerator<DayColumns> {
      busySeconds += slowness * 31 * (rowsPerDay * 2 * 12e-9 + 2 * 0.0005 + 20e-6 + KEYWORDS_PER_DAY * 150e-9);
      if (failure !== undefined) throw failure;
      yield* [];
    };
    await run({ ...sourceOf(rowsPerDay), days }, { calibration, userId });
  };
  return { calibration, finish, clock };
}

const USERS = ['ben', 'cleo', 'dan', 'eve', 'fay'] as const;

afterEach(() => {
  vi.restoreAllMocks();
});

describe('the cost factor of an instance', () => {
  // 7.8 s for 310 MB from the table, and 3.9 s of processor time
  const large = sourceOf(5_000_000);

  it('lets a slow instance reject a report that others accept', async () => {
    const slow = createInstance(2.9);
    for (const user of USERS.slice(0, 3)) {
      await expect(run(large, slow)).rejects.toThrow('the facts were read');
      await slow.finish(user);
    }
    expect(slow.calibration.factor).toBeCloseTo(2.9, 1);
    await expect(run(large, slow)).rejects.toMatchObject({ code: 'REPORT_TOO_EXPENSIVE' });

    const fast = createInstance(0.1);
    for (const user of USERS) await fast.finish(user);
    expect(fast.calibration.factor).toBe(1);
    await expect(run(large, fast)).rejects.toThrow('the facts were read');
  });

  it('does not change the estimate in a rejection, so that a rejection does not disclose what other users have requested', async () => {
    const [slow, slower] = [createInstance(2.8), createInstance(1_000)];
    for (const user of USERS) for (const instance of [slow, slower]) await instance.finish(user);
    expect([slow.calibration.factor, slower.calibration.factor]).toEqual([expect.closeTo(2.8, 1), 3]);
    const [rejection, other] = await Promise.all(
      [slow, slower].map((instance) => run(large, instance).catch((error: unknown) => error)),
    );
    expect(rejection).toMatchObject({
      message: expect.stringContaining(
        'and take about 12 seconds, and more now, because the service is slower than usual; the limit is 18 seconds.',
      ),
      fields: [expect.objectContaining({ detail: expect.stringContaining('at most about 15 days') })],
    });
    expect(JSON.stringify([other, String(other)])).toBe(JSON.stringify([rejection, String(rejection)]));
  });

  it('does not change before reports of three users were slow, so that two users cannot make it reject those of others', async () => {
    const { calibration, finish } = createInstance(8);
    for (let report = 0; report < 10; report++) for (const user of USERS.slice(0, 2)) await finish(user);
    expect(calibration.factor).toBe(1);
    await expect(run(large, { calibration })).rejects.toThrow('the facts were read');
    await finish('dan');
    expect(calibration.factor).toBe(3);
  });

  it('falls again once the reports of three of five users were faster', async () => {
    let slowness = 2.5;
    let busySeconds = 0;
    const calibration = new Calibration(() => busySeconds);
    const scan = async () => {
      busySeconds += slowness;
    };
    const finish = (user: string) => calibration.measure(user, scan, () => 1);
    for (const user of USERS) await finish(user);
    expect(calibration.factor).toBe(2.5);
    slowness = 1.5;
    for (const [i, expected] of [2.5, 2.5, 1.5, 1.5].entries()) {
      await finish(USERS[i] ?? '');
      expect(calibration.factor).toBe(expected);
    }
  });

  it('falls to 1 after ten minutes without reports, and after reports were rejected only because of it', async () => {
    const { calibration, finish, clock } = createInstance(3);
    for (const user of USERS) await finish(user);
    for (const userId of USERS.slice(0, 3)) {
      await expect(run(large, { calibration, userId })).rejects.toMatchObject({ code: 'REPORT_TOO_EXPENSIVE' });
    }
    await expect(run(large, { calibration })).rejects.toThrow('the facts were read');
    for (const user of USERS) await finish(user);
    clock.now = 599_999;
    expect(calibration.factor).toBeCloseTo(3, 5);
    for (let rejected = 0; rejected < 9; rejected++) {
      await expect(run(sourceOf(20_000_000), { calibration })).rejects.toThrow('take about 47 seconds; the limit');
    }
    expect(calibration.factor).toBeCloseTo(3, 5);
    clock.now = 600_000;
    expect(calibration.factor).toBe(1);
  });

  it('stays however often the reports of one user are rejected: three rejections once reset it', async () => {
    const { calibration, finish, clock } = createInstance(3);
    for (const user of USERS) await finish(user);
    const reject = () => expect(run(large, { calibration })).rejects.toMatchObject({ code: 'REPORT_TOO_EXPENSIVE' });
    for (let rejected = 0; rejected < 9; rejected++) await reject();
    expect(calibration.factor).toBeCloseTo(3, 5);
    clock.now = 599_999;
    await reject();
    for (const user of USERS) await finish(user);
    for (clock.now = 600_000; clock.now < 1_100_000; clock.now += 100_000) await reject();
    expect(calibration.factor).toBeCloseTo(3, 5);
  });

  it('forgets the oldest measurement that has not expired', async () => {
    const { calibration, finish, clock } = createInstance(3);
    for (const user of USERS.slice(0, 2)) await finish(user);
    clock.now = 599_999;
    for (const user of USERS.slice(2)) await finish(user);
    clock.now = 700_000;
    expect(calibration.factor).toBeCloseTo(3, 2);
    calibration.forgetOldest('ana');
    expect(calibration.factor).toBe(1); // those of two users are left
  });

  it('ignores small reports, and reports that fail', async () => {
    const { calibration, finish } = createInstance(2);
    for (const user of USERS.slice(0, 2)) await finish(user);
    for (const user of USERS) {
      await finish(user, 1_000);
      await expect(finish(user, 1_000_000, new Error('the table failed'))).rejects.toThrow('the table failed');
    }
    expect(calibration.factor).toBe(1);
    await finish('eve');
    expect(calibration.factor).toBeCloseTo(2, 1);
  });

  it('is measured by the time in which the event loop is busy, without the time in which it waits for reads', async () => {
    const time = { active: 0, idle: 0 };
    vi.spyOn(performance, 'eventLoopUtilization').mockImplementation(() => ({ ...time, utilization: 0 }));
    const waiting = new Calibration();
    const wait = async () => {
      time.idle += 1_200;
    };
    for (const user of USERS) await waiting.measure(user, wait, () => 0.4);
    expect(waiting.factor).toBe(1);
    const busy = new Calibration();
    const work = async () => {
      time.active += 1_200;
    };
    for (const user of USERS) await busy.measure(user, work, () => 0.6);
    expect(busy.factor).toBe(2);
  });
});
