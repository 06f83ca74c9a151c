import { describe, expect, it } from 'vitest';
import type { DayEntry } from '../../../shared/catalog/partitions.ts';
import type { SegmentSource } from '../../../shared/catalog/segment-reads.ts';
import { ApiError } from '../../../shared/lib/errors.ts';
import type { CostEstimate } from '../../../shared/report/guard/guard-cost.ts';
import type { ReportQuery } from '../../../shared/report/query/query.ts';
import { dataset } from '../../support/facts.ts';
import { memorySource } from '../../support/memory-source.ts';
import { adGroup, TEN_PER_DAY } from '../figures/budgets.ts';
import { run, sourceOf } from './declared-source.ts';

describe('a report', () => {
  it('that would take too long is rejected before any facts are read, with the estimate and how to narrow it', async () => {
    const rejection = await run(sourceOf(20_000_000)).catch((error: unknown) => error);
    expect(rejection).toBeInstanceOf(ApiError);
    expect(rejection).toMatchObject({
      code: 'REPORT_TOO_EXPENSIVE',
      status: 422,
      message:
        'It would read about 620,000,000 fact rows (1,240 MB) and take about 47 seconds; the limit is 18 seconds. Request fewer days or advertisers, remove a dimension with many values (hour, keyword, entity, placement), or group and filter only by ad group, campaign, advertiser and date.',
      fields: [
        {
          in: 'body',
          pointer: '/endDate',
          code: 'TOO_EXPENSIVE',
          detail: 'Must span at most about 11 days with these dimensions and advertisers.',
        },
      ],
    });
  });

  it('is estimated with its page: 100,000 rows of 91 fields took 26 s where 1.3 s were estimated', async () => {
    const secondsOf = async (size: number, metrics: ReportQuery['metrics']) => {
      const estimates: number[] = [];
      const onStart = ({ seconds }: CostEstimate) => estimates.push(seconds);
      const asked = { metrics, dimensions: ['keyword'], pagination: { offset: 0, size }, onStart } as const;
      await expect(run(sourceOf(1_000_000), asked)).rejects.toThrow('the facts were read');
      return estimates[0] ?? 0;
    };
    // at most 310 rows, 10 keywords on each of 31 days; 200 ns for each of two fields
    const one = (await secondsOf(301, ['impressions'])) - (await secondsOf(1, ['impressions']));
    expect(one).toBeCloseTo(300 * 2 * 200e-9, 9);
    const all = (await secondsOf(100_000, ['impressions'])) - (await secondsOf(310, ['impressions']));
    expect(all).toBeCloseTo(0, 9);
  });

  it('is estimated with the distinct values of each day and column: 6.3 s were estimated at 0.55 s', async () => {
    const secondsOf = async (distinct: number, filters: ReportQuery['filters'] = []) => {
      const estimates: number[] = [];
      const onStart = ({ scanSeconds }: CostEstimate) => estimates.push(scanSeconds);
      await expect(run(sourceOf(100_000, distinct), { filters, onStart })).rejects.toThrow('the facts were read');
      return estimates[0] ?? 0;
    };
    const more = 31 * 1_000;
    expect((await secondsOf(1_010)) - (await secondsOf(10))).toBeCloseTo(more * 150e-9, 6);
    const like = [{ field: 'keyword', operator: 'LIKE', values: ['a'] }] as const;
    const added = async (distinct: number) => (await secondsOf(distinct, like)) - (await secondsOf(distinct));
    // each is tested once by a filter with two searches, and looked up on each day
    expect((await added(1_010)) - (await added(10))).toBeCloseTo((more * 5 + 1_000 * 3) * 60e-9, 6);
    // results of 600,000 values do not fit into the memory, so that half of the values are tested on each day
    expect(await added(600_000)).toBeGreaterThan(600_000 * (31 * 5 + 3 * 10) * 60e-9);
  });

  it('that would not take too long reads its facts', async () => {
    await expect(run(sourceOf(1_000_000))).rejects.toThrow('the facts were read');
  });

  it('that would test too many values against patterns is rejected, and the error points to the filters', async () => {
    const patterns = Array.from({ length: 1_000 }, (_, i) => `%${i}%`);
    const byMetric = [{ field: 'impressions', operator: 'LIKE_IN', values: patterns }] as const;
    const rejection = await run(sourceOf(100_000, 100_000), { filters: byMetric }).catch((error: unknown) => error);
    expect(rejection).toMatchObject({
      code: 'REPORT_TOO_EXPENSIVE',
      message: expect.stringContaining('for filters, mostly for the patterns of LIKE, LIKE_IN and NOT_LIKE'),
      fields: [{ pointer: '/filters', code: 'TOO_EXPENSIVE', detail: 'Must have fewer filters or patterns.' }],
    });
    await expect(run(sourceOf(100_000), { filters: byMetric })).rejects.toThrow('the facts were read'); // few groups
  });

  /** 100 filters on names took 40 s, 52 sort fields 31 s and pacing 14 s where less than 0.3 s were estimated. */
  it('is estimated with its filters, sort fields and pacing', async () => {
    const secondsOf = async (changes: Partial<ReportQuery>) => {
      const estimates: number[] = [];
      const onStart = ({ seconds }: CostEstimate) => estimates.push(seconds);
      await expect(run(sourceOf(1_000), { ...changes, onStart })).rejects.toThrow('the facts were read');
      return estimates[0] ?? 0;
    };
    const plain = await secondsOf({});
    const notOats = { field: 'keyword', operator: 'NOT_EQUALS', values: ['oats'] } as const;
    const filters = Array.from({ length: 100 }, () => notOats);
    // 10 keywords in the month, and 10 on each of 31 days
    expect((await secondsOf({ filters })) - plain).toBeCloseTo((100 * 10 + 310 * 5) * 60e-9, 9);
    const byMetric = Array.from({ length: 100 }, () => ({ ...notOats, field: 'clicks' }) as const);
    const withClicks = await secondsOf({ filters: byMetric.slice(1) });
    expect((await secondsOf({ filters: byMetric })) - withClicks).toBeCloseTo(310 * 60e-9, 9);
    const sort = [{ field: 'keyword', order: 'ASC' }] as const;
    expect((await secondsOf({ sort })) - plain).toBeCloseTo(310 * 500e-9, 9);
    const byDay = { dimensions: ['daily_date'] } as const;
    const cost = await secondsOf({ ...byDay, metrics: ['cost'] });
    expect((await secondsOf({ ...byDay, metrics: ['pacing'] })) - cost).toBeGreaterThan(31 * 2_400e-9);
  });

  it('that tests few values against many patterns reads its facts: each value is tested once, however many rows have it', async () => {
    const patterns = Array.from({ length: 1_000 }, (_, i) => `%${i}%`);
    const byKeyword = [{ field: 'keyword', operator: 'LIKE_IN', values: patterns }] as const;
    await expect(run(sourceOf(100_000), { filters: byKeyword })).rejects.toThrow('the facts were read');
  });
});

