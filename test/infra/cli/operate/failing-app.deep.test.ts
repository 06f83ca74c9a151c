import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { folderOf } from '../../../load/support/folder.ts';
import { ROOT } from '../../../rules/source-files.ts';

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
