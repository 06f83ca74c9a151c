import { execFile } from 'node:child_process';
import { join } from 'node:path';

/** The folder of the commands. */
export const CLI = join(import.meta.dirname, '../../../infra/cli');

/**
 * Runs a command to its end.
 * @param name such as `key`
 * @param env replaces variables of this process; undefined removes one. `npm start` uses a free port by default.
 * @returns its exit code and output
 * @throws Error if it cannot be started, is ended by a signal or writes too much
 */
export async function runCommand(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const options = { env: { ...process.env, PORT: '0', ...env } };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [join(CLI, `${name}.ts`), ...args], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === 'number') resolve({ code, stdout, stderr });
      else reject(error);
    });
  });
}
