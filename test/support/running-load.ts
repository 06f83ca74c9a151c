import { spawn } from 'node:child_process';
import { once } from 'node:events';

const ROOT = new URL('../..', import.meta.url);

/** `npm run load` in a process of its own, which may be killed at any moment. */
export interface RunningLoad {
  /** True as soon as the load reports its first write, false if it ends without one. It stays pending while the load waits for another load. */
  readonly writing: Promise<boolean>;
  /** The exit code, null if the load was killed; and what it has written to its standard error. */
  readonly ended: Promise<{ readonly code: number | null; readonly err: string }>;
  /** Kills it with SIGKILL. */
  kill(): void;
}

/** Starts a load of the folder into the local stage that the environment names. */
export function startLoad(folder: string, env: NodeJS.ProcessEnv): RunningLoad {
  const child = spawn(process.execPath, ['infra/cli/load.ts', folder], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const writing = Promise.withResolvers<boolean>();
  let err = '';
  child.stderr.on('data', (text: Buffer) => {
    err += text.toString();
    if (/^wrote /m.test(err)) writing.resolve(true);
  });
  const ended = once(child, 'close').then(() => {
    writing.resolve(false);
    return { code: child.exitCode, err };
  });
  return { writing: writing.promise, ended, kill: () => void child.kill('SIGKILL') };
}
