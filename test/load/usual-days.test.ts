import { beforeAll, expect, test } from 'vitest';
import type { LoadOptions } from '../../shared/load/load-folder.ts';
import { formatProblem } from '../../shared/load/schema/problems.ts';
import { useTable } from '../support/use-engine.ts';
import { loadRows } from './support/load-rows.ts';
import { type FolderRows, NETWORK } from './support/network-rows.ts';

const made = useTable();
const AD_GROUPS = { usual: 1000, free: 1100 };

type Figures = readonly [impressions: number, cost: number | undefined];
const row = (date: string, adGroup: number, [impressions, cost]: Figures) => ({
  ...{ daily_date: date, hour: 9, ad_group_id: adGroup, impressions },
  ...(cost === undefined ? {} : { cost }),
});
const datesFrom = (first: string, count: number) =>
  Array.from({ length: count }, (_, day) => new Date(Date.parse(first) + day * 86_400_000).toISOString().slice(0, 10));

/** Advertiser 10 has 28 days of which the median is 1,010 impressions at 7.20, after ten days with much more; 11 has impressions without cost; in toa are six days. */
const STORED: FolderRows = {
  'facts/pla/delivery': [
    ...datesFrom('2026-02-01', 10).map((date) => row(date, AD_GROUPS.usual, [900_000, 9_000])),
    ...datesFrom('2026-02-11', 28).map((date, at) => row(date, AD_GROUPS.usual, [1_000 + at * 2 - 17, 7.2])),
    ...datesFrom('2026-02-11', 28).map((date) => row(date, AD_GROUPS.free, [200, 0])),
  ],
  'facts/toa/delivery': datesFrom('2026-03-01', 6).map((date) => row(date, AD_GROUPS.usual, [100, 1])),
  'facts/carousel/delivery': datesFrom('2026-03-01', 8).map((date) => row(date, AD_GROUPS.usual, [100, undefined])),
};

beforeAll(async () => {
  expect(await loadRows({ ...NETWORK, ...STORED }, made.table)).toMatchObject({ outcome: 'loaded' });
});

const LIMITS = { maxDrop: { pla: 20 }, maxGrowth: { pla: 20, toa: 20 } };
const MEDIAN = 'usually days with 1,010 impressions at a cost of 7.2 before';
const unusual = (text: string) =>
  `facts/pla/delivery*: 1 advertiser day that changed more than 10 times, such as ${text}`;
const beyond = (text: string) =>
  `facts/pla/delivery*: 1 advertiser day beyond maxDrop or maxGrowth, such as ${text}; --accept, or "accept": true in _READY, loads them`;

async function check(rows: FolderRows, options: Partial<LoadOptions>) {
  const { outcome, problems, warnings } = await loadRows(rows, made.table, {
    ...{ replace: 'advertiser-days', check: true, clock: () => Date.parse('2026-03-20T12:00Z'), ...options },
  });
  return [outcome, ...problems.map(formatProblem), ...warnings];
}

