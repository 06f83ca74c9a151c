import { afterAll, describe, expect, test } from 'vitest';
import { withoutIds } from './support/gateway-event.ts';
import { PRODUCTS_OF_11 } from './support/network.ts';
import { type FunctionName, openWorld } from './support/world.ts';

const world = await openWorld();
const instance = await world.start();
afterAll(() => world.close());

const page = (offset: number, size: number, total: number) => ({
  page: { offset, size, total, hasMore: offset + size < total },
});

/** @returns status, body and link of an answer to Ana. */
async function ask(name: FunctionName, query: Readonly<Record<string, string>> = {}, key = 'key-ana') {
  const { status, body, headers } = await instance.send(name, { key, query: Object.entries(query) });
  return { status, body, link: headers.Link };
}

async function askProducts(adGroupId: string, query: Readonly<Record<string, string>> = {}, key = 'key-ana') {
  const request = { key, pathParameters: { ad_group_id: adGroupId }, query: Object.entries(query) };
  const { status, body, headers } = await instance.send('list-available-products', request);
  return { status, body, link: headers.Link };
}

/** @returns the ids on the page, or the code and the wrong fields. */
async function outcome(answered: Promise<{ status: number; body: unknown }>): Promise<unknown> {
  const { status, body } = await answered;
  const { data, code, errors } = body as { data?: { id: number }[]; code?: string; errors?: { pointer: string }[] };
  return status === 200 ? data?.map(({ id }) => id) : [status, code, ...(errors ?? []).map(({ pointer }) => pointer)];
}

