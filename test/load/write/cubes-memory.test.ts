import { expect, test } from 'vitest';
import type { LoadLimits } from '../../../shared/load/open-resources.ts';
import { useEngine } from '../../support/use-engine.ts';
import type { FolderRows } from '../support/network-rows.ts';
import {
  checkMonth,
  conversions,
  DAYS,
  delivery,
  KEPT,
  LARGE_MONTH,
  load,
  openSource,
  readStored,
} from './check-cubes.ts';

const engine = useEngine();

test('if the users of a month take too much memory, its rollup has none and reports read them from the days, until one load has all days of the month', async () => {
  const { table } = await engine.createTable();
  const manyUsers = (day: number) => delivery(day).map((row, user) => ({ ...row, users: [`u${user}`] }));
  const all = ['ad_group_id', ...KEPT];
  const limits = { cubeBytes: 700_000 };
  const after = async (rows: FolderRows, given: LoadLimits = {}) => {
    expect(await load(table, rows, given)).toBe('loaded');
    const cubes = await checkMonth(table, 'sums');
    const head = (await (await openSource(table)).factHeads([10])).get(10);
    const months = [...(head?.cubeMonths?.get('pla') ?? [])];
    const usersByMonth = months.map(([month, entry]) => {
      const columns = [...(entry.cubes.get('ad_group_id')?.columns.keys() ?? [])];
      return [month, columns.some((name) => name.startsWith('delivery/users'))];
    });
    return { cubes, users: Object.fromEntries(usersByMonth) };
  };
  // the users of the loaded days are too many
  const large = { ...LARGE_MONTH, 'facts/pla/delivery': DAYS.flatMap(manyUsers) };
  expect(await after(large, limits)).toEqual({ cubes: all, users: { '2026-03': false } });
  // the users of one more day do not make those of the month complete
  expect(await after({ 'facts/pla/delivery': delivery(5) })).toEqual({ cubes: all, users: { '2026-03': false } });
  // another month has its users
  const april = delivery(1, 20).map((row) => ({ ...row, daily_date: '2026-04-01' }));
  const both = { '2026-03': false, '2026-04': true };
  expect(await after({ 'facts/pla/delivery': april }, limits)).toEqual({ cubes: all, users: both });
  // with enough memory, all days of the month bring the users back; with too little, they are dropped before the stored ones are decoded
  const rest = [...DAYS, 5].flatMap((day) => manyUsers(day).slice(1));
  const complete = { '2026-03': true, '2026-04': true };
  const facts = { 'facts/pla/delivery': rest, 'facts/pla/conversions': [...DAYS, 5].flatMap(conversions) };
  expect(await after(facts)).toEqual({ cubes: all, users: complete });
  expect(await after({ 'facts/pla/delivery': delivery(4, 300) }, limits)).toEqual({ cubes: all, users: both });
});

test('a month whose rows take too much memory has fewer cubes or none, and is read by day', async () => {
  const { table } = await engine.createTable();
  expect(await load(table, LARGE_MONTH, { cubeBytes: 60_000 })).toBe('loaded');
  const some = await checkMonth(table);
  expect(some).toContain('ad_group_id');
  expect(some.length).toBeLessThan(1 + KEPT.length);
  expect(await load(table, { 'facts/pla/delivery': delivery(3).slice(7) }, { cubeBytes: 1_000 })).toBe('loaded');
  expect(await checkMonth(table)).toEqual([]);
  const small = { ...delivery(4, 20)[0], daily_date: '2026-04-01' };
  expect(await load(table, { 'facts/pla/delivery': [small] })).toBe('loaded');
  expect(Object.keys(await readStored(table))).toContain('pla ad_group_id delivery 10 2026-04');
});
