import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

/** `endcap-load-<process>-<host>-<random>` */
const NAME = /^endcap-load-(\d+)-(.*)-\w{6}$/;

/** Makes a directory for the files of one load, and removes what killed loads have left. @returns its path */
export async function makeTemporaryDirectory(): Promise<string> {
  await removeTemporaryDirectories();
  return mkdtemp(join(tmpdir(), `endcap-load-${process.pid}-${hostname()}-`));
}

/** Removes the directories of processes that have ended. The host is compared, because containers with a shared directory have process ids of their own. */
export async function removeTemporaryDirectories(): Promise<void> {
  const parent = tmpdir();
  const names = await readdir(parent).catch(() => []);
  const abandoned = names.filter((name) => {
    const [, pid = '', host] = NAME.exec(name) ?? [];
    return host === hostname() && !isRunning(Number(pid));
  });
  await Promise.allSettled(abandoned.map((name) => removeOwn(join(parent, name))));
}

/** Removes the directory only if this user owns it: another owner could swap a folder below for a link meanwhile. */
async function removeOwn(path: string): Promise<void> {
  const { uid } = await lstat(path);
  if (uid === userInfo().uid) await rm(path, { recursive: true, force: true });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
