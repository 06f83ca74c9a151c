import { afterAll, describe, expect, test } from 'vitest';
import { ROUTES } from '../../infra/config/routes.ts';
import { keysOf } from '../../shared/lib/keys-of.ts';
import { LISTINGS } from '../../shared/load/write/derive-listings.ts';
import { ACCOUNT_LISTINGS } from './support/account-listings.ts';
import { outcome } from './support/expected.ts';
import { reportRequest } from './support/gateway-event.ts';
import { PRODUCTS_OF_11 } from './support/network.ts';
import { type FunctionName, openTestService } from './support/test-service.ts';

const service = await openTestService();
const instance = await service.start();
afterAll(() => service.close());

/** @returns the response to a key, by default Ana's */
const list = (name: FunctionName, query: Readonly<Record<string, string>> = {}, key = 'key-ana') =>
  instance.send(name, { key, query: Object.entries(query) });

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
});

describe('with a cached key, the listing', () => {
  const LISTED = ROUTES.filter(({ reads }) => keysOf(LISTINGS).some((listing) => reads.includes(listing)));

  test.each(LISTED)('$path costs at most 3 read units and no write units', async ({ function: name }) => {
    const request = { key: 'key-ana', query: [['account_id', '1']] as const, pathParameters: { ad_group_id: '702' } };
    const costs: { readonly readUnits: number; readonly writeUnits: number }[] = [];
    for (let sent = 0; sent < 5; sent++) {
      await instance.send(name, request);
      const { readUnits, writeUnits } = service.logged.at(-1) as (typeof costs)[number];
      costs.push({ readUnits, writeUnits });
    }
    // on a busy machine, the cached key may be too old for some of them
    const least = Math.min(...costs.map(({ readUnits }) => readUnits));
    expect(least).toBeLessThanOrEqual(3);
    expect(least).toBeGreaterThan(0);
    expect(Math.min(...costs.map(({ writeUnits }) => writeUnits))).toBe(0);
  });
});