describe('the estimate of memory', () => {
  it('counts the measures of a group and not its metrics: 4 million groups of 17 measures were estimated at 862 MB, and took 1,886', async () => {
    const metrics = ['click_through_rate', 'win_rate'] as const;
    const estimated: number[] = [];
    for (const some of [metrics.slice(0, 1), metrics]) {
      const onStart = ({ groups, memoryBytes }: CostEstimate) => estimated.push(memoryBytes / groups);
      await expect(run(sourceOf(1_000), { metrics: some, onStart })).rejects.toThrow('the facts were read');
    }
    // 2 measures, and 3 in 4 doubles; 8 bytes each in the old array, and 12 in the new one, which is larger by half
    expect(estimated).toEqual([150 + 20 * 2, 150 + 20 * 4]);
  });
});

it('a report is estimated with the lengths of the texts that its patterns are searched in: 13 s were estimated at 3 ms', async () => {
  const secondsFor = async (length: number, others = 0) => {
    const listed = Array.from({ length: others }, (_, i) => ({
      ...adGroup(i + 2, TEN_PER_DAY),
      segmentIds: [`s${i}`],
    }));
    const data = dataset({
      ad_groups: [{ ...adGroup(1, TEN_PER_DAY), segmentIds: ['a'.repeat(length)] }, ...listed],
      delivery: [{ date: '2025-03-04', ad_group_id: 1, impressions: 1 }],
    });
    const filters = [{ field: 'segment_ids', operator: 'LIKE_IN', values: ['ax', 'ay', 'az'] } as const];
    let seconds = 0;
    const onStart = ({ filterSeconds }: CostEstimate) => {
      seconds = filterSeconds;
    };
    await run(memorySource(data), { dimensions: [], filters, onStart });
    return seconds;
  };
  expect((await secondsFor(100_000)) / (await secondsFor(10))).toBeGreaterThan(1_000);
  // the mean length hid a long text among many short ones
  expect((await secondsFor(100_000, 1_000)) / (await secondsFor(10, 1_000))).toBeGreaterThan(1_000);
});

