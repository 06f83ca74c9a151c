import { spawn } from 'node:child_process';
import { join } from 'node:path';

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Called whenever there is more standard error, with all of it so far and a function that interrupts the load as Ctrl-C does. */
export type OnStderr = (err: string, interrupt: () => void) => void;

/**
 * Runs `npm run load` as npm would.
 * @param environment variables in addition to those of the tests
 */
export function runLoad(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  onStderr?: OnStderr,
): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>();
  const child = spawn(process.execPath, ['infra/cli/load.ts', ...args], {
    cwd: join(import.meta.dirname, '../../..'),
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (text: Buffer) => {
    out += text.toString();
  });
  child.stderr.on('data', (text: Buffer) => {
    err += text.toString();
    onStderr?.(err, () => child.kill('SIGINT'));
  });
  child.on('close', (code) => resolve({ code, out, err }));
  return promise;
}
