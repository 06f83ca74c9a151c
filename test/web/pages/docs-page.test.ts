import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { expect, test, vi } from 'vitest';
import { document as openApi } from '../../contract/openapi-document.ts';

const SCRIPT = readFileSync(join(import.meta.dirname, '../../../shared/web/pages/page.js'), 'utf8');

test('the documentation page leaves an error to Swagger UI if the document cannot be read', async () => {
  const SwaggerUIBundle = vi.fn();
  runInNewContext(SCRIPT, {
    document: { getElementById: () => ({ dataset: { openapi: 'openapi.json' } }) },
    window: { SwaggerUIBundle },
    location: { pathname: '/v2/docs' },
    fetch: async () => new Response('{"code": "TOO_MANY_REQUESTS"}', { status: 429 }),
  });
  await expect.poll(() => SwaggerUIBundle).toHaveBeenCalledTimes(1);
  expect(SwaggerUIBundle.mock.calls[0]?.[0]).toMatchObject({ url: 'openapi.json' });
});

test('the documentation page offers the key in the header only, so that Swagger UI puts no key into a URL', async () => {
  const SwaggerUIBundle = vi.fn();
  const read: string[] = [];
  runInNewContext(SCRIPT, {
    document: { getElementById: () => ({ dataset: { openapi: 'openapi.json' } }) },
    window: { SwaggerUIBundle },
    location: { pathname: '/v2/docs' },
    fetch: async (url: string) => {
      read.push(url);
      return new Response(JSON.stringify(openApi));
    },
  });
  await expect.poll(() => SwaggerUIBundle).toHaveBeenCalledTimes(1);
  const [{ spec, url }] = SwaggerUIBundle.mock.calls[0] ?? [{}];
  const { apiKeyQuery: _, ...securitySchemes } = openApi.components.securitySchemes;
  expect(JSON.parse(JSON.stringify({ spec, url, read }))).toEqual({
    spec: {
      ...JSON.parse(JSON.stringify(openApi)),
      components: { ...JSON.parse(JSON.stringify(openApi.components)), securitySchemes },
      security: [{ apiKeyHeader: [] }, { apiKeyHeader: [], bearer: [] }],
      servers: [{ url: '/v2' }],
    },
    read: ['openapi.json'],
  });
});
