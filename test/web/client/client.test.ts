import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ClientOptions, createClient } from '../../../shared/web/client/client.ts';
import { EndcapError } from '../../../shared/web/client/endcap-error.ts';
import type { Retry } from '../../../shared/web/client/fetch-with-retries.ts';

const DAYS = { startDate: '2026-02-01', endDate: '2026-02-28' };

const GET = { key: 'ecap_one', accept: 'application/json', body: undefined };

interface Sent {
  readonly url: string;
  readonly key: string | null;
  readonly accept: string | null;
  readonly body: unknown;
}

/** @returns a client whose requests get the responses in turn, and the requests that it has sent so far */
function clientOf(responses: readonly (Response | Error)[], options: Partial<ClientOptions> = {}) {
  const sent: Sent[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    const text = await request.text();
    const key = request.headers.get('ocp-apim-subscription-key');
    const accept = request.headers.get('accept');
    sent.push({ url: request.url, key, accept, body: text === '' ? undefined : JSON.parse(text) });
    const response = responses[sent.length - 1];
    if (response === undefined) throw new Error('there are more requests than responses');
    if (response instanceof Error) throw response;
    return response;
  };
  return { client: createClient({ url: 'http://localhost/v2', key: 'ecap_one', fetch, ...options }), sent };
}

const json = (body: object, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers });
const problem = (code: string, status: number, headers: Record<string, string> = {}) =>
  json({ code, status, detail: `It is ${code}.`, requestId: 'r-1', errors: [] }, status, headers);
const page = (names: readonly string[], hasMore: boolean) =>
  json({ data: names.map((name, id) => ({ id, name })), meta: { page: { offset: 0, size: 100, total: 3, hasMore } } });
const PERIOD = { startDate: '2026-02-01', endDate: '2026-02-03' };
const report = (days: readonly string[], totalCount: number, dataVersion = '7') =>
  json({
    headers: [],
    data: days.map((day) => ({ daily_date: day, clicks: 1 })),
    totalCount,
    totals: { clicks: totalCount },
    meta: { period: PERIOD, dataVersion, requestId: 'r-1' },
  });

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** Advances the timers until the promise is settled. @returns its outcome, and the seconds of all waits, each rounded up */
async function settle<Result>(promise: Promise<Result>) {
  let outcome: PromiseSettledResult<Result> | undefined;
  void Promise.allSettled([promise]).then(([settled]) => {
    outcome = settled;
  });
  let waited = 0;
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve));
    if (outcome !== undefined) return { outcome, waited };
    if (vi.getTimerCount() === 0) continue;
    await vi.advanceTimersByTimeAsync(1000);
    waited += 1;
  }
}

test.each(['http://localhost:3000', 'http://localhost:3000/v1', 'https://api.example.com/v2/metadata', 'v2'])(
  'the URL %s is rejected at once, because it does not end with /v2',
  (url) => {
    expect(() => createClient({ url, key: 'ecap_one' })).toThrow(`the URL must end with /v2: ${url}`);
  },
);