describe('GET /metadata/fields', () => {
  test('returns the same catalogue to every caller, with the platform’s time zone and currency, and what has no data', async () => {
    const { status, body } = await list('list-fields');
    expect(status).toBe(200);
    const pla = expect.arrayContaining(['win_rate', 'halo_roas', 'placement']); // nobody has such columns
    const meta = { timezone: 'America/New_York', currency: 'USD', fieldsWithoutData: { pla } };
    expect(body).toMatchObject({ meta });
    expect(JSON.stringify(body)).not.toMatch(/"fieldsWithoutData":[^\]]*"(cost|impressions|toa)"/);
    const ofNobody = (await list('list-fields', {}, 'key-nobody')).body;
    expect(ofNobody).toEqual({ ...Object(body), meta: { ...Object(body).meta, fieldsWithoutData: {}, days: {} } });
  });

  test('says what the advertisers of the caller have no data of, whatever others have', async () => {
    const day = { daily_date: '2026-02-01' };
    const ofZoe = { ...day, ad_group_id: 731, impressions: 9, cost: '1' };
    const withoutData = async (key: string) => {
      const fresh = await service.start(); // which has cached no commit
      return Object((await fresh.send('list-fields', { key })).body).meta.fieldsWithoutData;
    };
    const ofAna = await withoutData('key-ana');
    await service.load({
      'facts/pla/delivery': [{ ...ofZoe, daily_date: '2026-02-03', opportunities: 12, placement_id: 21 }],
      'facts/pla/conversions': [{ ...day, ad_group_id: 731, halo_revenue: '8' }],
      'facts/toa/delivery': [{ ...ofZoe, video_starts: 3 }],
      'facts/toa/market': [{ ...day, placement_id: 21, impressions: 90, advertisers: 9 }],
    });
    expect(await withoutData('key-ana')).toEqual(ofAna);
    const { pla, toa } = await withoutData('key-zoe');
    expect(ofAna.pla).toEqual(expect.arrayContaining(['win_rate', 'placement', 'halo_revenue', 'share_of_voice']));
    for (const field of ['win_rate', 'placement', 'keyword'])
      expect([field, pla.includes(field)]).toEqual([field, false]);
    for (const field of ['clicks', 'placement']) expect([field, toa.includes(field)]).toEqual([field, true]);
    expect(toa).not.toContain('video_starts');
    const market = [{ ...day, placement_id: 21, impressions: 900, advertisers: 9 }];
    await service.load({ 'facts/pla/market': market });
    const withMarket = ofAna.pla.filter((name: string) => name !== 'share_of_voice');
    expect(await withoutData('key-ana')).toEqual({ pla: withMarket }); // the market's placements are no placements of Ana's
  });

  test('says from and through which day there is data, as reports do, where the caller’s advertisers have data', async () => {
    const daysOf = async (key: string) => {
      const fresh = await service.start();
      return Object((await fresh.send('list-fields', { key })).body).meta.days;
    };
    const completeOf = async (key: string, experience: string) => {
      const body = JSON.stringify({
        ...{ startDate: 'latest', endDate: 'latest', metrics: ['clicks'], dimensions: [], filters: [], sort: [] },
        ...{ advertiserIds: [], pagination: { offset: 0, size: 1 } },
      });
      const fresh = await service.start();
      const report = await fresh.send('submit-report', reportRequest(body, { key, experience }));
      const { data, dataCompleteThrough } = Object(report.body).meta;
      return { from: data.from, completeThrough: dataCompleteThrough };
    };
    expect(await daysOf('key-ana')).toEqual({ pla: await completeOf('key-ana', 'pla') }); // others have toa
    expect(await daysOf('key-zoe')).toEqual({
      pla: await completeOf('key-zoe', 'pla'),
      toa: await completeOf('key-zoe', 'toa'),
    });
    const before = await daysOf('key-zoe');
    await service.load({
      freshness: [
        { experience: 'pla', advertiserId: 11, completeThrough: '2026-01-31' },
        { experience: 'toa', completeThrough: '2026-01-30' },
      ],
    });
    expect((await daysOf('key-ana')).pla).toEqual({ ...before.pla, completeThrough: '2026-01-31' });
    expect(await daysOf('key-ana')).toEqual({ pla: await completeOf('key-ana', 'pla') });
    expect(await daysOf('key-zoe')).toEqual({ ...before, toa: { ...before.toa, completeThrough: '2026-01-30' } });
    expect((await daysOf('key-zoe')).toa).toEqual(await completeOf('key-zoe', 'toa'));
  });
});

describe('the products of an ad group', () => {
  const products = (id: string, query: Readonly<Record<string, string>> = {}) => {
    const pathParameters = { ad_group_id: id };
    return instance.send('list-available-products', { key: 'key-ana', pathParameters, query: Object.entries(query) });
  };

  test('occur exactly once over all pages of 100, each of which links to the next', async () => {
    const pages = await Promise.all(
      ['0', '100', '200', '300'].map((offset) => products('701', { item_offset: offset })),
    );
    const ids = await Promise.all(pages.map((response) => outcome(Promise.resolve(response))));
    expect(ids.flat()).toEqual(Array.from({ length: PRODUCTS_OF_11 }, (_, index) => 8001 + index));
    expect(pages.map(({ headers }) => /item_offset=\d+&page_size=\d+/.exec(headers.Link ?? '')?.[0])).toEqual([
      'item_offset=100&page_size=100',
      'item_offset=200&page_size=100',
      undefined,
      undefined,
    ]);
    expect((await products('701')).body).toEqual(pages[0]?.body); // item_offset 0 is the default
  });

  test('are not found by an id of 400 digits, and all wrong parameters are reported together', async () => {
    expect(await outcome(products('9'.repeat(400)))).toEqual([404, 'AD_GROUP_NOT_FOUND', 'ad_group_id']);
    const wrong = products('all', { item_offset: '-1', page_size: '1' });
    expect(await outcome(wrong)).toEqual([422, 'INVALID_REQUEST', 'ad_group_id', 'item_offset', 'page_size']);
  });
});
