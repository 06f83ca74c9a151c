import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { DayColumns } from '../../../shared/catalog/partitions.ts';
import { Calibration } from '../../../shared/report/plan/calibration.ts';
import { scanSecondsOf } from '../../../shared/report/plan/guard-cost.ts';
import { planReport } from '../../../shared/report/plan/plan-report.ts';
import type { ReportQuery } from '../../../shared/report/query.ts';
import { query, run, sourceOf } from './declared-source.ts';

/** An instance on a processor that is `slowness` times as slow as the estimate says; its clock of work advances only while it scans. */
function instanceOf(slowness: number) {
  let busySeconds = 0;
  const clock = { now: 0 };
  const calibration = new Calibration(
    () => busySeconds,
    () => clock.now,
  );
  /** Finishes a report of 31 days, two columns and no groups. */
  const finish = async (userId: string, rowsPerDay = 1_000_000, failure?: Error) => {
    const days = async function* (): AsyncGenerator<DayColumns> {
      busySeconds += slowness * 31 * (rowsPerDay * 2 * 12e-9 + 2 * 0.0005);
      if (failure !== undefined) throw failure;
      yield* [];
    };
    await run({ ...sourceOf(rowsPerDay), days }, { calibration, userId });
  };
  return { calibration, finish, clock };
}

const OTHERS = ['ben', 'cleo', 'dan', 'eve', 'fay'] as const;

