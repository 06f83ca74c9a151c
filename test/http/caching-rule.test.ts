import { afterAll, expect, test, vi } from 'vitest';
import { GOOD_REPORT } from '../support/report-settings.ts';
import { reportRequest } from './support/gateway-event.ts';
import { contactsNamed, LISTINGS } from './support/network.ts';
import { type Instance, openTestService } from './support/test-service.ts';

const service = await openTestService();
afterAll(() => service.close());

async function firstNames(instance: Instance, key: string): Promise<unknown> {
  const { body } = await instance.send('list-contacts', { key, query: [['account_id', '1']] });
  return (body as { data: { firstName: string }[] }).data.map(({ firstName }) => firstName);
}

test('"after contacts or addresses are updated, the client must call GET /metadata/accounts so that the updated contacts and addresses are cached"', async () => {
  const [one, two] = [await service.start(), await service.start()];
  const old = ['Ana', 'Ben', 'Shared'];
  const fresh = ['Cy', 'Dot', 'Eve', 'Shared'];
  expect(await firstNames(one, 'key-ana')).toEqual(old);
  expect(await firstNames(two, 'key-carl')).toEqual(old);

  await service.load({ contacts: contactsNamed('Cy', 'Dot', 'Eve') });
  expect(await firstNames(one, 'key-ana')).toEqual(old);
  expect(await firstNames(two, 'key-ana')).toEqual(old);

  // a page after the last account refreshes as well
  const refresh = await one.send('list-accounts', { key: 'key-ana', query: [['offset', '50']] });
  expect(refresh.status).toBe(200);
  expect(await firstNames(two, 'key-ana')).toEqual(fresh);
  expect(await firstNames(one, 'key-ana')).toEqual(fresh);
  expect(await firstNames(one, 'key-carl')).toEqual(old);

  await two.send('list-accounts', { key: 'key-carl' });
  expect(await firstNames(one, 'key-carl')).toEqual(fresh);
});

test('a call of GET /metadata/accounts that fails does not refresh the view', async () => {
  const instance = await service.start();
  await instance.send('list-accounts', { key: 'key-ana' });
  const before = await firstNames(instance, 'key-ana');
  await service.load({ contacts: contactsNamed('Fay') });
  const rejected = await instance.send('list-accounts', { key: 'key-ana', query: [['size', '0']] });
  expect(rejected.status).toBe(422);
  expect(await firstNames(instance, 'key-ana')).toEqual(before);
});

test('contacts and addresses share the same view', async () => {
  const instance = await service.start();
  const cities = async () => {
    const { body } = await instance.send('list-addresses', { key: 'key-ana', query: [['account_id', '1']] });
    return new Set((body as { data: { city: string }[] }).data.map(({ city }) => city));
  };
  await instance.send('list-accounts', { key: 'key-ana' });
  expect(await cities()).toEqual(new Set(['Dayton']));
  await service.load({ addresses: (LISTINGS.addresses ?? []).map((address) => ({ ...address, city: 'Akron' })) });
  expect(await cities()).toEqual(new Set(['Dayton']));
  await instance.send('list-accounts', { key: 'key-ana' });
  expect(await cities()).toEqual(new Set(['Akron']));
});

const withAccountsOfAna = (accountIds: readonly number[]) =>
  (LISTINGS.users ?? []).map((user) => ('userId' in user && user.userId === 'ana' ? { ...user, accountIds } : user));

test('a new account is visible immediately, with its advertisers, ad groups and reports', async () => {
  const [one, two] = [await service.start(), await service.start()];
  const advertisersOf3 = (instance: Instance) =>
    instance.send('list-advertisers', { key: 'key-ana', query: [['account_id', '3']] });
  const products = (instance: Instance) =>
    instance.send('list-available-products', { key: 'key-ana', pathParameters: { ad_group_id: '731' } });
  const advertisersIn = async (instance: Instance) => {
    const body = { ...GOOD_REPORT, dimensions: ['advertiser_id'] };
    const response = await instance.send('submit-report', reportRequest(JSON.stringify(body)));
    return (response.body as { data: { advertiser_id: number }[] }).data.map((row) => row.advertiser_id);
  };
  expect((await advertisersOf3(one)).status).toBe(403);
  expect((await products(two)).status).toBe(404);
  expect(await advertisersIn(one)).toEqual([11]);

  await service.load({ users: withAccountsOfAna([1, 2, 3]) });
  // this instance has cached the caller, and has read no commit since
  expect(await advertisersIn(one)).toEqual([11, 31]);
  expect((await advertisersOf3(one)).body).toMatchObject({ data: [{ id: 12 }, { id: 31 }] });
  expect((await products(two)).body).toMatchObject({ data: [{ id: 9001 }] });

  await service.load({ users: withAccountsOfAna([1, 2]) });
  expect(await advertisersIn(one)).toEqual([11]);
});

test('an account that the user has lost is forbidden after a second, even on an instance without other requests', async () => {
  await service.load({ users: withAccountsOfAna([1, 2, 3]) });
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  try {
    const instance = await service.start();
    const advertisersOf3 = () => instance.send('list-advertisers', { key: 'key-ana', query: [['account_id', '3']] });
    expect((await advertisersOf3()).status).toBe(200);
    await service.load({ users: withAccountsOfAna([1, 2]) });
    vi.advanceTimersByTime(999);
    expect((await advertisersOf3()).status).toBe(200);
    vi.advanceTimersByTime(1);
    expect((await advertisersOf3()).status).toBe(403);
  } finally {
    vi.useRealTimers();
  }
});
