import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const CLI = join(import.meta.dirname, '../../../infra/cli');

/** Runs a command to its end. @returns its exit code and output */
export async function runCommand(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const command = promisify(execFile)(process.execPath, [join(CLI, `${name}.ts`), ...args], {
    env: { ...process.env, PORT: '0', ...env },
  });
  return command.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}
