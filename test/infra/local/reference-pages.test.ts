import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readSettings } from '../../../infra/config/settings.ts';
import { createGatewayServer } from '../../../infra/local/emulator/gateway/gateway-server.ts';
import { openLocalStage } from '../../../infra/local/local-stage.ts';
import { DIMENSION_NAMES } from '../../../shared/catalog/dimensions.ts';
import { METRIC_NAMES } from '../../../shared/catalog/metrics.ts';
import { BASE_PATH, problemKind } from '../../../shared/contract/problem.ts';
import { PROBLEM_ADVICE } from '../../../shared/contract/problem-advice.ts';
import { PROBLEMS, type ProblemCode } from '../../../shared/lib/errors.ts';
import { tableUnder } from '../../contract/readme.ts';
import { inject } from '../../support/gateway-server.ts';
import { startTestStage, type TestStage } from '../../support/stage.ts';

let stage: TestStage;
beforeAll(async () => {
  stage = await startTestStage();
});
afterAll(() => stage.close());

const CODES = Object.keys(PROBLEMS) as ProblemCode[]; // keyof the same literal

const BROWSER = { Accept: 'text/html,*/*;q=0.8' };

/** @returns the page's text; throws unless it is an HTML page without scripts, all of whose links and files exist */
async function readPage(path: string): Promise<string> {
  const { status, headers, text } = await stage.request({ url: path, headers: BROWSER });
  expect([path, status, headers['content-type']]).toEqual([path, 200, 'text/html; charset=utf-8']);
  expect(headers['content-security-policy']).toContain("default-src 'none'");
  expect(text).not.toMatch(/undefined|\[object|<script/);
  for (const [, link = ''] of text.matchAll(/(?:href|src)="([^"#]+)"/g)) {
    expect(link).toMatch(/^\/v2\//);
    if (!checked.has(link)) {
      checked.add(link);
      expect([link, (await stage.request({ url: link, headers: BROWSER })).status]).toEqual([link, 200]);
    }
  }
  return text;
}
const checked = new Set<string>();

test('the type of every problem leads to a page that says what to do', async () => {
  const missing = await stage.request('/v2/metadata/accounts');
  const { type, code } = Object(missing.json());
  expect(type).toBe('/v2/problems/key-missing');
  expect(await readPage(type)).toContain(`<code>${code}</code>`);
  const unknown = Object((await stage.request('/v2/no/such/path')).json());
  expect(await readPage(unknown.type)).toContain('<code>NOT_FOUND</code>');
  for (const each of CODES) expect(await readPage(problemKind(each).type)).toContain(PROBLEMS[each].title);
  expect((await stage.request('/v2/problems/no-such-problem')).status).toBe(404);
});

test('the advice on the pages is that of functions/README.md', () => {
  const documented = tableUnder('| Status | Code | What to do |').map(([, code = '', advice]) => [
    code.slice(1, -1),
    advice,
  ]);
  expect(documented).toEqual(Object.entries(PROBLEM_ADVICE));
});

test.each(['/v2', '/v2/'])('%s leads to a page with links to all others', async (path) => {
  expect(path.replace(/\/$/, '')).toBe(BASE_PATH);
  const text = await readPage(path);
  for (const link of ['explorer', 'docs', 'docs/fields', 'problems', 'openapi.json']) {
    expect(text).toContain(`href="/v2/${link}"`);
  }
});

test('the root of the host redirects to the start page, and everything else outside the stage is a 404', async () => {
  const { status, headers } = await stage.request('/');
  expect([status, headers.location]).toEqual([302, '/v2/']);
  for (const request of [{ url: '/explorer' }, { url: '/?x=1' }, { url: '/', method: 'POST' as const }]) {
    expect([request, (await stage.request(request)).status]).toEqual([request, 404]);
  }
});

test.each(['/', '/v2', '/v2/', '/v2/explorer'])(
  'without the setting pages, %s is a problem with status 404',
  async (url) => {
    const without = await openLocalStage({ settings: readSettings({ pages: false }) });
    const { status, headers, body } = await inject(createGatewayServer(without.gateway), { url });
    await without.close();
    expect([status, headers['content-type'], JSON.parse(body.toString()).code]).toEqual([
      404,
      'application/problem+json',
      'NOT_FOUND',
    ]);
  },
);

describe('the reference of fields', () => {
  test('has every metric and dimension, and rules such as that of pacing', async () => {
    const text = await readPage('/v2/docs/fields');
    const missing = [...METRIC_NAMES, ...DIMENSION_NAMES].filter((name) => !text.includes(`<code id="${name}">`));
    expect(missing).toEqual([]);
    expect(text).toContain('Budgets are planned per ad group and day; nothing finer has a plan.');
  });
});
