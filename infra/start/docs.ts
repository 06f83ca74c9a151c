import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ExamplePeriod } from '../../shared/contract/openapi/examples.ts';
import type { HttpRequest, HttpResponse } from '../emulator/gateway/http-message.ts';
import { ROUTES } from '../routes.ts';

export interface DocsOptions {
  readonly stageName: string;
  /** The period of the report example; it should have data. */
  readonly examplePeriod: ExamplePeriod;
  /** @returns the keys that currently work; the page uses the first */
  readonly demoKeys: () => Promise<readonly string[]>;
}

const SWAGGER_UI = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
const SWAGGER_FILES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'swagger-ui.css': 'text/css; charset=utf-8',
    'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
    'favicon-32x32.png': 'image/png',
  }),
);
const PAGE_FILES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'page.css': 'text/css; charset=utf-8',
    'page.js': 'text/javascript; charset=utf-8',
  }),
);

const HOW_WITHOUT_DEMO =
  'Create a key for one of your users with <code>npm run key -- create --user ID</code>, and enter it under <b>Authorize</b>.';

/** The page neither loads anything from other servers nor sends anything to them. */
const CONTENT_SECURITY_POLICY = "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'";

/**
 * Serves the OpenAPI document and a page to read and try it. They are not part of the contract, need no key, and exist on the local stage only.
 * @returns a function that returns the response to `GET /<stage>/openapi.json` and `GET /<stage>/docs…`, and undefined for anything else
 */
export function docsPages(options: DocsOptions) {
  const base = `/${options.stageName}`;
  let document: Promise<string> | undefined;
  return async ({ method, target }: Pick<HttpRequest, 'method' | 'target'>): Promise<HttpResponse | undefined> => {
    const path = target.replace(/\?.*$/, '');
    if (method !== 'GET' && method !== 'HEAD') return undefined;
    if (path === `${base}/openapi.json`) {
      document ??= makeDocument(base, options.examplePeriod);
      return respond('application/json; charset=utf-8', await document);
    }
    if (path === `${base}/docs`) {
      const [demoKey] = await options.demoKeys();
      return respond('text/html; charset=utf-8', page(base, demoKey));
    }
    const file = path.startsWith(`${base}/docs/`) ? path.slice(base.length + '/docs/'.length) : '';
    const swaggerType = SWAGGER_FILES.get(file);
    if (swaggerType !== undefined) return respond(swaggerType, await readFile(join(SWAGGER_UI, file)));
    const pageType = PAGE_FILES.get(file);
    if (pageType !== undefined) {
      return respond(pageType, await readFile(join(import.meta.dirname, 'docs-page', file)));
    }
    return undefined;
  };
}

/** Imports the builder on the first request. The document's server is the page's own, so that the page can send requests to it. */
async function makeDocument(serverUrl: string, examplePeriod: ExamplePeriod): Promise<string> {
  const { buildOpenApi } = await import('../../shared/contract/openapi/openapi.ts');
  const { version } = JSON.parse(await readFile(join(import.meta.dirname, '../../package.json'), 'utf8'));
  return JSON.stringify(buildOpenApi(ROUTES, { version, serverUrl, examplePeriod }), undefined, 2);
}

function page(base: string, demoKey: string | undefined): string {
  const key = demoKey === undefined ? '' : ` data-key="${demoKey}"`;
  return `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Endcap API</title>
  <link rel="icon" type="image/png" href="${base}/docs/favicon-32x32.png">
  <link rel="stylesheet" href="${base}/docs/swagger-ui.css">
  <link rel="stylesheet" href="${base}/docs/page.css">
</head>
<body>
  <header>
    <strong>Endcap</strong>
    <span>Advertising platform API</span>
    <a href="${base}/openapi.json">openapi.json</a>
  </header>
  <p class="key">${demoKey === undefined ? HOW_WITHOUT_DEMO : `This page sends requests with the demo key <code>${demoKey}</code>.`}</p>
  <main id="docs" data-openapi="${base}/openapi.json"${key}></main>
  <script src="${base}/docs/swagger-ui-bundle.js"></script>
  <script src="${base}/docs/page.js"></script>
</body>
</html>
`;
}

function respond(type: string, body: string | Buffer): HttpResponse {
  const headers = {
    'Content-Type': type,
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'Cache-Control': 'no-cache',
    'X-Content-Type-Options': 'nosniff',
  };
  return {
    status: 200,
    headers: new Map(Object.entries(headers).map(([name, value]) => [name, [value]])),
    body: Buffer.from(body),
  };
}
