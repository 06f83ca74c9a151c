import { expect, test } from 'vitest';
import type { FactHead, PartitionRef } from '../../../shared/catalog/partitions.ts';
import { Joins } from '../../../shared/report/plan/joins.ts';
import { MAX_LISTED_DAYS, planReads } from '../../../shared/report/plan/plan-reads.ts';
import { planReport } from '../../../shared/report/plan/plan-report.ts';
import { HEADS_PER_READ } from '../../../shared/report/plan/read-heads.ts';
import { MAX_BYTES } from '../../../shared/report/query/too-expensive.ts';
import { dataset } from '../../support/facts.ts';
import { memorySource } from '../../support/memory-source.ts';

/** The manifests of 300 advertisers over two years took 1.1 GB before the cost guard saw any, and those of 600 ended the function. */
test('manifests are decoded in portions, and their memory counts, so that too many are rejected while they are read', async () => {
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
  const days = Array.from({ length: 28 }, (_, i) => ({ day: i + 1, version: 1, rows: 1, isPacked: false, columns }));
  const context = {
    source: {
      ...source,
      manifests: async (refs: readonly PartitionRef[]) => {
        portions.push(refs.length);
        return refs.map((ref) => ({ ref, days }));
      },
    },
    ...{ joins: new Joins(new Map(), new Set(), 'Monday'), maxBytes: MAX_BYTES },
  };
  const headOf = (advertiserId: number): FactHead => {
    return {
      advertiserId,
      months: new Map([['pla', new Map([['delivery', months]])]]),
      latestDelivery: new Map(),
      versions: new Map(),
    };
  };
  const heads = new Map(advertiserIds.map((id) => [id, headOf(id)]));
  const read = await planReads(context, plan, scope, { heads, shards: [] });
  expect(read.days[0]?.partitions).toHaveLength(2400);
  expect(portions).toEqual([...Array(9).fill(HEADS_PER_READ), 150]);
  portions.length = 0;
  const many = Array.from({ length: 1_000 }, (_, id) => id + 1);
  const manyHeads = new Map(many.map((id) => [id, headOf(id)]));
  const manyScope = { ...scope, advertiserIds: many };
  await expect(planReads(context, plan, manyScope, { heads: manyHeads, shards: [] })).rejects.toMatchObject({
    code: 'REPORT_TOO_EXPENSIVE',
    message: expect.stringMatching(/^It would list more than 300,000 days of advertisers\./),
  });
  expect(portions).toHaveLength(Math.ceil(MAX_LISTED_DAYS / (HEADS_PER_READ * days.length)));
});
