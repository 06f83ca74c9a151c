import { afterAll, describe, expect, test } from 'vitest';
import { createKey, revokeKey } from '../../../shared/identity/api-keys.ts';
import type { ProblemCode } from '../../../shared/lib/errors.ts';
import { GOOD_REPORT } from '../../support/report-request.ts';
import { problem, REPORT_MEMBERS, type WrongField } from '../support/expected.ts';
import { reportRequest, type TestRequest, withoutIds } from '../support/gateway-event.ts';
import { type FunctionName, openTestService } from '../support/test-service.ts';

const service = await openTestService();
const instance = await service.start();
afterAll(() => service.close());

const revoked = await createKey(service.table, 'zoe', { key: 'revoked' });
await revokeKey(service.table, 'zoe', revoked.record.id);
await createKey(service.table, 'carl', { key: 'expired', days: 1, clock: () => Date.now() - 2 * 86_400_000 });
await createKey(service.table, 'ghost', { key: 'of-nobody' });

async function send(name: FunctionName, request: TestRequest & { key?: string }) {
  const { status, body } = await instance.send(name, request);
  expect(status).toBe(Object(body).status);
  expect(Object(body).occurredAt).toEqual({ value: expect.stringMatching(/Z$/), timezone: 'UTC' });
  return withoutIds(body);
}

const operator = 'Ask the operator of the platform for a new key.';
const INVALID = 'One field is invalid; see errors.';
const NOT_YOURS =
  'NOT_YOURS Must be the id of one of your advertisers; GET /metadata/advertisers lists them by account.';
const NO_UTF_8 = 'The body is not UTF-8: it has invalid bytes, or U+FFFD.';
const NO_JSON =
  'The body is not well-formed JSON, is nested too deeply, or has a member __proto__ or constructor.prototype.';
const base64 = (bytes: Buffer) => reportRequest(bytes.toString('base64'), { isBase64Encoded: true });
const report = (body: object, path?: object) => reportRequest(JSON.stringify({ ...GOOD_REPORT, ...body }), path);

/** A request, and the part of it that is wrong with its wrong fields. */
type Case = [
  title: string,
  TestRequest & { key?: string },
  ProblemCode,
  detail: string,
  part?: string,
  ...WrongField[],
];

