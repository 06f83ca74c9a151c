import { expect, it } from 'vitest';
import type { DayEntry } from '../../../shared/catalog/partitions.ts';
import type { SegmentSource } from '../../../shared/catalog/segment-reads.ts';
import type { CostEstimate } from '../../../shared/report/guard/guard-cost.ts';
import type { ReportQuery } from '../../../shared/report/query/query.ts';
import { run, sourceOf } from './declared-source.ts';

/** 15,500 groups of conversions were estimated as 31,000,000 where a metric of delivery was requested, and the report was rejected. */
it('a report is estimated with the groups of each plan, without the rows that only its totals read', async () => {
  const columnsOf = (names: readonly string[]) =>
    new Map(names.map((name) => [name, { chunks: 1, bytes: 1_000, distinct: 500 }]));
  const dayOf = (day: number, rows: number, names: readonly string[]): DayEntry => ({
    ...{ day, version: 1, rows, isPacked: false, columns: columnsOf(names) },
  });
  const estimateWith = async (metrics: ReportQuery['metrics']) => {
    const source: SegmentSource = {
      ...sourceOf(1),
      factHeads: async () => {
        const months = new Map([
          ['delivery', ['2025-03']],
          ['conversions', ['2025-03']],
        ] as const);
        return new Map([[1, { advertiserId: 1, months: new Map([['pla', months]]), latestDelivery: new Map() }]]);
      },
      manifests: async (refs) =>
        refs.map((ref) => {
          const names = ref.table === 'delivery' ? ['impressions'] : ['purchased_entity_id', 'halo_revenue'];
          const rows = ref.table === 'delivery' ? 1_000_000 : 1_000;
          return { ref, days: Array.from({ length: 31 }, (_, i) => dayOf(i + 1, rows, names)) };
        }),
    };
    const groups: number[] = [];
    const sort = [{ field: 'halo_revenue', order: 'DESC' }] as const;
    const onStart = (cost: CostEstimate) => groups.push(cost.groups);
    await expect(run(source, { metrics, sort, dimensions: ['purchased_entity_id'], onStart })).rejects.toThrow(
      'the facts were read',
    );
    return groups.at(-1) ?? 0;
  };
  expect(await estimateWith(['halo_revenue', 'impressions'])).toBe((await estimateWith(['halo_revenue'])) + 1); // the totals
});
