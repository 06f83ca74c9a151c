import { expect, test } from 'vitest';
import { useEngine } from '../../support/use-engine.ts';
import { FACTS, type FolderRows, NETWORK } from '../support/network-rows.ts';
import {
  checkMonth,
  conversions,
  countPlainly,
  DAYS,
  delivery,
  LARGE_MONTH,
  load,
  readStored,
  sorted,
} from './check-rollups.ts';

const engine = useEngine();

test('after every load the rollup of each month has the sums of its days, with the users of its days', async () => {
  const { table } = await engine.createTable();
  const row = { ...FACTS['facts/pla/delivery']?.[0], users: ['zoe', 'ann'] };
  const market = { daily_date: '2026-03-02', hour: 9, placement_id: 2, keyword: 'oat milk', impressions: 3 };
  const steps: FolderRows[] = [
    { ...NETWORK, ...FACTS },
    {
      'facts/pla/delivery': [
        { ...row, hour: 3 },
        { ...row, hour: 4, ad_group_id: 1000 },
      ],
    },
    {
      'facts/pla/delivery': [
        { ...row, daily_date: '2026-03-31' },
        { ...row, daily_date: '2026-04-01' },
      ],
    },
    { 'facts/pla/market': [market], 'facts/toa/activity': [...(FACTS['facts/pla/activity'] ?? [])] },
    { ...FACTS },
    {
      deletions: [
        { experience: 'pla', table: 'delivery', advertiserId: 10, day: '2026-03-02' },
        { experience: 'pla', table: 'conversions', day: '2026-03-03' },
        { experience: 'pla', table: 'market', day: '2026-03-03' },
        { experience: 'pla', table: 'delivery', advertiserId: 10, day: '2026-04-01' },
      ],
      'facts/pla/delivery': [{ ...row, daily_date: '2026-03-31', hour: 5 }],
    },
  ];
  for (const rows of steps) {
    expect(await load(table, rows)).toBe('loaded');
    const expected = sorted(await countPlainly(table));
    expect(Object.keys(expected).length).toBeGreaterThan(4);
    expect(sorted(await readStored(table))).toEqual(expected);
  }
});

test('the rollup equals its days through patches and deletions, and gives the same reports', async () => {
  const { table } = await engine.createTable();
  const steps: FolderRows[] = [
    LARGE_MONTH,
    { 'facts/pla/delivery': delivery(3).slice(7) },
    { 'facts/pla/delivery': delivery(20), 'facts/pla/conversions': conversions(21) },
    { deletions: [{ experience: 'pla', table: 'delivery', advertiserId: 10, day: '2026-03-02' }] },
    { 'facts/pla/activity': [{ daily_date: '2026-03-05', hour: 4, ad_group_id: 1000, live_seconds: 60 }] },
  ];
  for (const rows of steps) {
    expect(await load(table, rows)).toBe('loaded');
    await checkMonth(table);
  }
});

test('a month that is loaded day by day has its rollup from the first day on', async () => {
  const { table } = await engine.createTable();
  for (const day of DAYS) {
    const facts = { 'facts/pla/delivery': delivery(day), 'facts/pla/conversions': conversions(day) };
    expect(await load(table, day === DAYS[0] ? { ...NETWORK, ...facts } : facts)).toBe('loaded');
    await checkMonth(table);
  }
});