it('a report with pacing is estimated with the budgets of the ad groups: 10.8 s were estimated at 0.5 s', async () => {
  const secondsFor = async (adGroups: number) => {
    const delivery = Array.from({ length: adGroups }, (_, id) => ({ date: '2025-03-04', ad_group_id: id, cost: 1 }));
    let estimated = 0;
    const onStart = ({ seconds }: CostEstimate) => {
      estimated = seconds;
    };
    await run(memorySource(dataset({ delivery })), { dimensions: [], metrics: ['pacing'], onStart });
    return estimated;
  };
  expect((await secondsFor(1_001)) - (await secondsFor(1))).toBeGreaterThan(1_000 * (3_000 + 400) * 1e-9);
});

it('a report of attributes is estimated with the ad groups of each day, whose campaigns are looked up: 15 s were estimated at 0.7 s', async () => {
  const ids = Array.from({ length: 1_000 }, (_, i) => i + 1);
  const data = dataset({
    ad_groups: ids.map((id) => adGroup(id, TEN_PER_DAY)),
    delivery: ids.map((id) => ({ date: '2025-03-04', ad_group_id: id, hour: id % 24, impressions: 1 })),
  });
  const secondsFor = async (metrics: ReportQuery['metrics']) => {
    let estimated = 0;
    const onStart = ({ scanSeconds }: CostEstimate) => {
      estimated = scanSeconds;
    };
    await run(memorySource(data), { dimensions: ['hour', 'placement'], metrics, onStart });
    return estimated;
  };
  const difference = (await secondsFor(['impressions', 'ad_group_status'])) - (await secondsFor(['impressions']));
  expect(difference).toBeGreaterThan(ids.length * 400e-9);
});

it('a report is rejected where a day is too large to be read: 54 bytes a row of 4.9 million rows took 1.8 GB at an estimate of 0', async () => {
  const source = sourceOf(1_000);
  const withBytes = (bytes: number): SegmentSource => ({
    ...source,
    manifests: async (refs) =>
      (await source.manifests(refs)).map(({ ref, days }) => ({
        ref,
        days: days
          .slice(0, 1)
          .map((day) => ({ ...day, columns: new Map([['impressions', { chunks: 9, bytes, distinct: 0 }]]) })),
      })),
  });
  await expect(run(withBytes(400_000_000))).rejects.toThrow('It takes more than 1,100 MB of memory');
  await expect(run(withBytes(100_000_000))).rejects.toThrow('the facts were read');
});

