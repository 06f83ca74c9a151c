import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openLocalTable } from '../../../infra/start/local-stage.ts';
import { ROOT } from '../../rules/source-files.ts';
import { TABLE_ONLY } from '../emulator/table-only.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'endcap-stage-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** @returns a promise that rejects if the table in the folder is still open, because only one process or thread may open it */
async function openAgain(): Promise<void> {
  const { close } = await openLocalTable(TABLE_ONLY, { folder });
  await close();
}

/** A server or thread that stays open keeps the process running. */
test('if the preparation of a stage fails, its table and its KMS are closed, so that the process ends', async () => {
  const script = `
    import { openLocalStage } from './infra/start/local-stage.ts';
    import { TABLE_ONLY } from './test/infra/emulator/table-only.ts';
    const prepare = () => Promise.reject(new Error('the demo network is not loaded'));
    await openLocalStage(TABLE_ONLY, { folder: ${JSON.stringify(folder)}, prepare }).catch(({ message }) => console.log(message));`;
  const options = { cwd: ROOT, timeout: 120_000 };
  const ended = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], options);
  expect(await ended).toEqual({ stdout: 'the demo network is not loaded\n', stderr: '' });
});

test('if the creation of the first table fails, the draft of its folder is closed', async () => {
  const tables = TABLE_ONLY.tables.map((table) => ({ ...table, keys: [] }));
  await expect(openLocalTable({ ...TABLE_ONLY, tables }, { folder })).rejects.toThrow();
  await openAgain();
});

/** Both processes used one draft, so that the second ended with `ENOTEMPTY` or an error of LevelDB. */
test('if another process creates the first table at the same time, its table is opened', async () => {
  const other = join(folder, 'other');
  mkdirSync(other);
  await (await openLocalTable(TABLE_ONLY, { folder: other })).close();
  let reads = 0;
  const definition = {
    ...TABLE_ONLY,
    get tables() {
      // the first read is for the table's name; at the second, the draft is being written
      if (++reads === 2) {
        expect(readdirSync(folder)).toEqual([`dynalite.new-${process.pid}`, 'other']);
        renameSync(join(other, 'dynalite'), join(folder, 'dynalite'));
      }
      return TABLE_ONLY.tables;
    },
  };
  await (await openLocalTable(definition, { folder })).close();
  expect(readdirSync(folder)).toEqual(['dynalite', 'other']);
});
