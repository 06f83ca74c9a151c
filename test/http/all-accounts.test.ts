import { afterAll, describe, expect, test } from 'vitest';
import { createKey } from '../../shared/identity/api-keys.ts';
import { GOOD_REPORT } from '../support/report-settings.ts';
import { reportRequest } from './support/gateway-event.ts';
import { LISTINGS } from './support/network.ts';
import { openTestService } from './support/test-service.ts';

const OPERATOR = { userId: 'operator', name: 'Operator', userType: 'AGENCY' };

const service = await openTestService();
afterAll(() => service.close());
await service.load({ users: [{ ...OPERATOR, accountIds: '*' }] });
const { key } = await createKey(service.table, 'operator', {});
const limited = await createKey(service.table, 'operator', { accountIds: [2] });

/** Sends the requests with new instances, which see the last load. */
async function look(withKey: string) {
  const instance = await service.start();
  const body = async (name: Parameters<typeof instance.send>[0], query: readonly (readonly [string, string])[] = []) =>
    Object((await instance.send(name, { key: withKey, query })).body);
  const accounts = await body('list-accounts');
  const { accountIds, accountCount } = await body('get-jwt-claims');
  const report = { ...GOOD_REPORT, dimensions: ['advertiser_id'] };
  const reported = await instance.send('submit-report', reportRequest(JSON.stringify(report), { key: withKey }));
  return {
    accounts: accounts.data.map(({ id }: { id: number }) => id),
    total: accounts.meta.page.total,
    claims: { accountIds, accountCount },
    report: reported.status,
    calls: service.logged.at(-1)?.storeCalls,
    gamma: (await body('list-advertisers', [['account_id', '3']])).code ?? 'its advertisers',
    unknown: (await body('list-advertisers', [['account_id', '9']])).code,
  };
}

describe('a user of all accounts', () => {
  test('sees every account, and no token lists them', async () => {
    expect(await look(key)).toMatchObject({
      ...{ accounts: [1, 2, 3], total: 3, claims: { accountCount: 3 }, report: 200 },
      ...{ gamma: 'its advertisers', unknown: 'ACCOUNT_FORBIDDEN' },
    });
  });

  test('may have a key that is limited to some', async () => {
    expect(await look(limited.key)).toMatchObject({
      ...{ accounts: [2], total: 1, claims: { accountCount: 1 }, report: 200 },
      ...{ gamma: 'ACCOUNT_FORBIDDEN', unknown: 'ACCOUNT_FORBIDDEN' },
    });
  });

  test('sees accounts that are loaded later without users, and reads as often for 600 accounts as for 3', async () => {
    const few = await look(key);
    const later = Array.from({ length: 597 }, (_, i) => ({ id: 101 + i, name: `Account ${i}` }));
    await service.load({ accounts: [...(LISTINGS.accounts ?? []), ...later] });
    const { total, claims, calls } = await look(key);
    expect({ total, claims, calls }).toEqual({ total: 600, claims: { accountCount: 600 }, calls: few.calls });
  });

  test('loses accounts and rights with the next load', async () => {
    const { accounts = [], ...others } = LISTINGS;
    const network = { ...others, accounts, users: [{ ...OPERATOR, accountIds: [2] }] };
    await service.load(network);
    expect(await look(key)).toMatchObject({ accounts: [2], claims: { accountIds: [2] }, gamma: 'ACCOUNT_FORBIDDEN' });
  });
});
