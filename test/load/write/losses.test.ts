import { expect, test } from 'vitest';
import type { LoadRow } from '../../real/write-folder.ts';
import { useEngine } from '../../support/use-engine.ts';
import { loadRows, tableWith } from '../support/load-rows.ts';
import { type FolderRows, NETWORK } from '../support/network-rows.ts';

const engine = useEngine();

const delivery = (day: string, figures: LoadRow): FolderRows[string] =>
  [9, 10].map((hour) => ({
    daily_date: `2026-03-${day}`,
    hour,
    ad_group_id: 1000,
    impressions: 5,
    ...figures,
    keyword: figures.keyword === undefined ? '' : `${figures.keyword} ${hour}`,
  }));

const BEFORE = [
  ...delivery('01', { clicks: 4, cost: '0.5', keyword: 'chips', users: ['u1'] }),
  ...delivery('02', { clicks: 9, cost: '0.25', keyword: 'chips', users: ['u2'] }),
];

test.each<[string, FolderRows, readonly string[]]>([
  [
    'a measure on two days',
    { 'facts/pla/delivery': BEFORE.map(({ clicks: _, ...row }) => row) },
    ['facts/pla/delivery*: replaced days had values before, and have none now, of clicks (26 on 2 days)'],
  ],
  [
    'cost, keyword and users on a day',
    { 'facts/pla/delivery': delivery('01', { clicks: 4 }) },
    [
      'facts/pla/delivery*: replaced days had values before, and have none now, of cost (1 on 1 day), keyword (on 1 day), users (on 1 day)',
    ],
  ],
  ['nothing, because it has fewer clicks', { 'facts/pla/delivery': BEFORE.map((row) => ({ ...row, clicks: 1 })) }, []],
  ['nothing of days that it adds', { 'facts/pla/delivery': delivery('03', {}) }, []],
  [
    'a user, and most contacts',
    { users: (NETWORK.users ?? []).slice(0, 1), contacts: [{ ...NETWORK.contacts?.[0], id: 9 }] },
    [
      'contacts.ndjson: lacks 2 of the 2 rows of contacts, such as 5, 6',
      'users.ndjson: lacks 1 of the 2 rows of users, such as u-cpg; their keys stop working',
    ],
  ],
])('a load or check warns when a folder loses %s', async (_, rows, expected) => {
  const table = await tableWith(engine, { ...NETWORK, 'facts/pla/delivery': BEFORE });
  expect((await loadRows(rows, table, { check: true })).warnings).toEqual(expected);
  expect((await loadRows(rows, table)).warnings).toEqual(expected);
});
