import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { call, type TestRequest } from '../support/gateway-event.ts';
import { get, JSON_TYPE, KEY, outcome, testEndpoint, useLog } from './endpoints.ts';

useLog();

const post = testEndpoint({
  input: { path: z.object({ id: z.string() }), body: z.strictObject({ a: z.number('a number') }, 'an object with a') },
  handle: async ({ input }) => ({ body: input }),
});

describe('the method', () => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])(
    '%s is rejected with 405 and Allow by an endpoint without a body',
    async (method) => {
      const response = await call(get, { method, headers: [KEY] });
      expect(outcome(response)).toEqual([405, 'METHOD_NOT_ALLOWED']);
      expect(response.headers.Allow).toBe('GET');
    },
  );

  test('is checked before the key', async () => {
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
  const CASES: readonly [title: string, request: TestRequest, expected: unknown][] = [
    ['may be JSON', send('{"a":1}', JSON_TYPE), 200],
    [
      'may have a content type with parameters',
      send('{"a":1}', ['content-type', 'Application/JSON; charset=utf-8']),
      200,
    ],
    [
      'may be encoded in base64',
      { ...send(Buffer.from('{"a":1}').toString('base64'), JSON_TYPE), isBase64Encoded: true },
      200,
    ],
    ['may have 1 MiB', send(`{"a":1}${' '.repeat(1_048_576 - 7)}`, JSON_TYPE), 200],
    [
      'is measured in bytes, not in characters',
      send(JSON.stringify({ a: 'é'.repeat(600_000) }), JSON_TYPE),
      [413, 'PAYLOAD_TOO_LARGE'],
    ],
    [
      'must not have more than 1 MiB after base64 decoding',
      { ...send(Buffer.from(large).toString('base64'), JSON_TYPE), isBase64Encoded: true },
      [413, 'PAYLOAD_TOO_LARGE'],
    ],
    ['needs a content type', send('{"a":1}'), [415, 'UNSUPPORTED_MEDIA_TYPE']],
    [
      'must not have a content type that only ends in +json',
      send('{"a":1}', ['Content-Type', 'application/ld+json']),
      [415, 'UNSUPPORTED_MEDIA_TYPE'],
    ],
    [
      'must not have a content type that only starts with application/json',
      send('{"a":1}', ['Content-Type', 'application/jsonp']),
      [415, 'UNSUPPORTED_MEDIA_TYPE'],
    ],
    ['must not be empty', send('', JSON_TYPE), [400, 'MALFORMED_JSON']],
    ['must not have a trailing comma', send('{"a":1,}', JSON_TYPE), [400, 'MALFORMED_JSON']],
    ['must not have a member __proto__', send('{"a":1,"__proto__":{}}', JSON_TYPE), [400, 'MALFORMED_JSON']],
    ['must not be null', send('null', JSON_TYPE), [422, 'INVALID_REQUEST']],
    ['must not be an array', send('[]', JSON_TYPE), [422, 'INVALID_REQUEST']],
    ['is checked after the key', { ...send('{', ['Content-Type', 'text/plain']), headers: [] }, [401, 'KEY_MISSING']],
  ];

  test.each(CASES)('%s', async (_, request, expected) => {
    expect(outcome(await call(post, request))).toEqual(expected);
  });

  test('that is nested 100,000 levels deep is rejected as such', async () => {
    const body = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const response = await call(post, send(body, JSON_TYPE));
    expect(outcome(response)).toEqual([400, 'MALFORMED_JSON']);
    expect(response.body).toMatchObject({ detail: expect.stringContaining('is nested too deeply') });
  });

  test('is ignored by an endpoint without a body', async () => {
    expect(outcome(await call(get, { headers: [KEY], body: '{' }))).toBe(200);
  });
});
