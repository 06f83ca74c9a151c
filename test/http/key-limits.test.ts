import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createKey } from '../../shared/identity/api-keys.ts';
import { GOOD_REPORT } from '../support/report-settings.ts';
import { reportRequest, type TestRequest } from './support/gateway-event.ts';
import { type FunctionName, openTestService } from './support/test-service.ts';

// a frozen clock, so that no request is in another minute or day than those before it: 18 s after the start of a minute
const NOW = Math.floor(Date.now() / 60_000) * 60_000 + 18_000;
vi.useFakeTimers({ toFake: ['Date'], now: NOW });
const service = await openTestService({ users: ['carl'] });
const instance = await service.start();
afterAll(async () => {
  await service.close();
  vi.useRealTimers();
});

await createKey(service.table, 'ana', { key: 'limited', requestsPerMinute: 40, dailyReadUnits: 1_000_000 });
await createKey(service.table, 'carl', { key: 'few-units', dailyReadUnits: 60 });
await createKey(service.table, 'nobody', { key: 'one-scope', scopes: ['metadata'], requestsPerMinute: 20 });

const send = (key: string) => instance.send('list-contacts', { key, query: [['account_id', '1']] });

describe('a key with limits', () => {
  test('gets 429 with Retry-After beyond its requests per minute, held within 20 percent, and other keys do not', async () => {
    const responses = [];
    for (let request = 0; request < 60; request += 1) responses.push(await send('limited'));
    const rejected = responses.filter(({ status }) => status === 429);
    expect(Math.abs(60 - rejected.length - 40)).toBeLessThanOrEqual(0.2 * 40);
    const [first] = rejected;
    expect(first?.body).toMatchObject({
      code: 'TOO_MANY_REQUESTS',
      detail: 'The API key may make 40 requests per minute. Try again after the time in Retry-After.',
    });
    expect(first?.headers['Retry-After']).toBe('42');
    expect(first?.headers['RateLimit-Policy']).toBe(
      '"requests";q=40;w=60, "read-units";q=1000000;w=86400;qu="read-units"',
    );
    expect(first?.headers.RateLimit).toMatch(/^"requests";r=0;t=42, "read-units";r=\d+;t=\d+$/);
    expect((await send('key-carl')).status).toBe(200);
  });

  test('gets 429 until the next day when its read units are used', async () => {
    const statuses = [];
    for (let request = 0; request < 60; request += 1) statuses.push((await send('few-units')).status);
    expect(statuses.slice(0, 3)).toEqual([200, 200, 200]);
    expect(statuses.at(-1)).toBe(429);
    const { headers, body } = await send('few-units');
    expect(Number(headers['Retry-After'])).toBe(86_400 - ((NOW / 1000) % 86_400));
    expect(body).toMatchObject({
      detail: 'The API key has used its 60 read units of this day (UTC). Try again after the time in Retry-After.',
    });
  });

  test('has a separate limit for requests outside its scopes, which do not reduce those that it allows', async () => {
    const outcomes = [];
    for (let request = 0; request < 60; request += 1) {
      const { status, body } = await instance.send('get-jwt', { key: 'one-scope' });
      outcomes.push(`${status} ${Object(body).code}`);
    }
    expect(outcomes[0]).toBe('403 SCOPE_FORBIDDEN');
    expect(outcomes).toContain('429 TOO_MANY_REQUESTS');
    expect((await instance.send('list-placements', { key: 'one-scope' })).headers.RateLimit).toMatch(
      /^"requests";r=19;/,
    );
  });
});

test('write units are in the log with those of counting, and cost a key five read units each', async () => {
  const { key } = await createKey(service.table, 'zoe', { requestsPerMinute: 1_000 });
  const logged: { readonly readUnits: number; readonly writeUnits: number }[] = [];
  for (let request = 0; request < 42; request += 1) {
    await instance.send('list-accounts', { key });
    const line = service.logged.at(-1) as (typeof logged)[number];
    expect(instance.lastCharge()).toBe(line.readUnits + 5 * line.writeUnits);
    logged.push(line);
  }
  // the user's view, and counting at the first request and after each 20
  expect(logged.reduce((sum, { writeUnits }) => sum + writeUnits, 0)).toBe(1 + 3);
});

test('the response to an unknown key states no limits', async () => {
  const { status, headers } = await instance.send('list-placements', { key: 'unknown' });
  expect([status, headers['RateLimit-Policy'], headers.RateLimit]).toEqual([401, undefined, undefined]);
});

describe('a key with limits sees them in each response:', () => {
  const LIMITS = { requestsPerMinute: 10_000, dailyReadUnits: 1_000_000, concurrentReports: 4 };
  const POLICY =
    '"requests";q=10000;w=60, "read-units";q=1000000;w=86400;qu="read-units", "reports";q=4;qu="concurrent-requests"';
  beforeAll(async () => {
    await createKey(service.table, 'ana', { key: 'sees-limits', ...LIMITS });
    await createKey(service.table, 'zoe', { key: 'only-jwt', scopes: ['jwt'], ...LIMITS });
  });
  const submit = (body: string, contentType = 'application/json', accept = '*/*') =>
    reportRequest(body, {
      key: 'sees-limits',
      headers: [
        ['Content-Type', contentType],
        ['Accept', accept],
      ],
    });
  const listContacts = (accountId: string, ...headers: readonly (readonly [string, string])[]) => ({
    query: [['account_id', accountId] as const],
    headers,
  });

  test.each<[number, string, FunctionName, TestRequest & { readonly key?: string }]>([
    [200, 'JSON', 'list-contacts', listContacts('1')],
    [200, 'CSV', 'list-contacts', listContacts('1', ['Accept', 'text/csv'])],
    [200, 'a report', 'submit-report', submit(JSON.stringify(GOOD_REPORT))],
    [200, 'a report as CSV', 'submit-report', submit(JSON.stringify(GOOD_REPORT), 'application/json', 'text/csv')],
    [400, 'MALFORMED_JSON', 'submit-report', submit('{')],
    [401, 'TOKEN_INVALID', 'list-contacts', listContacts('1', ['Authorization', 'Bearer x'])],
    [403, 'ACCOUNT_FORBIDDEN', 'list-contacts', listContacts('3')],
    [403, 'SCOPE_FORBIDDEN', 'list-contacts', { ...listContacts('3'), key: 'only-jwt' }],
    [404, 'AD_GROUP_NOT_FOUND', 'list-available-products', { pathParameters: { ad_group_id: '799' } }],
    [406, 'NOT_ACCEPTABLE', 'list-contacts', listContacts('1', ['Accept', 'image/png'])],
    [413, 'PAYLOAD_TOO_LARGE', 'submit-report', submit(' '.repeat(2 ** 20 + 1))],
    [415, 'UNSUPPORTED_MEDIA_TYPE', 'submit-report', submit('{}', 'text/plain')],
    [422, 'INVALID_REQUEST', 'submit-report', submit('{}')],
  ])('%i %s', async (status, what, name, request) => {
    const response = await instance.send(name, { ...request, key: request.key ?? 'sees-limits' });
    expect([response.status, response.headers['RateLimit-Policy']]).toEqual([status, POLICY]);
    expect(response.headers.RateLimit).toMatch(/^"requests";r=\d+;t=\d+, "read-units";r=\d+;t=\d+$/);
    if (status !== 200) expect(Object(response.body).code).toBe(what);
  });
});
