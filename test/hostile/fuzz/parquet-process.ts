import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** Only for files that are read for ever or for minutes: other ones take milliseconds, and on a busy machine some seconds. */
const HANGS_AFTER_MS = 60_000;
const SCRIPT = new URL('./read-parquet-process.ts', import.meta.url);

export interface ReadOutcome {
  /** The number of rows, the reason why the file is not readable, or how the process ended; all of them if concurrent reads differ. */
  readonly outcome: string;
  /** The peak memory of the process in MiB, less that before its first file; infinite if the process hung or ended. */
  readonly addedMb: number;
}

/** Reads Parquet files in a child process, which is replaced if it hangs or exhausts its memory. */
export class ParquetProcess implements AsyncDisposable {
  #child: ChildProcess | undefined;
  #startRss = 0;

  /** @param concurrent how many reads of the file run at the same time */
  async read(bytes: Uint8Array, concurrent = 1): Promise<ReadOutcome> {
    const child = this.#child ?? (await this.#start());
    const replied = reply(child);
    child.send({ bytes, concurrent });
    const { outcome, maxRss } = await replied;
    if (maxRss === undefined) await this.#stop();
    return { outcome, addedMb: Math.round(((maxRss ?? Number.POSITIVE_INFINITY) - this.#startRss) / 1024) };
  }

  async #start(): Promise<ChildProcess> {
    const child = fork(SCRIPT, { serialization: 'advanced', execArgv: ['--max-old-space-size=2000'], stdio: 'ignore' });
    this.#child = child;
    const { outcome, maxRss } = await reply(child);
    if (maxRss === undefined) throw new Error(`the process did not start: ${outcome}`);
    this.#startRss = maxRss;
    return child;
  }

  async #stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
  }
}

function reply(child: ChildProcess): Promise<{ outcome: string; maxRss?: number }> {
  return new Promise((resolve) => {
    const end = (result: { outcome: string; maxRss?: number }) => {
      clearTimeout(timer);
      child.off('message', end).off('exit', ended);
      resolve(result);
    };
    const ended = (code: number | null, signal: string | null) => end({ outcome: `ended: ${signal ?? code}` });
    const timer = setTimeout(() => end({ outcome: 'hangs' }), HANGS_AFTER_MS);
    child.once('message', end).once('exit', ended);
  });
}
