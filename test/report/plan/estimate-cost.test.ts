import { describe, expect, it } from 'vitest';
import type { PartitionRef, RunEntry } from '../../../shared/layout/partitions.ts';
import type { SegmentSource } from '../../../shared/layout/segment-reads.ts';
import { ApiError } from '../../../shared/lib/errors.ts';
import type { ReportQuery } from '../../../shared/report/query/query.ts';
import type { CostEstimate } from '../../../shared/report/query/report-input.ts';
import { dayRun } from '../../support/day-run.ts';
import { dataset } from '../../support/facts.ts';
import { storedSource } from '../../support/stored-source.ts';
import { adGroup, TEN_PER_DAY } from '../figures/budgets.ts';
import { daysOf, declaredSource, run, sourceOf } from './declared-source.ts';

/** @returns the estimate of the report, whose facts cannot be read */
async function costOf(source: SegmentSource, changes: Partial<ReportQuery>): Promise<CostEstimate> {
  const costs: CostEstimate[] = [];
  const onStart = (cost: CostEstimate) => void costs.push(cost);
  await expect(run(source, { ...changes, onStart })).rejects.toThrow('the facts were read');
  return costs[0] as CostEstimate; // called before facts are read
}

const secondsOf = async (source: SegmentSource, changes: Partial<ReportQuery>) =>
  (await costOf(source, changes)).seconds;

