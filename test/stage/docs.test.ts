import { describe, expect, test } from 'vitest';
import { docsPages } from '../../infra/local/docs.ts';
import { ROUTES } from '../../infra/routes.ts';

const pages = docsPages({ stageName: 'v2', demoKey: 'ecap_demo' });

async function get(target: string, method = 'GET') {
  const answer = await pages({ method, target });
  if (answer === undefined) return undefined;
  return { type: answer.headers.get('Content-Type')?.[0], text: answer.body.toString(), headers: answer.headers };
}

test('the OpenAPI document describes every route, and names the stage as its server', async () => {
  const found = await get('/v2/openapi.json?fresh=1');
  expect(found?.type).toBe('application/json; charset=utf-8');
  const document: { openapi: string; servers: { url: string }[]; paths: Record<string, object> } = JSON.parse(
    found?.text ?? '',
  );
  expect(document.openapi).toMatch(/^3\.1\./);
  expect(document.servers.map(({ url }) => url)).toEqual(['/v2']);
  expect(Object.keys(document.paths).sort()).toEqual(ROUTES.map(({ path }) => path).sort());
});

describe('the page', () => {
  test('loads nothing from elsewhere, and everything it loads is there', async () => {
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

  test('fills in the demo key where there is one', async () => {
    expect((await get('/v2/docs'))?.text).toContain('data-key="ecap_demo"');
    const without = await docsPages({ stageName: 'v2' })({ method: 'GET', target: '/v2/docs' });
    expect(without?.body.toString()).not.toContain('data-key');
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
])('%s %s is no page', async (method, target) => {
  expect(await get(target, method)).toBeUndefined();
});
