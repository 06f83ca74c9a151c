import { brotliDecompressSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { ROUTES } from '../../../infra/config/routes.ts';
import { DEMO_END, startTestStage } from '../../support/stage.ts';

const stage = await startTestStage({ demo: true });
afterAll(() => stage.close());
const get = (path: string, headers: Record<string, string> = {}) =>
  stage.request({ url: `/v2${path}`, headers: { accept: '*/*', ...headers } });

describe.each(['/explorer', '/docs'])('the page %s', (path) => {
  test('loads only files of its own server, which exist and may be cached', async () => {
    const page = await get(path);
    expect([page.status, page.headers['content-type'], page.headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-cache',
    ]);
    const links = [...page.text.matchAll(/(?:src|href)="([^"]+\.\w+)"/g)].map(([, link]) => link ?? '');
    expect(links.length).toBeGreaterThanOrEqual(3);
    for (const link of links.filter((name) => name !== 'openapi.json')) {
      expect(link).toMatch(/^(explorer|docs)\/[\w-]+-[0-9A-Z]{8}\.(js|css|svg)$/);
      const file = await get(`/${link}`);
      expect([link, file.status, file.headers['cache-control']]).toEqual([
        link,
        200,
        'public, max-age=31536000, immutable',
      ]);
      // without Accept, API Gateway decodes no base64: an icon that was a PNG arrived damaged, and could be cached for ever
      expect((await stage.request(`/v2/${link}`)).body.equals(file.body)).toBe(true);
    }
  });

  test('forbids everything that is not a file of its server', async () => {
    const { headers, text } = await get(path);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    expect(text).not.toMatch(/<style|<script>|style=|onclick/);
    expect([headers['x-content-type-options'], headers['referrer-policy']]).toEqual(['nosniff', 'no-referrer']);
    expect(headers['strict-transport-security']).toBe('max-age=31536000');
  });

  test('is compressed for clients that accept it', async () => {
    const [plain, compressed] = await Promise.all([get(path), get(path, { 'accept-encoding': 'gzip, br' })]);
    expect(compressed.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(compressed.body).toString()).toBe(plain.text);
    expect((await stage.request(`/v2${path}`)).text).toBe(plain.text); // without Accept, API Gateway decodes no base64
  });
});

test('the explorer offers the keys of the demo network', async () => {
  expect((await get('/explorer')).text).toContain(
    'data-demo-keys="ecap_demo_agency=Agency planner,ecap_demo_cpg=Brand manager"',
  );
});

test('the OpenAPI document describes every route, and has an example over days that have data', async () => {
  const { status, text } = await get('/openapi.json');
  const document = JSON.parse(text);
  expect(status).toBe(200);
  expect(Object.keys(document.paths).sort()).toEqual([...new Set(ROUTES.map(({ path }) => path))].sort());
  const { requestBody } = document.paths['/report/{experience_name}'].post;
  expect(requestBody.content['application/json'].examples.campaignsByCost.value).toMatchObject({
    startDate: '2026-02-23',
    endDate: DEMO_END,
  });
  expect(text).not.toContain('"1970-01-0');
  expect(document.servers[0].url).toMatch(/^http:\/\/.+\/v2$/);
});

test('the OpenAPI document exists as version 3.0, with the same operations and without lists of types', async () => {
  const [newer, older] = [await get('/openapi.json'), await get('/openapi-3.0.json')];
  expect([older.status, JSON.parse(older.text).openapi]).toEqual([200, '3.0.3']);
  const operationsOf = (text: string) => text.match(/"operationId":"\w+"/g);
  expect(operationsOf(older.text)).toEqual(operationsOf(newer.text));
  expect(newer.text).toContain('"type":["');
  expect(older.text).not.toMatch(/"type":\["|"const":|"if":|"1970-01-0/);
});

test.each([
  ['GET', '/docs/package.json', 404],
  ['GET', '/explorer/..%2Fentries.json', 404],
  ['GET', '/explorer/constructor', 404],
  ['GET', '/docs/', 404],
  ['POST', '/explorer', 405],
  ['HEAD', '/docs', 405],
] as const)('%s %s is rejected with %i', async (method, path, status) => {
  const response = await stage.request({ method, url: `/v2${path}` });
  expect(response.status).toBe(status);
  if (method !== 'HEAD') expect(JSON.parse(response.text).status).toBe(status);
});
