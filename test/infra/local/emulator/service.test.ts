import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKey } from '../../../../shared/identity/api-keys.ts';
import { codeBlocksOf } from '../../../rules/pages.ts';
import { onDemoDay } from '../../../support/on-demo-day.ts';
import { startTestStage, type TestStage } from '../../../support/stage.ts';

let stage: TestStage;
beforeAll(async () => {
  stage = await startTestStage();
});
afterAll(() => stage.close());

/** @returns the number of the route's log lines so far; a line arrives a moment after the response */
const countLines = (route: string) => stage.logs().split(`"route":"${route}"`).length - 1;

const NO_ID = '00000000-0000-0000-0000-000000000000';
/** @returns the body with a fixed request id; the original one must be that of the headers */
function problemOf({ headers, json }: Awaited<ReturnType<TestStage['request']>>): object {
  const { requestId, ...problem } = Object(json());
  expect(requestId).toBe(headers['x-amzn-requestid']);
  return { ...problem, requestId: NO_ID };
}

test('a body over the gateway’s limit is a 413 in the same error format', async () => {
  const body = ' '.repeat(10 * 1024 * 1024 + 1);
  const response = await stage.request({ method: 'POST', url: '/v2/report/pla', body });
  expect(response.status).toBe(413);
  expect(problemOf(response)).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', status: 413 });
});

test('a key in the query is not logged', async () => {
  const before = countLines('GET /metadata/accounts');
  await stage.request('/v2/metadata/accounts?subscription-key=ecap_secret_of_a_test');
  await expect.poll(() => countLines('GET /metadata/accounts')).toBe(before + 1);
  expect(stage.logs()).not.toContain('ecap_secret_of_a_test');
});

test('a twin has its own instances on the same table', async () => {
  const { key } = await createKey(stage.table, 'nobody'); // only a stage with this table finds the key and misses its user
  const request = `/v2/metadata/placements?subscription-key=${key}`;
  const responses = [await stage.request(request), await stage.twin().request(request)];
  const problem = { code: 'KEY_INVALID', detail: expect.stringContaining('belongs to a user that does not exist') };
  expect(responses.map(problemOf)).toMatchObject([problem, problem]);
  await expect.poll(() => countLines('GET /metadata/placements')).toBe(2);
  const lines = stage
    .logs()
    .split('\n')
    .filter((line) => line.includes('"route":"GET /metadata/placements"'));
  expect(lines.map((line) => line.includes('"coldStart":true'))).toEqual([true, true]);
});

/** Each `curl` of README.md with the JSON block that follows it. */
const EXAMPLES = codeBlocksOf('README.md').flatMap(({ language, text }, at, blocks) => {
  const next = blocks[at + 1];
  return language === 'sh' && text.startsWith('curl') && next?.language === 'json'
    ? [{ command: text, response: next.text }]
    : [];
});

test('README.md shows the responses to its first three requests', async () => {
  const demo = await startTestStage({ demo: true });
  const responses = await Promise.all(EXAMPLES.map(({ command }) => send(demo, command)));
  await demo.close();
  expect(responses).toMatchObject(EXAMPLES.map(({ response }) => JSON.parse(response)));
  expect(EXAMPLES).toHaveLength(3);
});

async function send(stage: TestStage, command: string): Promise<unknown> {
  const [, url = ''] = /'http:\/\/localhost:3000([^']+)'\s*$/.exec(command) ?? [];
  const [, body] = /-d '([^']*)'/.exec(command) ?? [];
  const headers = Object.fromEntries(
    [...command.matchAll(/-H '([^:']+): ([^']*)'/g)].map(([, name = '', value = '']) => [name, value]),
  );
  const response = await stage.request(
    body === undefined ? { url, headers } : { method: 'POST', url, headers, body: onDemoDay(body) },
  );
  return response.json();
}