/** A day of an ad group and its figures, and what is said of it by default and with limits of 20; options of the load. */
test.each<[string, string, number, Figures, string | undefined, 'checked' | 'rejected', Partial<LoadOptions>?]>([
  ['a usual day', '2026-03-11', 1000, [10_100, 72], undefined, 'checked'],
  [
    'more than tenfold impressions',
    '2026-03-11',
    1000,
    [10_101, 72],
    `2026-03-11 of advertiser 10: ${MEDIAN}, 1 hour with 10,101 impressions at a cost of 72 now`,
    'checked',
  ],
  [
    'more impressions than the limit',
    '2026-03-11',
    1000,
    [20_201, 72],
    `2026-03-11 of advertiser 10: ${MEDIAN}, 1 hour with 20,201 impressions at a cost of 72 now`,
    'rejected',
  ],
  [
    'cost in micros',
    '2026-03-11',
    1000,
    [1_000, 7_200_000],
    `2026-03-11 of advertiser 10: ${MEDIAN}, 1 hour with 1,000 impressions at a cost of 7,200,000 now`,
    'rejected',
  ],
  [
    'cost in micros, in the next month but one',
    '2026-03-20',
    1000,
    [1_000, 7_200_000],
    `2026-03-20 of advertiser 10: ${MEDIAN}, 1 hour with 1,000 impressions at a cost of 7,200,000 now`,
    'rejected',
  ],
  [
    'cost of a day before all others',
    '2026-01-20',
    1000,
    [1_000, 7_200_000_000],
    `2026-01-20 of advertiser 10: ${MEDIAN}, 1 hour with 1,000 impressions at a cost of 7,200,000,000 now`,
    'rejected',
  ],
  [
    'less than a tenth of the cost',
    '2026-03-11',
    1000,
    [1_000, 0.71],
    `2026-03-11 of advertiser 10: ${MEDIAN}, 1 hour with 1,000 impressions at a cost of 0.71 now`,
    'checked',
  ],
  [
    'no cost, as the column is empty',
    '2026-03-11',
    1000,
    [1_000, 0],
    `2026-03-11 of advertiser 10: ${MEDIAN}, 1 hour with 1,000 impressions now`,
    'rejected',
  ],
  [
    'a credit',
    '2026-03-11',
    1000,
    [1_000, -5],
    `2026-03-11 of advertiser 10: ${MEDIAN}, 1 hour with 1,000 impressions at a cost of -5 now`,
    'rejected',
  ],
  ['a tenth of the impressions on a day that is not over', '2026-03-20', 1000, [1, 0], undefined, 'checked'],
  ['one hour of several', '2026-03-11', 1000, [1, 0], undefined, 'checked', { replace: 'hours' }],
  [
    'a wrong unit in one hour of several',
    '2026-03-11',
    1000,
    [1, 7_200_000],
    `2026-03-11 of advertiser 10: ${MEDIAN}, 1 hour with 1 impressions at a cost of 7,200,000 now`,
    'rejected',
    { replace: 'hours' },
  ],
  [
    'cost of an advertiser without any',
    '2026-03-11',
    1100,
    [200, 999_999],
    `2026-03-11 of advertiser 11: usually days with 200 impressions before, 1 hour with 200 impressions at a cost of 999,999 now`,
    'rejected',
  ],
  [
    'cost of a stored day without any',
    '2026-03-10',
    1100,
    [200, 999_999],
    `2026-03-10 of advertiser 11: 1 hour with 200 impressions before, 1 hour with 200 impressions at a cost of 999,999 now`,
    'rejected',
  ],
  [
    'tenfold cost of a stored day',
    '2026-03-10',
    1000,
    [1_000, 73],
    `2026-03-10 of advertiser 10: 1 hour with 1,037 impressions at a cost of 7.2 before, 1 hour with 1,000 impressions at a cost of 73 now`,
    'checked',
  ],
])('%s', async (_, date, adGroup, figures, text, outcome, options = {}) => {
  const rows = { 'facts/pla/delivery': [row(date, adGroup, figures)] };
  expect(await check(rows, options)).toEqual(['checked', ...(text === undefined ? [] : [unusual(text)])]);
  const limited = outcome === 'rejected' ? [beyond(text ?? '')] : text === undefined ? [] : [unusual(text)];
  expect(await check(rows, { ...options, ...LIMITS })).toEqual([outcome, ...limited]);
});

test('fewer than seven stored days say nothing, nor does cost that was unknown', async () => {
  expect(await check({ 'facts/toa/delivery': [row('2026-03-11', 1000, [900_000, 9_000])] }, LIMITS)).toEqual([
    'checked',
  ]);
  expect(await check({ 'facts/carousel/delivery': [row('2026-03-11', 1000, [100, 999_999])] }, {})).toEqual([
    'checked',
  ]);
});
