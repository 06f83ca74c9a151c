import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROUTES } from '../../../infra/config/routes.ts';
import { Checklist } from '../../../infra/operate/checklist.ts';
import { checkAccount } from '../../../infra/operate/smoke-account.ts';
import { checkRequests } from '../../../infra/operate/smoke-requests.ts';
import { createKey } from '../../../shared/identity/api-keys.ts';
import { startTestStage, type TestStage } from '../../support/stage.ts';

let stage: TestStage;
let target: { url: string; key: string };

beforeAll(async () => {
  stage = await startTestStage({ demo: true });
  target = { url: await stage.url(), key: (await createKey(stage.table, 'demo-agency')).key };
});

afterAll(() => stage?.close());

async function smoke(of: typeof target) {
  const lines: string[] = [];
  const checks = new Checklist((line) => lines.push(line));
  const requestId = await checkRequests(of, checks);
  return { lines, checks, requestId };
}

test('all checks of requests pass on the local stage, and each line says what was seen', async () => {
  const { lines, checks, requestId } = await smoke(target);
  expect(checks.failedNames).toEqual([]);
  expect(lines).toContainEqual(
    expect.stringMatching(/^ok {4}GET \/metadata\/accounts: [1-9]\d* items on the first page, \d+ ms$/),
  );
  expect(lines).toContainEqual(
    expect.stringMatching(
      /^ok {4}POST \/report\/pla: [1-9]\d* rows of 30 days through 2026-03-01, \d+ ms, equal with gzip$/,
    ),
  );
  await expect.poll(() => stage.logs()).toContain(requestId ?? 'the response has no request id');
  expect(lines.filter((line) => line.includes(target.key))).toEqual([]);
});

test('the checks call every route', async () => {
  await smoke(target);
  const notLogged = () => ROUTES.filter(({ method, path }) => !stage.logs().includes(`"route":"${method} ${path}"`));
  await expect.poll(notLogged).toEqual([]);
});

test('a key that is not valid fails at the first listing, with the response', async () => {
  const { lines, checks, requestId } = await smoke({ ...target, key: 'ecap_wrong' });
  expect(lines).toEqual([
    expect.stringMatching(/^FAIL {2}GET \/metadata\/accounts: the status is 401 instead of 200: .*KEY_INVALID/),
  ]);
  expect({ failed: checks.failedNames, requestId }).toEqual({
    failed: ['GET /metadata/accounts'],
    requestId: undefined,
  });
});

test('an address where nothing listens fails with the reason', async () => {
  const { lines } = await smoke({ url: 'http://127.0.0.1:1/v2', key: target.key });
  expect(lines).toEqual([expect.stringMatching(/^FAIL {2}GET \/metadata\/accounts: fetch failed \(.+\)$/)]);
});

/** Runs the checks through a proxy that removes compression. @param change returns the text of a response as the checks see it */
async function smokeThroughProxy(change: (text: string) => string) {
  const proxy = createServer(async (request, response) => {
    const body: Buffer[] = [];
    for await (const chunk of request) body.push(chunk);
    const { host: _, connection: __, ...headers } = request.headers;
    const url = new URL(target.url).origin + request.url;
    const given = await fetch(url, {
      method: request.method ?? 'GET',
      headers: Object.fromEntries(
        Object.entries({ ...headers, 'accept-encoding': 'identity' }).map(([k, v]) => [k, String(v)]),
      ),
      ...(body.length === 0 ? {} : { body: Buffer.concat(body) }),
    });
    const text = change(await given.text());
    response.writeHead(given.status, { 'Content-Type': given.headers.get('Content-Type') ?? '' }).end(text);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const result = await smoke({ ...target, url: `http://127.0.0.1:${port}/v2` });
  proxy.close();
  return result;
}

test('a service with another error code and without compression fails only the checks of that code and of the reports', async () => {
  const { lines, checks } = await smokeThroughProxy((text) => text.replaceAll('AD_GROUP_NOT_FOUND', 'NOT_FOUND'));
  expect(lines).toContain('FAIL  404 for an unknown ad group: the code is NOT_FOUND instead of AD_GROUP_NOT_FOUND');
  // a report is also requested with gzip, which the proxy removes
  const reports = ['pla', 'toa', 'carousel'].map((experience) => `POST /report/${experience}`);
  expect(checks.failedNames).toEqual(['404 for an unknown ad group', ...reports]);
});

test('without delivery all checks pass, and the request of a report can be found in the logs', async () => {
  const { lines, checks, requestId } = await smokeThroughProxy((text) =>
    text.replace(/"dataCompleteThrough":"[^"]*"/, '"dataCompleteThrough":null'),
  );
  expect(lines).toContain('ok    POST /report/pla: the user of the key sees no delivery');
  expect(checks.failedNames).toEqual([]);
  await expect.poll(() => stage.logs()).toContain(requestId ?? 'the response has no request id');
});

test('a table name that is not the stack’s output is rejected', async () => {
  const options = { table: 'endcap', requestId: undefined, since: Date.now(), key: target.key, waitSeconds: 0 };
  await expect(checkAccount(options, new Checklist(() => undefined))).rejects.toThrow(
    '--table is endcap; it must be the stack’s output TableName',
  );
});
