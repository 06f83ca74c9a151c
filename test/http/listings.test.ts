import { afterAll, describe, expect, test } from 'vitest';
import { ROUTES } from '../../infra/config/routes.ts';
import { LISTINGS } from '../../shared/store/table/item-keys.ts';
import { ACCOUNT_LISTINGS } from './support/account-listings.ts';
import { outcome, page } from './support/expected.ts';
import { type FunctionName, openTestService } from './support/test-service.ts';

const service = await openTestService();
const instance = await service.start();
afterAll(() => service.close());

/** @returns status, body and link of the response to a key, by default Ana's */
async function list(name: FunctionName, query: Readonly<Record<string, string>> = {}, key = 'key-ana') {
  const { status, body, headers } = await instance.send(name, { key, query: Object.entries(query) });
  return { status, body, link: headers.Link };
}

describe('GET /metadata/accounts', () => {
  test('"Returns the available accounts": the caller’s, with id, name and active ("Whether the account is active", default true)', async () => {
    expect(await list('list-accounts')).toEqual({
      status: 200,
      body: {
        data: [
          { id: 1, name: 'Alpha', active: true },
          { id: 2, name: 'Beta', active: false },
        ],
        meta: page(0, 10, 2),
      },
      link: undefined,
    });
    expect(await outcome(list('list-accounts', {}, 'key-zoe'))).toEqual([3]);
    expect(await outcome(list('list-accounts', {}, 'key-nobody'))).toEqual([]);
  });

  test('ignores unknown query parameters', async () => {
    expect(await outcome(list('list-accounts', { account_id: 'x', color: 'red' }))).toEqual([1, 2]);
  });
});

describe('GET /metadata/advertisers', () => {
  test('"Returns the advertisers of the given account"', async () => {
    expect((await list('list-advertisers', { account_id: '1' })).body).toEqual({
      data: [
        { id: 11, name: 'Oat Hill', accountId: 1, description: 'Cereals', advertiserType: 'BRAND', active: true },
        { id: 12, name: 'Brook', accountId: 1, active: true },
      ],
      meta: page(0, 10, 2),
    });
    expect(await outcome(list('list-advertisers', { account_id: '2' }))).toEqual([12]);
  });

  test('sets accountId to the requested account, so that it is never missing and never names another user’s account', async () => {
    expect((await list('list-advertisers', { account_id: '3' }, 'key-zoe')).body).toMatchObject({
      data: [
        { id: 12, accountId: 3 },
        { id: 31, accountId: 3 },
      ],
    });
  });
});

describe('GET /metadata/contacts', () => {
  test('"Returns the contacts of the given account", without accounts of other users in accountIds', async () => {
    expect((await list('list-contacts', { account_id: '2' })).body).toEqual({
      data: [
        {
          id: 390,
          firstName: 'Shared',
          lastName: 'Lee',
          email: 'shared@example.com',
          contactType: 'AGENCY',
          active: true,
          accountIds: [1, 2],
        },
      ],
      meta: page(0, 10, 1),
    });
    expect(await outcome(list('list-contacts', { account_id: '1' }))).toEqual([301, 302, 390]);
  });
});

describe('GET /metadata/addresses', () => {
  test('"For Agency users it returns Agency and CPG addresses; CPG users get CPG-only addresses"', async () => {
    expect(await outcome(list('list-addresses', { account_id: '1' }))).toEqual([401, 402, 403]);
    expect(await outcome(list('list-addresses', { account_id: '1' }, 'key-carl'))).toEqual([401, 403]);
    expect(await outcome(list('list-addresses', { account_id: '2' }, 'key-carl'))).toEqual([403]);
  });

  test('returns lines, city, country, type and active of an address', async () => {
    expect((await list('list-addresses', { account_id: '1', size: '1' })).body).toEqual({
      data: [
        {
          id: 401,
          companyName: 'Company 401',
          addressLine1: '401 Main Street',
          city: 'Dayton',
          country: 'US',
          addressType: 'CPG',
          active: true,
        },
      ],
      meta: page(0, 1, 3),
    });
  });
});

describe('GET /metadata/placements', () => {
  test('returns all placements to every caller, and ignores account_id', async () => {
    const expected = {
      data: [
        {
          id: 21,
          name: 'Search top',
          description: 'First row',
          experiences: ['pla', 'toa'],
          active: true,
          priceFloor: 0.35,
        },
        { id: 22, name: 'Home', experiences: ['carousel'], active: false },
      ],
      meta: page(0, 10, 2),
    };
    expect((await list('list-placements')).body).toEqual(expected);
    expect((await list('list-placements', { account_id: '3' }, 'key-nobody')).body).toEqual(expected);
  });
});

