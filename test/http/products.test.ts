import { afterAll, describe, expect, test } from 'vitest';
import { outcome, page } from './support/expected.ts';
import { PRODUCTS_OF_11 } from './support/network.ts';
import { openTestService } from './support/test-service.ts';

const service = await openTestService();
const instance = await service.start();
afterAll(() => service.close());

/** @returns status, body and link of the response, by default to Ana */
async function listProducts(adGroupId: string, query: Readonly<Record<string, string>> = {}, key = 'key-ana') {
  const request = { key, pathParameters: { ad_group_id: adGroupId }, query: Object.entries(query) };
  const { status, body, headers } = await instance.send('list-available-products', request);
  return { status, body, link: headers.Link };
}

describe('GET /ad_groups/{ad_group_id}/available_products', () => {
  test('returns the products of the ad group’s advertiser, "item_offset … default 0", "page_size … default 100"', async () => {
    const first = await listProducts('701');
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

  test('returns every product exactly once over all pages', async () => {
    const pages = ['0', '100', '200', '300'].map((offset) => outcome(listProducts('701', { item_offset: offset })));
    const ids = (await Promise.all(pages)).flat();
    expect(ids).toEqual(Array.from({ length: PRODUCTS_OF_11 }, (_, index) => 8001 + index));
  });

  test('returns the ad group’s own products if it has any', async () => {
    expect(await outcome(listProducts('702'))).toEqual([8001, 8003]);
  });

  test.each([
    ['accepts page_size 100 ("only allowed value and default")', '702', { page_size: '100' }, [8001, 8003]],
    ['rejects a page_size of 99', '702', { page_size: '99' }, [422, 'INVALID_REQUEST', 'page_size']],
    ['rejects a page_size of 101', '702', { page_size: '101' }, [422, 'INVALID_REQUEST', 'page_size']],
    ['returns an empty page for an item_offset after the last product', '702', { item_offset: '2' }, []],
    ['rejects a negative item_offset', '702', { item_offset: '-1' }, [422, 'INVALID_REQUEST', 'item_offset']],
    ['rejects an ad_group_id that is not an integer', 'all', {}, [422, 'INVALID_REQUEST', 'ad_group_id']],
    [
      'reports all wrong parameters together',
      'all',
      { item_offset: '-1', page_size: '1' },
      [422, 'INVALID_REQUEST', 'ad_group_id', 'item_offset', 'page_size'],
    ],
    ['does not find an ad group that does not exist', '799', {}, [404, 'AD_GROUP_NOT_FOUND', 'ad_group_id']],
    ['accepts a negative ad_group_id, which does not exist', '-701', {}, [404, 'AD_GROUP_NOT_FOUND', 'ad_group_id']],
    [
      'accepts an ad_group_id of 400 digits, which does not exist',
      '9'.repeat(400),
      {},
      [404, 'AD_GROUP_NOT_FOUND', 'ad_group_id'],
    ],
    ['accepts an ad_group_id with leading zeros', '000702', {}, [8001, 8003]],
  ])('%s', async (_, id, query, expected) => {
    expect(await outcome(listProducts(id, query))).toEqual(expected);
  });

  test('finds an ad group if one of the caller’s accounts owns its advertiser', async () => {
    expect(await outcome(listProducts('731', {}, 'key-zoe'))).toEqual([9001]);
    expect(await outcome(listProducts('701', {}, 'key-zoe'))).toEqual([404, 'AD_GROUP_NOT_FOUND', 'ad_group_id']);
  });
});
