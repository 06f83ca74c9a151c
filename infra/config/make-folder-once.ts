import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 100;

/**
 * Makes a folder unless it exists. Normally one call, of this process or another, makes it while others wait. If its process dies, others take over, possibly more than one: each
 * writes a draft of its own, and the first that is complete becomes the folder.
 * @param write writes the content into the empty folder `draft`
 * @returns whether this call has written a draft
 */
export async function makeFolderOnce(folder: string, write: (draft: string) => Promise<void>): Promise<boolean> {
  mkdirSync(dirname(folder), { recursive: true });
  let hasWritten = false;
  while (!existsSync(folder)) {
    using lock = tryLock(`${folder}.lock`);
    if (lock === undefined) await sleep(POLL_MS);
    else if (!existsSync(folder)) {
      removeAbandonedDrafts(folder);
      await writeDraft(folder, write);
      hasWritten = true;
    }
  }
  return hasWritten;
}

/** The name of a draft has the id of its process: `<folder>.draft-<pid>-<random>`. */
async function writeDraft(folder: string, write: (draft: string) => Promise<void>): Promise<void> {
  const draft = mkdtempSync(`${folder}.draft-${process.pid}-`);
  try {
    await write(draft);
    renameUnlessExists(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Renames `draft` to `folder`. If another process has made `folder` first, both stay as they are. */
export function renameUnlessExists(draft: string, folder: string): void {
  try {
    renameSync(draft, folder);
  } catch (error) {
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error;
  }
}

/** Removes the drafts of processes that have ended, of this folder and of those beside it. */
function removeAbandonedDrafts(folder: string): void {
  for (const name of readdirSync(dirname(folder))) {
    const [, pid] = /\.draft-(\d+)-\w+$/.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid)))
      rmSync(join(dirname(folder), name), { recursive: true, force: true });
  }
}

/** @returns the lock; undefined if another call holds it, or if a dead process's lock was just removed: try again */
function tryLock(file: string): Disposable | undefined {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return { [Symbol.dispose]: () => rmSync(file, { force: true }) };
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    if (!isHolderAlive(file)) rmSync(file, { force: true });
    return undefined;
  }
}

/** A process writes its id into a lock right after creating it. If a lock is empty for longer, its process was killed in between. */
const EMPTY_LOCK_MS = 1_000;

function isHolderAlive(file: string): boolean {
  try {
    const pid = readFileSync(file, 'utf8');
    return pid === '' ? Date.now() - statSync(file).mtimeMs < EMPTY_LOCK_MS : isAlive(Number(pid));
  } catch {
    return true; // the lock was just released
  }
}

/** @returns whether a process with the id runs, of whatever user */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !hasCode(error, 'ESRCH'); // no such process
  }
}

function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
