import { afterAll, describe, expect, test } from 'vitest';
import { createKey } from '../../shared/identity/api-keys.ts';
import { page } from './support/expected.ts';
import { withoutIds } from './support/gateway-event.ts';
import { LISTINGS } from './support/network.ts';
import { openTestService } from './support/test-service.ts';

const service = await openTestService();
afterAll(() => service.close());

const spring = { id: 61, name: 'Spring', advertiserId: 11, status: 'ACTIVE', startDate: '2026-01-01' };
const summer = {
  id: 62,
  shortId: 'C62',
  name: 'Summer',
  advertiserId: 12,
  status: 'PAUSED',
  startDate: '2026-06-01',
  endDate: '2026-08-31',
  budget: 250.5,
  budgetType: 'WEEKLY',
};

/** Advertiser 12 belongs to the accounts 1, 2 and 3; 11 to account 1, 31 to account 3 only. */
await service.load({
  campaigns: [...(LISTINGS.campaigns ?? []), { ...summer, budget: '250.5' }],
  ad_groups: [
    ...(LISTINGS.ad_groups ?? []),
    { id: 711, name: 'Beach', campaignId: 62, status: 'UNDER_REVIEW', segmentIds: ['s1'] },
  ],
});
const instance = await service.start();

type Listing = 'list-campaigns' | 'list-ad-groups';

async function send(name: Listing, query: Readonly<Record<string, string>>, key = 'key-ana') {
  const { status, body, headers } = await instance.send(name, { key, query: Object.entries(query) });
  return { status, body: Object(body), link: headers.Link };
}

async function ids(name: Listing, query: Readonly<Record<string, string>>, key = 'key-ana'): Promise<unknown> {
  const { status, body } = await send(name, query, key);
  return status === 200 ? body.data.map((item: object) => Object(item).id) : [status, body.code];
}

describe('GET /metadata/campaigns', () => {
  test('returns the campaigns of all advertisers of the account, sorted by id, without members that have no value', async () => {
    expect(await send('list-campaigns', { account_id: '1' })).toEqual({
      status: 200,
      body: { data: [spring, summer], meta: page(0, 10, 2) },
      link: undefined,
    });
    expect(await ids('list-campaigns', { account_id: '2' })).toEqual([62]);
    expect(await ids('list-campaigns', { account_id: '3' }, 'key-zoe')).toEqual([62, 63]);
  });

  test('filters by advertiser, by status, and by both, and states the total of what is left', async () => {
    expect(await ids('list-campaigns', { account_id: '1', advertiser_id: '11' })).toEqual([61]);
    expect(await ids('list-campaigns', { account_id: '1', status: 'PAUSED' })).toEqual([62]);
    const both = await send('list-campaigns', { account_id: '1', advertiser_id: '11', status: 'PAUSED' });
    expect(both.body).toEqual({ data: [], meta: page(0, 10, 0) });
  });
});

describe('GET /metadata/ad_groups', () => {
  test('returns the ad groups of the account with campaign and advertiser, and the campaign’s flight where they have none', async () => {
    const { body } = await send('list-ad-groups', { account_id: '2' });
    expect(body).toEqual({
      data: [
        {
          id: 711,
          name: 'Beach',
          campaignId: 62,
          advertiserId: 12,
          status: 'UNDER_REVIEW',
          startDate: '2026-06-01',
          endDate: '2026-08-31',
        },
      ],
      meta: page(0, 10, 1),
    });
    expect(await ids('list-ad-groups', { account_id: '1' })).toEqual([701, 702, 711]);
  });
});

describe.each(['list-campaigns', 'list-ad-groups'] as const)('%s', (name) => {
  test('rejects an advertiser that is not the account’s like one that does not exist, also one of the caller’s own', async () => {
    const responses = [];
    for (const advertiser_id of ['11', '31', '39', '-1']) {
      const { status, body } = await send(name, { account_id: '2', advertiser_id });
      responses.push({ status, body: withoutIds(body) });
    }
    const [first] = responses;
    expect(first).toMatchObject({
      status: 403,
      body: {
        code: 'ADVERTISER_FORBIDDEN',
        errors: [{ in: 'query', pointer: 'advertiser_id', code: 'NOT_YOURS' }],
      },
    });
    for (const other of responses) expect(other).toEqual(first);
  });

  test('shows a key that is limited to one account nothing of the user’s others', async () => {
    const { key } = await createKey(service.table, name === 'list-campaigns' ? 'ana' : 'carl', { accountIds: [2] });
    expect(await ids(name, { account_id: '2' }, key)).toHaveLength(1);
    expect(await ids(name, { account_id: '1' }, key)).toEqual([403, 'ACCOUNT_FORBIDDEN']);
    expect(await ids(name, { account_id: '3' }, key)).toEqual([403, 'ACCOUNT_FORBIDDEN']);
  });

  test('reads an account once per load: further pages take one read unit, and the first at most six', async () => {
    await ids(name, { account_id: '1' });
    await ids(name, { account_id: '1', offset: '1' });
    // the advertisers of the account; the rows are cached
    expect(service.logged.at(-1)).toMatchObject({ storeCalls: 1, readUnits: 1 });
    const fresh = await service.start();
    await fresh.send(name, { key: 'key-ana', query: [['account_id', '1']] });
    // key, user, commit, the advertisers of the account, and a table of each of its two advertisers
    expect(Number(service.logged.at(-1)?.readUnits)).toBeLessThanOrEqual(6);
  });
});

test('a campaign that moves to another account is listed there only', async () => {
  const moved = (LISTINGS.advertisers ?? []).map((row) =>
    Object(row).id === 11 ? { ...row, accountId: 3, accountIds: [3] } : row,
  );
  await service.load({ advertisers: moved });
  const fresh = await service.start();
  const idsOf = async (key: string, account_id: string) => {
    const { body } = await fresh.send('list-campaigns', { key, query: [['account_id', account_id]] });
    return Object(body).data.map((item: object) => Object(item).id);
  };
  expect(await idsOf('key-ana', '1')).toEqual([62]);
  expect(await idsOf('key-zoe', '3')).toEqual([61, 62, 63]);
});