describe('account_id ("integer, required")', () => {
  const CASES: readonly [what: string, query: Readonly<Record<string, string>>, expected: unknown][] = [
    ['is required', {}, [422, 'INVALID_REQUEST', 'account_id']],
    ['must not be empty', { account_id: '' }, [422, 'INVALID_REQUEST', 'account_id']],
    ['must be an integer', { account_id: '1.0' }, [422, 'INVALID_REQUEST', 'account_id']],
    ['must not have a plus sign', { account_id: '+1' }, [422, 'INVALID_REQUEST', 'account_id']],
    ['must not belong to another user', { account_id: '3' }, [403, 'ACCOUNT_FORBIDDEN', 'account_id']],
    ['must exist', { account_id: '4' }, [403, 'ACCOUNT_FORBIDDEN', 'account_id']],
    ['is forbidden, not invalid, if it is negative', { account_id: '-1' }, [403, 'ACCOUNT_FORBIDDEN', 'account_id']],
    [
      'is forbidden, not invalid, if it is beyond 2^53',
      { account_id: '9007199254740993' },
      [403, 'ACCOUNT_FORBIDDEN', 'account_id'],
    ],
    [
      'is forbidden, not invalid, if it has 400 digits',
      { account_id: '9'.repeat(400) },
      [403, 'ACCOUNT_FORBIDDEN', 'account_id'],
    ],
  ];
  test.each(ACCOUNT_LISTINGS.flatMap(({ function: name }) => CASES.map((row) => [name, ...row] as const)))(
    'of %s %s',
    async (name, _, query, expected) => {
      expect(await outcome(list(name, query))).toEqual(expected);
    },
  );
});

describe('paging of the metadata listings', () => {
  const CASES: readonly [what: string, query: Readonly<Record<string, string>>, expected: unknown][] = [
    ['both parameters are optional', {}, [1, 2]],
    ['a size of 1 is accepted ("at least 1")', { size: '1' }, [1]],
    ['a size of 0 is rejected', { size: '0' }, [422, 'INVALID_REQUEST', 'size']],
    ['a size of 100 is accepted ("at most 100")', { size: '100' }, [1, 2]],
    ['a size of 101 is rejected', { size: '101' }, [422, 'INVALID_REQUEST', 'size']],
    ['a negative size is rejected', { size: '-1' }, [422, 'INVALID_REQUEST', 'size']],
    ['offset skips items', { offset: '1' }, [2]],
    ['an offset after the last item returns an empty page', { offset: '2' }, []],
    ['the largest offset returns an empty page', { offset: '9007199254740991' }, []],
    ['an offset beyond 2^53 is rejected', { offset: '9007199254740992' }, [422, 'INVALID_REQUEST', 'offset']],
    ['a negative offset is rejected', { offset: '-1' }, [422, 'INVALID_REQUEST', 'offset']],
    [
      'both parameters are reported if both are wrong',
      { offset: '-1', size: 'ten' },
      [422, 'INVALID_REQUEST', 'offset', 'size'],
    ],
  ];

  test.each(CASES)('%s', async (_, query, expected) => {
    expect(await outcome(list('list-accounts', query))).toEqual(expected);
  });

  test.each([20, 400])('a number of %i digits is out of range', async (digits) => {
    const { body } = await list('list-accounts', { offset: '9'.repeat(digits), size: `-${'9'.repeat(digits)}` });
    expect(body).toMatchObject({
      errors: [
        { pointer: 'offset', code: 'OUT_OF_RANGE' },
        { pointer: 'size', code: 'OUT_OF_RANGE' },
      ],
    });
  });

  test('uses the last value of a repeated parameter', async () => {
    const response = await instance.send('list-accounts', {
      key: 'key-ana',
      query: [
        ['size', '0'],
        ['size', '1'],
      ],
    });
    expect(response.body).toMatchObject({ data: [{ id: 1 }], meta: page(0, 1, 2) });
  });

  test('Link has all parameters except the key, and is absent on the last page', async () => {
    const first = await instance.send('list-contacts', {
      query: [
        ['account_id', '1'],
        ['size', '2'],
        ['subscription-key', 'key-ana'],
      ],
    });
    expect(first.headers.Link).toBe('</v2/metadata/contacts?account_id=1&offset=2&size=2>; rel="next"');
    expect(await list('list-contacts', { account_id: '1', offset: '2', size: '2' })).toMatchObject({
      body: { data: [{ id: 390 }], meta: page(2, 2, 3) },
      link: undefined,
    });
  });
});

describe('with a cached key, the listing', () => {
  const LISTED = ROUTES.filter(({ reads }) => LISTINGS.some((listing) => reads.includes(listing)));

  test.each(LISTED)('$path costs at most 3 read units and no write units', async ({ function: name }) => {
    const request = { key: 'key-ana', query: [['account_id', '1']] as const, pathParameters: { ad_group_id: '702' } };
    await instance.send(name, request);
    await instance.send(name, request);
    const { readUnits, writeUnits } = service.logged.at(-1) as { readUnits: number; writeUnits: number };
    expect(readUnits).toBeLessThanOrEqual(3);
    expect(readUnits).toBeGreaterThan(0);
    expect(writeUnits).toBe(0);
  });
});

describe('GET /metadata/fields', () => {
  test('returns the same catalogue to every caller, with the platform’s time zone and currency', async () => {
    const { status, body } = await list('list-fields');
    expect(status).toBe(200);
    expect(body).toMatchObject({ meta: { timezone: 'America/New_York', currency: 'USD' } });
    expect((await list('list-fields', {}, 'key-nobody')).body).toEqual(body);
  });
});
