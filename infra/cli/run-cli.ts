import { endWithNpm } from './end-with-npm.ts';

/** Runs a command: an error is told in its message alone (with `DEBUG` set: with its stack), and the exit code is 1. */
export async function runCli(command: () => Promise<void>): Promise<void> {
  endWithNpm();
  try {
    await command();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const stack = error instanceof Error && process.env.DEBUG !== undefined ? `\n${error.stack}` : '';
    process.stderr.write(`endcap: ${message}${stack}\n`);
    process.exit(1);
  }
}
