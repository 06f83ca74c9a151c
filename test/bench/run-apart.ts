import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';

/** A script of this folder in a process of its own. What it writes to stdout is dropped: functions log there. */
export function startApart(script: string, environment: Readonly<Record<string, string>> = {}): ChildProcess {
  return fork(join(import.meta.dirname, script), {
    env: { ...process.env, ...environment },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

/** @returns the next message of the process, as it was sent; throws when the process ends without one */
export function nextMessage(child: ChildProcess): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const ended = (code: number | null) => reject(new Error(`${child.spawnargs.at(-1)} ended with ${code}`));
  child.once('message', resolve).once('error', reject).once('exit', ended);
  return promise.finally(() => child.off('message', resolve).off('error', reject).off('exit', ended));
}

/** @returns the one message that the script sends; its process has ended then */
export async function askApart(script: string, environment: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const child = startApart(script, environment);
  try {
    return await nextMessage(child);
  } finally {
    child.kill();
  }
}
