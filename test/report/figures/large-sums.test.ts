import { describe, expect, test } from 'vitest';
import { dataset } from '../../support/facts.ts';
import { run } from './run.ts';

/** In a currency without decimals, a year of a large platform exceeds 2^53 micros, which are 9,007,199,254.74 units. */
const LARGEST = 9_007_199_254;

/** One micro in each of 40 hours. Sums of doubles would lose each of them, so an exact sum differs visibly. */
const MICROS = Array.from({ length: 40 }, (_, i) => ({
  date: `2025-03-0${5 + Math.floor(i / 20)}`,
  hour: i % 20,
  cost: 0.000001,
}));

/** @returns the double nearest to a decimal with more digits than a literal may have */
const nearest = (decimal: string) => Number(decimal);

describe('sums beyond 2^53 micros', () => {
  const rows = [1, 2, 3, 4].flatMap((day) =>
    [0, 1].map((hour) => ({ date: `2025-03-0${day}`, hour, cost: LARGEST - day, clicks: 7, impressions: 3 })),
  );
  const data = dataset({ delivery: [...rows, ...MICROS] }); // 8 × LARGEST − 20, and 40 micros

  test('are exact over all rows, and so are their ratios', async () => {
    const metrics = ['cost', 'cost_per_click', 'cost_per_thousand'] as const;
    expect((await run(data, { metrics })).data).toEqual([
      {
        cost: nearest('72057594012.00004'),
        cost_per_click: nearest('1286742750.214286428571428'), // cost / 56
        cost_per_thousand: nearest('3002399750500.001666666666'), // 1000 × cost / 24
      },
    ]);
  });

  test('are exact in rows and totals, whether the rows of a day belong to one group or to several', async () => {
    const byMonth = await run(data, { metrics: ['cost'], dimensions: ['month_date'] });
    expect(byMonth.data).toEqual([{ month_date: '2025-03-01', cost: nearest('72057594012.00004') }]);
    const byHour = await run(data, { metrics: ['cost'], dimensions: ['hour'] });
    expect(byHour.data.slice(0, 3)).toEqual([
      { hour: 0, cost: nearest('36028797006.000002') }, // 4 × LARGEST − 10, and 2 micros
      { hour: 1, cost: nearest('36028797006.000002') },
      { hour: 2, cost: 0.000002 },
    ]);
    expect(byHour.totals).toEqual({ cost: nearest('72057594012.00004') });
  });

  test('stay exact where one group exceeds 2^53 in the middle of the scan', async () => {
    const delivery = [1, 2, 3, 4, 5, 6].flatMap((day) => [
      { date: `2025-03-0${day}`, ad_group_id: 1, cost: LARGEST, hour: 1 },
      ...Array.from({ length: 20 }, (_, i) => ({ date: `2025-03-0${day}`, ad_group_id: 2, cost: 0.000003, hour: i })),
      ...Array.from({ length: 20 }, (_, i) => ({
        date: `2025-03-0${day}`,
        ad_group_id: 1,
        cost: 0.000001,
        hour: 2 + i,
      })),
    ]);
    const report = await run(dataset({ delivery }), { metrics: ['cost'], dimensions: ['ad_group_id'] });
    expect(report.data).toEqual([
      { ad_group_id: 1, cost: nearest('54043195524.00012') }, // 6 × LARGEST, and 120 micros
      { ad_group_id: 2, cost: 0.00036 },
    ]);
    expect(report.totals).toEqual({ cost: nearest('54043195524.00048') });
  });

  test('are exact where rows with equal keys add up to more than a stored value can hold', async () => {
    const delivery = [1, 2, 3].map(() => ({ date: '2025-03-01', cost: LARGEST, impressions: 1, users: ['ann'] }));
    const report = await run(dataset({ delivery: [...delivery, ...MICROS] }), {
      metrics: ['cost', 'impressions', 'unique_user_impressions'],
      dimensions: ['month_date'],
    });
    // 3 × LARGEST, and 40 micros
    const sums = { cost: nearest('27021597762.00004'), impressions: 3, unique_user_impressions: 1 };
    expect(report.data).toEqual([{ month_date: '2025-03-01', ...sums }]);
  });

  test('are compared exactly by filters', async () => {
    const delivery = [1, 2].flatMap((ad_group_id) => [
      { date: '2025-03-01', ad_group_id, cost: LARGEST },
      { date: '2025-03-02', ad_group_id, cost: LARGEST + (ad_group_id === 1 ? 0.5 : 0) },
    ]);
    const filters = [{ field: 'cost', operator: 'GREATER_THAN', values: ['18014398508'] }] as const;
    const report = await run(dataset({ delivery }), { metrics: ['cost'], dimensions: ['ad_group_id'], filters });
    expect(report.data).toEqual([{ ad_group_id: 1, cost: 18_014_398_508.5 }]);
  });

  test('give exact pacing with a budget of the same size', async () => {
    const delivery = [1, 2, 3, 4].map((day) => ({ date: `2025-03-0${day}`, cost: LARGEST }));
    const ad_groups = [{ id: 1, advertiserId: 1, campaignId: 10, budget: LARGEST, budgetType: 'WEEKLY' }];
    const report = await run(dataset({ delivery, ad_groups }), { metrics: ['pacing'] });
    expect(report.data).toEqual([{ pacing: 7 }]);
  });
});
