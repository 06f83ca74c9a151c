import { afterAll, describe, expect, test } from 'vitest';
import { createKey, revokeKey } from '../../../shared/identity/api-keys.ts';
import type { ProblemCode } from '../../../shared/lib/errors.ts';
import { GOOD_REPORT } from '../../support/report-request.ts';
import { reportRequest, type TestRequest, withoutIds } from '../support/gateway-event.ts';
import { problem, REPORT_MEMBERS, type WrongField } from '../support/problem.ts';
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

describe('a rejection states what is wrong and what is allowed', () => {
  const operator = 'Ask the operator of the platform for a new key.';
  const NOT_YOURS = 'Must be the id of one of your advertisers; GET /metadata/advertisers lists them by account.';
  const CASES: readonly [
    title: string,
    name: FunctionName,
    request: TestRequest & { key?: string },
    expected: readonly [
      code: ProblemCode,
      detail: string,
      instancePath: string,
      part?: string,
      fields?: readonly WrongField[],
    ],
  ][] = [
    [
      'malformed JSON',
      'submit-report',
      reportRequest('{"filters":[}'),
      ['MALFORMED_JSON', 'The body is not well-formed JSON.', '/v2/report/pla'],
    ],
    [
      'bytes that are not UTF-8, which API Gateway replaces by U+FFFD',
      'submit-report',
      reportRequest('{\n"filters":["Caf\ufffd"]}'),
      ['MALFORMED_JSON', 'The body is not UTF-8: it has invalid bytes, or U+FFFD.', '/v2/report/pla'],
    ],
    [
      'bytes that are not UTF-8 in base64',
      'submit-report',
      reportRequest(Buffer.from('{"a":"\xe9"}', 'latin1').toString('base64'), { isBase64Encoded: true }),
      ['MALFORMED_JSON', 'The body is not UTF-8: it has invalid bytes, or U+FFFD.', '/v2/report/pla'],
    ],
    [
      'malformed JSON in base64',
      'submit-report',
      { ...reportRequest(Buffer.from('{\n"filters":').toString('base64')), isBase64Encoded: true },
      ['MALFORMED_JSON', 'The body is not well-formed JSON.', '/v2/report/pla'],
    ],
    [
      'a missing body',
      'submit-report',
      reportRequest(undefined),
      ['MALFORMED_JSON', 'The body is empty; send a JSON object.', '/v2/report/pla'],
    ],
    [
      'a body that is not an object',
      'submit-report',
      reportRequest('7'),
      [
        'INVALID_REQUEST',
        'One field is invalid; see errors.',
        '/v2/report/pla',
        'body',
        [` WRONG_TYPE Must be ${REPORT_MEMBERS}.`],
      ],
    ],
    [
      'another content type',
      'submit-report',
      reportRequest('{}', { headers: [['Content-Type', 'text/csv']] }),
      [
        'UNSUPPORTED_MEDIA_TYPE',
        'Send the body as JSON, with the header Content-Type: application/json.',
        '/v2/report/pla',
      ],
    ],
    [
      'a body over 1 MiB',
      'submit-report',
      reportRequest(' '.repeat(1_048_577)),
      ['PAYLOAD_TOO_LARGE', 'The body has 1048577 bytes; the maximum is 1048576.', '/v2/report/pla'],
    ],
    [
      'an unknown experience',
      'submit-report',
      reportRequest(JSON.stringify(GOOD_REPORT), { experience: 'plaa' }),
      [
        'INVALID_REQUEST',
        'One field is invalid; see errors.',
        '/v2/report/plaa',
        'path',
        [
          'experience_name NOT_ALLOWED Must be one of pla, toa, carousel, all (upper or lower case). Did you mean "pla"?',
        ],
      ],
    ],
    [
      'advertisers of other users, and advertisers that do not exist',
      'submit-report',
      reportRequest(JSON.stringify({ ...GOOD_REPORT, advertiserIds: [31, 11, 99, 1e300] })),
      [
        'ADVERTISER_FORBIDDEN',
        '3 advertisers are not yours; see errors.',
        '/v2/report/pla',
        'body',
        [
          `/advertiserIds/0 NOT_YOURS ${NOT_YOURS}`,
          `/advertiserIds/2 NOT_YOURS ${NOT_YOURS}`,
          `/advertiserIds/3 NOT_YOURS ${NOT_YOURS}`,
        ],
      ],
    ],
    [
      'an unknown key',
      'list-accounts',
      { key: 'unknown' },
      ['KEY_INVALID', `The API key is unknown. ${operator}`, '/v2/metadata/accounts'],
    ],
    [
      'a revoked key',
      'list-accounts',
      { key: 'revoked' },
      ['KEY_INVALID', `The API key has been revoked. ${operator}`, '/v2/metadata/accounts'],
    ],
    [
      'an expired key',
      'list-accounts',
      { key: 'expired' },
      ['KEY_INVALID', `The API key has expired. ${operator}`, '/v2/metadata/accounts'],
    ],
    [
      'the key of a user that no longer exists',
      'list-accounts',
      { key: 'of-nobody' },
      ['KEY_INVALID', `The API key belongs to a user that does not exist. ${operator}`, '/v2/metadata/accounts'],
    ],
    [
      'different keys in header and query',
      'list-accounts',
      { key: 'key-ana', query: [['subscription-key', 'key-zoe']] },
      [
        'KEY_CONFLICT',
        'Send one API key: in the header, in the query, or the same key in both.',
        '/v2/metadata/accounts',
      ],
    ],
    [
      'an invalid parameter beside a key in the query; the response does not contain the key',
      'list-placements',
      {
        query: [
          ['subscription-key', 'key-ana'],
          ['size', 'x'],
        ],
      },
      [
        'INVALID_REQUEST',
        'One field is invalid; see errors.',
        '/v2/metadata/placements',
        'query',
        ['size WRONG_FORMAT Must be an integer from 1 to 100.'],
      ],
    ],
    [
      'the wrong method',
      'get-jwt',
      { key: 'key-ana', method: 'POST' },
      ['METHOD_NOT_ALLOWED', 'This path supports GET only.', '/v2/jwt'],
    ],
    [
      'the wrong method for a report',
      'submit-report',
      { key: 'key-ana', method: 'GET', pathParameters: { experience_name: 'pla' } },
      ['METHOD_NOT_ALLOWED', 'This path supports POST only.', '/v2/report/pla'],
    ],
    [
      'an account of another user',
      'list-addresses',
      { key: 'key-zoe', query: [['account_id', '1']] },
      [
        'ACCOUNT_FORBIDDEN',
        'The account is not yours. GET /metadata/accounts lists your accounts.',
        '/v2/metadata/addresses',
        'query',
        ['account_id NOT_YOURS Must be the id of one of your accounts; GET /metadata/accounts lists them.'],
      ],
    ],
    [
      'an ad group of another user',
      'list-available-products',
      { key: 'key-zoe', pathParameters: { ad_group_id: '701' } },
      [
        'AD_GROUP_NOT_FOUND',
        'You have no ad group with this id.',
        '/v2/ad_groups/701/available_products',
        'path',
        ['ad_group_id NOT_YOURS Must be the id of one of your ad groups.'],
      ],
    ],
  ];

  test.each(CASES)('%s', async (_, name, request, [code, detail, instancePath, part, fields]) => {
    expect(await send(name, request)).toEqual(problem(code, detail, instancePath, part, fields));
  });
});

test('no log line contains a key, or a value from a query or body', () => {
  const lines = service.logged.map((line) => JSON.stringify(line)).join('\n');
  expect(lines).toContain('"code":"KEY_INVALID"');
  expect(lines).not.toMatch(/key-ana|key-zoe|revoked|subscription|text\/csv|plaa|clicks|Caf/);
});
