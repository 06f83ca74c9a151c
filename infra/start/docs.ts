import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ExamplePeriod } from '../../shared/contract/openapi/examples.ts';
import type { Answer } from '../emulator/gateway/gateway-response.ts';
import type { HttpRequest } from '../emulator/gateway/http-message.ts';
import { ROUTES } from '../routes.ts';

export interface DocsOptions {
  readonly stageName: string;
  /** The days that the example of a report asks for: such as have data here. */
  readonly examplePeriod: ExamplePeriod;
  /** @returns keys that work here now; the first is filled in for the reader */
  readonly demoKeys: () => Promise<readonly string[]>;
}

const SWAGGER_UI = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
const SWAGGER_FILES: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
  'favicon-32x32.png': 'image/png',
};
const PAGE_FILES: Readonly<Record<string, string>> = { 'page.css': 'text/css', 'page.js': 'text/javascript' };

const HOW_WITHOUT_DEMO =
  'Make a key for one of your users with <code>npm run key -- create --user ID</code>, and give it here under <b>Authorize</b>.';

/** Nothing on the page may come from elsewhere, nor be sent there. */
const POLICY = "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'";

/**
 * The OpenAPI document and a page to read and try it: beside the contract, open to all, on the local stage only.
 * @returns a function that answers `GET /<stage>/openapi.json` and `GET /<stage>/docs…`, and undefined for anything else
 */
export function docsPages(options: DocsOptions) {
  const base = `/${options.stageName}`;
  let document: Promise<string> | undefined;
  return async ({ method, target }: Pick<HttpRequest, 'method' | 'target'>): Promise<Answer | undefined> => {
    const path = target.replace(/\?.*$/, '');
    if (method !== 'GET' && method !== 'HEAD') return undefined;
    if (path === `${base}/openapi.json`) {
      document ??= makeDocument(base, options.examplePeriod);
      return answer('application/json', await document);
    }
    if (path === `${base}/docs`) {
      const [demoKey] = await options.demoKeys();
      return answer('text/html', page(base, demoKey));
    }
    const file = path.startsWith(`${base}/docs/`) ? path.slice(base.length + '/docs/'.length) : '';
    if (Object.hasOwn(SWAGGER_FILES, file)) return answer(SWAGGER_FILES[file], await readFile(join(SWAGGER_UI, file)));
    if (Object.hasOwn(PAGE_FILES, file)) {
      return answer(PAGE_FILES[file], await readFile(join(import.meta.dirname, 'docs-page', file)));
    }
    return undefined;
  };
}

/** Loaded when it is first asked for; the server it names is the one that the page came from, so that requests can be tried from there. */
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
  <p class="key">${demoKey === undefined ? HOW_WITHOUT_DEMO : `Requests from this page are sent with the demo key <code>${demoKey}</code>.`}</p>
  <main id="docs" data-openapi="${base}/openapi.json"${key}></main>
  <script src="${base}/docs/swagger-ui-bundle.js"></script>
  <script src="${base}/docs/page.js"></script>
</body>
</html>
`;
}

function answer(type: string | undefined, body: string | Buffer): Answer {
  const headers = {
    'Content-Type': `${type}; charset=utf-8`,
    'Content-Security-Policy': POLICY,
    'Cache-Control': 'no-cache',
    'X-Content-Type-Options': 'nosniff',
  };
  return {
    status: 200,
    headers: new Map(Object.entries(headers).map(([name, value]) => [name, [value]])),
    body: Buffer.from(body),
  };
}
