import { describe, expect, test } from 'vitest';
import type { DimensionName } from '../../../shared/catalog/dimensions.ts';
import type { BaseColumn } from '../../../shared/catalog/tables.ts';
import { type Joins, loadJoins } from '../../../shared/report/plan/joins.ts';
import { planReport } from '../../../shared/report/plan/plan-report.ts';
import { Memory, UNLIMITED } from '../../../shared/report/query/too-expensive.ts';
import { AxisCodes } from '../../../shared/report/scan/axes.ts';
import { dataset } from '../../support/facts.ts';
import { memorySource } from '../../support/memory-source.ts';
import { SETTINGS } from '../../support/report-settings.ts';

const source = memorySource(
  dataset({
    advertisers: [1, 2].map((id) => ({ id, name: `Advertiser ${id}`, accountId: 1, accountIds: [1] })),
    placements: [
      { id: 1, name: 'Search' },
      { id: 2, name: 'Home' },
      { id: 3, name: 'Search' },
    ],
    products: [
      { advertiserId: 1, upc: '0000000000011', name: 'Oats', brand: 'Oaty' },
      { advertiserId: 1, upc: '0000000000022', name: 'Milk', brand: 'Oaty' },
      { advertiserId: 2, upc: '0000000000011', name: 'Oats', brand: 'Other' },
    ],
  }),
);

/** @returns the axis of the dimensions, and the joins that it needs */
async function axisOf(
  base: BaseColumn,
  dimensions: readonly DimensionName[],
  memory = UNLIMITED,
): Promise<{ codes: AxisCodes; joins: Joins }> {
  const query = { experience: 'pla', startDate: '2025-03-01', endDate: '2025-03-31', metrics: [], dimensions } as const;
  const plan = planReport({ ...query, filters: [], sort: [], pagination: { offset: 0, size: 10 } });
  expect(plan.axes).toEqual([{ base, dimensions }]);
  const joins = await loadJoins(
    source,
    [plan],
    {
      accountIds: new Set([1]),
      advertiserIds: [1, 2],
      ownAdvertiserIds: [1, 2],
    },
    SETTINGS,
  );
  return { codes: new AxisCodes({ base, dimensions }, memory), joins };
}

describe('the codes of an axis', () => {
  /** 60,000 creative keys of 1,000 characters a day, all without a creative, ended an instance: one value was counted. */
  test('take memory for base values that have the same dimension values', async () => {
    const { codes, joins } = await axisOf('entity_id', ['brand'], new Memory(450_000));
    const texts = (day: number) => Array.from({ length: 100 }, (_, i) => `${day}-${String(i).padStart(1_000, '0')}`);
    for (const day of [1, 2, 2]) codes.codesOf(joins, 1, texts(day)); // 100 × 1,002 × 2 bytes each time
    expect(codes.size).toBe(1);
    const addMore = () => codes.codesOf(joins, 1, texts(3));
    expect(addMore).toThrow(expect.objectContaining({ code: 'REPORT_TOO_EXPENSIVE' }));
  });

  test('are not added when frozen, so that keywords of rivals are neither kept nor joined: they share a code without a value', async () => {
    const { codes, joins } = await axisOf('keyword', ['keyword']);
    expect(await codes.codesOf(joins, 1, ['milk', 'oats'])).toEqual(Uint32Array.of(0, 1));
    codes.freeze();
    expect(await codes.codesOf(joins, 0, ['bread', 'milk', 'rice'])).toEqual(Uint32Array.of(2, 0, 2));
    expect(codes.size).toBe(3);
    expect(codes.valuesOf('keyword')).toEqual(['milk', 'oats']);
  });
});
