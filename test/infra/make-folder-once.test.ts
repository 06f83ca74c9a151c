import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

const writeName = (name: string) => async (draft: string) => writeFileSync(join(draft, 'name'), name);
const nameIn = () => readFileSync(join(folder, 'name'), 'utf8');

test('if two make the folder at the same time, the first that is complete is kept, and a later call does not make it again', async () => {
  const made = await makeFolderOnce(folder, async (draft) => {
    await makeFolderOnce(folder, writeName('other'));
    await writeName('mine')(draft);
  });
  expect([made, await makeFolderOnce(folder, writeName('later'))]).toEqual([true, false]);
  expect(nameIn()).toBe('other');
  expect(readdirSync(cache)).toEqual(['made']);
});

test('a failure leaves neither the folder nor a draft', async () => {
  const fail = async () => {
    throw new Error('cannot be made');
  };
  await expect(makeFolderOnce(folder, fail)).rejects.toThrow('cannot be made');
  expect(readdirSync(cache)).toEqual([]);
});
