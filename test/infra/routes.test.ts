import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { bundleHandlers } from '../../infra/bundle/bundle-handlers.ts';
import { FUNCTION_ROUTES, type FunctionRoute, MCP, PAGES, ROUTES } from '../../infra/config/routes.ts';

const files = globSync('*.ts', { cwd: join(import.meta.dirname, '../../functions') });

/** The functions whose operations the tools for agents call. */
const CALLED = ['list-advertisers', 'list-fields', 'submit-report'];

/** In version 1.0.0 plus 10 %; of reports, 441 kB plus at most 60 kB for CSV and Arrow and 10 kB for the table's client. Every instance reads its bundle when it starts. */
const MAX_KILOBYTES: Readonly<Record<string, number>> = { 'submit-report': 560, 'serve-mcp': 1_000 };
const maxKilobytes = (file: string) => (file.startsWith('list-') ? 375 : (MAX_KILOBYTES[file] ?? 365));

test('every route has a function, and every function serves a route or the pages', () => {
  expect([...FUNCTION_ROUTES, PAGES].map((route) => `${route.function}.ts`).sort()).toEqual(files.sort());
});

test('the routes of the contract exist', () => {
  const contract = [
    'GET /metadata/accounts',
    'GET /metadata/advertisers',
    'GET /metadata/contacts',
    'GET /metadata/addresses',
    'GET /metadata/placements',
    'GET /ad_groups/{ad_group_id}/available_products',
    'POST /report/{experience_name}',
    'GET /report/{experience_name}',
    'GET /jwt',
    'GET /jwt/claims',
  ];
  expect(ROUTES.map(({ method, path }) => `${method} ${path}`)).toEqual(expect.arrayContaining(contract));
});

test('ids are unique, each path has one function with the same permissions for all its methods, and functions time out before API Gateway does after 29 s', () => {
  const routes = [...ROUTES, MCP];
  const distinct = (keyOf: (route: FunctionRoute) => string) => new Set(routes.map(keyOf)).size;
  expect(distinct(({ id }) => id)).toBe(routes.length);
  expect(distinct(({ method, path }) => `${method} ${path}`)).toBe(routes.length);
  const ofFunction = ({ path, access, reads, throttle, memory, timeout, function: name }: FunctionRoute) =>
    JSON.stringify([name, path, access, reads, throttle, memory, timeout]);
  for (const keyOf of [ofFunction, ({ path }: FunctionRoute) => path])
    expect(distinct(keyOf)).toBe(FUNCTION_ROUTES.length);
  expect(routes.filter(({ timeout }) => timeout >= 29)).toEqual([]);
});

describe('each bundle', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-bundles-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const metafile = await bundleHandlers(
    FUNCTION_ROUTES.map((route) => route.function),
    folder,
  );
  const outputs = Object.entries(metafile.outputs);
  const bundleOf = (file: string) => outputs.find(([path]) => path.endsWith(`/${file}/index.mjs`))?.[1];

  test.each(FUNCTION_ROUTES.map((route) => route.function))(
    'of %s exports the handler and how it is created, and contains no other function',
    (file) => {
      const bundle = bundleOf(file);
      const functions = Object.keys(bundle?.inputs ?? {})
        .filter((input) => input.startsWith('functions/'))
        .sort();
      expect({ exports: bundle?.exports, functions }).toEqual({
        exports: ['create', 'handler'],
        functions: [...(file === 'serve-mcp' ? CALLED : []), file].map((name) => `functions/${name}.ts`).sort(),
      });
    },
  );

  test('contains no credential provider, event stream, endpoint cache or service error of the SDK, which no function uses', () => {
    const inputs = Object.keys(metafile.inputs);
    for (const module of ['environment-credentials', 'endpoint-cache', 'event-streams'])
      expect(inputs).toContain(`shared/lib/sdk/${module}.ts`);
    const unused =
      /node_modules.*(credential-provider|token-providers|nested-clients|event-streams|endpoint-cache|mnemonist)/;
    expect(inputs.filter((input) => unused.test(input))).toEqual([]);
    const written = outputs.flatMap(([, output]) => Object.entries(output.inputs));
    const classes = written.filter(([input]) => /client-(dynamodb|kms).*models.errors/.test(input));
    expect(classes.filter(([, { bytesInOutput }]) => bytesInOutput > 0)).toEqual([]);
    const withErrors = FUNCTION_ROUTES.filter(({ function: file }) =>
      /(Xks|Backup)\w+Exception/.test(readFileSync(join(folder, file, 'index.mjs'), 'utf8')),
    );
    expect(withErrors).toEqual([]);
  });

  /** With middy's parser, each function took 20 ms more of processor time to start. */
  test('does not import node:http, which loads what no function uses', () => {
    const modules = outputs.flatMap(([, { imports }]) => imports.map(({ path }) => path));
    expect(modules).toContain('node:https');
    expect(modules.filter((module) => /^(node:)?http$/.test(module))).toEqual([]);
  });

  test.each(FUNCTION_ROUTES.map((route) => route.function))('of %s is not too large', (file) => {
    expect((bundleOf(file)?.bytes ?? Number.NaN) / 1000).toBeLessThanOrEqual(maxKilobytes(file));
  });

  test('contains the report engine only for reports, and never the loader, the demo or the infrastructure', () => {
    const bundlesWith = (folder: string) =>
      FUNCTION_ROUTES.map((route) => route.function).filter((file) =>
        Object.keys(bundleOf(file)?.inputs ?? {}).some((input) => input.startsWith(folder)),
      );
    expect(bundlesWith('shared/report/')).toEqual(['submit-report', 'serve-mcp']);
    for (const folder of ['shared/load/', 'infra/local/demo/', 'infra/']) expect(bundlesWith(folder)).toEqual([]);
  });
});
