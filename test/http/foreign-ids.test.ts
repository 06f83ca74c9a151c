import { afterAll, describe, expect, test, vi } from 'vitest';
import { DIMENSION_NAMES } from '../../shared/catalog/dimensions.ts';
import { operations } from '../contract/openapi-document.ts';
import { GOOD_REPORT } from '../support/report-settings.ts';
import { ACCOUNT_LISTINGS } from './support/account-listings.ts';
import { reportRequest, type TestRequest, withoutIds } from './support/gateway-event.ts';
import { type FunctionName, openTestService } from './support/test-service.ts';

/*
 * The time of a response reveals how many calls it took. An ad group of another user took one call more than an unknown one, which could be measured
 * (4.8 ms against 3.0 ms). So every position of an id must take the same calls for an id of another user and for one that does not exist. The header
 * RateLimit shows the sum of what a key is charged, so the charge must be the same as well.
 */

// a frozen clock, so that no cache expires between the two requests
vi.useFakeTimers({ toFake: ['Date', 'performance'] });
const service = await openTestService();
const instance = await service.start();
afterAll(async () => {
  await service.close();
  vi.useRealTimers();
});

interface IdPosition {
  readonly name: FunctionName;
  /** Where the id is, by which the test compares this list with the document: parameter or member. */
  readonly at: string;
  readonly request: (id: number) => TestRequest & { readonly key?: string };
  /** The id of Zoe's, whom Ana shares no account with, and one that nobody has. */
  readonly foreign: number;
  readonly unknown: number;
}

const accountId = (name: FunctionName): IdPosition => ({
  name,
  at: 'account_id',
  request: (id) => ({ key: 'key-ana', query: [['account_id', String(id)]] }),
  foreign: 3,
  unknown: 4,
});

const advertiserId = (name: FunctionName): IdPosition => ({
  name,
  at: 'advertiser_id',
  request: (id) => ({
    key: 'key-ana',
    query: [
      ['account_id', '1'],
      ['advertiser_id', String(id)],
    ],
  }),
  foreign: 31,
  unknown: 39,
});

const report = (body: object) =>
  reportRequest(JSON.stringify({ ...GOOD_REPORT, metrics: ['impressions'], dimensions: ['ad_group_id'], ...body }));

const idFilter = (field: string, foreign: number, unknown: number): IdPosition => ({
  name: 'submit-report',
  at: `filter on ${field}`,
  request: (id) => report({ filters: [{ field, operator: 'EQUALS', values: [String(id)] }] }),
  foreign,
  unknown,
});

const POSITIONS: readonly IdPosition[] = [
  ...ACCOUNT_LISTINGS.map((route) => accountId(route.function)),
  advertiserId('list-campaigns'),
  advertiserId('list-ad-groups'),
  {
    name: 'list-available-products',
    at: 'ad_group_id',
    request: (id) => ({ key: 'key-ana', pathParameters: { ad_group_id: String(id) } }),
    foreign: 731,
    unknown: 799,
  },
  {
    name: 'submit-report',
    at: 'advertiserIds',
    request: (id) => report({ advertiserIds: [11, id] }),
    foreign: 31,
    unknown: 39,
  },
  idFilter('advertiser_id', 31, 39),
  idFilter('ad_group_id', 731, 799),
  idFilter('campaign_id', 63, 69),
];

/** @returns the response without what repeats the id or identifies the request, the calls that it took, and the read units that were charged */
async function measure({ name, request }: IdPosition, id: number) {
  const { status, headers, body } = await instance.send(name, request(id));
  const { storeCalls, rowsScanned } = service.logged.at(-1) ?? {};
  const { 'x-request-id': _, ...otherHeaders } = headers;
  const { instance: _path, ...rest } = withoutIds(body);
  const meta = typeof rest.meta === 'object' ? { ...rest.meta, requestId: '' } : undefined;
  return {
    status,
    headers: otherHeaders,
    body: { ...rest, meta },
    storeCalls,
    rowsScanned,
    charge: instance.lastCharge(),
  };
}

describe('an id of another user gets the same response, by the same calls and for the same charge, as an id that does not exist', () => {
  test.each(POSITIONS.map((position) => [`${position.name}: ${position.at}`, position] as const))(
    '%s',
    async (_, position) => {
      await measure(position, position.unknown); // fills the caches of the instance
      const unknown = await measure(position, position.unknown);
      const foreign = await measure(position, position.foreign);
      expect(foreign).toEqual(unknown);
      expect([foreign.charge, foreign.storeCalls]).toEqual([expect.any(Number), expect.any(Number)]); // 0 where the instance has cached everything
    },
  );

  test('at every position of the OpenAPI document and of the catalogue', () => {
    const parameters = operations.flatMap(([, , { parameters = [] }]) => parameters.map(({ name }) => name));
    const ids = parameters.filter((name) => name.endsWith('_id'));
    // integer ids of entities that belong to users; the other dimensions are texts of the caller's own rows
    const fields = DIMENSION_NAMES.filter((name) => /^(advertiser|ad_group|campaign)_id$/.test(name));
    const expected = [...ids, 'advertiserIds', ...fields.map((name) => `filter on ${name}`)];
    expect(POSITIONS.map(({ at }) => at).sort()).toEqual(expected.sort());
  });
});
