import { afterAll, describe, expect, test } from 'vitest';
import { ROUTES } from '../../infra/config/routes.ts';
import { createKey } from '../../shared/identity/api-keys.ts';
import { SCOPES } from '../../shared/identity/keys/key-rights.ts';
import { GOOD_REPORT } from '../support/report-settings.ts';
import { reportRequest, withoutIds } from './support/gateway-event.ts';
import { type FunctionName, openTestService } from './support/test-service.ts';

const service = await openTestService();
const instance = await service.start();
afterAll(() => service.close());

const user = (userId: string) => ({ userId, name: userId, userType: 'AGENCY', accountIds: [1, 2] });
await service.load({
  users: [
    ...['ana', 'carl', 'zoe', 'nobody'].map(user),
    ...['scoped-1', 'scoped-2', 'scoped-3', 'limited', 'elsewhere', 'here'].map(user),
  ],
});

const outcomeOf = async (name: FunctionName, key: string, query: readonly (readonly [string, string])[] = []) => {
  const request = name === 'submit-report' ? reportRequest(JSON.stringify(GOOD_REPORT), { key }) : { key, query };
  const ids = { pathParameters: { ad_group_id: '701', experience_name: 'pla' } };
  const { status, body } = await instance.send(name, { ...request, ...ids });
  return status === 200 ? 200 : [status, Object(body).code];
};

describe('a key with one scope', () => {
  const scopeOf = (path: string): (typeof SCOPES)[number] => {
    if (path.startsWith('/report/')) return 'report';
    return path.startsWith('/jwt') ? 'jwt' : 'metadata';
  };

  test.each(SCOPES.map((scope, index) => [scope, `scoped-${index + 1}`] as const))(
    '%s can be used for the operations of the scope only',
    async (scope, userId) => {
      const { key } = await createKey(service.table, userId, { scopes: [scope] });
      for (const { function: name, path, reads } of ROUTES) {
        if (reads === 'none') continue; // it needs no key
        const outcome = await outcomeOf(name, key, [['account_id', '1']]);
        expect([path, outcome]).toEqual([path, scopeOf(path) === scope ? 200 : [403, 'SCOPE_FORBIDDEN']]);
      }
    },
  );
});

describe('a key that is limited to some of the user’s accounts', () => {
  test('sees nothing of the others, as if they did not exist', async () => {
    const { key } = await createKey(service.table, 'limited', { accountIds: [2, 3] }); // 3 is not the user’s
    const accounts = await instance.send('list-accounts', { key });
    expect(accounts.body).toEqual({
      data: [{ id: 2, name: 'Beta', active: false }],
      meta: { page: { offset: 0, size: 10, total: 1, hasMore: false } },
    });
    const past = await instance.send('list-accounts', { key, query: [['offset', '1']] });
    expect(Object(past.body).data).toEqual([]);
    const send = async (id: string) => {
      const { status, body } = await instance.send('list-contacts', { key, query: [['account_id', id]] });
      return { status, body: status === 200 ? null : withoutIds(body) };
    };
    const [own, hidden, foreign, unknown] = [await send('2'), await send('1'), await send('3'), await send('4')];
    expect(own.status).toBe(200);
    expect(hidden).toMatchObject({ status: 403, body: { code: 'ACCOUNT_FORBIDDEN' } });
    expect([hidden, hidden]).toEqual([foreign, unknown]);
    const contacts = await instance.send('list-contacts', { key, query: [['account_id', '2']] });
    expect(new Set(Object(contacts.body).data.flatMap((contact: object) => Object(contact).accountIds))).toEqual(
      new Set([2]),
    );
    expect((await instance.send('get-jwt-claims', { key })).body).toMatchObject({ accountIds: [2] });
    const report = await instance.send(
      'submit-report',
      reportRequest(JSON.stringify({ ...GOOD_REPORT, advertiserIds: [11] }), { key }),
    );
    expect([report.status, Object(report.body).code]).toEqual([403, 'ADVERTISER_FORBIDDEN']);
  });

  test('stays limited when a newer load is read', async () => {
    const { key } = await createKey(service.table, 'limited', { accountIds: [2] });
    await instance.send('list-placements', { key });
    await service.load({
      users: [user('ana'), { ...user('limited'), accountIds: [1, 2, 3] }, user('here'), user('elsewhere')],
    });
    const hidden = await instance.send('list-contacts', { key, query: [['account_id', '3']] });
    expect(hidden.status).toBe(403);
  });

  test('reads only these of a user with 1,000 accounts', async () => {
    const others = Array.from({ length: 997 }, (_, i) => ({ id: 1_001 + i, name: `Account ${i}`, active: true }));
    const accounts: { id: number; name: string }[] = [
      { id: 1, name: 'Alpha' },
      { id: 2, name: 'Beta' },
      { id: 3, name: 'Gamma' },
      ...others,
    ];
    const many = { ...user('many'), accountIds: accounts.map(({ id }) => id) };
    await service.load({ accounts, users: [user('ana'), user('here'), user('elsewhere'), many] });
    const { key } = await createKey(service.table, 'many', { accountIds: [2, 1_500, 1_900, 5_000] }); // 5,000 does not exist
    const fresh = await service.start();
    await fresh.send('list-accounts', { key }); // reads the user
    const pages = [];
    for (const offset of ['0', '1', '3']) {
      const query = [
        ['offset', offset],
        ['size', '2'],
      ] as const;
      const { body } = await fresh.send('list-accounts', { key, query });
      pages.push([Object(body).data.map(({ id }: { id: number }) => id), Object(body).meta.page.total]);
    }
    expect(pages).toEqual([
      [[2, 1_500], 3],
      [[1_500, 1_900], 3],
      [[], 3],
    ]);
  });
});

describe('a key with address ranges', () => {
  test('is accepted from these addresses only, and the log has the user of a rejected request', async () => {
    const elsewhere = await createKey(service.table, 'elsewhere', { addresses: ['203.0.113.0/24'] });
    const here = await createKey(service.table, 'here', { addresses: ['203.0.113.0/24', '127.0.0.0/8'] });
    expect(await outcomeOf('list-placements', elsewhere.key)).toEqual([403, 'ADDRESS_FORBIDDEN']);
    expect(service.logged.at(-1)).toMatchObject({ code: 'ADDRESS_FORBIDDEN', userId: 'elsewhere' });
    expect(await outcomeOf('list-placements', here.key)).toBe(200);
  });
});