describe('an instance corrects the estimate by its own reports', () => {
  // 7.8 s for 310 MB from the table, and 3.9 s of processor time
  const large = sourceOf(5_000_000);

  it('so that a slow one rejects a report that others accept', async () => {
    const slow = instanceOf(2.9);
    for (const user of OTHERS.slice(0, 3)) {
      await expect(run(large, slow)).rejects.toThrow('the facts were read');
      await slow.finish(user);
    }
    expect(slow.calibration.factor).toBeCloseTo(2.9, 1);
    await expect(run(large, slow)).rejects.toMatchObject({ code: 'REPORT_TOO_EXPENSIVE' });

    const fast = instanceOf(0.1);
    for (const user of OTHERS) await fast.finish(user);
    expect(fast.calibration.factor).toBe(1);
    await expect(run(large, fast)).rejects.toThrow('the facts were read');
  });

  it('with the usual estimate in the rejection, so that it does not tell what other users have asked for', async () => {
    const [slow, slower] = [instanceOf(2.8), instanceOf(1_000)];
    for (const user of OTHERS) for (const instance of [slow, slower]) await instance.finish(user);
    expect([slow.calibration.factor, slower.calibration.factor]).toEqual([expect.closeTo(2.8, 1), 3]);
    const [rejection, other] = await Promise.all(
      [slow, slower].map((instance) => run(large, instance).catch((error: unknown) => error)),
    );
    expect(rejection).toMatchObject({
      message: expect.stringContaining(
        'and take about 12 seconds, and more now, because the service is slower than usual; the limit is 18 seconds.',
      ),
      fields: [expect.objectContaining({ detail: expect.stringContaining('at most about 16 days') })],
    });
    expect(JSON.stringify([other, String(other)])).toBe(JSON.stringify([rejection, String(rejection)]));
  });

  it('but not by the reports of one user, who could make it reject those of others', async () => {
    const { calibration, finish } = instanceOf(8);
    for (let report = 0; report < 10; report++) for (const user of OTHERS.slice(0, 2)) await finish(user);
    expect(calibration.factor).toBe(1);
    await expect(run(large, { calibration })).rejects.toThrow('the facts were read');
    await finish('dan');
    expect(calibration.factor).toBe(3);
  });

  it('and accepts reports again once those of three of five users were fast enough', async () => {
    let slowness = 2.5;
    let busySeconds = 0;
    const calibration = new Calibration(() => busySeconds);
    const scan = async () => {
      busySeconds += slowness;
    };
    const finish = (user: string) => calibration.measure(user, scan, () => 1);
    for (const user of OTHERS) await finish(user);
    expect(calibration.factor).toBe(2.5);
    slowness = 1.5;
    for (const [i, expected] of [2.5, 2.5, 1.5, 1.5].entries()) {
      await finish(OTHERS[i] ?? '');
      expect(calibration.factor).toBe(expected);
    }
  });

  it('and after ten minutes without others, or after it has rejected reports, which it cannot measure', async () => {
    const { calibration, finish, clock } = instanceOf(3);
    for (const user of OTHERS) await finish(user);
    for (const userId of OTHERS.slice(0, 3)) {
      await expect(run(large, { calibration, userId })).rejects.toMatchObject({ code: 'REPORT_TOO_EXPENSIVE' });
    }
    await expect(run(large, { calibration })).rejects.toThrow('the facts were read');
    for (const user of OTHERS) await finish(user);
    clock.now = 599_999;
    expect(calibration.factor).toBeCloseTo(3, 5);
    for (let rejected = 0; rejected < 9; rejected++) {
      await expect(run(sourceOf(20_000_000), { calibration })).rejects.toThrow('take about 47 seconds; the limit');
    }
    expect(calibration.factor).toBeCloseTo(3, 5);
    clock.now = 600_000;
    expect(calibration.factor).toBe(1);
  });

  it('and keeps it however often one user is rejected, who could once reset it with three rejected reports', async () => {
    const { calibration, finish, clock } = instanceOf(3);
    for (const user of OTHERS) await finish(user);
    const reject = () => expect(run(large, { calibration })).rejects.toMatchObject({ code: 'REPORT_TOO_EXPENSIVE' });
    for (let rejected = 0; rejected < 9; rejected++) await reject();
    expect(calibration.factor).toBeCloseTo(3, 5);
    clock.now = 599_999;
    await reject();
    for (const user of OTHERS) await finish(user);
    for (clock.now = 600_000; clock.now < 1_100_000; clock.now += 100_000) await reject();
    expect(calibration.factor).toBeCloseTo(3, 5);
  });

  it('but ignores one or two slow reports, small reports, and reports that fail', async () => {
    const { calibration, finish } = instanceOf(2);
    for (const user of OTHERS.slice(0, 2)) await finish(user);
    for (const user of OTHERS) {
      await finish(user, 1_000);
      await expect(finish(user, 1_000_000, new Error('the table failed'))).rejects.toThrow('the table failed');
    }
    expect(calibration.factor).toBe(1);
    await finish('eve');
    expect(calibration.factor).toBeCloseTo(2, 1);
  });

  const ref = { advertiserId: 1, experience: 'pla', table: 'delivery', month: '2025-03' } as const;

  it('and expects a scan with many groups to take longer, so that it is not mistaken for a slow processor', async () => {
    const planned = await plannedOf({});
    expect(scanSecondsOf(planned, 100_000) - scanSecondsOf(planned, 0)).toBeCloseTo(0.1, 9);
  });

  it.each<[string, Partial<ReportQuery>, number]>([
    ['of unique users', { metrics: ['unique_user_impressions'] }, 0],
    ['with pacing', { metrics: ['pacing'], dimensions: ['ad_group_id'] }, 0],
    ['with attributes', { metrics: ['ad_group_status'] }, 0],
    ['with patterns', { filters: [{ field: 'keyword', operator: 'LIKE', values: ['%a%'] }] }, 0],
    ['with many groups', {}, 100_001],
  ])(
    'and does not measure itself by reports %s, whose time depends on more than its speed',
    async (_, changes, groups) => {
      expect(scanSecondsOf(await plannedOf({}), 0)).toBeGreaterThan(0);
      expect(scanSecondsOf(await plannedOf(changes), groups)).toBe(0);
    },
  );

  async function plannedOf(changes: Partial<ReportQuery>) {
    const days = (await sourceOf(1_000_000).manifests([ref])).flatMap(({ days: entries }) => entries);
    const scan = { table: 'delivery', measures: [], users: false } as const;
    const reads = { cubes: [], userBands: [], userBytes: { first: 0, later: 0 } };
    const partitions = [{ ref, days, columns: ['keyword'] }];
    return { plan: planReport({ ...query, ...changes }), reads: { ...reads, days: [{ scan, partitions }] } };
  }

  it('by the time in which it is busy, without the time in which it waits', async () => {
    const waiting = new Calibration();
    await Promise.all(
      OTHERS.map((user) =>
        waiting.measure(
          user,
          () => sleep(600),
          () => 0.4,
        ),
      ),
    );
    expect(waiting.factor).toBe(1);
    const busy = new Calibration();
    for (const user of OTHERS.slice(0, 3)) {
      await busy.measure(
        user,
        async () => {
          for (const until = performance.now() + 300; performance.now() < until; );
        },
        () => 0.1,
      );
    }
    expect(busy.factor).toBeGreaterThan(2.5);
  });
});
