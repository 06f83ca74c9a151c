import { expect, test } from 'vitest';
import { useEngine } from '../../support/use-engine.ts';
import { FACTS, type FolderRows, NETWORK } from '../support/network-rows.ts';
import {
  checkMonth,
  conversions,
  countPlainly,
  DAYS,
  delivery,
  KEPT,
  LARGE_MONTH,
  load,
  ROWS_OF_LARGE_DAY,
  readStored,
  sorted,
} from './check-cubes.ts';

const engine = useEngine();

test('after every load the cubes of each month are the sums of its days, with the users of its days', async () => {
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
    const expected = sorted(await countPlainly(table), (name) => name.includes(' ad_group_id ')); // months this small have no other cube
    expect(Object.keys(expected).length).toBeGreaterThan(4);
    expect(sorted(await readStored(table))).toEqual(expected);
  }
});

test('a month has the cubes that shrink its rows, and these equal its days through patches and deletions', async () => {
  const { table } = await engine.createTable();
  const cubesAfter = async (rows: FolderRows) => {
    expect(await load(table, rows)).toBe('loaded');
    return checkMonth(table);
  };
  const all = ['ad_group_id', ...KEPT];
  expect(await cubesAfter(LARGE_MONTH)).toEqual(all);
  // a day is replaced, one is added, one is emptied
  expect(await cubesAfter({ 'facts/pla/delivery': delivery(3).slice(7) })).toEqual(all);
  expect(await cubesAfter({ 'facts/pla/delivery': delivery(20), 'facts/pla/conversions': conversions(21) })).toEqual(
    all,
  );
  const emptied = [{ experience: 'pla', table: 'delivery', advertiserId: 10, day: '2026-03-02' }];
  expect(await cubesAfter({ deletions: emptied })).toEqual(all);
  // activity comes to the month only now: it is part of the cubes that have it
  const activity = [{ daily_date: '2026-03-05', hour: 4, ad_group_id: 1000, live_seconds: 60 }];
  expect(await cubesAfter({ 'facts/pla/activity': activity })).toEqual(all);
  // of small days, the rollup is enough; the other cubes cannot come back with one day
  const small = [3, 4, 20].flatMap((day) => delivery(day, 100));
  expect(await cubesAfter({ 'facts/pla/delivery': small })).toEqual(['ad_group_id']);
  expect(await cubesAfter({ 'facts/pla/delivery': delivery(25) })).toEqual(['ad_group_id']);
  expect(await cubesAfter(LARGE_MONTH)).toEqual(['ad_group_id']); // days 20 and 25 are not in the folder
  const rest = [2, 3, 4, 20, 25].flatMap((day) => delivery(day, ROWS_OF_LARGE_DAY - 1));
  expect(
    await cubesAfter({ 'facts/pla/delivery': rest, 'facts/pla/conversions': [...DAYS, 21].flatMap(conversions) }),
  ).toEqual(all);
});

test('a month that is loaded day by day has its cubes from the first day on', async () => {
  const { table } = await engine.createTable();
  for (const day of DAYS) {
    const facts = { 'facts/pla/delivery': delivery(day), 'facts/pla/conversions': conversions(day) };
    expect(await load(table, day === DAYS[0] ? { ...NETWORK, ...facts } : facts)).toBe('loaded');
    expect(await checkMonth(table)).toEqual(['ad_group_id', ...KEPT]);
  }
});
