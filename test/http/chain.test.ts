import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { endpoint } from '../../shared/http/endpoint.ts';
import type { Caller, Identity } from '../../shared/identity/identity.ts';
import { PROBLEMS } from '../../shared/lib/errors.ts';
import { call, type TestRequest, type TestResponse, withoutIds } from './support/gateway-event.ts';

const ANA: Caller = { userId: 'ana', name: 'Ana', userType: 'AGENCY', accountIds: new Set([1]), commit: 1 };

/** Knows the key `good`, and the token `good` of its user. */
const identity: Identity = {
  findCaller: async (key, meter) => {
    meter.readUnits += 1;
    return key === 'good' ? ANA : { reason: 'The API key is unknown.' };
  },
  refreshCaller: async (caller) => caller,
  verifyToken: async (token) =>
    token === 'good'
      ? { iss: 'i', sub: 'ana', aud: 'a', iat: 1, exp: 2, jti: 'j', userType: 'AGENCY', accountIds: [1] }
      : { reason: 'The token has expired.' },
};

const KEY = ['Ocp-Apim-Subscription-Key', 'good'] as const;
const JSON_TYPE = ['Content-Type', 'application/json'] as const;

const get = endpoint(identity, {
  input: { query: z.object({ n: z._default(z.string(), 'none') }) },
  handle: async ({ caller, input, context }) => ({
    body: { user: caller.userId, n: input.query.n, claims: context.claims?.jti ?? null, path: context.path },
  }),
});

const post = endpoint(identity, {
  input: { path: z.object({ id: z.string() }), body: z.strictObject({ a: z.number('a number') }, 'an object with a') },
  handle: async ({ input }) => ({ body: input }),
});

const broken = endpoint(identity, {
  input: {},
  handle: async () => {
    throw new Error('secret of the inside', { cause: new TypeError('deeper') });
  },
});

let logged: Record<string, unknown>[] = [];
beforeEach(() => {
  logged = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    logged.push(JSON.parse(String(text)));
    return true;
  });
});
afterEach(() => void vi.restoreAllMocks());

const outcome = ({ status, body }: TestResponse) => {
  const { code } = Object(body);
  return code === undefined ? status : [status, code];
};

describe('the API key', () => {
  const inHeader = (...values: string[]) => values.map((value) => ['Ocp-Apim-Subscription-Key', value] as const);
  const inQuery = (...values: string[]) => values.map((value) => ['subscription-key', value] as const);
  const CASES: readonly [what: string, request: TestRequest, expected: unknown][] = [
    ['in the header', { headers: inHeader('good') }, 200],
    ['in the query: "The same key works in either location"', { query: inQuery('good') }, 200],
    ['in both', { headers: inHeader('good'), query: inQuery('good') }, 200],
    ['in a header of another case', { headers: [['OCP-APIM-subscription-key', 'good']] }, 200],
    ['empty in the header, there in the query', { headers: inHeader(''), query: inQuery('good') }, 200],
    ['twice the same', { headers: inHeader('good', 'good'), query: inQuery('good', 'good') }, 200],
    ['in neither', {}, [401, 'KEY_MISSING']],
    ['empty in both', { headers: inHeader(''), query: inQuery('') }, [401, 'KEY_MISSING']],
    ['in a query parameter of another case', { query: [['Subscription-Key', 'good']] }, [401, 'KEY_MISSING']],
    ['different in both', { headers: inHeader('good'), query: inQuery('bad') }, [401, 'KEY_CONFLICT']],
    ['different, twice in the query', { query: inQuery('bad', 'good') }, [401, 'KEY_CONFLICT']],
    [
      'different, in two headers',
      { headers: [...inHeader('bad'), ['ocp-apim-subscription-key', 'good']] },
      [401, 'KEY_CONFLICT'],
    ],
    ['unknown', { headers: inHeader('bad') }, [401, 'KEY_INVALID']],
    ['of another case', { headers: inHeader('GOOD') }, [401, 'KEY_INVALID']],
  ];

  test.each(CASES)('%s', async (_, request, expected) => {
    expect(outcome(await call(get, request))).toEqual(expected);
  });

  test('its lack is answered with WWW-Authenticate and where to send it', async () => {
    const { status, headers, body } = await call(get, { requestId: 'r-1' });
    expect(status).toBe(401);
    expect(headers).toEqual({
      'Content-Type': 'application/problem+json',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'x-request-id': 'r-1',
      'WWW-Authenticate': 'ApiKey realm="endcap", header="Ocp-Apim-Subscription-Key", query="subscription-key"',
    });
    const detail =
      'Send your API key in the header Ocp-Apim-Subscription-Key or in the query parameter subscription-key.';
    expect(body).toEqual({
      type: '/problems/key-missing',
      title: 'No API key was sent',
      status: 401,
      detail,
      instance: '/v2/metadata/accounts',
      code: 'KEY_MISSING',
      requestId: 'r-1',
      occurredAt: { value: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/), timezone: 'UTC' },
      errors: [],
      statusCode: 401,
      message: detail,
    });
  });
});

