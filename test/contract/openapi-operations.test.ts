import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { ROUTES } from '../../infra/config/routes.ts';
import { PROBLEMS } from '../../shared/lib/errors.ts';
import { document, operations } from './openapi-document.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

test('the document that the command line writes passes the recommended rules of the linter', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'endcap-openapi-'));
  try {
    const file = join(folder, 'openapi.json');
    await run(process.execPath, [join(ROOT, 'infra/cli/write-openapi.ts'), '--server', '/v2', '--out', file]);
    const written = JSON.parse(await readFile(file, 'utf8'));
    expect({ ...written, info: { ...written.info, version: '1.2.3' } }).toEqual(document);
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    const { stderr } = await run(join(ROOT, 'node_modules/.bin/redocly'), ['lint', file], { env, cwd: folder });
    expect(stderr).toContain('Your API description is valid');
    expect(stderr).not.toContain('Warning was generated');
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** Titles quote the contract of the API. */
describe('the operations', () => {
  test('are those of the routes', () => {
    expect(operations.map(([path, method, { operationId }]) => [operationId, method.toUpperCase(), path])).toEqual(
      ROUTES.map(({ id, method, path }) => [id, method, path]),
    );
  });

  test('"All endpoints are GET except report submission (POST). No request body except on report submission"', () => {
    const withBody = operations.filter(([, , operation]) => operation.requestBody !== undefined);
    expect(operations.filter(([, method]) => method !== 'get')).toEqual(withBody);
    expect(withBody.map(([path]) => path)).toEqual(['/report/{experience_name}']);
  });

  test('have a description and an example of every parameter, and the bounds and defaults of those that page', () => {
    const parameters = operations.flatMap(([, , operation]) => operation.parameters ?? []);
    const summaries = parameters.map(({ name, in: part, required, schema, description, example }) => {
      expect([typeof description, example === undefined]).toEqual(['string', false]);
      const { type, $ref, minimum, maximum, default: fallback } = schema;
      return [name, part, required, type ?? $ref, minimum, maximum, fallback].map((value) => value ?? '-').join(' ');
    });
    expect([...new Set(summaries)].sort()).toEqual([
      'account_id query true integer - - -',
      'ad_group_id path true integer - - -',
      'advertiser_id query false integer - - -',
      'advertisers query false string - - -',
      'by query false string - - -',
      'comments query false string - - -',
      'compare query false string - - -',
      'end query true string - - -',
      'experience_name path true #/components/schemas/Experience - - -',
      'filter query false array - - -',
      'format query false string - - -',
      'item_offset query false integer 0 9007199254740991 0',
      'metrics query false string - - -',
      'offset query false integer 0 9007199254740991 -',
      'offset query false integer 0 9007199254740991 0',
      'page_size query false integer 100 100 100',
      'since query false string - - -',
      'size query false integer 1 100 10',
      'size query false integer 1 10000 1000',
      'size query false integer 1 100000 -',
      'sort query false string - - -',
      'start query true string - - -',
      'status query false string - - -',
    ]);
  });

  test('together document a response for every error code, with its headers', () => {
    const documented = new Set<string>();
    const headers: Record<string, string[]> = {};
    for (const [, , { responses }] of operations) {
      for (const [status, response] of Object.entries(responses)) {
        if (status === '200') continue;
        const names = Object.keys(response.headers).filter((name) => !/^x-request-id$|^Cache|^RateLimit/.test(name));
        headers[status] = [...new Set([...(headers[status] ?? []), ...names])];
        const content = response.content['application/problem+json'];
        expect(content?.schema).toEqual({ $ref: '#/components/schemas/Problem' });
        for (const code of Object.keys(content?.examples ?? {})) documented.add(code);
      }
    }
    // NOT_FOUND is the gateway's response to a path that is not an operation
    expect([...documented, 'NOT_FOUND'].sort()).toEqual(Object.keys(PROBLEMS).sort());
    expect(headers).toEqual({
      400: ['Vary'],
      401: ['x-amzn-Remapped-WWW-Authenticate'],
      403: ['Vary'],
      404: ['Vary'],
      405: ['Allow'],
      406: [],
      410: [],
      413: ['Vary'],
      415: ['Accept', 'Vary'],
      422: ['Endcap-Parameter-Warnings', 'Vary'],
      429: ['Retry-After'],
      500: [],
      503: ['Retry-After'],
      504: [],
    });
  });

  test('have Content-Encoding in every successful response to a key, and Vary in the responses that depend on Accept', () => {
    const hasFormats = (operation: (typeof operations)[number][2]) =>
      operation.responses['200']?.['x-endcap-formats'] !== undefined;
    for (const [, , operation] of operations) {
      const { 200: found, ...failures } = operation.responses;
      expect(Object.hasOwn(found?.headers ?? {}, 'Content-Encoding')).toBe(operation.security === undefined);
      const varying = Object.entries(failures).filter(([, { headers }]) => Object.hasOwn(headers, 'Vary'));
      const statuses = ['400', '403', '404', '413', '415', '422'].filter((status) => Object.hasOwn(failures, status));
      expect(varying.map(([status]) => status)).toEqual(hasFormats(operation) ? statuses : []);
    }
  });

  test('have the two API key schemes ("they apply to every endpoint above"), except that of the public keys', () => {
    const { apiKeyHeader, apiKeyQuery, bearer } = document.components.securitySchemes;
    expect([apiKeyHeader, apiKeyQuery].map(({ type, in: part, name }) => [type, part, name])).toEqual([
      ['apiKey', 'header', 'Ocp-Apim-Subscription-Key'],
      ['apiKey', 'query', 'subscription-key'],
    ]);
    expect(bearer).toMatchObject({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' });
    expect(document.security.map((schemes: object) => Object.keys(schemes).join('+'))).toEqual([
      'apiKeyHeader',
      'apiKeyQuery',
      'apiKeyHeader+bearer',
      'apiKeyQuery+bearer',
    ]);
    const others = operations.filter(([, , operation]) => operation.security !== undefined);
    expect(others.map(([path, , { security }]) => [path, security])).toEqual([['/.well-known/jwks.json', []]]);
  });
});
