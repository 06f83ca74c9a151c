import { beforeAll, expect, test } from 'vitest';
import type { LoadOptions } from '../../shared/load/load-folder.ts';
import { formatProblem } from '../../shared/load/schema/problems.ts';
import { useTable } from '../support/use-engine.ts';
import { loadRows } from './support/load-rows.ts';
import { type FolderRows, NETWORK } from './support/network-rows.ts';

/** All tests but the last two leave it as it is. */
const made = useTable();
beforeAll(async () => {
  expect(await loadRows({ ...NETWORK, ...FIRST }, made.table)).toMatchObject({ outcome: 'loaded' });
});

const delivery = (day: string, impressions: number, cost: number, adGroup = 1000) => ({
  ...{ daily_date: `2026-03-${day}`, hour: 9, ad_group_id: adGroup },
  ...{ impressions, cost },
});
const market = (impressions: number) => ({ daily_date: '2026-03-02', hour: 9, impressions });

const FIRST: FolderRows = {
  'facts/pla/delivery': [delivery('02', 884, 20), delivery('03', 900, 20), delivery('02', 500, 10, 1100)],
  'facts/pla/market': [market(5_000)],
  'facts/toa/delivery': [delivery('02', 100, 1)],
};
const LIMITS = { maxDrop: { pla: 4 }, maxGrowth: { pla: 10, carousel: 2 } };

/** Loads over FIRST. @returns the outcome with problems and warnings, and whether the table has changed */
async function loadOver(rows: FolderRows, options: Partial<LoadOptions>) {
  const stored = async () => (await made.content()).filter(({ pk }) => pk !== 'COMMIT');
  const before = await stored();
  const { outcome, problems, warnings } = await loadRows(rows, made.table, { replace: 'advertiser-days', ...options });
  const hasChanged = JSON.stringify(await stored()) !== JSON.stringify(before);
  return { outcome, problems: problems.map(formatProblem), warnings, hasChanged };
}

const BEYOND = (days: string, figures: string) =>
  `facts/pla/delivery*: ${days} beyond maxDrop or maxGrowth, such as ${figures}; --accept, or "accept": true in _READY, loads them`;
/** A wrong unit, such as impressions in thousandths. */
const WRONG_UNIT = { 'facts/pla/delivery': [delivery('02', 32_000_000_000, 20), delivery('03', 901, 20)] };
const OF_WRONG_UNIT = BEYOND(
  '1 advertiser day',
  '2026-03-02 of advertiser 10: 1 hour with 884 impressions at a cost of 20 before, 1 hour with 32,000,000,000 impressions at a cost of 20 now',
);

test.each<[string, FolderRows, string[]]>([
  ['grow', WRONG_UNIT, [OF_WRONG_UNIT]],
  [
    'fall, or have a cost that does',
    { 'facts/pla/delivery': [delivery('02', 884, 4.99), delivery('03', 200, 20), delivery('02', 130, 10, 1100)] },
    [
      BEYOND(
        '2 advertiser days',
        '2026-03-03 of advertiser 10: 1 hour with 900 impressions at a cost of 20 before, 1 hour with 200 impressions at a cost of 20 now',
      ),
    ],
  ],
  [
    'are of market',
    { 'facts/pla/market': [market(1_249)] },
    [
      'facts/pla/market*: 1 market day beyond maxDrop or maxGrowth, such as 2026-03-02: 1 hour with 5,000 impressions before, 1 hour with 1,249 impressions now; --accept, or "accept": true in _READY, loads them',
    ],
  ],
])('days that %s beyond a limit are rejected by name, and nothing stays of the load', async (_, rows, problems) => {
  expect(await loadOver(rows, LIMITS)).toEqual({ outcome: 'rejected', problems, warnings: [], hasChanged: false });
  expect(await loadOver(rows, { ...LIMITS, check: true })).toMatchObject({ outcome: 'rejected', problems });
});

