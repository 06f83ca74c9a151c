import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ROUTES } from '../../infra/config/routes.ts';
import { DIMENSION_NAMES } from '../../shared/catalog/dimensions.ts';
import { METRIC_NAMES } from '../../shared/catalog/metrics.ts';
import { createKey, revokeKey } from '../../shared/identity/api-keys.ts';
import { PROBLEMS, type ProblemCode } from '../../shared/lib/errors.ts';
import { fillIn, type HttpCase, readHttpFile } from '../support/http-file.ts';
import { GOOD_REPORT } from '../support/report-settings.ts';
import { problem, REPORT_MEMBERS } from './support/expected.ts';
import { reportRequest, type TestResponse, withoutIds } from './support/gateway-event.ts';
import { openTestService } from './support/test-service.ts';

const service = await openTestService();
const instance = await service.start();
afterAll(() => service.close());

const revoked = await createKey(service.table, 'zoe', { key: 'revoked' });
await revokeKey(service.table, 'zoe', revoked.record.id);
await createKey(service.table, 'carl', { key: 'expired', days: 1, clock: () => Date.now() - 2 * 86_400_000 });
await createKey(service.table, 'ghost', { key: 'of-nobody' });

const VARIABLES = {
  longBody: ' '.repeat(1_048_577),
  goodReport: JSON.stringify(GOOD_REPORT),
  reportMembers: REPORT_MEMBERS,
  bom: '\ufeff',
  maxSorts: METRIC_NAMES.length + DIMENSION_NAMES.length,
};

/** Sends the request to the function whose route has its path. */
function send({ method, path, headers, body }: HttpCase): Promise<TestResponse> {
  const { pathname, searchParams } = new URL(path, 'http://handlers');
  for (const route of ROUTES) {
    const pattern = new RegExp(`^${route.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
    const groups = pattern.exec(pathname)?.groups;
    if (!pattern.test(pathname)) continue;
    return instance.send(route.function, {
      method,
      pathParameters: { ...groups },
      query: [...searchParams],
      headers,
      ...(body === undefined ? {} : { body: fillIn(body, VARIABLES) }),
    });
  }
  throw new Error(`${path} has no route`);
}

const isProblemCode = (code: string): code is ProblemCode => code in PROBLEMS;

function problemOf({ code = '', path, expected = '' }: HttpCase): object {
  if (!isProblemCode(code)) throw new Error(`there is no problem ${code}`);
  const [detail = '', ...lines] = fillIn(expected, VARIABLES).split('\n');
  const fields = lines.map((line) => line.replace(/^\w+ /, ''));
  return problem(code, detail, `/v2${path.replace(/\?.*/, '')}`, lines[0]?.split(' ')[0], fields);
}

test.each(readHttpFile(join(import.meta.dirname, 'requests.http')))('$section $name', async (one) => {
  const { status, headers, body, text } = await send(one);
  expect(status).toBe(one.status);
  const lowerCase = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  for (const [name, value] of one.expectedHeaders) expect(lowerCase.get(name) ?? '').toBe(value);
  if (one.code !== undefined) {
    expect(withoutIds(body)).toEqual(problemOf(one));
    expect(Object(body).occurredAt).toEqual({ value: expect.stringMatching(/Z$/), timezone: 'UTC' });
    return;
  }
  if (headers['Content-Type']?.startsWith('text/csv')) {
    expect(text.replaceAll('\r\n', '\n').trimEnd()).toBe(fillIn(one.expected ?? '', VARIABLES));
    return;
  }
  const expected: unknown = JSON.parse(one.expected ?? 'null');
  expect(Array.isArray(expected) ? Object(body).data.map((item: object) => Object(item).id) : body).toEqual(expected);
});

test.each([
  [
    'bytes that are not UTF-8',
    Buffer.from('{"a":"\xe9"}', 'latin1'),
    'The body is not UTF-8: it has invalid bytes, or U+FFFD.',
  ],
  [
    'malformed JSON',
    Buffer.from('{\n"filters":'),
    'The body is not well-formed JSON at line 2, column 11: it ends before all brackets are closed.',
  ],
])('a body in base64 is rejected for %s', async (_, bytes, detail) => {
  const request = reportRequest(bytes.toString('base64'), { isBase64Encoded: true });
  const { body } = await instance.send('submit-report', request);
  expect(withoutIds(body)).toEqual(problem('MALFORMED_JSON', detail, '/v2/report/pla'));
});

test('no log line contains a key, or a value from a query or body', () => {
  const lines = service.logged.map((line) => JSON.stringify(line)).join('\n');
  expect(lines).toContain('"code":"KEY_INVALID"');
  expect(lines).not.toMatch(/key-ana|key-zoe|revoked|subscription|text\/csv|plaa|clicks|Caf/);
});
