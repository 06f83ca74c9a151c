import { afterAll, expect, test } from 'vitest';
import { reportRequest } from './support/gateway-event.ts';
import { openTestService } from './support/test-service.ts';

const AGENCIES = { ann: 1, bob: 2 } as const;
/** Twenty advertisers of each agency, enough that overviews read the shard that has all of them. */
const ADVERTISERS = Array.from({ length: 40 }, (_, i) => ({ id: 100 + i, accountId: 1 + (i % 2) }));
const DAYS = ['2026-02-01', '2026-02-02', '2026-02-03'];

const service = await openTestService({
  users: Object.keys(AGENCIES),
  files: {
    accounts: [1, 2].map((id) => ({ id, name: `Account ${id}` })),
    users: Object.entries(AGENCIES).map(([userId, id]) => ({
      ...{ userId, name: userId, userType: 'AGENCY', accountIds: [id] },
    })),
    advertisers: ADVERTISERS.map(({ id, accountId }) => ({ id, name: `Advertiser ${id}`, accountId })),
    campaigns: ADVERTISERS.map(({ id }) => ({
      ...{ id: 1_000 + id, advertiserId: id, name: `Campaign ${id}`, status: 'ACTIVE', startDate: '2026-01-01' },
    })),
    ad_groups: ADVERTISERS.map(({ id }) => ({
      ...{ id: 2_000 + id, campaignId: 1_000 + id, name: `Ad group ${id}`, status: 'ACTIVE' },
    })),
    'facts/pla/delivery': ADVERTISERS.flatMap(({ id }) =>
      DAYS.map((daily_date, day) => ({
        ...{ daily_date, hour: day, ad_group_id: 2_000 + id, impressions: id * (day + 1), clicks: day, cost: '0.5' },
      })),
    ),
  },
});
afterAll(() => service.close());

const request = (key: string, dimensions: readonly string[]) => ({
  ...reportRequest(
    JSON.stringify({
      ...{ startDate: DAYS[0], endDate: DAYS.at(-1), metrics: ['impressions', 'clicks', 'cost'], dimensions },
      ...{ advertiserIds: [], filters: [], sort: [], pagination: { offset: 0, size: 100 } },
    }),
  ),
  key: `key-${key}`,
});

test.each([
  ['the overview, of which both read the same rollup of a shard', ['advertiser_id']],
  ['facts of their own', ['advertiser_id', 'hour']],
])('two agencies on one warm instance get their own rows: %s', async (_, dimensions) => {
  const shared = await service.start();
  const bodies = async (instance: typeof shared, key: string) => {
    const { status, body } = await instance.send('submit-report', request(key, dimensions));
    expect(status).toBe(200);
    const { data, totals } = Object(body);
    return { data, totals };
  };
  for (const key of ['ann', 'bob', 'ann', 'bob']) {
    const own = ADVERTISERS.filter(({ accountId }) => accountId === AGENCIES[key === 'ann' ? 'ann' : 'bob']);
    const warm = await bodies(shared, key);
    expect(new Set(warm.data.map((row: object) => Object(row).advertiser_id))).toEqual(
      new Set(own.map(({ id }) => id)),
    );
    expect(warm.totals.impressions).toBe(own.reduce((sum, { id }) => sum + 6 * id, 0));
    expect(warm).toEqual(await bodies(await service.start(), key));
  }
  expect(service.logged.at(-2)).toMatchObject({ cache: { misses: 0, hits: expect.any(Number) } });
  expect(Object(service.logged.at(-2)?.cache).hits).toBeGreaterThan(0);
});
