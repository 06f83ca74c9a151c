import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 100;

/**
 * Makes a file or folder unless it exists. One process makes it while others wait; if that process dies, another takes over.
 * @param make creates `path` atomically
 */
export async function makeOnce(path: string, make: () => Promise<void>): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  while (!existsSync(path)) {
    using lock = tryLock(`${path}.lock`);
    if (lock === undefined) await sleep(POLL_MS);
    else if (!existsSync(path)) await make();
  }
}

/** @returns undefined while another process holds the lock */
function tryLock(file: string): Disposable | undefined {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return { [Symbol.dispose]: () => rmSync(file, { force: true }) };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    if (!isHolderAlive(file)) rmSync(file, { force: true });
    return undefined;
  }
}

function isHolderAlive(file: string): boolean {
  try {
    return process.kill(Number(readFileSync(file, 'utf8')), 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code !== 'ESRCH'; // ESRCH: no such process
  }
}
