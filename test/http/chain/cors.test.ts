import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { EXPOSED_HEADERS } from '../../../shared/contract/header-names.ts';
import { call, type TestRequest } from '../support/gateway-event.ts';
import { JSON_TYPE, KEY, outcome, testEndpoint, useLog } from './endpoints.ts';

const ALLOWED_ORIGIN = 'https://dashboard.example.com';
const log = useLog();

beforeEach(() => void vi.stubEnv('CORS_ORIGINS', JSON.stringify([ALLOWED_ORIGIN, 'http://localhost:5173'])));
afterEach(() => void vi.unstubAllEnvs());

const openGet = () => testEndpoint({ input: {}, handle: async () => ({ body: {} }) });
const openPost = () =>
  testEndpoint({
    input: { body: z.strictObject({ a: z.number() }) },
    handle: async () => ({ body: {}, headers: { Vary: 'Accept-Encoding' } }),
  });

const from = (origin: string, ...headers: (readonly [string, string])[]): TestRequest => ({
  headers: [['Origin', origin], ...headers],
});
const preflightFrom = (origin: string): TestRequest => ({
  method: 'OPTIONS',
  ...from(origin, ['Access-Control-Request-Method', 'POST'], ['Access-Control-Request-Headers', 'content-type']),
});
const corsOf = (headers: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => /^(access-control-|vary$)/i.test(name)));

describe('a preflight', () => {
  test('of an allowed origin is accepted without a key, for the method of the path and the headers of the API', async () => {
    const { status, headers } = await call(openPost(), preflightFrom(ALLOWED_ORIGIN));
    expect({ status, cors: corsOf(headers) }).toEqual({
      status: 204,
      cors: {
        'Access-Control-Allow-Origin': ALLOWED_ORIGIN,
        'Access-Control-Allow-Methods': 'POST',
        'Access-Control-Allow-Headers':
          'Authorization, Content-Type, Ocp-Apim-Subscription-Key, Mcp-Method, Mcp-Name, Mcp-Protocol-Version',
        'Access-Control-Expose-Headers': EXPOSED_HEADERS.join(', '),
        'Access-Control-Max-Age': '7200',
        Vary: 'Origin',
      },
    });
    expect(log.lines).toEqual([]); // the gateway's access log has it
  });

  test.each([
    'https://evil.example.com',
    'https://dashboard.example.com.evil.example',
    'http://dashboard.example.com',
    'https://DASHBOARD.example.com',
    'null',
    '',
  ])('of "%s" is rejected like any wrong method, and no header allows it anything', async (origin) => {
    const response = await call(openPost(), preflightFrom(origin));
    expect(outcome(response)).toEqual([405, 'METHOD_NOT_ALLOWED']);
    expect(corsOf(response.headers)).toEqual({ Vary: 'Origin' });
  });

  test('with two origins is rejected', async () => {
    const response = await call(openPost(), {
      method: 'OPTIONS',
      headers: [
        ['Origin', ALLOWED_ORIGIN],
        ['Origin', 'https://evil.example.com'],
        ['Access-Control-Request-Method', 'POST'],
      ],
    });
    expect([response.status, corsOf(response.headers)]).toEqual([405, { Vary: 'Origin' }]);
  });

  test('without Access-Control-Request-Method is rejected like any other OPTIONS request', async () => {
    const response = await call(openPost(), { method: 'OPTIONS', ...from(ALLOWED_ORIGIN) });
    expect(outcome(response)).toEqual([405, 'METHOD_NOT_ALLOWED']);
  });
});

describe('the response', () => {
  const allowed = {
    'Access-Control-Allow-Origin': ALLOWED_ORIGIN,
    'Access-Control-Expose-Headers': EXPOSED_HEADERS.join(', '),
  };

  test('to an allowed origin exposes the headers of the API to its scripts, and has Origin in Vary', async () => {
    expect(corsOf((await call(openGet(), from(ALLOWED_ORIGIN, KEY))).headers)).toEqual({ ...allowed, Vary: 'Origin' });
    const posted = await call(openPost(), { method: 'POST', body: '{"a":1}', ...from(ALLOWED_ORIGIN, KEY, JSON_TYPE) });
    expect([posted.status, corsOf(posted.headers)]).toEqual([200, { ...allowed, Vary: 'Origin, Accept-Encoding' }]);
  });

  test('to an allowed origin can also be read if it is an error, such as a missing key or a wrong body', async () => {
    const missing = await call(openGet(), from(ALLOWED_ORIGIN));
    expect([missing.status, corsOf(missing.headers)]).toEqual([401, { ...allowed, Vary: 'Origin' }]);
    const wrong = await call(openPost(), { method: 'POST', body: '{', ...from(ALLOWED_ORIGIN, KEY, JSON_TYPE) });
    expect([wrong.status, corsOf(wrong.headers)]).toEqual([400, { ...allowed, Vary: 'Origin' }]);
  });

  test('to another origin, or to a request without Origin, allows nothing', async () => {
    expect(corsOf((await call(openGet(), from('https://evil.example.com', KEY))).headers)).toEqual({ Vary: 'Origin' });
    expect(corsOf((await call(openGet(), { headers: [KEY] })).headers)).toEqual({ Vary: 'Origin' });
  });
});

test('without the setting there is no CORS: no response has such a header, and every OPTIONS is rejected', async () => {
  vi.stubEnv('CORS_ORIGINS', '[]');
  const response = await call(openGet(), from(ALLOWED_ORIGIN, KEY));
  expect([response.status, corsOf(response.headers)]).toEqual([200, {}]);
  expect(outcome(await call(openGet(), preflightFrom(ALLOWED_ORIGIN)))).toEqual([405, 'METHOD_NOT_ALLOWED']);
});
