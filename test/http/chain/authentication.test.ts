import { describe, expect, test } from 'vitest';
import { call, type TestRequest } from '../support/gateway-event.ts';
import { get, KEY, outcome, useLog } from './endpoints.ts';

useLog();

describe('the API key', () => {
  const inHeader = (...values: string[]) => values.map((value) => ['Ocp-Apim-Subscription-Key', value] as const);
  const inQuery = (...values: string[]) => values.map((value) => ['subscription-key', value] as const);
  const CASES: readonly [title: string, request: TestRequest, expected: unknown][] = [
    ['is accepted in the header', { headers: inHeader('good') }, 200],
    ['is accepted in the query: "The same key works in either location"', { query: inQuery('good') }, 200],
    ['is accepted in both locations', { headers: inHeader('good'), query: inQuery('good') }, 200],
    ['is accepted in a header of a different case', { headers: [['OCP-APIM-subscription-key', 'good']] }, 200],
    ['is read from the query if the header is empty', { headers: inHeader(''), query: inQuery('good') }, 200],
    ['may be repeated', { headers: inHeader('good', 'good'), query: inQuery('good', 'good') }, 200],
    ['is required', {}, [401, 'KEY_MISSING']],
    ['counts as missing if it is empty', { headers: inHeader(''), query: inQuery('') }, [401, 'KEY_MISSING']],
    [
      'is not read from a query parameter of a different case',
      { query: [['Subscription-Key', 'good']] },
      [401, 'KEY_MISSING'],
    ],
    ['must not differ between two query parameters', { query: inQuery('bad', 'good') }, [401, 'KEY_CONFLICT']],
    [
      'must not differ between two headers',
      { headers: [...inHeader('bad'), ['ocp-apim-subscription-key', 'good']] },
      [401, 'KEY_CONFLICT'],
    ],
    ['is compared case-sensitively', { headers: inHeader('GOOD') }, [401, 'KEY_INVALID']],
  ];

  test.each(CASES)('%s', async (_, request, expected) => {
    expect(outcome(await call(get, request))).toEqual(expected);
  });

  test('is requested with WWW-Authenticate if it is missing', async () => {
    const { status, headers, body } = await call(get, { requestId: 'r-1' });
    expect(status).toBe(401);
    expect(headers).toEqual({
      'Content-Type': 'application/problem+json',
      'Cache-Control': 'no-store',
      'Strict-Transport-Security': 'max-age=31536000',
      'X-Content-Type-Options': 'nosniff',
      'x-request-id': 'r-1',
      'WWW-Authenticate': 'ApiKey realm="endcap", header="Ocp-Apim-Subscription-Key", query="subscription-key"',
    });
    const detail =
      'Send your API key in the header Ocp-Apim-Subscription-Key or in the query parameter subscription-key.';
    expect(body).toEqual({
      type: '/v2/problems/key-missing',
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
  const CASES: readonly [title: string, request: TestRequest, expected: unknown][] = [
    ['is optional', authorization(), null],
    ['is accepted if it is valid', authorization('Bearer good'), 'j'],
    ['may have a scheme of a different case', authorization('bEARER  good '), 'j'],
    ['may be repeated', authorization('Bearer good', 'Bearer good'), 'j'],
    ['is not read from another scheme', authorization('Basic bad'), null],
    ['is not read from a scheme that starts with Bearer', authorization('Bearerish bad'), null],
    ['is read next to another scheme', authorization('Basic bad', 'Bearer good'), 'j'],
    ['is rejected if it is not valid', authorization('Bearer bad'), [401, 'TOKEN_INVALID']],
    ['is rejected if it is empty', authorization('Bearer'), [401, 'TOKEN_INVALID']],
    ['is rejected if it holds a line separator', authorization('Bearer go\u2028od'), [401, 'TOKEN_INVALID']],
    ['is rejected if there are two different ones', authorization('Bearer good', 'Bearer bad'), [401, 'TOKEN_INVALID']],
    ['does not replace the key', { headers: [['Authorization', 'Bearer good']] }, [401, 'KEY_MISSING']],
    [
      'does not make up for an unknown key',
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
    const response = await call(get, request);
    expect(response.status === 200 ? Object(response.body).claims : outcome(response)).toEqual(expected);
  });

  test('must be the only one: the error advises to send one of them', async () => {
    const { headers, body } = await call(get, authorization('Bearer good', 'Bearer bad'));
    const reason = 'The request has several different bearer tokens; only one is allowed.';
    expect(headers['WWW-Authenticate']).toBe(
      `Bearer realm="endcap", error="invalid_token", error_description="${reason}"`,
    );
    expect(Object(body).detail).toBe(`${reason} Send one of them.`);
  });

  test('is requested with a Bearer challenge if it is not valid', async () => {
    const { headers, body } = await call(get, authorization('Bearer bad'));
    expect(headers['WWW-Authenticate']).toBe(
      'Bearer realm="endcap", error="invalid_token", error_description="The token has expired."',
    );
    expect(Object(body).detail).toBe(
      'The token has expired. Get a new token with GET /jwt, or omit the Authorization header.',
    );
  });
});
