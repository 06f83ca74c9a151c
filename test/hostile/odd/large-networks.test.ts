import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Instance, openTestService, type TestService } from '../../http/support/test-service.ts';
import { IS_LONG, printFigures } from '../support/budget.ts';
import { askReport, ok, sendReport } from './ask.ts';

const ACCOUNTS = IS_LONG ? 100_000 : 10_000;
const AD_GROUPS = 5_000;
const DAY = '2026-02-02';
const LARGE_DAY = '2026-02-03';
const ROWS_OF_DAY = IS_LONG ? 5_000_000 : 100_000;

let service: TestService;
let instance: Instance;
beforeAll(async () => {
  const accounts = Array.from({ length: ACCOUNTS }, (_, i) => ({ id: i + 1, name: `Account ${i + 1}` }));
  service = await openTestService({
    files: {
      accounts,
      advertisers: [
        { id: 1, name: 'First', accountId: 1 },
        { id: 2, name: 'Last', accountId: ACCOUNTS },
      ],
      campaigns: [{ id: 1, advertiserId: 1, name: 'All', status: 'ACTIVE', startDate: '2026-01-01' }],
      ad_groups: Array.from({ length: AD_GROUPS }, (_, i) => ({
        id: i + 1,
        campaignId: 1,
        name: `Ad group ${i + 1}`,
        status: 'ACTIVE',
      })),
      users: [
        { userId: 'everything', name: 'Everything', userType: 'AGENCY', accountIds: accounts.map(({ id }) => id) },
        { userId: 'one', name: 'One', userType: 'CPG', accountIds: [1] },
      ],
      'facts/pla/delivery': Array.from({ length: AD_GROUPS }, (_, i) => ({
        daily_date: DAY,
        hour: i % 24,
        ad_group_id: i + 1,
        impressions: i,
      })),
    },
    users: ['everything', 'one'],
  });
  instance = await service.start();
});
afterAll(() => service.close());

describe('a user with very many accounts', () => {
  const key = 'key-everything';

  test('lists them all, page by page', async () => {
    for (const offset of [0, ACCOUNTS / 2 - 1, ACCOUNTS - 100, ACCOUNTS]) {
      const response = ok(
        await instance.send('list-accounts', {
          key,
          query: [
            ['offset', String(offset)],
            ['size', '100'],
          ],
        }),
      );
      const { data, meta } = Object(response.body);
      expect(meta.page).toEqual({ offset, size: 100, total: ACCOUNTS, hasMore: offset + 100 < ACCOUNTS });
      const count = Math.min(100, ACCOUNTS - offset);
      expect(data.map(({ id }: { id: number }) => id)).toEqual(Array.from({ length: count }, (_, i) => offset + i + 1));
    }
  });

  test('sees the last one, and has a token that only counts them', async () => {
    const advertisers = ok(await instance.send('list-advertisers', { key, query: [['account_id', String(ACCOUNTS)]] }));
    expect(Object(advertisers.body).data).toMatchObject([{ id: 2, accountId: ACCOUNTS }]);
    const claims = ok(await instance.send('get-jwt-claims', { key }));
    expect(claims.body).toMatchObject({ accountCount: ACCOUNTS });
    expect(claims.body).not.toHaveProperty('accountIds');
  });

  test('gets the report of its advertisers, or a documented rejection', async () => {
    const startedAt = performance.now();
    const response = await sendReport(instance, 'everything', {
      startDate: DAY,
      endDate: DAY,
      dimensions: ['advertiser_id'],
    });
    const code = String(Object(response.body).code);
    printFigures('odd, accounts', {
      accounts: ACCOUNTS,
      'report status': response.status,
      ms: Math.round(performance.now() - startedAt),
    });
    if (response.status === 200)
      expect(Object(response.body).data).toEqual([
        { advertiser_id: 1, impressions: (AD_GROUPS * (AD_GROUPS - 1)) / 2 },
      ]);
    else expect(['DEADLINE_EXCEEDED', 'REPORT_TOO_EXPENSIVE', 'STORE_BUSY']).toContain(code);
  });
});

test('the pages of a report over 5,000 ad groups have each ad group exactly once', async () => {
  const pages = await Promise.all(
    [0, 2_000, 4_000].map((offset) => {
      const pagination = { offset, size: 2_000 };
      return askReport(instance, 'one', {
        startDate: DAY,
        endDate: DAY,
        dimensions: ['ad_group_id', 'ad_group_name'],
        pagination,
      });
    }),
  );
  const rows = pages.flatMap(({ data }) => data);
  const expected = Array.from({ length: AD_GROUPS }, (_, i) => ({
    ad_group_id: i + 1,
    ad_group_name: `Ad group ${i + 1}`,
    impressions: i,
  }));
  expect(rows).toEqual(expected);
  expect(new Set(pages.map(({ totalCount }) => totalCount))).toEqual(new Set([AD_GROUPS]));
  printFigures('odd, ad groups', { 'ad groups': rows.length, pages: pages.length });
});

test('a day with very many rows is loaded and summed exactly', async () => {
  const rows = function* () {
    for (let i = 0; i < ROWS_OF_DAY; i++) {
      // all keys differ, so that no rows are summed before they are stored
      yield {
        daily_date: LARGE_DAY,
        hour: i % 24,
        ad_group_id: 1 + (i % AD_GROUPS),
        keyword: `k${i % 977}`,
        entity_id: String(i % 1_000),
        impressions: i % 1_000,
      };
    }
  };
  const startedAt = performance.now();
  await service.load({ 'facts/pla/delivery': rows() });
  const loadedMs = Math.round(performance.now() - startedAt);
  const { data, totals } = await askReport(instance, 'one', {
    startDate: LARGE_DAY,
    endDate: LARGE_DAY,
    dimensions: ['hour'],
  });
  const byHour = Array.from({ length: 24 }, () => 0);
  for (let i = 0; i < ROWS_OF_DAY; i++) byHour[i % 24] = (byHour[i % 24] ?? 0) + (i % 1_000);
  expect(data.map((row) => row.impressions)).toEqual(byHour);
  expect(totals.impressions).toBe(byHour.reduce((sum, impressions) => sum + impressions, 0));
  printFigures('odd, rows of a day', { rows: ROWS_OF_DAY, 'load s': loadedMs / 1_000 });
});
