import { describe, expect, test } from 'vitest';
import { loadFolder } from '../../shared/load/load-folder.ts';
import { formatProblem } from '../../shared/load/schema/problems.ts';
import type { ReplaceMode } from '../../shared/load/schema/replace-modes.ts';
import { useEngine } from '../support/use-engine.ts';
import { userIdKey } from '../support/user-id-key.ts';
import { folderOf } from './support/folder.ts';
import { loadRows } from './support/load-rows.ts';
import { type FolderRows, NETWORK } from './support/network-rows.ts';

const engine = useEngine();
/** Clocks go back from 2:00 to 1:00 on this day. */
const ZONE = { timeZone: 'America/New_York', clock: () => Date.parse('2026-11-02T12:00Z') };
const row = (hour: number | string, impressions: number, day = '2026-11-01') => ({
  ...{ daily_date: day, hour, ad_group_id: 1000, impressions },
});
const FIRST = [row(1, 110)];
const SECOND = [row(1, 340)];

async function tableWithFirst() {
  const { table } = await engine.createTable();
  expect(await loadRows(NETWORK, table, ZONE)).toMatchObject({ outcome: 'loaded' });
  const load = async (rows: FolderRows, replace: ReplaceMode = 'hours', columns = '{}') => {
    using folder = folderOf(rows);
    folder.write('columns.json', columns);
    const options = { ...ZONE, userIdKey, folder: folder.path, table, replace };
    const { outcome, problems, changes } = await loadFolder(options);
    return [outcome, ...problems.map(formatProblem), ...changes.flatMap(({ impressions }) => impressions?.after ?? [])];
  };
  expect(await load({ 'facts/pla/delivery': FIRST })).toEqual(['loaded', 110]);
  return load;
}

test('the second of the two hours does not replace the first with --replace hours', async () => {
  const load = await tableWithFirst();
  expect(await load({ 'facts/pla/delivery': SECOND })).toEqual([
    'rejected',
    'facts/pla/delivery*: 1 advertiser day of which an hour that clocks repeat was loaded before, such as 2026-11-01 of advertiser 10: 1 hour with 110 impressions before, 1 hour with 340 impressions now: load both hours in one folder, with their offsets in hour or {"filesAddUp": true} in columns.json, or the whole day',
  ]);
  expect(await load({ 'facts/pla/delivery': FIRST }), 'the same hour again').toEqual(['unchanged']);
  expect(await load({ 'facts/pla/delivery': [row(2, 5)] }), 'another hour').toEqual(['loaded', 115]);
  const both = { 'facts/pla/delivery-1': FIRST, 'facts/pla/delivery-2': SECOND };
  expect(await load(both, 'hours', '{"filesAddUp": true}')).toEqual(['loaded', 455]);
  expect(await load({ 'facts/pla/delivery': SECOND }, 'advertiser-days'), 'the day').toEqual(['loaded', 340]);
});

test('other hours, and this one on other days, are replaced', async () => {
  const load = await tableWithFirst();
  const [before, after] = [7, 9].map((impressions) => [row(0, impressions), row(1, impressions, '2026-10-31')]);
  expect(await load({ 'facts/pla/delivery': before ?? [] })).toEqual(['loaded', 124]);
  expect(await load({ 'facts/pla/delivery': after ?? [] })).toEqual(['loaded', 128]);
});

test('part files of the two hours are told to add up, and files with other hours that one is a copy', async () => {
  const load = await tableWithFirst();
  const parts = (...hours: number[]) => ({
    'facts/pla/delivery-1': hours.map((hour) => row(hour, 110)),
    'facts/pla/delivery-2': hours.map((hour) => row(hour, 340)),
  });
  expect(await load(parts(1))).toEqual([
    'rejected',
    'facts/pla/delivery-2.ndjson: repeats another file: 1 of 1 rows have the keys of rows in facts/pla/delivery-1.ndjson (impressions 340): clocks repeat their hour; if each file has one of the two, write {"filesAddUp": true} into columns.json',
  ]);
  expect((await load(parts(1, 2)))[1]).toContain('they would be counted twice; remove one of the files');
  expect((await load(parts(2)))[1]).toContain('they would be counted twice; remove one of the files');
});

describe('hours with the offset', () => {
  const summer = row('2026-11-01T01:00-04:00', 110);
  const winter = row('2026-11-01 01:00:00-05', 340);
  const NEXT = row('2026-11-01T02:00:00.000-0500', 5);

  test('tell the two apart within a folder', async () => {
    const load = await tableWithFirst();
    const both = { 'facts/pla/delivery-1': [summer, NEXT], 'facts/pla/delivery-2': [winter] };
    expect(await load(both, 'advertiser-days')).toEqual(['loaded', 455]);
    expect(await load({ 'facts/pla/delivery': [row(0, 1), summer, winter] }), 'both hours').toEqual(['loaded', 456]);
    expect(await load({ 'facts/pla/delivery': [row(1, 450), row(2, 6)] }, 'days'), 'their sum').toEqual([
      'loaded',
      456,
    ]);
  });

  test('do not replace one of the two by the other', async () => {
    const load = await tableWithFirst();
    for (const rows of [[winter], [row('2026-11-01T01:00-04:00', 111)]])
      expect((await load({ 'facts/pla/delivery': rows }))[1]).toContain('an hour that clocks repeat was loaded before');
  });

  test('are the same in two files only if they are the same of the two', async () => {
    const load = await tableWithFirst();
    const copy = { 'facts/pla/delivery-1': [winter], 'facts/pla/delivery-2': [winter] };
    expect((await load(copy))[1]).toContain('they would be counted twice; remove one of the files');
  });
});
