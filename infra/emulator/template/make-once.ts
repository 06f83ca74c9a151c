import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 100;

/**
 * Makes a file or folder unless it is there, in one process of the machine while the others wait. One that died is no longer waited for.
 * @param make leaves `path` whole or not at all
 */
export async function makeOnce(path: string, make: () => Promise<void>): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  while (!existsSync(path)) {
    using turn = takeTurn(`${path}.lock`);
    if (turn === undefined) await sleep(POLL_MS);
    else if (!existsSync(path)) await make();
  }
}

/** @returns undefined while another process has the file */
function takeTurn(file: string): Disposable | undefined {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return { [Symbol.dispose]: () => rmSync(file, { force: true }) };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    if (!heldByLiving(file)) rmSync(file, { force: true });
    return undefined;
  }
}

function heldByLiving(file: string): boolean {
  try {
    return process.kill(Number(readFileSync(file, 'utf8')), 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code !== 'ESRCH'; // ESRCH: there is no such process
  }
}