describe('the bearer token', () => {
  const authorization = (...values: string[]): TestRequest => ({
    headers: [KEY, ...values.map((value) => ['Authorization', value] as const)],
  });
  const CASES: readonly [what: string, request: TestRequest, expected: unknown][] = [
    ['none', authorization(), null],
    ['a good one', authorization('Bearer good'), 'j'],
    ['the scheme in another case', authorization('bEARER  good '), 'j'],
    ['twice the same', authorization('Bearer good', 'Bearer good'), 'j'],
    ['another scheme is ignored', authorization('Basic bad'), null],
    ['a scheme that starts alike is another', authorization('Bearerish bad'), null],
    ['another scheme beside it is ignored', authorization('Basic bad', 'Bearer good'), 'j'],
    ['a bad one', authorization('Bearer bad'), [401, 'TOKEN_INVALID']],
    ['an empty one', authorization('Bearer'), [401, 'TOKEN_INVALID']],
    ['two different ones', authorization('Bearer good', 'Bearer bad'), [401, 'TOKEN_INVALID']],
    [
      'a good one without a key "never replaces the key"',
      { headers: [['Authorization', 'Bearer good']] },
      [401, 'KEY_MISSING'],
    ],
    [
      'a good one with a bad key',
      {
        headers: [
          ['Ocp-Apim-Subscription-Key', 'bad'],
          ['Authorization', 'Bearer good'],
        ],
      },
      [401, 'KEY_INVALID'],
    ],
  ];

  test.each(CASES)('%s', async (_, request, expected) => {
    const answer = await call(get, request);
    expect(answer.status === 200 ? Object(answer.body).claims : outcome(answer)).toEqual(expected);
  });

  test('a bad one is answered with the Bearer challenge', async () => {
    const { headers } = await call(get, authorization('Bearer bad'));
    expect(headers['WWW-Authenticate']).toBe(
      'Bearer realm="endcap", error="invalid_token", error_description="The token has expired."',
    );
  });
});

describe('the method', () => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])(
    '%s where GET is asked for is 405 with Allow',
    async (method) => {
      const answer = await call(get, { method, headers: [KEY] });
      expect(outcome(answer)).toEqual([405, 'METHOD_NOT_ALLOWED']);
      expect(answer.headers.Allow).toBe('GET');
    },
  );

  test('GET where a body is asked for is 405 with Allow: POST', async () => {
    const answer = await call(post, { method: 'GET', headers: [KEY] });
    expect([answer.status, answer.headers.Allow]).toEqual([405, 'POST']);
  });

  test('is looked at before the key', async () => {
    expect(outcome(await call(get, { method: 'DELETE' }))).toEqual([405, 'METHOD_NOT_ALLOWED']);
  });
});

