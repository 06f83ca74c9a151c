import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openLocalTable } from '../../../infra/local/local-stage.ts';
import { ROOT } from '../../rules/source-files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'endcap-stage-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A server or thread that stays open keeps the process running. */
test('if the preparation of a stage fails, its table and its KMS are closed, so that the process ends', async () => {
  const script = `
    import { openLocalStage } from './infra/local/local-stage.ts';
    const prepare = () => Promise.reject(new Error('the demo network is not loaded'));
    await openLocalStage({ folder: ${JSON.stringify(folder)}, prepare }).catch(({ message }) => console.log(message));`;
  const options = { cwd: ROOT, timeout: 120_000 };
  const ended = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], options);
  expect(await ended).toEqual({ stdout: 'the demo network is not loaded\n', stderr: '' });
});

/** Both processes used one draft, so that the second ended with `ENOTEMPTY` or an error of LevelDB. */
test('if another process creates the first table at the same time, its table is opened', async () => {
  const other = join(folder, 'other');
  mkdirSync(other);
  await (await openLocalTable({ folder: other })).close();
  const opening = openLocalTable({ folder });
  while (!existsSync(join(folder, `dynalite.new-${process.pid}`))) await setImmediate();
  renameSync(join(other, 'dynalite'), join(folder, 'dynalite'));
  await (await opening).close();
  expect(readdirSync(folder)).toEqual(['dynalite', 'other']);
});
