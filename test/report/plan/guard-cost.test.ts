import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { DayColumns, DayEntry } from '../../../shared/catalog/partitions.ts';
import type { SegmentSource } from '../../../shared/catalog/segment-source.ts';
import { ApiError } from '../../../shared/lib/errors.ts';
import { Calibration } from '../../../shared/report/plan/calibration.ts';
import { rejectTooManyGroups, scanSecondsOf } from '../../../shared/report/plan/guard-cost.ts';
import { planReport } from '../../../shared/report/plan/plan-report.ts';
import type { ReportQuery } from '../../../shared/report/query.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import { SETTINGS } from '../../support/report-settings.ts';

const query: ReportQuery = {
  experience: 'pla',
  startDate: '2025-03-01',
  endDate: '2025-03-31',
  metrics: ['impressions'],
  dimensions: ['keyword'],
  filters: [],
  sort: [],
  pagination: { offset: 0, size: 10 },
};

/** @returns a source whose manifests declare the given number of rows per day; reading facts throws */
function sourceOf(rowsPerDay: number): SegmentSource {
  const column = { chunks: 3, bytes: rowsPerDay, distinct: 10 };
  const columns = new Map([
    ['keyword', column],
    ['impressions', column],
  ]);
  const days = Array.from(
    { length: 31 },
    (_, i): DayEntry => ({ day: i + 1, version: 1, rows: rowsPerDay, inOneItem: false, columns }),
  );
  return {
    factHeads: async () =>
      new Map([
        [
          1,
          {
            advertiserId: 1,
            months: new Map([['pla', new Map([['delivery', ['2025-03']]])]]),
            latestDelivery: new Map(),
          },
        ],
      ]),
    manifests: async (refs) => refs.map((ref) => ({ ref, days })),
    days: () => {
      throw new Error('the facts were read');
    },
    rollups: () => {
      throw new Error('rollups were read');
    },
    dimensionTables: async () => new Map(),
  };
}

const run = (
  source: SegmentSource,
  {
    filters = [],
    calibration = new Calibration(),
    userId = 'ana',
    ...changes
  }: Partial<ReportQuery> & { calibration?: Calibration; userId?: string } = {},
) =>
  runReport({
    query: { ...query, filters, ...changes },
    scope: { accountIds: new Set(), advertiserIds: [1], ownAdvertiserIds: [1] },
    settings: SETTINGS,
    source,
    calibration,
    userId,
  });

describe('a report', () => {
  it('that would take too long is rejected before any facts are read, with the estimate and how to narrow it', async () => {
    const rejection = await run(sourceOf(20_000_000)).catch((error: unknown) => error);
    expect(rejection).toBeInstanceOf(ApiError);
    expect(rejection).toMatchObject({
      code: 'REPORT_TOO_EXPENSIVE',
      status: 422,
      message:
        'It would read about 620,000,000 fact rows (1,240 MB) and take about 47 seconds; the limit is 18 seconds. Request fewer days or advertisers, remove a dimension with many values (hour, keyword, entity, placement), or group only by ad group, campaign, advertiser and date, for which there are rollups.',
      fields: [
        {
          in: 'body',
          pointer: '/endDate',
          code: 'TOO_EXPENSIVE',
          detail: 'Must span at most about 12 days with these dimensions and advertisers.',
        },
      ],
    });
  });

  it('that would not take too long reads its facts', async () => {
    await expect(run(sourceOf(1_000_000))).rejects.toThrow('the facts were read');
  });

  it('that would test too many values against patterns is rejected, and the error points to the filters', async () => {
    const patterns = Array.from({ length: 1_000 }, (_, i) => `%${i}%`);
    const byMetric = [{ field: 'impressions', operator: 'LIKE_IN', values: patterns }] as const;
    const rejection = await run(sourceOf(100_000), { filters: byMetric }).catch((error: unknown) => error);
    expect(rejection).toMatchObject({
      code: 'REPORT_TOO_EXPENSIVE',
      message: expect.stringContaining('for the patterns of LIKE, LIKE_IN and NOT_LIKE.'),
      fields: [{ pointer: '/filters', code: 'TOO_EXPENSIVE', detail: 'Must have fewer patterns.' }],
    });
  });

  it('that tests few values against many patterns reads its facts: each value is tested once, however many rows have it', async () => {
    const patterns = Array.from({ length: 1_000 }, (_, i) => `%${i}%`);
    const byKeyword = [{ field: 'keyword', operator: 'LIKE_IN', values: patterns }] as const;
    await expect(run(sourceOf(100_000), { filters: byKeyword })).rejects.toThrow('the facts were read');
  });
});

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
    for (let rejected = 0; rejected < 3; rejected++) {
      await expect(run(large, { calibration })).rejects.toMatchObject({ code: 'REPORT_TOO_EXPENSIVE' });
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
    const reads = { rollups: [], rolledUp: [], userBands: [], userBytes: { first: 0, later: 0 } };
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

describe('groups that would not fit into memory', () => {
  it('are rejected, by a limit that depends on the number of metrics', () => {
    expect(() => rejectTooManyGroups(8_333_333, query)).not.toThrow();
    expect(() => rejectTooManyGroups(8_333_334, query)).toThrow(
      'It has more than 8,333,333 rows, which is the limit for 1 metric.',
    );
  });

  it('are rejected earlier, where their unique users take memory', () => {
    expect(() => rejectTooManyGroups(4_000_000, query, 468_000_000)).not.toThrow();
    expect(() => rejectTooManyGroups(4_000_000, query, 468_000_001)).toThrow(
      'The unique users of 4,000,000 rows take more memory than the limit.',
    );
  });
});

describe('the estimate of a report of unique users', () => {
  /** @returns a source with so many bytes of users per day, of which the first band has a sixteenth */
  function withUsers(bytes: number): SegmentSource {
    const source = sourceOf(100_000);
    const shares: readonly [string, number][] = [
      ['users_0', 1 / 16],
      ['users_1', 3 / 16],
      ['users_2', 12 / 16],
    ];
    const users = shares.map(([name, share]) => [name, { chunks: 1, bytes: bytes * share, distinct: 0 }] as const);
    const addUsers = (day: DayEntry): DayEntry => ({ ...day, columns: new Map([...day.columns, ...users]) });
    const manifests: SegmentSource['manifests'] = async (refs) =>
      (await source.manifests(refs)).map((manifest) => ({ ...manifest, days: manifest.days.map(addUsers) }));
    return { ...source, manifests };
  }
  const users = (dimensions: ReportQuery['dimensions']): Partial<ReportQuery> => ({
    ...{ metrics: ['unique_user_impressions'], dimensions },
  });

  it('has all bands and each row of a user: small groups need them, 1 s was expected where 28 s are needed', async () => {
    await expect(run(withUsers(8_000_000), users(['keyword']))).rejects.toMatchObject({
      code: 'REPORT_TOO_EXPENSIVE',
      message: expect.stringMatching(/\(252 MB\) and take about 28 seconds/),
    });
    await expect(run(withUsers(2_000_000), users(['keyword']))).rejects.toThrow('the facts were read');
  });

  it('has the first band alone, where everything or each day has so many users that it answers', async () => {
    await expect(run(withUsers(8_000_000), users([]))).rejects.toThrow('the facts were read');
    await expect(run(withUsers(8_000_000), users(['daily_date']))).rejects.toThrow('the facts were read');
  });
});
