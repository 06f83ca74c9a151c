import { type ParseArgsConfig, parseArgs } from 'node:util';
import { type ChangeLine, logChange } from '../../shared/lib/log.ts';
import { escapeControls } from '../../shared/lib/quote-text.ts';

const PARENT_CHECK_MS = 500;

/** Runs a command. If it throws, this prints the error's message, or its stack if `DEBUG` is set, and exits with code 1. */
export async function runCli(command: () => Promise<void>): Promise<void> {
  endWithNpm();
  process.stdout.on('error', () => undefined); // the reader of a pipe, such as head, has read enough
  try {
    await command();
  } catch (error) {
    for (const line of `endcap: ${describeError(error)}`.split('\n')) writeLine(process.stderr, line);
    process.exit(1);
  }
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return (process.env.DEBUG === undefined ? undefined : error.stack) ?? error.message;
}

/**
 * Sends SIGTERM to this process when npm ends. npm runs a script through a shell; a signal to npm kills that shell but does not reach this process,
 * which would go on using its port and data folder.
 */
function endWithNpm(): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_CHECK_MS).unref();
}

/** Writes one line, with control characters as escapes. */
export function writeLine(stream: { write(text: string): unknown }, text: string): void {
  stream.write(`${escapeControls(text)}\n`);
}

/** @returns whether somebody still reads standard output, after what was written before */
export function isOutputRead(): Promise<boolean> {
  return new Promise((resolve) => process.stdout.write('', (error) => resolve(!error)));
}

/** Writes the log line of a change, as the functions do, unless a person reads stderr: scheduled commands then leave it in the logs of their scheduler. */
export function logChangeOfCommand(change: ChangeLine): void {
  if (!process.stderr.isTTY) logChange(change, process.stderr);
}

/**
 * @returns options and positionals; the command checks the number of positionals
 * @throws Error with the problem and the usage if an option does not exist, a boolean option has a value, or another option has none
 */
export function readArguments<const O extends NonNullable<ParseArgsConfig['options']>>(options: O, usage: string) {
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n${usage}`);
  }
}
