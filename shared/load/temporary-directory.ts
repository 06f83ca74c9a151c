import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';

/** `endcap-load-<process>-<host>-<random>` */
const NAME = /^endcap-load-(\d+)-(.*)-\w{6}$/;

/** Makes a directory for the files of one load, and removes those of loads that were killed. @returns its path */
export async function makeTemporaryDirectory(): Promise<string> {
  const parent = tmpdir();
  const names = await readdir(parent).catch(() => []);
  const removed = names.filter(isAbandoned).map((name) => rm(join(parent, name), { recursive: true, force: true }));
  await Promise.allSettled(removed); // a directory of another user cannot be removed
  return mkdtemp(join(parent, `endcap-load-${process.pid}-${hostname()}-`));
}

/** The host is compared, because containers with a shared directory have processes of their own. */
function isAbandoned(name: string): boolean {
  const [, pid = '', host] = NAME.exec(name) ?? [];
  return host === hostname() && !isRunning(Number(pid));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