describe('GET /metadata/accounts', () => {
  test('"Returns the available accounts": those of the caller, with id, name and active ("Whether the account is active", default true)', async () => {
    expect(await ask('list-accounts')).toEqual({
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
    expect(await outcome(ask('list-accounts', {}, 'key-zoe'))).toEqual([3]);
    expect(await outcome(ask('list-accounts', {}, 'key-nobody'))).toEqual([]);
  });

  test('takes no extra query parameters: unknown ones are ignored', async () => {
    expect(await outcome(ask('list-accounts', { account_id: 'x', color: 'red' }))).toEqual([1, 2]);
  });
});

describe('GET /metadata/advertisers', () => {
  test('"Returns the advertisers of the given account"', async () => {
    expect((await ask('list-advertisers', { account_id: '1' })).body).toEqual({
      data: [
        { id: 11, name: 'Oat Hill', accountId: 1, description: 'Cereals', advertiserType: 'BRAND', active: true },
        { id: 12, name: 'Brook', accountId: 2, active: true },
      ],
      meta: page(0, 10, 2),
    });
    expect(await outcome(ask('list-advertisers', { account_id: '2' }))).toEqual([12]);
  });
});

describe('GET /metadata/contacts', () => {
  test('"Returns the contacts of the given account", accountIds cut to the caller’s', async () => {
    expect((await ask('list-contacts', { account_id: '2' })).body).toEqual({
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
    expect(await outcome(ask('list-contacts', { account_id: '1' }))).toEqual([301, 302, 390]);
  });
});

describe('GET /metadata/addresses', () => {
  test('"For Agency users it returns Agency and CPG addresses; CPG users get CPG-only addresses"', async () => {
    expect(await outcome(ask('list-addresses', { account_id: '1' }))).toEqual([401, 402, 403]);
    expect(await outcome(ask('list-addresses', { account_id: '1' }, 'key-carl'))).toEqual([401, 403]);
    expect(await outcome(ask('list-addresses', { account_id: '2' }, 'key-carl'))).toEqual([403]);
  });

  test('an address has its lines, city, country, type and whether it is active', async () => {
    expect((await ask('list-addresses', { account_id: '1', size: '1' })).body).toEqual({
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
  test('"Returns all available placements", with "none (no account_id)"', async () => {
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
    expect((await ask('list-placements')).body).toEqual(expected);
    expect((await ask('list-placements', { account_id: '3' }, 'key-nobody')).body).toEqual(expected);
  });
});

describe('account_id: "integer, required"', () => {
  const CASES: readonly [what: string, query: Readonly<Record<string, string>>, expected: unknown][] = [
    ['missing', {}, [422, 'INVALID_REQUEST', 'account_id']],
    ['empty', { account_id: '' }, [422, 'INVALID_REQUEST', 'account_id']],
    ['not an integer', { account_id: '1.0' }, [422, 'INVALID_REQUEST', 'account_id']],
    ['with a plus sign', { account_id: '+1' }, [422, 'INVALID_REQUEST', 'account_id']],
    ['somebody else’s', { account_id: '3' }, [403, 'ACCOUNT_FORBIDDEN', 'account_id']],
    ['nobody’s', { account_id: '4' }, [403, 'ACCOUNT_FORBIDDEN', 'account_id']],
    ['negative', { account_id: '-1' }, [403, 'ACCOUNT_FORBIDDEN', 'account_id']],
    ['beyond 2^53', { account_id: '9007199254740993' }, [403, 'ACCOUNT_FORBIDDEN', 'account_id']],
    ['of 400 digits', { account_id: '9'.repeat(400) }, [403, 'ACCOUNT_FORBIDDEN', 'account_id']],
  ];
  const NAMES = ['list-advertisers', 'list-contacts', 'list-addresses'] as const;

  test.each(NAMES.flatMap((name) => CASES.map((it) => [name, ...it] as const)))(
    '%s: %s',
    async (name, _, query, expected) => {
      expect(await outcome(ask(name, query))).toEqual(expected);
    },
  );

  test('an account of somebody else and one that does not exist get the same answer', async () => {
    const foreign = await ask('list-contacts', { account_id: '3' });
    const unknown = await ask('list-contacts', { account_id: '4' });
    expect(withoutIds(unknown.body)).toEqual(withoutIds(foreign.body));
  });
});

describe('paging of the metadata listings', () => {
  const CASES: readonly [what: string, query: Readonly<Record<string, string>>, expected: unknown][] = [
    ['"offset … default 0", "size … default 10"', {}, [1, 2]],
    ['size "at least 1": 1', { size: '1' }, [1]],
    ['size "at least 1": 0', { size: '0' }, [422, 'INVALID_REQUEST', 'size']],
    ['size "at most 100": 100', { size: '100' }, [1, 2]],
    ['size "at most 100": 101', { size: '101' }, [422, 'INVALID_REQUEST', 'size']],
    ['a negative size', { size: '-1' }, [422, 'INVALID_REQUEST', 'size']],
    ['an offset', { offset: '1' }, [2]],
    ['an offset past the end', { offset: '2' }, []],
    ['the largest offset', { offset: '9007199254740991' }, []],
    ['an offset beyond 2^53', { offset: '9007199254740992' }, [422, 'INVALID_REQUEST', 'offset']],
    ['a negative offset', { offset: '-1' }, [422, 'INVALID_REQUEST', 'offset']],
    ['both wrong', { offset: '-1', size: 'ten' }, [422, 'INVALID_REQUEST', 'offset', 'size']],
  ];

  test.each(CASES)('%s', async (_, query, expected) => {
    expect(await outcome(ask('list-accounts', query))).toEqual(expected);
  });

  test('of a repeated parameter the last value counts', async () => {
    const answer = await instance.send('list-accounts', {
      key: 'key-ana',
      query: [
        ['size', '0'],
        ['size', '1'],
      ],
    });
    expect(answer.body).toMatchObject({ data: [{ id: 1 }], meta: page(0, 1, 2) });
  });

  test('Link leads from page to page, with all parameters but the key, and ends', async () => {
    const first = await instance.send('list-contacts', {
      query: [
        ['account_id', '1'],
        ['size', '2'],
        ['subscription-key', 'key-ana'],
      ],
    });
    expect(first.headers.Link).toBe('</v2/metadata/contacts?account_id=1&offset=2&size=2>; rel="next"');
    expect(await ask('list-contacts', { account_id: '1', offset: '2', size: '2' })).toMatchObject({
      body: { data: [{ id: 390 }], meta: page(2, 2, 3) },
      link: undefined,
    });
  });
});

describe('GET /ad_groups/{ad_group_id}/available_products', () => {
  test('answers the products of the ad group’s advertiser, "item_offset … default 0", "page_size … default 100"', async () => {
    const first = await askProducts('701');
    expect(first).toMatchObject({
      status: 200,
      body: { meta: page(0, 100, PRODUCTS_OF_11) },
      link: '</v2/ad_groups/701/available_products?item_offset=100&page_size=100>; rel="next"',
    });
    expect((first.body as { data: object[] }).data.slice(0, 2)).toEqual([
      {
        id: 8001,
        upc: '0000000000001',
        name: 'Granola 1',
        brand: 'Oat Hill',
        price: 3.49,
        minSuggestedBid: 0.25,
        maxSuggestedBid: 1.5,
        available: true,
      },
      { id: 8002, upc: '0000000000002', name: 'Granola 2', available: true },
    ]);
  });

  test('the pages together hold every product once', async () => {
    const pages = ['0', '100', '200', '300'].map((offset) => outcome(askProducts('701', { item_offset: offset })));
    const ids = (await Promise.all(pages)).flat();
    expect(ids).toEqual(Array.from({ length: PRODUCTS_OF_11 }, (_, index) => 8001 + index));
  });

  test('an ad group with products of its own answers those', async () => {
    expect(await outcome(askProducts('702'))).toEqual([8001, 8003]);
  });

  test.each([
    ['page_size "100 (only allowed value and default)": 100', '702', { page_size: '100' }, [8001, 8003]],
    ['page_size 99', '702', { page_size: '99' }, [422, 'INVALID_REQUEST', 'page_size']],
    ['page_size 101', '702', { page_size: '101' }, [422, 'INVALID_REQUEST', 'page_size']],
    ['item_offset past the end', '702', { item_offset: '2' }, []],
    ['a negative item_offset', '702', { item_offset: '-1' }, [422, 'INVALID_REQUEST', 'item_offset']],
    ['an ad_group_id that is no integer', 'all', {}, [422, 'INVALID_REQUEST', 'ad_group_id']],
    [
      'everything wrong at once',
      'all',
      { item_offset: '-1', page_size: '1' },
      [422, 'INVALID_REQUEST', 'ad_group_id', 'item_offset', 'page_size'],
    ],
    ['ad_group_id "any integer": somebody else’s', '731', {}, [404, 'AD_GROUP_NOT_FOUND', 'ad_group_id']],
    ['ad_group_id "any integer": nobody’s', '799', {}, [404, 'AD_GROUP_NOT_FOUND', 'ad_group_id']],
    ['ad_group_id "any integer": negative', '-701', {}, [404, 'AD_GROUP_NOT_FOUND', 'ad_group_id']],
    ['ad_group_id "any integer": 400 digits', '9'.repeat(400), {}, [404, 'AD_GROUP_NOT_FOUND', 'ad_group_id']],
    ['ad_group_id "any integer": with zeros before', '000702', {}, [8001, 8003]],
  ])('%s', async (_, id, query, expected) => {
    expect(await outcome(askProducts(id, query))).toEqual(expected);
  });

  test('is the caller’s own where one of its accounts owns the advertiser', async () => {
    expect(await outcome(askProducts('731', {}, 'key-zoe'))).toEqual([9001]);
    expect(await outcome(askProducts('701', {}, 'key-zoe'))).toEqual([404, 'AD_GROUP_NOT_FOUND', 'ad_group_id']);
  });
});

describe('what a listing costs once the key is known', () => {
  const LISTED: readonly (readonly [FunctionName, Readonly<Record<string, string>>])[] = [
    ['list-accounts', {}],
    ['list-advertisers', { account_id: '1' }],
    ['list-contacts', { account_id: '1' }],
    ['list-addresses', { account_id: '1' }],
    ['list-placements', {}],
    ['list-available-products', {}],
  ];

  test.each(LISTED)('%s: at most 3 read units and no write', async (name, query) => {
    const request = { key: 'key-ana', query: Object.entries(query), pathParameters: { ad_group_id: '702' } };
    await instance.send(name, request);
    await instance.send(name, request);
    const { readUnits, writeUnits } = world.logged.at(-1) as { readUnits: number; writeUnits: number };
    expect(readUnits).toBeLessThanOrEqual(3);
    expect(readUnits).toBeGreaterThan(0);
    expect(writeUnits).toBe(0);
  });
});
