import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requestRoutes } from '../../../../infra/cli/operate/contract-requests.ts';
import { ROUTES } from '../../../../infra/config/routes.ts';
import { createKey } from '../../../../shared/identity/api-keys.ts';
import { folderOf } from '../../../load/support/folder.ts';
import { ROOT } from '../../../rules/source-files.ts';
import { startTestStage, type TestStage } from '../../../support/stage.ts';

let stage: TestStage;
let target: { url: string; key: string };

beforeAll(async () => {
  stage = await startTestStage({ demo: true });
  target = { url: await stage.url(), key: (await createKey(stage.table, 'demo-agency')).key };
});

afterAll(() => stage?.close());

/** `GET /metadata/ad_groups` sent the member `experience`, which is not in the contract. */
test('every route sends the response of the contract', async () => {
  const times = await requestRoutes(target, 2);
  expect([...times].map(([route, { length }]) => [route, length])).toEqual(
    ROUTES.map(({ method, path }) => [`${method} ${path}`, 2]),
  );
});

test.each([
  [
    'a key that is not valid',
    () => ({ ...target, key: 'ecap_wrong' }),
    /^\/metadata\/accounts: the status is 401: .*KEY_INVALID/,
  ],
  ['an address where nothing listens', () => ({ ...target, url: 'http://127.0.0.1:1/v2' }), /^fetch failed$/],
])('%s fails at the first route', async (_, other, message) => {
  await expect(requestRoutes(other(), 1)).rejects.toThrow(message);
});

test('the version that fails on purpose is that of one function', async () => {
  using folder = folderOf({});
  const app = ['--import', './infra/preload.mjs', 'infra/cli/operate/failing-app.ts'];
  const env = { ...process.env, CDK_OUTDIR: folder.path };
  await promisify(execFile)(process.execPath, app, { cwd: ROOT, env });
  const failing = globSync(join(folder.path, '*/index.mjs')).filter((file) =>
    readFileSync(file, 'utf8').includes('a version that fails on purpose'),
  );
  expect(failing).toHaveLength(1);
  const [, asset = 'none'] = /asset\.(\w+)/.exec(failing[0] ?? '') ?? [];
  const { Resources } = JSON.parse(readFileSync(join(folder.path, 'Endcap.template.json'), 'utf8'));
  const users = Object.entries(Resources).filter(([, resource]) => JSON.stringify(resource).includes(`${asset}.zip`));
  expect(users.map(([name]) => name)).toEqual([expect.stringMatching(/^ListFields/)]);
});