const OF_PATHS: readonly (readonly [name: FunctionName, path: string, cases: readonly Case[]])[] = [
  [
    'submit-report',
    '/v2/report/pla',
    [
      ['malformed JSON', reportRequest('{"filters":[}'), 'MALFORMED_JSON', NO_JSON],
      [
        'bytes that are not UTF-8, which API Gateway replaces by U+FFFD',
        reportRequest('{\n"filters":["Caf\ufffd"]}'),
        'MALFORMED_JSON',
        NO_UTF_8,
      ],
      ['bytes that are not UTF-8 in base64', base64(Buffer.from('{"a":"\xe9"}', 'latin1')), 'MALFORMED_JSON', NO_UTF_8],
      ['malformed JSON in base64', base64(Buffer.from('{\n"filters":')), 'MALFORMED_JSON', NO_JSON],
      ['a missing body', reportRequest(undefined), 'MALFORMED_JSON', 'The body is empty; send a JSON object.'],
      [
        'a body that is not an object',
        reportRequest('7'),
        'INVALID_REQUEST',
        INVALID,
        'body',
        ` WRONG_TYPE Must be ${REPORT_MEMBERS}.`,
      ],
      [
        'another content type',
        reportRequest('{}', { headers: [['Content-Type', 'text/csv']] }),
        'UNSUPPORTED_MEDIA_TYPE',
        'Send the body as JSON, with the header Content-Type: application/json.',
      ],
      [
        'a body over 1 MiB',
        reportRequest(' '.repeat(1_048_577)),
        'PAYLOAD_TOO_LARGE',
        'The body has 1048577 bytes; the maximum is 1048576.',
      ],
      [
        'advertisers of other users, and advertisers that do not exist',
        report({ advertiserIds: [31, 11, 99, 1e300] }),
        'ADVERTISER_FORBIDDEN',
        '3 advertisers are not yours; see errors.',
        'body',
        ...[0, 2, 3].map((at) => `/advertiserIds/${at} ${NOT_YOURS}`),
      ],
      [
        'the wrong method for a report',
        { key: 'key-ana', method: 'GET', pathParameters: { experience_name: 'pla' } },
        'METHOD_NOT_ALLOWED',
        'This path supports POST only.',
      ],
    ],
  ],
  [
    'submit-report',
    '/v2/report/plaa',
    [
      [
        'an unknown experience',
        report({}, { experience: 'plaa' }),
        'INVALID_REQUEST',
        INVALID,
        'path',
        'experience_name NOT_ALLOWED Must be one of pla, toa, carousel, all (upper or lower case). Did you mean "pla"?',
      ],
    ],
  ],
  [
    'list-accounts',
    '/v2/metadata/accounts',
    [
      ['an unknown key', { key: 'unknown' }, 'KEY_INVALID', `The API key is unknown. ${operator}`],
      ['a revoked key', { key: 'revoked' }, 'KEY_INVALID', `The API key has been revoked. ${operator}`],
      ['an expired key', { key: 'expired' }, 'KEY_INVALID', `The API key has expired. ${operator}`],
      [
        'the key of a user that no longer exists',
        { key: 'of-nobody' },
        'KEY_INVALID',
        `The API key belongs to a user that does not exist. ${operator}`,
      ],
      [
        'different keys in header and query',
        { key: 'key-ana', query: [['subscription-key', 'key-zoe']] },
        'KEY_CONFLICT',
        'Send one API key: in the header, in the query, or the same key in both.',
      ],
    ],
  ],
  [
    'list-placements',
    '/v2/metadata/placements',
    [
      [
        'an invalid parameter beside a key in the query; the response does not contain the key',
        { query: Object.entries({ 'subscription-key': 'key-ana', size: 'x' }) },
        'INVALID_REQUEST',
        INVALID,
        'query',
        'size WRONG_FORMAT Must be an integer from 1 to 100.',
      ],
    ],
  ],
  [
    'get-jwt',
    '/v2/jwt',
    [['the wrong method', { key: 'key-ana', method: 'POST' }, 'METHOD_NOT_ALLOWED', 'This path supports GET only.']],
  ],
  [
    'list-addresses',
    '/v2/metadata/addresses',
    [
      [
        'an account of another user',
        { key: 'key-zoe', query: [['account_id', '1']] },
        'ACCOUNT_FORBIDDEN',
        'The account is not yours. GET /metadata/accounts lists your accounts.',
        'query',
        'account_id NOT_YOURS Must be the id of one of your accounts; GET /metadata/accounts lists them.',
      ],
    ],
  ],
  [
    'list-available-products',
    '/v2/ad_groups/701/available_products',
    [
      [
        'an ad group of another user',
        { key: 'key-zoe', pathParameters: { ad_group_id: '701' } },
        'AD_GROUP_NOT_FOUND',
        'You have no ad group with this id.',
        'path',
        'ad_group_id NOT_YOURS Must be the id of one of your ad groups.',
      ],
    ],
  ],
];

describe.each(OF_PATHS)('a rejection by %s for %s states what is wrong and what is allowed', (name, path, cases) => {
  test.each(cases)('%s', async (_, request, code, detail, part, ...fields) => {
    expect(await send(name, request)).toEqual(problem(code, detail, path, part, fields));
  });
});

test('no log line contains a key, or a value from a query or body', () => {
  const lines = service.logged.map((line) => JSON.stringify(line)).join('\n');
  expect(lines).toContain('"code":"KEY_INVALID"');
  expect(lines).not.toMatch(/key-ana|key-zoe|revoked|subscription|text\/csv|plaa|clicks|Caf/);
});
