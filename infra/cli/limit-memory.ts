import { fork } from 'node:child_process';
import { totalmem } from 'node:os';
import { explainMemory, explainSignal, watchMemory } from '../../shared/lib/child-memory.ts';

/** Three quarters of the machine's memory. */
const LIMIT_MB = Math.floor((0.75 * totalmem()) / 2 ** 20);

/** @returns a function that reports the file that is read from now on, or that none is, if `runWithinMemory` has started this process; otherwise undefined */
export function reportReading() {
  return process.send === undefined ? undefined : (file: string | undefined) => void process.send?.({ file });
}

/**
 * Runs this command again, in a process with a limit of memory.
 * @returns its exit code
 * @throws Error that names the file, if it runs out of memory while it reads one
 */
export async function runWithinMemory(limitMb = LIMIT_MB): Promise<number> {
  const [, script = '', ...args] = process.argv;
  const execArgv = [...process.execArgv, `--max-old-space-size=${limitMb}`];
  const child = fork(script, args, { execArgv });
  let file: string | undefined;
  let isFull = false;
  child.on('message', (message: { readonly file?: string }) => {
    file = message.file;
  });
  const endWatch = watchMemory(child, limitMb, () => {
    isFull = true;
    child.kill('SIGKILL');
  });
  const pass = (signal: NodeJS.Signals) => child.kill(signal); // Ctrl-C on a terminal reaches the child, too, which counts both as one
  process.on('SIGINT', pass).on('SIGTERM', pass);
  const { promise, resolve, reject } = Promise.withResolvers<readonly [number | null, NodeJS.Signals | null]>();
  child.on('error', reject).on('exit', (code, signal) => resolve([code, signal]));
  const [code, signal] = await promise.finally(endWatch);
  const reason = isFull ? explainMemory(file, limitMb) : explainSignal(signal, file, limitMb);
  if (reason === undefined) return code ?? 1;
  throw new Error(`${file ?? 'the load'} ${reason}. Nothing of the folder was loaded.`);
}