describe('the body', () => {
  const send = (body: string | undefined, ...headers: (readonly [string, string])[]): TestRequest => ({
    method: 'POST',
    resource: '/things/{id}',
    pathParameters: { id: 'x' },
    headers: [KEY, ...headers],
    ...(body === undefined ? {} : { body }),
  });
  const large = JSON.stringify({ a: 1, pad: 'x'.repeat(1_048_576) });
  const CASES: readonly [what: string, request: TestRequest, expected: unknown][] = [
    ['JSON', send('{"a":1}', JSON_TYPE), 200],
    ['a content type with parameters', send('{"a":1}', ['content-type', 'Application/JSON; charset=utf-8']), 200],
    ['base64', { ...send(Buffer.from('{"a":1}').toString('base64'), JSON_TYPE), isBase64Encoded: true }, 200],
    ['just 1 MB', send(`{"a":1}${' '.repeat(1_048_576 - 7)}`, JSON_TYPE), 200],
    ['1 MB and a byte', send(`{"a":1}${' '.repeat(1_048_576 - 6)}`, JSON_TYPE), [413, 'PAYLOAD_TOO_LARGE']],
    [
      '1 MB of characters of two bytes',
      send(JSON.stringify({ a: 'é'.repeat(600_000) }), JSON_TYPE),
      [413, 'PAYLOAD_TOO_LARGE'],
    ],
    [
      'more than 1 MB in base64',
      { ...send(Buffer.from(large).toString('base64'), JSON_TYPE), isBase64Encoded: true },
      [413, 'PAYLOAD_TOO_LARGE'],
    ],
    ['no content type', send('{"a":1}'), [415, 'UNSUPPORTED_MEDIA_TYPE']],
    ['another content type', send('{"a":1}', ['Content-Type', 'text/plain']), [415, 'UNSUPPORTED_MEDIA_TYPE']],
    [
      'a content type that only ends in +json',
      send('{"a":1}', ['Content-Type', 'application/ld+json']),
      [415, 'UNSUPPORTED_MEDIA_TYPE'],
    ],
    [
      'a content type that only starts so',
      send('{"a":1}', ['Content-Type', 'application/jsonp']),
      [415, 'UNSUPPORTED_MEDIA_TYPE'],
    ],
    ['none', send(undefined, JSON_TYPE), [400, 'MALFORMED_JSON']],
    ['empty', send('', JSON_TYPE), [400, 'MALFORMED_JSON']],
    ['cut off', send('{"a":', JSON_TYPE), [400, 'MALFORMED_JSON']],
    ['with a comma too many', send('{"a":1,}', JSON_TYPE), [400, 'MALFORMED_JSON']],
    ['a member __proto__', send('{"a":1,"__proto__":{}}', JSON_TYPE), [422, 'INVALID_REQUEST']],
    ['null', send('null', JSON_TYPE), [422, 'INVALID_REQUEST']],
    ['an array', send('[]', JSON_TYPE), [422, 'INVALID_REQUEST']],
    ['a bad key is told first', { ...send('{', ['Content-Type', 'text/plain']), headers: [] }, [401, 'KEY_MISSING']],
  ];

  test.each(CASES)('%s', async (_, request, expected) => {
    expect(outcome(await call(post, request))).toEqual(expected);
  });

  test('is not looked at where none is asked for', async () => {
    expect(outcome(await call(get, { headers: [KEY], body: '{' }))).toBe(200);
  });
});

test('an answer has the headers that every answer has', async () => {
  const { headers, body } = await call(get, { headers: [KEY], requestId: 'r-2', query: [['n', '5']] });
  expect(headers).toEqual({
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'x-request-id': 'r-2',
  });
  expect(body).toEqual({ user: 'ana', n: '5', claims: null, path: '/v2/metadata/accounts' });
});

