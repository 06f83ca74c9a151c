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
  }: { filters?: ReportQuery['filters']; calibration?: Calibration } = {},
) =>
  runReport({
    query: { ...query, filters },
    scope: { accountIds: new Set(), advertiserIds: [1], ownAdvertiserIds: [1] },
    settings: SETTINGS,
    source,
    calibration,
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

/** An instance on a processor that is `slowness` times as slow as the estimate says; its clock advances only while it scans. */
function instanceOf(slowness: number) {
  let busySeconds = 0;
  const calibration = new Calibration(() => busySeconds);
  /** Finishes a report of 31 days, two columns and no groups. */
  const finish = async (rowsPerDay: number, failure?: Error) => {
    const days = async function* (): AsyncGenerator<DayColumns> {
      busySeconds += slowness * 31 * (rowsPerDay * 2 * 12e-9 + 2 * 0.0005);
      if (failure !== undefined) throw failure;
      yield* [];
    };
    await run({ ...sourceOf(rowsPerDay), days }, { calibration });
  };
  return { calibration, finish };
}

describe('an instance corrects the estimate by its own reports', () => {
  // 7.8 s for 310 MB from the table, and 3.9 s of processor time
  const large = sourceOf(5_000_000);

  it('so that a slow one rejects a report that others accept, with its own estimate', async () => {
    const slow = instanceOf(4);
    for (let report = 0; report < 3; report++) {
      await expect(run(large, slow)).rejects.toThrow('the facts were read');
      await slow.finish(1_000_000);
    }
    expect(slow.calibration.factor).toBeCloseTo(4, 1);
    await expect(run(large, slow)).rejects.toMatchObject({
      code: 'REPORT_TOO_EXPENSIVE',
      message: expect.stringContaining('and take about 24 seconds; the limit is 18 seconds.'),
      fields: [expect.objectContaining({ detail: expect.stringContaining('at most about 24 days') })],
    });

    const fast = instanceOf(0.1);
    for (let report = 0; report < 5; report++) await fast.finish(1_000_000);
    expect(fast.calibration.factor).toBe(1);
    await expect(run(large, fast)).rejects.toThrow('the facts were read');
  });

  it('and accepts it again once three of five reports were fast enough', async () => {
    let slowness = 4;
    let busySeconds = 0;
    const calibration = new Calibration(() => busySeconds);
    const scan = async () => {
      busySeconds += slowness;
    };
    const finish = () => calibration.measure(scan, () => 1);
    for (let report = 0; report < 9; report++) await finish();
    expect(calibration.factor).toBe(4);
    slowness = 1.5;
    for (const expected of [4, 4, 1.5, 1.5]) {
      await finish();
      expect(calibration.factor).toBe(expected);
    }
  });

  it('by a factor of at most 8', async () => {
    const { calibration, finish } = instanceOf(1_000);
    for (let report = 0; report < 5; report++) await finish(1_000_000);
    expect(calibration.factor).toBe(8);
  });

  it('but ignores one or two slow reports, small reports, and reports that fail', async () => {
    const { calibration, finish } = instanceOf(6);
    for (let report = 0; report < 2; report++) await finish(1_000_000);
    for (let report = 0; report < 5; report++) await finish(1_000);
    for (let report = 0; report < 5; report++) {
      await expect(finish(1_000_000, new Error('the table failed'))).rejects.toThrow('the table failed');
    }
    expect(calibration.factor).toBe(1);
    await finish(1_000_000);
    expect(calibration.factor).toBeCloseTo(6, 1);
  });

  it('and expects a scan with many groups to take longer, so that it is not mistaken for a slow processor', () => {
    const reads = { days: [], rollups: [], rolledUp: [], userBands: [], userBytes: { first: 0, later: 0 } };
    expect([0, 2_000_000].map((groups) => scanSecondsOf({ plan: planReport(query), reads }, groups))).toEqual([0, 2]);
  });

  it('by the time in which it is busy, without the time in which it waits', async () => {
    const calibration = new Calibration();
    const measure = (scan: () => Promise<void>) => calibration.measure(scan, () => 0.1);
    await Promise.all(Array.from({ length: 5 }, () => measure(() => sleep(300))));
    expect(calibration.factor).toBe(1);
    for (let report = 0; report < 3; report++) {
      await measure(async () => {
        for (const until = performance.now() + 300; performance.now() < until; );
      });
    }
    expect(calibration.factor).toBeGreaterThan(2.5);
  });
});

describe('groups that would not fit into memory', () => {
  it('are rejected, by a limit that depends on the number of metrics', () => {
    expect(() => rejectTooManyGroups(8_333_333, query)).not.toThrow();
    expect(() => rejectTooManyGroups(8_333_334, query)).toThrow(
      'It has more than 8,333,333 rows, which is the limit for 1 metric.',
    );
  });
});
