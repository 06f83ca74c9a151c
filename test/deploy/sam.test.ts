import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { FUNCTION_ROUTES, PAGES } from '../../infra/config/routes.ts';
import { pascalCase } from '../../infra/stack/pascal-case.ts';
import { CDK, ROOT, shellEnvironment } from '../infra/shell.ts';
import { withoutHash } from '../infra/stack/synthesized.ts';
import { installPythonTools, type PythonTools } from '../support/python-tools.ts';
import { startTestStage, type TestStage } from '../support/stage.ts';

const SAM = join(ROOT, 'infra/stack');
const SUPPORT = join(import.meta.dirname, 'support');
const KEY = { 'Ocp-Apim-Subscription-Key': 'ecap_demo_agency' };

const Result = z.object({
  routes: z.array(z.tuple([z.string(), z.string()])),
  responses: z.array(z.object({ status: z.number(), text: z.string() })),
  returned: z.object({ statusCode: z.number(), body: z.string() }),
});

const folder = mkdtempSync(join(tmpdir(), 'endcap-sam-'));
let tools: PythonTools;
let stage: TestStage;
let result: z.output<typeof Result>;

const report = {
  path: '/report/pla',
  method: 'POST',
  headers: { ...KEY, 'Content-Type': 'application/json' },
  body: JSON.stringify({
    ...{ startDate: '2026-02-23', endDate: '2026-03-01', advertiserIds: [], filters: [] },
    ...{ metrics: ['cost'], dimensions: [], sort: [], pagination: { offset: 0, size: 1 } },
  }),
};

/** The responses are in the order of these requests. */
const REQUESTS = [
  { path: '/metadata/accounts?size=2', method: 'GET', headers: KEY },
  report,
  { path: '/openapi.json', method: 'GET', headers: {} },
  { path: '/openapi.json', method: 'GET', headers: { Accept: '*/*' } },
  { path: '/v2/metadata/accounts', method: 'GET', headers: KEY },
];

beforeAll(async () => {
  tools = installPythonTools('deploy/requirements-lint.txt');
  stage = await startTestStage({ demo: true });
  const settings = ['-c', 'sam=x86_64'];
  await promisify(execFile)(process.execPath, [CDK, 'synth', '--quiet', '--output', folder, ...settings], {
    cwd: ROOT,
    env: shellEnvironment(),
  });
  const { Parameters } = JSON.parse(readFileSync(join(SAM, 'sam-environment.json'), 'utf8'));
  expect(Object.keys(Parameters)).toEqual(['AWS_ENDPOINT_URL', 'TABLE_NAME']);
  const task = {
    template: join(folder, 'Endcap.template.json'),
    environment: { Parameters: { AWS_ENDPOINT_URL: stage.endpoint, TABLE_NAME: stage.table.name } },
    command: [process.execPath, join(SUPPORT, 'run-function.ts')],
    requests: REQUESTS,
    function: 'ListAccounts',
    event: JSON.parse(readFileSync(join(SAM, 'sam-list-accounts.json'), 'utf8')),
  };
  const options = { env: { ...process.env, SAM_CLI_TELEMETRY: '0' } };
  const running = promisify(execFile)(tools.bin('python'), [join(SUPPORT, 'sam_local.py')], options);
  running.child.stdin?.end(JSON.stringify(task));
  const { stdout } = await running;
  result = Result.parse(JSON.parse(stdout));
});

afterAll(async () => {
  await stage?.close();
  rmSync(folder, { recursive: true });
});

test('SAM finds the function of every route', () => {
  const found = result.routes.map(([path, name]) => `${path} ${withoutHash(name)}`);
  const routes = FUNCTION_ROUTES.map((route) => `${route.path} ${pascalCase(route.function)}`);
  const pages = PAGES.paths.map((path) => `${path} ${pascalCase(PAGES.function)}`);
  expect(found.toSorted()).toEqual([...routes, ...pages].toSorted());
});

test('the functions respond to SAM’s events with rows of the table that --env-vars names', async () => {
  const accounts = await stage.request({ method: 'GET', url: '/v2/metadata/accounts?size=2', headers: KEY });
  expect(result.responses[0]).toEqual({ status: 200, text: expect.anything() });
  const { data } = Object(accounts.json());
  expect(data).toHaveLength(2);
  expect(JSON.parse(result.responses[0]?.text ?? '').data).toEqual(data);
  expect(JSON.parse(result.responses[1]?.text ?? '')).toMatchObject({ totals: { cost: expect.any(Number) } });
  expect(result.returned.statusCode).toBe(200);
  expect(JSON.parse(result.returned.body).data).toEqual(data);
});

/** SAM ignores the binary media types of the template. */
test('pages are text for clients without the header Accept, and base64 for others', () => {
  const [, , text, base64] = result.responses;
  expect(JSON.parse(text?.text ?? '')).toMatchObject({ openapi: '3.1.0' });
  expect(Buffer.from(base64?.text ?? '', 'base64').toString()).toBe(text?.text);
});

test('paths begin without the stage', () => {
  expect(result.responses[4]).toMatchObject({ status: 403 });
});