describe('the estimate of a report of unique users', () => {
  /** @returns a source with so many bytes and pairs of users per day, of which the first band has a sixteenth */
  function withUsers(bytes: number, pairs = 0, keywords = 10): SegmentSource {
    const source = sourceOf(100_000, keywords);
    const shares: readonly [string, number][] = [
      ['users_0', 1 / 16],
      ['users_1', 3 / 16],
      ['users_2', 12 / 16],
    ];
    const users = shares.map(
      ([name, share]) => [name, { chunks: 1, bytes: bytes * share, distinct: pairs * share }] as const,
    );
    const addUsers = (day: DayEntry): DayEntry => ({ ...day, columns: new Map([...day.columns, ...users]) });
    const manifests: SegmentSource['manifests'] = async (refs) =>
      (await source.manifests(refs)).map((manifest) => ({ ...manifest, days: manifest.days.map(addUsers) }));
    return { ...source, manifests };
  }
  const users = (dimensions: ReportQuery['dimensions']): Partial<ReportQuery> => ({
    ...{ metrics: ['unique_user_impressions'], dimensions },
  });

  it('counts all bands, which small groups need, and each row of a user: 1 s was estimated where 28 s are needed', async () => {
    await expect(run(withUsers(8_000_000), users(['keyword']))).rejects.toMatchObject({
      code: 'REPORT_TOO_EXPENSIVE',
      message: expect.stringMatching(/\(252 MB\) and take about 28 seconds/),
    });
    await expect(run(withUsers(2_000_000), users(['keyword']))).rejects.toThrow('the facts were read');
  });

  it('counts pairs that nearly no bytes have, of users that are in all rows: 0.09 s were estimated where 12 s are needed', async () => {
    const estimates: number[] = [];
    const onStart = ({ seconds }: CostEstimate) => void estimates.push(seconds);
    for (const pairs of [0, 5_000_000])
      await expect(run(withUsers(10_000, pairs), { ...users(['keyword']), onStart })).rejects.toThrow(
        'the facts were read',
      );
    const [without = 0, withPairs = 0] = estimates;
    expect((withPairs - without) / (31 * 5_000_000)).toBeCloseTo(45e-9, 9);
  });

  it('counts such pairs higher in many groups, with their memory: 18.7 s and 1.2 GB were estimated at 1 s and 150 MB', async () => {
    const costs: CostEstimate[] = [];
    const onStart = (cost: CostEstimate) => void costs.push(cost);
    for (const pairs of [0, 2_000_000])
      await expect(run(withUsers(10_000, pairs, 5_000), { ...users(['keyword']), onStart })).rejects.toThrow(
        'the facts were read',
      );
    const [without, withPairs] = costs;
    const added = (of: (cost: CostEstimate) => number) => (withPairs && without ? of(withPairs) - of(without) : 0);
    expect(added(({ seconds }) => seconds) / (31 * 2_000_000)).toBeCloseTo(150e-9, 8);
    expect(added(({ memoryBytes }) => memoryBytes) / (31 * 2_000_000)).toBeCloseTo(32, 0);
  });

  it('counts the first band alone, where the whole report or each day has so many users that this band suffices', async () => {
    await expect(run(withUsers(8_000_000), users([]))).rejects.toThrow('the facts were read');
    await expect(run(withUsers(8_000_000), users(['daily_date']))).rejects.toThrow('the facts were read');
  });

  it('counts all bands where a filter may leave small groups: 252 MB of users were estimated at 16 MB', async () => {
    const byKeyword = [{ field: 'keyword', operator: 'EQUALS', values: ['x'] }] as const;
    const byDate = [{ field: 'daily_date', operator: 'NOT_EQUALS', values: ['2025-03-01'] }] as const;
    const source = withUsers(8_000_000);
    await expect(run(source, { ...users([]), filters: byKeyword })).rejects.toMatchObject({
      code: 'REPORT_TOO_EXPENSIVE',
    });
    await expect(run(source, { ...users([]), filters: byDate })).rejects.toThrow('the facts were read');
  });
});