test('an unexpected error is logged whole, with what caused it, and answered with nothing of the inside', async () => {
  const answer = await call(broken, { headers: [KEY], requestId: 'r-3' });
  expect(answer.status).toBe(500);
  expect(withoutIds(answer.body)).toEqual({
    type: '/problems/internal-error',
    title: 'Something went wrong on our side',
    status: 500,
    detail: 'Something went wrong on our side. Quote request r-3 when you report it.',
    instance: '/v2/metadata/accounts',
    code: 'INTERNAL_ERROR',
    errors: [],
    statusCode: 500,
    message: 'Something went wrong on our side. Quote request r-3 when you report it.',
  });
  expect(logged[0]).toMatchObject({
    level: 'ERROR',
    requestId: 'r-3',
    error: {
      name: 'Error',
      message: 'secret of the inside',
      stack: expect.stringContaining('chain.test.ts'),
      cause: { name: 'TypeError', message: 'deeper' },
    },
  });
});

test('each request is one line of the log, with nothing in it that must not be read', async () => {
  await call(get, {
    requestId: 'r-4',
    headers: [KEY, ['Authorization', 'Bearer good']],
    query: [
      ['subscription-key', 'good'],
      ['n', 'private'],
    ],
  });
  expect(logged).toEqual([
    {
      timestamp: expect.any(String),
      level: 'INFO',
      message: 'request',
      requestId: 'r-4',
      route: 'GET /metadata/accounts',
      status: 200,
      latencyMs: expect.any(Number),
      readUnits: 1,
      writeUnits: 0,
      storeCalls: 0,
      userId: 'ana',
      functionName: 'the-function',
      _aws: {
        Timestamp: expect.any(Number),
        CloudWatchMetrics: [{ Namespace: 'Endcap', Dimensions: [['functionName']], Metrics: [{ Name: 'readUnits' }] }],
      },
    },
  ]);
});

describe('the time limit', () => {
  test('an answer that is not ready 3 s before the function ends is 504, and its work is told to stop', async () => {
    let stopped = false;
    const slow = endpoint(identity, {
      input: {},
      handle: ({ context }) =>
        new Promise((_, reject) => {
          context.signal.addEventListener('abort', () => {
            stopped = true;
            reject(context.signal.reason);
          });
        }),
    });
    const answer = await call(slow, { headers: [KEY] }, 3_050);
    expect(outcome(answer)).toEqual([504, 'DEADLINE_EXCEEDED']);
    expect(stopped).toBe(true);
  });

  test('holds for work that does not listen, too', async () => {
    const deaf = endpoint(identity, { input: {}, handle: () => new Promise(() => {}) });
    expect(outcome(await call(deaf, { headers: [KEY] }, 3_050))).toEqual([504, 'DEADLINE_EXCEEDED']);
  });

  test('and so is one whose key or token is not found out in time', async () => {
    const never = new Promise<never>(() => {});
    const lost: Identity = { ...identity, findCaller: () => never };
    const unverified: Identity = { ...identity, verifyToken: () => never };
    const handle = async () => ({ body: {} });
    const first = await call(endpoint(lost, { input: {}, handle }), { headers: [KEY] }, 3_050);
    expect(outcome(first)).toEqual([504, 'DEADLINE_EXCEEDED']);
    const withToken = [KEY, ['Authorization', 'Bearer good']] as const;
    const second = await call(endpoint(unverified, { input: {}, handle }), { headers: withToken }, 3_050);
    expect(outcome(second)).toEqual([504, 'DEADLINE_EXCEEDED']);
  });
});

test('every problem has a type of its own, and its status between 400 and 599', () => {
  const statuses = Object.values(PROBLEMS).map(({ status }) => status);
  expect(statuses.every((status) => status >= 400 && status < 600)).toBe(true);
  expect(new Set(Object.values(PROBLEMS).map(({ title }) => title)).size).toBe(statuses.length);
});