describe('a listing', () => {
  test('is read page by page while it is iterated, with the key in the header', async () => {
    const { client, sent } = clientOf([page(['a', 'b'], true), page(['c'], false)]);
    expect((await client.accounts().toArray()).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(sent).toEqual([
      { url: 'http://localhost/v2/metadata/accounts?offset=0&size=100', ...GET },
      { url: 'http://localhost/v2/metadata/accounts?offset=100&size=100', ...GET },
    ]);
  });

  test('is read in smaller pages if one would be too large', async () => {
    const responses = [page(['a'], true), problem('PAGE_TOO_LARGE', 422), page(['b'], true), page(['c'], false)];
    const { client, sent } = clientOf(responses);
    expect((await client.advertisers(1).toArray()).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(sent.map(({ url }) => new URL(url).search)).toEqual([
      '?account_id=1&offset=0&size=100',
      '?account_id=1&offset=100&size=100',
      '?account_id=1&offset=100&size=50',
      '?account_id=1&offset=150&size=50',
    ]);
  });

  test('does not follow redirects, which would send the key to another host', async () => {
    const redirects: string[] = [];
    const fetch = async (request: Request) => {
      redirects.push(request.redirect);
      return page(['a'], false);
    };
    for await (const _ of clientOf([], { fetch }).client.accounts());
    expect(redirects).toEqual(['error']);
  });

  test('is read no further than the iteration goes', async () => {
    const { client, sent } = clientOf([page(['a', 'b'], true)]);
    for await (const { name } of client.advertisers(1001)) if (name === 'a') break;
    expect(sent.map(({ url }) => url)).toEqual([
      'http://localhost/v2/metadata/advertisers?account_id=1001&offset=0&size=100',
    ]);
  });

  test('can be read by the page', async () => {
    const { client, sent } = clientOf([page(['a'], true)]);
    expect((await client.placements().page({ offset: 20, size: 5 })).meta.page.hasMore).toBe(true);
    expect(sent[0]?.url).toBe('http://localhost/v2/metadata/placements?offset=20&size=5');
  });
});

describe('a report', () => {
  test('is sent with all members of the contract, numbers in filters as text', async () => {
    const { client, sent } = clientOf([report(['2026-02-01'], 1)]);
    const { data, totals } = await client.report('pla', {
      ...DAYS,
      metrics: ['clicks'],
      dimensions: ['daily_date'],
      filters: [
        { field: 'hour', operator: 'IN', values: [17, 18] },
        { field: 'keyword', operator: 'NOT_NULL' },
      ],
    });
    expect([data, totals.clicks]).toEqual([[{ daily_date: '2026-02-01', clicks: 1 }], 1]);
    expect(sent).toMatchObject([
      {
        url: 'http://localhost/v2/report/pla',
        body: {
          ...DAYS,
          metrics: ['clicks'],
          dimensions: ['daily_date'],
          filters: [
            { field: 'hour', operator: 'IN', values: ['17', '18'] },
            { field: 'keyword', operator: 'NOT_NULL', values: [] },
          ],
          sort: [],
          advertiserIds: [],
          pagination: { offset: 0, size: 100 },
        },
      },
    ]);
  });

  test('comes as a file if asked for one, and its problems are errors like others', async () => {
    const csv = new Response('"daily_date","clicks"\r\n', { headers: { 'content-type': 'text/csv; charset=utf-8' } });
    const { client, sent } = clientOf([csv, problem('INVALID_REQUEST', 422)]);
    const file = await client.reportFile('pla', { ...DAYS, metrics: ['clicks'] }, 'spreadsheet');
    expect(await file.text()).toBe('"daily_date","clicks"\r\n');
    await expect(client.reportFile('pla', DAYS, 'arrow')).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    expect(sent.map(({ accept }) => accept)).toEqual([
      'text/csv;header=bom;formulas=escaped',
      'application/vnd.apache.arrow.stream',
    ]);
  });

  const query = { ...DAYS, metrics: ['clicks'], dimensions: ['daily_date'] } as const;
  const daysOf = async (rows: AsyncIterable<{ readonly daily_date: string | null }>) => {
    const days: (string | null)[] = [];
    for await (const { daily_date } of rows) days.push(daily_date);
    return days;
  };

  test('gives its rows page by page, in smaller pages if one would be too large', async () => {
    const { client, sent } = clientOf([
      problem('PAGE_TOO_LARGE', 422),
      report(['2026-02-01', '2026-02-02'], 3),
      report(['2026-02-03'], 3),
    ]);
    const days = await daysOf(client.rows('pla', query, { size: 3 }));
    expect(days).toEqual(['2026-02-01', '2026-02-02', '2026-02-03']);
    expect(sent.map(({ body }) => Object(body).pagination)).toEqual([
      { offset: 0, size: 3 },
      { offset: 0, size: 2 },
      { offset: 2, size: 2 },
    ]);
  });

  test('covers the same days on all pages, also if relative dates change at midnight', async () => {
    const { client, sent } = clientOf([report(['2026-02-01', '2026-02-02'], 3), report(['2026-02-03'], 3)]);
    await daysOf(client.rows('pla', { ...query, startDate: 'today-3d', endDate: 'yesterday' }, { size: 2 }));
    expect(sent.map(({ body }) => body)).toMatchObject([{ startDate: 'today-3d', endDate: 'yesterday' }, PERIOD]);
  });

  test('compares the same days on all pages', async () => {
    const earlier = { startDate: '2025-02-01', endDate: '2025-02-03' };
    const first = await report(['2026-02-01'], 2).json();
    const meta = { ...first.meta, compared: { ...earlier, data: {} } };
    const { client, sent } = clientOf([json({ ...first, meta }), report(['2026-02-02'], 2)]);
    const compare = { startDate: 'today-1y', endDate: 'today-1y' };
    await daysOf(client.rows('pla', { ...query, compare }, { size: 1 }));
    expect(sent.map(({ body }) => body)).toMatchObject([{ compare }, { compare: earlier }]);
  });

  test('is not continued after data was loaded between two pages, because their rows would not fit together', async () => {
    const { client } = clientOf([report(['2026-02-01'], 2, '7'), report(['2026-02-02'], 2, '8')]);
    await expect(daysOf(client.rows('pla', query))).rejects.toMatchObject({ code: 'DATA_CHANGED' });
  });
});

describe('an error', () => {
  test('is an EndcapError with the code, the status, the request id and the invalid fields', async () => {
    const errors = [{ in: 'query', pointer: 'size', code: 'OUT_OF_RANGE', detail: 'Must be 1 to 100.' }];
    const body = { code: 'INVALID_REQUEST', detail: 'One field is invalid.', requestId: 'r-1', errors };
    const { client } = clientOf([json(body, 422)]);
    const error = await client
      .accounts()
      .page({ size: 0 })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(EndcapError);
    expect(error).toMatchObject({
      code: 'INVALID_REQUEST',
      message: 'One field is invalid. size: Must be 1 to 100.',
      detail: 'One field is invalid.',
      status: 422,
      requestId: 'r-1',
      fields: errors,
    });
  });

  test('has the first two invalid fields in its message', async () => {
    const errors = ['a', 'b', 'c'].map((pointer) => ({
      in: 'query',
      pointer,
      code: 'OUT_OF_RANGE',
      detail: 'Too large.',
    }));
    const { client } = clientOf([json({ code: 'INVALID_REQUEST', detail: 'Three are invalid.', errors }, 422)]);
    const message = 'Three are invalid. a: Too large. b: Too large.';
    await expect(client.claims()).rejects.toMatchObject({ message, fields: errors });
  });

  test.each([
    ['a page of a proxy', new Response('<html>', { status: 404 })],
    ['a page that is sent with status 200', new Response('<html>')],
  ])('of something that is not the service, as %s, names the URL as the likely cause', async (_, response) => {
    const { client } = clientOf([response]);
    await expect(client.claims()).rejects.toMatchObject({
      code: 'UNEXPECTED_RESPONSE',
      message: expect.stringContaining('check the URL'),
    });
  });
});

describe('a request is repeated', () => {
  test.each([429, 502, 503])('after status %i, more than once', async (status) => {
    const { client, sent } = clientOf([problem('STORE_BUSY', status), problem('STORE_BUSY', status), page([], false)]);
    await settle(client.accounts().page());
    expect(sent).toHaveLength(3);
  });

  test('with its body', async () => {
    const { client, sent } = clientOf([problem('STORE_BUSY', 503), report([], 0)]);
    await settle(client.report('pla', { ...DAYS, metrics: ['clicks'] }));
    expect(sent).toHaveLength(2);
    expect(sent[1]?.body).toEqual(sent[0]?.body);
    expect(sent[1]?.body).toMatchObject({ metrics: ['clicks'] });
  });

  test('after a failed connection', async () => {
    const { client, sent } = clientOf([new TypeError('fetch failed'), page([], false)]);
    const { outcome } = await settle(client.accounts().page());
    expect([outcome.status, sent.length]).toEqual(['fulfilled', 2]);
  });

  test.each([
    ['20', 20],
    ['1.5', 2], // the clock of this test has steps of a second
  ])('no earlier than Retry-After asks, here %s seconds', async (seconds, expected) => {
    const { client, sent } = clientOf([problem('TOO_MANY_REQUESTS', 429, { 'retry-after': seconds }), page([], false)]);
    const { waited } = await settle(client.accounts().page());
    expect([waited, sent.length]).toEqual([expected, 2]);
  });

  test('with a call of onRetry before each wait', async () => {
    const retries: Retry[] = [];
    const limited = problem('TOO_MANY_REQUESTS', 429, { 'retry-after': '20' });
    const { client } = clientOf([limited, new TypeError('fetch failed'), page([], false)], {
      onRetry: (retry) => retries.push(retry),
    });
    await settle(client.accounts().page());
    expect(retries).toEqual([
      { seconds: 20, status: 429 },
      { seconds: expect.any(Number), status: undefined },
    ]);
  });

  test('if the response has no Retry-After, even if maxRetryAfter is 0', async () => {
    const { client, sent } = clientOf([problem('SERVICE_BUSY', 503), page([], false)], { maxRetryAfter: 0 });
    const { outcome } = await settle(client.accounts().page());
    expect([outcome.status, sent.length]).toEqual(['fulfilled', 2]);
  });
});

describe('a request is not repeated', () => {
  test('if Retry-After asks for a longer wait than allowed, as a day’s quota does', async () => {
    const { client, sent } = clientOf([problem('TOO_MANY_REQUESTS', 429, { 'retry-after': '30000' })]);
    await expect(client.accounts().page()).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS', retryAfter: 30_000 });
    expect(sent).toHaveLength(1);
  });

  test.each([400, 401, 403, 404, 422, 500, 504])('after status %i', async (status) => {
    const { client, sent } = clientOf([problem('INVALID_REQUEST', status)]);
    await expect(client.accounts().page()).rejects.toMatchObject({ status });
    expect(sent).toHaveLength(1);
  });

  test('more often than allowed: the last response is the error', async () => {
    const busy = () => problem('SERVICE_BUSY', 503, { 'retry-after': '1' });
    const { client, sent } = clientOf([busy(), busy(), busy()], { retries: 2 });
    const { outcome } = await settle(client.accounts().page());
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'SERVICE_BUSY' } });
    expect(sent).toHaveLength(3);
  });

  test('after it is aborted while it waits', async () => {
    const { client, sent } = clientOf([problem('SERVICE_BUSY', 503, { 'retry-after': '20' })]);
    const controller = new AbortController();
    const call = client.accounts({ signal: controller.signal }).page();
    const failure = expect(call).rejects.toThrow('changed my mind');
    await expect.poll(() => vi.getTimerCount()).toBeGreaterThan(0);
    controller.abort(new Error('changed my mind'));
    await failure;
    expect([sent.length, vi.getTimerCount()]).toEqual([1, 0]);
  });
});
