import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { JSON_TYPE, KEY, testEndpoint, useLog } from './chain/endpoints.ts';
import { call } from './support/gateway-event.ts';

useLog();

const list = testEndpoint({
  input: { query: z.object({ account_id: z.string('an integer'), size: z._default(z.string(), '10') }) },
  handle: async () => ({ body: {} }),
});
const post = testEndpoint({ input: { body: z.strictObject({}) }, handle: async () => ({ body: {} }) });

async function warningsOf(query: readonly (readonly [string, string])[]) {
  const { status, headers } = await call(list, { headers: [KEY], query: [...query] });
  const header = headers['Endcap-Parameter-Warnings'];
  return { status, warnings: header === undefined ? undefined : JSON.parse(String(header)) };
}

describe('a query parameter that is unknown', () => {
  test('is ignored, with a warning that suggests the nearest known one', async () => {
    expect(
      await warningsOf([
        ['account_id', '1'],
        ['pageSize', '5'],
        ['accountId', '2'],
      ]),
    ).toEqual({
      status: 200,
      warnings: [
        {
          code: 'UNKNOWN_PARAMETER',
          parameter: 'pageSize',
          detail: 'This parameter is unknown and was ignored. The parameters are account_id, size.',
        },
        {
          code: 'UNKNOWN_PARAMETER',
          parameter: 'accountId',
          detail: 'This parameter is unknown and was ignored. Did you mean account_id?',
        },
      ],
    });
  });

  test('is reported with the error that it has caused, too', async () => {
    const { status, warnings } = await warningsOf([['acount_id', '1']]);
    expect([status, warnings[0].detail]).toEqual([
      422,
      'This parameter is unknown and was ignored. Did you mean account_id?',
    ]);
  });

  test('is named without its value, which may be a secret, and in ASCII, so that no name can end the header', async () => {
    const { headers } = await call(list, {
      headers: [KEY],
      query: [
        ['account_id', '1'],
        ['größe\r\nSet-Cookie: a', 'a-secret'],
      ],
    });
    const header = String(headers['Endcap-Parameter-Warnings']);
    expect(header).toMatch(/^[\x20-\x7e]+$/);
    expect(header).not.toContain('a-secret');
    expect(JSON.parse(header)[0].parameter).toBe('größe\r\nSet-Cookie: a');
  });

  test('takes at most 1,500 bytes of the headers, however many and long the names are', async () => {
    const query = Array.from({ length: 300 }, (_, i) => [`${'\u{1f600}'.repeat(500)}${i}`, ''] as const);
    const { headers } = await call(list, { headers: [KEY], query: [['account_id', '1'], ...query] });
    const header = String(headers['Endcap-Parameter-Warnings']);
    expect(JSON.parse(header)).not.toEqual([]);
    expect(Buffer.byteLength(header)).toBeLessThanOrEqual(1_500);
  });

  test('is also reported by an endpoint without parameters', async () => {
    const { headers } = await call(post, {
      method: 'POST',
      body: '{}',
      headers: [KEY, JSON_TYPE],
      query: [['size', '5']],
    });
    expect(String(headers['Endcap-Parameter-Warnings'])).toContain('There are no parameters here.');
  });
});

test('known parameters and the key cause no warning', async () => {
  const known = [
    ['account_id', '1'],
    ['size', '5'],
    ['subscription-key', 'good'],
  ] as const;
  expect(await warningsOf(known)).toEqual({ status: 200, warnings: undefined });
});
