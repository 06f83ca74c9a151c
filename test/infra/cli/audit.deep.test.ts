import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderOf, makeFolder } from '../../load/support/folder.ts';
import { type FolderRows, NETWORK } from '../../load/support/network-rows.ts';
import { runCommand } from './run-command.ts';

const delivery = (impressions: number, adGroup = 1000): FolderRows => ({
  'facts/pla/delivery': ['02', '03', '05'].map((day) => {
    return { daily_date: `2026-03-${day}`, hour: 9, ad_group_id: adGroup, impressions };
  }),
});
const MARKET: FolderRows = { 'facts/pla/market': [{ daily_date: '2026-02-28', hour: 9, impressions: 90 }] };

test('the audit of this machine lists rejected loads, and the days that have facts by advertiser', async () => {
  using data = makeFolder();
  const env = { DATA_DIR: join(data.path, 'data') };
  const load = async (rows: FolderRows, ...args: string[]) => {
    using folder = folderOf(rows);
    return await runCommand('load', [folder.path, ...args], env);
  };
  expect(await load({ ...NETWORK, ...delivery(1), ...MARKET })).toMatchObject({ code: 0 });
  expect(await load(delivery(1, 1100))).toMatchObject({ code: 0 });
  expect(await load(delivery(1, 7))).toMatchObject({ code: 1 });
  expect(await load(delivery(1, 7), '--check')).toMatchObject({ code: 1 });
  const limit = ['--max-growth', '{"pla":10}'];
  expect(await load(delivery(11), ...limit)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('3 advertiser days beyond maxDrop or maxGrowth, such as '),
  });
  expect(await load(delivery(11), ...limit, '--accept')).toMatchObject({ code: 0 });
  expect(await load(delivery(1), '--max-drop', '10')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('maxDrop is 10; it must be an object with numbers above 1 by experience'),
  });

  const { stdout: entries } = await runCommand('audit', ['--loads'], env);
  const [first = '', second = '', unknown = '', limited = '', accepted = '', ...more] = entries.trim().split('\n');
  expect(more).toEqual([]);
  for (const loaded of [first, second, accepted]) expect(loaded).toContain('pla/delivery ');
  expect(unknown).toMatch(
    / {2}load rejected {2}.* {2}problems: 3, first: "facts\/pla\/delivery\.ndjson:1:ad_group_id"$/,
  );
  expect(limited).toMatch(/ {2}load rejected {2}.* {2}problems: 1, first: "facts\/pla\/delivery\*"$/);

  const days = await runCommand('audit', ['--days'], env);
  const rows = days.stdout.trim().split('\n');
  expect(rows.sort()).toEqual([
    '0  pla  market  2026-02-28',
    '10  pla  delivery  2026-03-02/2026-03-03  2026-03-05',
    '11  pla  delivery  2026-03-02/2026-03-03  2026-03-05',
  ]);
  const { stdout: json } = await runCommand('audit', ['--days', '--json'], env);
  expect(
    json
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toContainEqual({
    ...{ advertiserId: 10, experience: 'pla', table: 'delivery' },
    days: ['2026-03-02/2026-03-03', '2026-03-05'],
  });
});
