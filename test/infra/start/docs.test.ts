import { describe, expect, test } from 'vitest';
import { ROUTES } from '../../../infra/routes.ts';
import { docsPages } from '../../../infra/start/docs.ts';

const examplePeriod = { startDate: '2026-02-23', endDate: '2026-03-01' };
let demoKeys = ['ecap_demo', 'ecap_other'];
const pages = docsPages({ stageName: 'v2', examplePeriod, demoKeys: async () => demoKeys });

async function get(target: string, method = 'GET') {
  const response = await pages({ method, target });
  if (response === undefined) return undefined;
  const { headers, body } = response;
  return { type: headers.get('Content-Type')?.[0], text: body.toString(), headers };
}

test('the OpenAPI document describes every route, has the stage as its server, and an example over days that have data', async () => {
  const found = await get('/v2/openapi.json?fresh=1');
  expect(found?.type).toBe('application/json; charset=utf-8');
  const document = JSON.parse(found?.text ?? ''); // JSON, which has no type of its own
  expect(document.openapi).toMatch(/^3\.1\./);
  expect(document.servers.map(({ url }: { url: string }) => url)).toEqual(['/v2']);
  expect(Object.keys(document.paths).sort()).toEqual(ROUTES.map(({ path }) => path).sort());
  const { requestBody } = document.paths['/report/{experience_name}'].post;
  expect(requestBody.content['application/json'].example).toMatchObject(examplePeriod);
});

describe('the page', () => {
  test('loads files from its own server only, and all of them exist', async () => {
    const page = await get('/v2/docs');
    expect(page?.type).toBe('text/html; charset=utf-8');
    expect(page?.headers.get('Content-Security-Policy')?.[0]).toContain("default-src 'self'");
    const links = [...(page?.text.matchAll(/(?:src|href|data-openapi)="([^"]+)"/g) ?? [])].map(
      ([, link]) => link ?? '',
    );
    expect(links.length).toBeGreaterThanOrEqual(6);
    for (const link of links) {
      expect(link).toMatch(/^\/v2\//);
      expect(await get(link), link).toBeDefined();
    }
  });

  test('uses a demo key while one works, and otherwise explains how to create a key', async () => {
    const withKey = (await get('/v2/docs'))?.text;
    expect(withKey).toContain('data-key="ecap_demo"');
    expect(withKey).toContain('sends requests with the demo key <code>ecap_demo</code>');
    demoKeys = [];
    const without = (await get('/v2/docs'))?.text;
    expect(without).not.toContain('data-key');
    expect(without).not.toContain('demo key');
    expect(without).toContain('npm run key -- create');
  });
});

test.each([
  ['GET', '/v2/docs/'],
  ['GET', '/v2/docs/../docs.ts'],
  ['GET', '/v2/docs/package.json'],
  ['GET', '/v2/docs/constructor'],
  ['GET', '/v1/docs'],
  ['GET', '/openapi.json'],
  ['POST', '/v2/docs'],
  ['GET', '/v2/metadata/accounts'],
])('%s %s is not a page', async (method, target) => {
  expect(await get(target, method)).toBeUndefined();
});
