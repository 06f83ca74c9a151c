import { expect, test } from 'vitest';
import { useEngine } from '../../support/use-engine.ts';
import { loadRows, tableWith } from '../support/load-rows.ts';
import { NETWORK } from '../support/network-rows.ts';

const engine = useEngine();

test('a load says once per column how many values it has rounded, and by how much their sum has changed', async () => {
  const key = { daily_date: '2026-03-01', ad_group_id: 1000 };
  const table = await tableWith(engine, NETWORK);
  const { warnings, problems } = await loadRows(
    {
      placements: [{ id: 1, name: 'P', experiences: ['pla'], priceFloor: 0.1234567 }],
      'facts/pla/delivery': [
        ...Array.from({ length: 20 }, (_, hour) => ({ ...key, hour, cost: '0.0023471' })),
        { ...key, hour: 20, cost: 6.970000000000001 },
        { ...key, hour: 21, cost: '7.50000000', video_total_duration: 1.5 },
      ],
      'facts/pla/conversions': [{ ...key, hour: 1, halo_revenue: '-0.0000015', halo_exposed_revenue: '0.25' }],
    },
    table,
  );
  expect(problems).toEqual([]);
  expect(warnings.filter((warning) => warning.includes('rounded'))).toEqual([
    expect.stringMatching(
      /^placements\.\w+: priceFloor: values rounded to 6 decimals: 1; their sum changes by less than 0\.000001$/,
    ),
    'facts/pla/conversions*: halo_revenue: values rounded to 6 decimals: 1; their sum changes by less than 0.000001',
    'facts/pla/delivery*: cost: values rounded to 6 decimals: 21; their sum changes by -0.000002',
  ]);
});
