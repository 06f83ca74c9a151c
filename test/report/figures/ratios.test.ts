import { expect, test } from 'vitest';
import { dataset } from '../../support/facts.ts';
import { run } from './run.ts';

const data = dataset({
  delivery: [
    { date: '2025-03-01', impressions: 6, cost: 4, users: ['a', 'b'] },
    { date: '2025-03-02', impressions: 3, cost: 2, users: ['b'] },
    { date: '2025-03-03', cost: 1 },
  ],
  conversions: [{ date: '2025-03-01', halo_revenue: 24 }],
});

test('frequency divides impressions by the users of the row, each of whom counts once in totals; acos divides cost by revenue', async () => {
  const report = await run(data, { metrics: ['frequency', 'acos'], dimensions: ['daily_date'] });
  expect(report.data).toEqual([
    { daily_date: '2025-03-01', frequency: 3, acos: 4 / 24 },
    { daily_date: '2025-03-02', frequency: 3, acos: null },
    { daily_date: '2025-03-03', frequency: null, acos: null },
  ]);
  expect(report.totals).toEqual({ frequency: 9 / 2, acos: 7 / 24 });
  expect(report.headers.map(({ name, standardError }) => [name, standardError])).toEqual([
    ['daily_date', undefined],
    ['frequency', expect.any(Number)],
    ['acos', undefined],
  ]);
});

test('a filter on frequency selects rows, also if it is not requested', async () => {
  const filters = [{ field: 'frequency', operator: 'GREATER_THAN', values: ['4'] }] as const;
  expect((await run(data, { metrics: ['impressions'], filters })).data).toEqual([{ impressions: 9 }]);
});
