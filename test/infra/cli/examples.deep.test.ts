import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RECIPES } from '../../contract/readme.ts';
import { codeBlocksOf } from '../../rules/pages.ts';
import { ROOT } from '../../rules/source-files.ts';
import { type Running, sendCurl, startStage } from './start-stage.ts';

/** A stage as `npm start` gives it to a newcomer: with the demo network up to yesterday. */
let stage: Running;
const folder = mkdtempSync(join(tmpdir(), 'endcap-examples-'));
beforeAll(async () => {
  stage = await startStage(join(folder, 'data'));
});
afterAll(() => {
  stage.child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const LOCAL = 'http://localhost:3000/v2';
const blocks = (page: string) => codeBlocksOf(page).map(({ text }) => text.trim().replaceAll(LOCAL, stage.base));
const curls = (page: string) => blocks(page).filter((text) => text.startsWith('curl'));

/** The examples asked for days that the demo of a newcomer does not have. */
test('each request of README.md gets rows', async () => {
  const counts = await Promise.all(
    curls('README.md').map(async (line) => JSON.parse(await sendCurl(line)).data.length),
  );
  expect(counts).toEqual([2, 1, 2]);
});

test('each request of functions/README.md gets rows', async () => {
  const [csv = '', url = '', recipe = ''] = curls('functions/README.md');
  for (const line of [csv, url]) expect((await sendCurl(line)).split('\n').length).toBeGreaterThan(2);
  for (const { title, path, request } of RECIPES) {
    const line = recipe.replace('@request.json', `'${request}'`).replace('/report/pla', path);
    const { data } = JSON.parse(await sendCurl(line));
    expect([title, data.length > 0]).toEqual([title, true]);
  }
});

test('the program of shared/web/client/README.md gets campaigns and rows', async () => {
  const client = pathToFileURL(join(ROOT, 'shared/web/client/client.ts')).href;
  const program = blocks('shared/web/client/README.md').find((text) => text.startsWith('import')) ?? '';
  const file = join(folder, 'program.mts');
  writeFileSync(file, `${program.replace('endcap/client', client)}\nconsole.log(data.length, 'rows');`);
  const { stdout } = await promisify(execFile)(process.execPath, [file]);
  expect(stdout).toContain('Finchwater Media – Center Store [');
  expect(stdout).toMatch(/^[1-9]\d* rows$/m);
});
