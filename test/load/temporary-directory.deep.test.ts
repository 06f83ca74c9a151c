import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { openResources } from '../../shared/load/open-resources.ts';

const EMPTY = { list: async () => [], read: async function* () {} };
const open = () => openResources(EMPTY, {}, () => undefined);

/** Starts a process that opens the resources of a load, and keeps running. @returns it and its temporary directory */
async function startLoad(): Promise<[ChildProcess, string]> {
  const module = join(import.meta.dirname, '../../shared/load/open-resources.ts');
  const script = `const { openResources } = await import(${JSON.stringify(module)});
    const source = { list: async () => [], read: async function* () {} };
    const { temporaryDirectory } = await openResources(source, {}, () => undefined);
    process.stdout.write(temporaryDirectory);
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [directory] = await once(child.stdout, 'data');
  return [child, String(directory)];
}

/** They were left for ever: up to 10 GB of rows per killed load, which fill the temporary storage of the ingestion. */
test('the next load removes the temporary directories of loads that were killed, and no others', async () => {
  const [[killed, left], [running, used]] = [await startLoad(), await startLoad()];
  const elsewhere = mkdtempSync(join(tmpdir(), `endcap-load-${killed.pid}-another-host-`));
  try {
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    expect(existsSync(left)).toBe(true);
    const own = await open();
    const next = await open();
    expect(
      [left, used, own.temporaryDirectory, next.temporaryDirectory, elsewhere].map((path) => existsSync(path)),
    ).toEqual([false, true, true, true, true]);
    expect(basename(own.temporaryDirectory)).toMatch(/^endcap-load-\d+-/);
    await Promise.all([own.close(), next.close()]);
  } finally {
    running.kill('SIGKILL');
    await once(running, 'exit');
    for (const path of [left, used, elsewhere]) rmSync(path, { recursive: true, force: true });
  }
});
