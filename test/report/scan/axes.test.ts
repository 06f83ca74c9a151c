import { describe, expect, test } from 'vitest';
import type { DimensionName } from '../../../shared/catalog/dimensions.ts';
import type { BaseColumn } from '../../../shared/catalog/tables.ts';
import { type Joins, loadJoins } from '../../../shared/report/plan/joins.ts';
import { planReport } from '../../../shared/report/plan/plan-report.ts';
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
  return { codes: new AxisCodes({ base, dimensions }), joins };
}

describe('the codes of an axis', () => {
  test('are equal for base values with equal dimension values, and null is a value', async () => {
    const { codes, joins } = await axisOf('placement_id', ['placement']);
    expect(await codes.codesOf(joins, 1, [null, 1, 2, 3, 99])).toEqual(Uint32Array.of(0, 1, 2, 1, 0));
    expect(codes.size).toBe(3);
    expect(codes.valuesOf('placement')).toEqual([null, 'Search', 'Home']);
  });

  test('differ for different combinations of the values of several dimensions', async () => {
    const { codes, joins } = await axisOf('date', ['week_date', 'month_date', 'daily_date']);
    expect(await codes.codesOf(joins, 1, ['2025-03-31', '2025-04-01'])).toEqual(Uint32Array.of(0, 1));
    expect(codes.codeOf(joins, 2, '2025-03-31')).toBe(0);
    expect({ week: codes.valuesOf('week_date'), month: codes.valuesOf('month_date') }).toEqual({
      week: ['2025-03-31', '2025-03-31'],
      month: ['2025-03-01', '2025-04-01'],
    });
  });

  test('depend on the advertiser where its own tables give the values', async () => {
    const { codes, joins } = await axisOf('entity_id', ['entity_name', 'brand']);
    const bases = ['0000000000011', '0000000000022', '0000000000033'];
    expect(await codes.codesOf(joins, 1, bases)).toEqual(Uint32Array.of(0, 1, 2));
    expect(await codes.codesOf(joins, 2, bases)).toEqual(Uint32Array.of(3, 2, 2));
    expect(codes.valuesOf('entity_name')).toEqual(['Oats', 'Milk', null, 'Oats']);
    expect(codes.valuesOf('brand')).toEqual(['Oaty', 'Oaty', null, 'Other']);
  });

  /** 60,000 creative keys of 1,000 characters a day, all without a creative, ended an instance: one value was counted. */
  test('hold the memory of base values that have the same dimension values, and of the texts of the last dictionary', async () => {
    const { codes, joins } = await axisOf('entity_id', ['brand']);
    const texts = (day: number) => Array.from({ length: 100 }, (_, i) => `${day}-${String(i).padStart(1_000, '0')}`);
    const bytes: number[] = [];
    for (const day of [1, 2, 2, 3]) {
      await codes.codesOf(joins, 1, texts(day));
      bytes.push(codes.bytes);
    }
    expect(codes.size).toBe(1);
    const [first = 0, second = 0, again = 0, third = 0] = bytes;
    for (const added of [second - first, again - second, third - first]) expect(added).toBeGreaterThan(190_000); // nearly 100 × 1,002 × 2
    expect(third - first).toBeLessThan(500_000);
  });

  test('are the same whatever dictionary was translated before, and in whatever order', async () => {
    const { codes, joins } = await axisOf('hour', ['hour']);
    expect(await codes.codesOf(joins, 1, [3, 5, 8])).toEqual(Uint32Array.of(0, 1, 2));
    expect(await codes.codesOf(joins, 1, [1, 5, 9])).toEqual(Uint32Array.of(3, 1, 4));
    expect(await codes.codesOf(joins, 2, [9, 8, 5, 1, null])).toEqual(Uint32Array.of(4, 2, 1, 3, 5));
    expect(await codes.codesOf(joins, 2, [])).toEqual(new Uint32Array(0));
    expect(codes.valuesOf('hour')).toEqual([3, 5, 8, 1, 9, null]);
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
