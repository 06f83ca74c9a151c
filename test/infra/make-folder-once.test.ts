import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeFolderOnce } from '../../infra/config/make-folder-once.ts';

let cache: string;
let folder: string;
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'endcap-once-'));
  folder = join(cache, 'made');
});
afterEach(() => rmSync(cache, { recursive: true, force: true }));

/** @returns the id of a process that has ended */
const deadPid = (): number => spawnSync(process.execPath, ['--version']).pid;

const writeName = (name: string) => async (draft: string) => writeFileSync(join(draft, 'name'), name);
const nameIn = () => readFileSync(join(folder, 'name'), 'utf8');

test('concurrent calls make a folder once, and a later call does not make it again', async () => {
  const calls = ['a', 'b', 'c'].map((name) => makeFolderOnce(folder, writeName(name)));
  expect((await Promise.all(calls)).filter((made) => made)).toHaveLength(1);
  expect(await makeFolderOnce(folder, writeName('d'))).toBe(false);
  expect(readdirSync(cache)).toEqual(['made']);
  expect(nameIn()).toBe('a');
});

test('the lock and the draft of a process that has ended are removed', async () => {
  writeFileSync(`${folder}.lock`, String(deadPid()));
  mkdirSync(`${folder}.draft-${deadPid()}-abcdef`);
  mkdirSync(`${folder}.draft-${process.pid}-abcdef`);
  expect(await makeFolderOnce(folder, writeName('a'))).toBe(true);
  expect(readdirSync(cache).sort()).toEqual(['made', `made.draft-${process.pid}-abcdef`]);
});

test('the lock of a process that was killed before it wrote its id is removed', async () => {
  writeFileSync(`${folder}.lock`, '');
  utimesSync(`${folder}.lock`, 0, 0);
  expect(await makeFolderOnce(folder, writeName('a'))).toBe(true);
});

/** Two processes that took over from the same dead process shared one draft: the second emptied it while the first wrote, so a rename failed. */
test('if two make the folder, because both took over from a dead process, each has its own draft, and the first is kept', async () => {
  const made = await makeFolderOnce(folder, async (draft) => {
    writeFileSync(`${folder}.lock`, String(deadPid())); // as if the other had taken the lock from a dead process
    await makeFolderOnce(folder, writeName('other'));
    expect(existsSync(draft)).toBe(true);
    await writeName('mine')(draft);
  });
  expect(made).toBe(true);
  expect(nameIn()).toBe('other');
  expect(readdirSync(cache)).toEqual(['made']);
});

test('a failure leaves neither the folder nor a draft nor the lock', async () => {
  const fail = async () => {
    throw new Error('cannot be made');
  };
  await expect(makeFolderOnce(folder, fail)).rejects.toThrow('cannot be made');
  expect(readdirSync(cache)).toEqual([]);
});
