import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Starts a script in its own process. Its stdout is discarded, because the functions log there. */
export function startProcess(script: URL, environment: Readonly<Record<string, string>> = {}): ChildProcess {
  return fork(fileURLToPath(script), {
    env: { ...process.env, ...environment },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

/** @returns the next message of the process @throws Error if the process exits before it sends one */
export function nextMessage(child: ChildProcess): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const exited = (code: number | null) => reject(new Error(`${child.spawnargs.at(-1)} exited with code ${code}`));
  child.once('message', resolve).once('error', reject).once('exit', exited);
  return promise.finally(() => child.off('message', resolve).off('error', reject).off('exit', exited));
}

/** Runs a script in its own process until its first message, and ends it. @returns the message */
export async function runProcess(script: URL, environment?: Readonly<Record<string, string>>): Promise<unknown> {
  const child = startProcess(script, environment);
  try {
    return await nextMessage(child);
  } finally {
    child.kill();
  }
}

/** Restricts a process with all its threads to the first core. @returns false if the platform has no `taskset` */
export function pinToOneCore({ pid }: Pick<ChildProcess, 'pid'>): boolean {
  try {
    execFileSync('taskset', ['-acp', '0', String(pid)], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
