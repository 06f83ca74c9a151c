import { describe, expect, test } from 'vitest';
import { dataset } from '../../support/facts.ts';
import { ask } from './ask.ts';

/** In a currency without decimals a large platform's year passes 2^53 micros: 9,007,199,254.74 units. */
const LARGEST = 9_007_199_254;

/** A micro in each of 40 hours: together they are seen in a sum, each alone would be rounded away. */
const MICROS = Array.from({ length: 40 }, (_, i) => ({
  date: `2025-03-0${5 + Math.floor(i / 20)}`,
  hour: i % 20,
  cost: 0.000001,
}));

/** The double nearest to a decimal of more digits than a literal may have. */
const nearest = (decimal: string) => Number(decimal);

describe('sums beyond 2^53 micros', () => {
  const rows = [1, 2, 3, 4].flatMap((day) =>
    [0, 1].map((hour) => ({ date: `2025-03-0${day}`, hour, cost: LARGEST - day, clicks: 7, impressions: 3 })),
  );
  const data = dataset({ delivery: [...rows, ...MICROS] });

  test('are exact over all rows, and so are ratios of them', async () => {
    const metrics = ['cost', 'cost_per_click', 'cost_per_thousand'] as const;
    expect((await ask(data, { metrics })).data).toEqual([
      {
        cost: nearest('72057594012.00004'),
        cost_per_click: nearest('1286742750.214286428571428'), // cost / 56
        cost_per_thousand: nearest('3002399750500.001666666666'), // 1000 × cost / 24
      },
    ]);
  });

  test('are exact in rows and totals, whether a day is one group or several', async () => {
    const byMonth = await ask(data, { metrics: ['cost'], dimensions: ['month_date'] });
    expect(byMonth.data).toEqual([{ month_date: '2025-03-01', cost: nearest('72057594012.00004') }]);
    const byHour = await ask(data, { metrics: ['cost'], dimensions: ['hour'] });
    expect(byHour.data.slice(0, 3)).toEqual([
      { hour: 0, cost: nearest('36028797006.000002') },
      { hour: 1, cost: nearest('36028797006.000002') },
      { hour: 2, cost: 0.000002 },
    ]);
    expect(byHour.totals).toEqual({ cost: nearest('72057594012.00004') });
  });

  test('stay exact where one group passes 2^53 long after others began', async () => {
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
    const report = await ask(dataset({ delivery }), { metrics: ['cost'], dimensions: ['ad_group_id'] });
    expect(report.data).toEqual([
      { ad_group_id: 1, cost: nearest('54043195524.00012') },
      { ad_group_id: 2, cost: 0.00036 },
    ]);
    expect(report.totals).toEqual({ cost: nearest('54043195524.00048') });
  });

  test('are one row where rows with equal keys add up to more than a stored value may', async () => {
    const delivery = [1, 2, 3].map(() => ({ date: '2025-03-01', cost: LARGEST, impressions: 1, users: ['ann'] }));
    const report = await ask(dataset({ delivery: [...delivery, ...MICROS] }), {
      metrics: ['cost', 'impressions', 'unique_user_impressions'],
      dimensions: ['month_date'],
    });
    const sums = { cost: nearest('27021597762.00004'), impressions: 3, unique_user_impressions: 1 };
    expect(report.data).toEqual([{ month_date: '2025-03-01', ...sums }]);
  });

  test('are filtered and sorted by', async () => {
    const delivery = [1, 2].flatMap((ad_group_id) => [
      { date: '2025-03-01', ad_group_id, cost: LARGEST },
      { date: '2025-03-02', ad_group_id, cost: LARGEST + (ad_group_id === 1 ? 0.5 : 0) },
    ]);
    const filters = [{ field: 'cost', operator: 'GREATER_THAN', values: ['18014398508'] }] as const;
    const report = await ask(dataset({ delivery }), { metrics: ['cost'], dimensions: ['ad_group_id'], filters });
    expect(report.data).toEqual([{ ad_group_id: 1, cost: 18_014_398_508.5 }]);
  });

  test('pace a plan of the same size', async () => {
    const delivery = [1, 2, 3, 4].map((day) => ({ date: `2025-03-0${day}`, cost: LARGEST }));
    const ad_groups = [{ id: 1, advertiserId: 1, campaignId: 10, budget: LARGEST, budgetType: 'WEEKLY' }];
    const report = await ask(dataset({ delivery, ad_groups }), { metrics: ['pacing'] });
    expect(report.data).toEqual([{ pacing: 7 }]);
  });
});
