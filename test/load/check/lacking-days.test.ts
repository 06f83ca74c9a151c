import { beforeAll, expect, test } from 'vitest';
import type { LoadOptions } from '../../../shared/load/load-folder.ts';
import type { Table } from '../../../shared/store/table/table.ts';
import { useEngine } from '../../support/use-engine.ts';
import { loadRows, tableWith } from '../support/load-rows.ts';
import { type FolderRows, NETWORK } from '../support/network-rows.ts';

const engine = useEngine();
let table: Table;

/** Days of February as characters: `1-3 5` has the days 1, 2, 3 and 5. */
function daysOf(text: string): string[] {
  return text.split(' ').flatMap((range) => {
    const [first = '', last = first] = range.split('-');
    const days = Array.from({ length: Number(last) - Number(first) + 1 }, (_, at) => Number(first) + at);
    return days.map((day) => `2026-02-${String(day).padStart(2, '0')}`);
  });
}

/** @returns rows of advertiser 10, one a day */
function folder(days: Readonly<Record<string, string>>): FolderRows {
  const files = Object.entries(days).map(([name, text]) => [
    `facts/pla/${name}`,
    daysOf(text).map((daily_date) => ({ daily_date, hour: 9, ad_group_id: 1000 })),
  ]);
  return Object.fromEntries(files);
}

beforeAll(async () => {
  table = await tableWith(engine, { ...NETWORK, ...folder({ delivery: '1-20', conversions: '1-19' }) });
});

const stays = (name: string, days: string) =>
  `facts/pla/${name}*: no rows of ${days} in this folder: what is stored of them stays`;

test.each<[string, Readonly<Record<string, string>>, string[], Partial<LoadOptions>?]>([
  ['the next night', { delivery: '21', conversions: '20' }, []],
  ['the last night again, without conversions', { delivery: '20' }, []],
  ['the last three days, and one more of conversions', { delivery: '18-20', conversions: '17-20' }, []],
  ['the last three days, without conversions', { delivery: '18-20' }, []],
  ['a correction of some days', { delivery: '3 7 20' }, []],
  ['a first half', { delivery: '1-10', conversions: '1-10' }, []],
  ['a whole export', { delivery: '1-21', conversions: '1-20' }, []],
  ['a day between others', { delivery: '1-21', conversions: '1-9 11-20' }, [stays('conversions', '2026-02-10')]],
  ['a day between others, of a part', { delivery: '12-14 16-20' }, [stays('delivery', '2026-02-15')]],
  ['the last day', { delivery: '1-21', conversions: '1-18' }, [stays('conversions', '2026-02-19')]],
  ['the first day', { delivery: '1-21', conversions: '2-19' }, [stays('conversions', '2026-02-01')]],
  ['a table', { delivery: '1-21' }, [stays('conversions', '2026-02-01, 2026-02-02, 2026-02-03, and 16 more')]],
  [
    'a day, with a period that empties it',
    { delivery: '1-9 11-20' },
    [
      'facts/pla/delivery*: 1 advertiser day emptied for lack of rows in the folder, such as 2026-02-10 of advertiser 10: 1 hour before, no rows now; days in the file deletions are emptied without this warning',
    ],
    { replace: '2026-02-01..2026-02-28' },
  ],
])(
  'of a folder that lacks stored days of a table that it exports as a whole, a check names them: %s',
  async (...args) => {
    const [, days, expected, options = {}] = args;
    const { warnings } = await loadRows(folder(days), table, { check: true, ...options });
    expect(warnings).toEqual(expected);
  },
);

test('a day that deletions name is not said to stay', async () => {
  const deletions = [10, 11].map((day) => ({ experience: 'pla', table: 'delivery', day: `2026-02-${day}` }));
  const rows = { ...folder({ delivery: '1-9 13-20' }), deletions };
  expect((await loadRows(rows, table, { check: true })).warnings).toEqual([
    stays('delivery', '2026-02-12'),
    stays('conversions', '2026-02-01, 2026-02-02, 2026-02-03, and 16 more'),
  ]);
});

test('in its first week, a network whose nights are a folder per table lacks nothing', async () => {
  const young = await tableWith(engine, { ...NETWORK, ...folder({ delivery: '1-7', conversions: '1-7' }) });
  const warningsOf = async (days: Readonly<Record<string, string>>, check: boolean) =>
    (await loadRows(folder(days), young, { check })).warnings;
  expect(await warningsOf({ delivery: '1-8' }, true)).toEqual([]);
  expect(await warningsOf({ conversions: '1-8' }, false)).toEqual([]);
  const days = '2026-02-01, 2026-02-02, 2026-02-03, and 5 more';
  expect(await warningsOf({ delivery: '1-9' }, true)).toEqual([stays('conversions', days)]);
});