test.each<[string, FolderRows, Partial<LoadOptions>]>([
  ['without a limit', WRONG_UNIT, {}],
  ['of an experience without a limit', { 'facts/toa/delivery': [delivery('02', 5_000, 1)] }, LIMITS],
  ['up to the limit', { 'facts/pla/delivery': [delivery('02', 8_840, 200), delivery('03', 225, 5)] }, LIMITS],
  ['that are new', { 'facts/pla/delivery': [delivery('04', 32_000_000_000, 20)] }, LIMITS],
  [
    'that are emptied',
    { deletions: [{ experience: 'pla', table: 'delivery', advertiserId: 10, day: '2026-03-02' }] },
    LIMITS,
  ],
])('days %s may be loaded', async (_, rows, limits) => {
  expect(await loadOver(rows, { ...limits, check: true })).toMatchObject({ outcome: 'checked', problems: [] });
});

const LACKS_11 = { 'facts/pla/delivery': [delivery('02', 884, 20), delivery('03', 900, 20)] };
const NOW_11 = [{ experience: 'pla', table: 'delivery', advertiserId: 11, day: '2026-03-02' }];
const OF_11 = '2026-03-02 of advertiser 11: 1 hour with 500 impressions at a cost of 10 before, no rows now';

test.each(['days', '2026-03-02..2026-03-03'] as const)(
  'with --replace %s, an advertiser that the folder lacks is a drop unless deletions names the day',
  async (replace) => {
    const rejected = { outcome: 'rejected', problems: [BEYOND('1 advertiser day', OF_11)], hasChanged: false };
    expect(await loadOver(LACKS_11, { ...LIMITS, replace })).toMatchObject(rejected);
    const warning = `facts/pla/delivery*: 1 advertiser day emptied for lack of rows in the folder, such as ${OF_11}; days in the file deletions are emptied without this warning`;
    const checked = { replace, check: true };
    for (const [rows, options, warnings] of [
      [LACKS_11, {}, [warning]],
      [LACKS_11, { ...LIMITS, accept: true }, [BEYOND('1 advertiser day', OF_11), warning]],
      [{ ...LACKS_11, deletions: NOW_11 }, LIMITS, []],
    ] as const)
      expect(await loadOver(rows, { ...options, ...checked })).toMatchObject({ outcome: 'checked', warnings });
  },
);

test('the next load of the same table is not disturbed by a rejected one', async () => {
  expect(await loadRows(WRONG_UNIT, made.table, LIMITS)).toMatchObject({ outcome: 'rejected' });
  const right = { 'facts/pla/delivery': [delivery('02', 885, 20)] };
  expect(await loadRows(right, made.table, LIMITS)).toMatchObject({
    outcome: 'loaded',
    changes: [{ impressions: { before: 884, after: 885 } }],
  });
});

test('days beyond a limit are loaded with a warning if they are accepted', async () => {
  const report = await loadOver(WRONG_UNIT, { ...LIMITS, accept: true });
  expect(report).toEqual({
    outcome: 'loaded',
    problems: [],
    warnings: [OF_WRONG_UNIT.replace('884', '885')],
    hasChanged: true,
  });
});

test('a warning says which days of those that were final a load changes', async () => {
  const finality = { restatementDays: { pla: 3 }, windowDays: { pla: 14 } };
  const rows = {
    'facts/pla/delivery': [
      delivery('02', 885, 20),
      delivery('03', 907, 20),
      delivery('04', 9, 1),
      delivery('02', 500, 10, 1100),
    ],
    'facts/toa/delivery': [delivery('02', 101, 1)],
  };
  const changed = async (today: string) => {
    const clock = () => Date.parse(`${today}T12:00:00Z`);
    const { warnings } = await loadOver(rows, { finality, clock, check: true });
    return warnings.filter((warning) => warning.includes('final'));
  };
  expect(await changed('2026-03-08')).toEqual([
    'facts/pla/delivery*: changes days that were final: 2026-03-02/2026-03-03',
  ]);
  expect(await changed('2026-03-06')).toEqual(['facts/pla/delivery*: changes days that were final: 2026-03-02']);
  expect(await changed('2026-03-05')).toEqual([]);
});
