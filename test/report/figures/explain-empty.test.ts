import { expect, test } from 'vitest';
import { ApiError } from '../../../shared/lib/errors.ts';
import type { ReportQuery } from '../../../shared/report/query/query.ts';
import { dataset } from '../../support/facts.ts';
import { runWithGaps } from './run.ts';

const ad = (date: string, keyword: string | null, cost: number) => ({
  ...{ date, ad_group_id: 1, cost, clicks: 1, impressions: 10 },
  ...(keyword === null ? {} : { keyword }),
});
const data = dataset({
  delivery: ['oats', 'milk', 'tea', 'rice', 'eggs', 'soap'].map((keyword, i) => ad('2025-03-03', keyword, i + 0.5)),
});
const filter = (field: string, operator: string, ...values: string[]) =>
  ({ field, operator, values }) as ReportQuery['filters'][number]; // names of the catalogue
const BY_KEYWORD = { dimensions: ['keyword'], metrics: ['cost'] } as const;
const noSoy = filter('keyword', 'EQUALS', 'soy');
const noCost = filter('cost', 'GREATER_THAN', '100');

test.each<[string, Partial<ReportQuery>, string, string]>([
  [
    'a filter on a text',
    { filters: [noSoy] },
    'keyword',
    'The filter by Keyword leaves no row. Its values are "eggs", "milk", "oats", "rice", "soap" and 1 more.',
  ],
  [
    'a filter on a metric',
    { filters: [noCost] },
    'cost',
    'The filter by Cost leaves no row. Its values are 0.5 to 5.5.',
  ],
  [
    'the second of three filters, among the rows of the first',
    { filters: [filter('cost', 'LESS_THAN', '2'), filter('keyword', 'EQUALS', 'soap'), noSoy] },
    'keyword',
    'The filter by Keyword leaves no row. Its values are "eggs", "milk", "oats", "rice", "soap" and 1 more.',
  ],
  [
    'a filter on dates',
    { filters: [filter('daily_date', 'LESS_THAN', '2025-03-02')] },
    'daily_date',
    'The filter by Day leaves no row. Its values are 2025-03-03.',
  ],
  [
    'a filter on a closed set',
    { filters: [filter('campaign_status', 'EQUALS', 'DRAFT')] },
    'campaign_status',
    'The filter by Campaign status leaves no row. Its values are DRAFT, SCHEDULED, ACTIVE, PAUSED, ENDED.',
  ],
  [
    'a filter on a dimension without values',
    { filters: [filter('creative_name', 'NOT_NULL')] },
    'creative_name',
    'The filter by Creative leaves no row. It has no value here.',
  ],
  [
    'also in a report with a compared period, of which both are empty',
    { filters: [noSoy], compare: { startDate: '2025-02-01', endDate: '2025-02-28' } },
    'keyword',
    'The filter by Keyword leaves no row. Its values are "eggs", "milk", "oats", "rice", "soap" and 1 more.',
  ],
])('a report without rows names %s', async (_, query, field, detail) => {
  const { totalCount, meta } = await runWithGaps(data, { ...BY_KEYWORD, ...query });
  expect(totalCount).toBe(0);
  expect(meta.warnings[0]).toEqual({ code: 'NO_ROWS', field, detail, drop: [] });
});

test.each<[string, Partial<ReportQuery>, readonly string[]]>([
  ['no such value exists', { filters: [noSoy] }, ['keyword']],
  ['its facts are 0', { filters: [filter('keyword', 'EQUALS', 'soap')], metrics: ['opportunities'] }, []],
])('a report of a single row names a filter only where it selects no facts: %s', async (_, query, fields) => {
  const { data: rows, meta } = await runWithGaps(data, { metrics: ['cost'], ...query });
  expect(rows).toHaveLength(1);
  expect(meta.warnings.flatMap(({ code, field }) => (code === 'NO_ROWS' ? [field] : []))).toEqual(fields);
});

test('a report without rows says in which months its advertisers have data', async () => {
  const other = dataset({
    advertisers: [1, 2].map((id) => ({ id, name: `Advertiser ${id}`, accountId: 1, accountIds: [1] })),
    delivery: [ad('2025-02-03', 'oats', 1), { ...ad('2025-03-03', 'oats', 1), advertiserId: 2 }],
  });
  const { meta } = await runWithGaps(other, { ...BY_KEYWORD, advertiserIds: [1] });
  expect(meta.warnings.find(({ code }) => code === 'NO_ROWS')?.detail).toBe(
    'The advertisers of the report have no such data in the period; they have some in months from 2025-02 to 2025-02.',
  );
});

test('a report with rows, or of a period without any data, is not explained', async () => {
  const codesOf = async (query: Partial<ReportQuery>) =>
    (await runWithGaps(data, { ...BY_KEYWORD, ...query })).meta.warnings.map(({ code }) => code);
  expect(await codesOf({})).not.toContain('NO_ROWS');
  expect(await codesOf({ startDate: '2024-01-01', endDate: '2024-01-31' })).toEqual(['NO_DATA_IN_PERIOD']);
});

test('a report without rows has no reason if a limit allows the report, but no other one', async () => {
  let reports = 0;
  const onStart = () => {
    reports += 1;
    if (reports > 1) throw new ApiError('TOO_MANY_REQUESTS', 'The API key may run 1 reports at the same time.');
  };
  const { totalCount, meta } = await runWithGaps(data, { ...BY_KEYWORD, filters: [noSoy], onStart });
  expect([totalCount, reports]).toEqual([0, 2]);
  expect(meta.warnings.map(({ code }) => code)).not.toContain('NO_ROWS');
});
