import { expect, test } from 'vitest';
import type { FactHead, PartitionRef } from '../../../shared/catalog/partitions.ts';
import { Joins } from '../../../shared/report/plan/joins.ts';
import { planReads } from '../../../shared/report/plan/plan-reads.ts';
import { planReport } from '../../../shared/report/plan/plan-report.ts';
import { HEADS_PER_READ } from '../../../shared/report/plan/read-heads.ts';
import { Sample } from '../../../shared/report/plan/sample.ts';
import { dayRun } from '../../support/day-run.ts';
import { dataset } from '../../support/facts.ts';
import { memorySource } from '../../support/memory-source.ts';

/** The manifests of 300 advertisers over two years took 1.1 GB before the cost guard saw any, and those of 600 ended the function. */
test('manifests are decoded in portions; an estimate of many reads a few of each size, and all of the largest', async () => {
  const source = memorySource(dataset({}));
  const months = Array.from(
    { length: 24 },
    (_, i) => `${2024 + Math.floor(i / 12)}-${String((i % 12) + 1).padStart(2, '0')}`,
  );
  const advertiserIds = Array.from({ length: 100 }, (_, id) => id + 1);
  const scope = { accountIds: new Set([1]), advertiserIds, ownAdvertiserIds: advertiserIds };
  const plan = planReport({
    ...{
      experience: 'pla',
      startDate: '2024-01-01',
      endDate: '2025-12-31',
      metrics: ['clicks'],
      dimensions: ['keyword'],
    },
    ...{ filters: [], sort: [], pagination: { offset: 0, size: 10 } },
  });
  const portions: number[] = [];
  const columns = new Map(['keyword', 'clicks'].map((name) => [name, { bytes: 100, chunks: 1, distinct: 1 }]));
  const runs = Array.from({ length: 28 }, (_, i) => dayRun(i + 1, 1, columns));
  const context = {
    source: {
      ...source,
      manifests: async (refs: readonly PartitionRef[]) => {
        portions.push(refs.length);
        return refs.map((ref) => ({ ref, runs }));
      },
    },
    joins: new Joins(new Map(), new Set(), 'Monday'),
  };
  const headOf = (advertiserId: number): FactHead => {
    const entries = months.map((month) => {
      const rows = advertiserId === 7 && month === '2025-06' ? 1_000_000 : 100;
      return [
        month,
        { version: 1, rows: new Map([['delivery', rows] as const]), bytes: 1, columns: new Map() },
      ] as const;
    });
    return {
      advertiserId,
      months: new Map([['pla', new Map([['delivery', months]])]]),
      latestDelivery: new Map(),
      versions: new Map(),
      rollups: new Map([['pla', new Map(entries)]]),
    };
  };
  const heads = new Map(advertiserIds.map((id) => [id, headOf(id)]));
  const read = await planReads(context, plan, scope, { heads, shards: [] });
  expect(read.days[0]?.partitions).toHaveLength(2400);
  expect(portions).toEqual([...Array(9).fill(HEADS_PER_READ), 150]);
  portions.length = 0;
  const sample = new Sample(heads);
  const estimated = await planReads({ ...context, sample }, plan, scope, { heads, shards: [] });
  expect(portions).toEqual([64]);
  expect(sample.unread).toBe(2400 - 64);
  const counts = Map.groupBy(estimated.days[0]?.partitions ?? [], ({ ref }) => `${ref.advertiserId} ${ref.month}`);
  expect(counts.get('7 2025-06')).toHaveLength(1); // the largest
  expect(counts.size).toBe(64);
  expect([...counts.values()].reduce((sum, same) => sum + same.length, 0)).toBe(2400);
});