describe('a report', () => {
  it('that would take too long is rejected before any facts are read, with the estimate and how to narrow it', async () => {
    const rejection = await run(sourceOf(20_000_000)).catch((error: unknown) => error);
    expect(rejection).toBeInstanceOf(ApiError);
    expect(rejection).toMatchObject({
      code: 'REPORT_TOO_EXPENSIVE',
      status: 422,
      message:
        'It would read about 620,000,000 fact rows (1,240 MB) and take about 47 seconds; the limit is 18 seconds. Request fewer days or advertisers, use fewer patterns in filters, remove a dimension with many values (hour, keyword, entity, placement), or group and filter only by ad group, campaign, advertiser and date.',
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
    // at most 310 rows, 10 keywords on each of 31 days
    const [one, ten, all, more] = await Promise.all(
      [1, 301, 310, 100_000].map((size) => secondsOf(sourceOf(1_000_000), { pagination: { offset: 0, size } })),
    );
    // of the first page, four groups are sorted
    expect(Number(ten) - Number(one)).toBeCloseTo(300 * 2 * 200e-9 + (310 - 4) * (900e-9 + 15e-9), 9);
    expect(more).toBe(all);
  });

  it('is estimated with the distinct values of each day and column: 6.3 s were estimated at 0.55 s', async () => {
    const few = await secondsOf(sourceOf(100_000, 10), {});
    expect((await secondsOf(sourceOf(100_000, 1_010), {})) - few).toBeGreaterThan(31 * 1_000 * 150e-9);
  });

  it('over a year of 1,000 small advertisers by hour is not rejected: packs that are read by hundreds counted as a call per column, 28 s for what took 3.3 s', async () => {
    const ids = Array.from({ length: 1_000 }, (_, i) => i + 1);
    const months = Array.from({ length: 12 }, (_, i) => `2025-${String(i + 1).padStart(2, '0')}`);
    const columns = new Map(
      ['hour', 'impressions', 'clicks', 'cost', 'opportunities'].map((name) => [
        name,
        { chunks: 0, bytes: 60, distinct: 24 },
      ]),
    );
    const wide = declaredSource(() => [dayRun(1, 120, columns)], { months });
    const costs: CostEstimate[] = [];
    const report = run(
      wide,
      {
        ...{ startDate: '2025-01-01', endDate: '2025-12-31', dimensions: ['hour'] },
        ...{ metrics: ['impressions', 'clicks', 'cost', 'opportunities'], onStart: (cost) => void costs.push(cost) },
      },
      ids,
    );
    await expect(report).rejects.toThrow('the facts were read');
    expect(costs.at(-1)?.seconds).toBeGreaterThan(1.2);
    expect(costs.at(-1)?.seconds).toBeLessThan(6.6);
  });

  it('that would not take too long reads its facts', async () => {
    await expect(run(sourceOf(1_000_000))).rejects.toThrow('the facts were read');
  });

  it('that would test too many values against patterns is rejected', async () => {
    const patterns = Array.from({ length: 1_000 }, (_, i) => `%${i}%`);
    const byMetric = [{ field: 'impressions', operator: 'LIKE_IN', values: patterns }] as const;
    const rejection = await run(sourceOf(100_000, 100_000), { filters: byMetric }).catch((error: unknown) => error);
    expect(rejection).toMatchObject({
      code: 'REPORT_TOO_EXPENSIVE',
      message: expect.stringContaining('use fewer patterns in filters'),
    });
    await expect(run(sourceOf(100_000), { filters: byMetric })).rejects.toThrow('the facts were read'); // few groups
  });

  /** 100 filters on names took 40 s, 52 sort fields 31 s and pacing 14 s where less than 0.3 s were estimated. */
  it('is estimated with its filters, sort fields and pacing', async () => {
    const source = sourceOf(1_000);
    const plain = await secondsOf(source, {});
    const notOats = { field: 'keyword', operator: 'NOT_EQUALS', values: ['oats'] } as const;
    const filters = Array.from({ length: 100 }, () => notOats);
    expect((await secondsOf(source, { filters })) - plain).toBeGreaterThan(100 * 10 * 60e-9);
    const byMetric = Array.from({ length: 100 }, () => ({ ...notOats, field: 'clicks' }) as const);
    expect((await secondsOf(source, { filters: byMetric })) - plain).toBeGreaterThan(100 * 310 * 60e-9);
    const sort = [{ field: 'keyword', order: 'ASC' }] as const;
    expect((await secondsOf(source, { sort })) - plain).toBeCloseTo(310 * 500e-9, 9);
    const byDay = { dimensions: ['daily_date'] } as const;
    const cost = await secondsOf(source, { ...byDay, metrics: ['cost'] });
    expect((await secondsOf(source, { ...byDay, metrics: ['pacing'] })) - cost).toBeGreaterThan(31 * 2_400e-9);
  });

  it('that tests few values against many patterns reads its facts: each value is tested once, however many rows have it', async () => {
    const patterns = Array.from({ length: 1_000 }, (_, i) => `%${i}%`);
    const byKeyword = [{ field: 'keyword', operator: 'LIKE_IN', values: patterns }] as const;
    await expect(run(sourceOf(100_000), { filters: byKeyword })).rejects.toThrow('the facts were read');
  });
});

it('planned cost is estimated by what it plans: each ad group has a row per day', async () => {
  const estimate = async (dimensions: ReportQuery['dimensions']) => {
    const found: CostEstimate[] = [];
    const onStart = (cost: CostEstimate) => found.push(cost);
    const ad_groups = [1, 2, 3].map((id) => adGroup(id, TEN_PER_DAY));
    await run(await storedSource(dataset({ ad_groups })), { dimensions, metrics: ['planned_cost'], onStart });
    return found.map(({ groups }) => groups);
  };
  expect(await estimate([])).toEqual([1]);
  expect(await estimate(['ad_group_id'])).toEqual([3]);
  expect(await estimate(['daily_date'])).toEqual([31]);
  expect(await estimate(['daily_date', 'ad_group_id'])).toEqual([93]);
});

it('a report with pacing is estimated with the budgets of the ad groups: 10.8 s were estimated at 0.5 s', async () => {
  const secondsFor = async (adGroups: number) => {
    const ids = Array.from({ length: adGroups }, (_, id) => id + 1);
    let estimated = 0;
    const onStart = ({ seconds }: CostEstimate) => {
      estimated = seconds;
    };
    const data = dataset({
      ad_groups: ids.map((id) => adGroup(id, TEN_PER_DAY)),
      delivery: ids.map((id) => ({ date: '2025-03-04', ad_group_id: id, cost: 1 })),
    });
    await run(await storedSource(data), { dimensions: [], metrics: ['pacing'], onStart });
    return estimated;
  };
  expect((await secondsFor(1_001)) - (await secondsFor(1))).toBeGreaterThan(1_000 * 2_500e-9);
});

/** 15,500 groups of conversions were estimated as 31,000,000 where a metric of delivery was requested, and the report was rejected. */
it('a report is estimated with the groups of each plan, without the rows that only its totals read', async () => {
  const runsOf = ({ table }: PartitionRef) =>
    table === 'delivery'
      ? daysOf(1_000_000, ['impressions'], 500)
      : daysOf(1_000, ['purchased_entity_id', 'halo_revenue'], 500);
  const source = declaredSource(runsOf, { tables: ['delivery', 'conversions'] });
  const groupsWith = async (metrics: ReportQuery['metrics']) =>
    (await costOf(source, { metrics, dimensions: ['purchased_entity_id'] })).groups;
  expect(await groupsWith(['halo_revenue', 'impressions'])).toBe((await groupsWith(['halo_revenue'])) + 1); // the totals
});

describe('the estimate of a report of unique users', () => {
  /** @returns a source with so many bytes and pairs of users per day, of which the first band has a sixteenth */
  function withShoppers(bytes: number, pairs = 0, keywords = 10): SegmentSource {
    const source = sourceOf(100_000, keywords);
    const shares: readonly [string, number][] = [
      ['users_0', 1 / 16],
      ['users_1', 3 / 16],
      ['users_2', 12 / 16],
    ];
    const users = shares.map(
      ([name, share]) => [name, { chunks: 1, bytes: bytes * share, distinct: pairs * share }] as const,
    );
    const addShoppers = (run: RunEntry): RunEntry => ({ ...run, columns: new Map([...run.columns, ...users]) });
    const manifests: SegmentSource['manifests'] = async (refs) =>
      (await source.manifests(refs)).map((manifest) => ({ ...manifest, runs: manifest.runs.map(addShoppers) }));
    return { ...source, manifests };
  }
  const users = (dimensions: ReportQuery['dimensions']): Partial<ReportQuery> => ({
    ...{ metrics: ['unique_user_impressions'], dimensions },
  });

  it('counts all bands, which small groups need, and each row of a user: 1 s was estimated where 28 s are needed', async () => {
    await expect(run(withShoppers(8_000_000), users(['keyword']))).rejects.toMatchObject({
      code: 'REPORT_TOO_EXPENSIVE',
      message: expect.stringMatching(/\(252 MB\) and take about 28 seconds/),
    });
    await expect(run(withShoppers(2_000_000), users(['keyword']))).rejects.toThrow('the facts were read');
  });

  it('counts pairs that nearly no bytes have, of users that are in all rows: 0.09 s were estimated where 12 s are needed', async () => {
    const without = await secondsOf(withShoppers(10_000, 0), users(['keyword']));
    const withPairs = await secondsOf(withShoppers(10_000, 5_000_000), users(['keyword']));
    expect((withPairs - without) / (31 * 5_000_000)).toBeGreaterThan(45e-9);
  });

  it('counts the first band alone, where the whole report or each day has so many users that this band suffices', async () => {
    await expect(run(withShoppers(8_000_000), users([]))).rejects.toThrow('the facts were read');
    await expect(run(withShoppers(8_000_000), users(['daily_date']))).rejects.toThrow('the facts were read');
  });

  it('counts all bands where a filter may leave small groups: 252 MB of users were estimated at 16 MB', async () => {
    const byKeyword = [{ field: 'keyword', operator: 'EQUALS', values: ['x'] }] as const;
    const byDate = [{ field: 'daily_date', operator: 'NOT_EQUALS', values: ['2025-03-01'] }] as const;
    const source = withShoppers(8_000_000);
    await expect(run(source, { ...users([]), filters: byKeyword })).rejects.toMatchObject({
      code: 'REPORT_TOO_EXPENSIVE',
    });
    await expect(run(source, { ...users([]), filters: byDate })).rejects.toThrow('the facts were read');
  });
});
