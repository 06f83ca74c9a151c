import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { explainMemory, explainSignal, watchMemory } from '../lib/child-memory.ts';
import { removeTemporaryDirectories } from '../load/temporary-directory.ts';
import type { IngestOptions, IngestOutcome } from './load-sent-folder.ts';
import type { ReadyEvent } from './ready-event.ts';

export interface LoaderJob extends ReadyEvent {
  /** Time until the next attempt if this one fails; undefined if it is the last one. */
  readonly retryInSeconds: number | undefined;
  /** Until when (seconds since 1970) a folder is tried again that was rejected before, because listings lacked its ids. */
  readonly waitsUntil?: number;
  /** Time until the function is killed. */
  readonly remainingMs: number;
}

export interface LoaderResult {
  readonly outcome: IngestOutcome;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly calls: number;
}

type OnChange = NonNullable<IngestOptions['onChange']>;

/** What the process sends: the file that is read and checked, changes to log, and at the end the result or the error. */
export type LoaderMessage =
  | { readonly kind: 'reading'; readonly file: string | undefined }
  | { readonly kind: 'change'; readonly change: Parameters<OnChange>[0] }
  | { readonly kind: 'ended'; readonly result: LoaderResult }
  | { readonly kind: 'failed'; readonly error: unknown };

/**
 * The process ran out of memory or did not end in time, and has ended or was killed. The next load undoes what it has written,
 * unless that was committed.
 * Its message is a reason for `reportKilled`.
 */
export class LoaderKilledError extends Error {
  /** The file that was read last; undefined if none was being checked. */
  readonly reading: string | undefined;

  constructor(reason: string, reading: string | undefined) {
    super(reason);
    this.reading = reading;
  }
}

/**
 * `residentMb` is the resident memory of the process and of the one that has started it: heaps, buffers and what the allocator keeps; most of the function's
 * 3,008 MB. `heapMb` is that of the process's heap, in case it fills between two checks of the memory.
 */
const LIMITS = { residentMb: 2_750, heapMb: 2_200 };
/** Time reserved for the report if the process does not end in time. */
const RESERVED_MS = 8_000;

/**
 * Loads folders in a child process, one at a time, so that a file that takes too much memory or time ends the child and not the function, which can
 * still write a report that names the file. A thread would not give all memory back when it is ended: the next folders would be rejected because of it.
 */
export class LoaderProcess {
  readonly #entry: URL;
  readonly #limits: typeof LIMITS;
  #child: ChildProcess | undefined;

  /** @param entry the module of the process: it receives a `LoaderJob` and sends `LoaderMessage`s */
  constructor(entry: URL, limits = LIMITS) {
    this.#entry = entry;
    this.#limits = limits;
  }

  /**
   * @param onChange called with each change to log
   * @throws LoaderKilledError, and any error of the process
   */
  async run(job: LoaderJob, onChange: OnChange): Promise<LoaderResult> {
    const { residentMb } = this.#limits;
    const child = this.#child ?? this.#start();
    const { promise, resolve, reject } = Promise.withResolvers<LoaderResult>();
    let reading: string | undefined;
    const onMessage = (message: LoaderMessage) => {
      if (message.kind === 'reading') reading = message.file;
      else if (message.kind === 'change') onChange(message.change);
      else if (message.kind === 'ended') resolve(message.result);
      else if (message.kind === 'failed') reject(message.error);
    };
    const rejectKilled = (explain: (reading: string | undefined) => string) =>
      reject(new LoaderKilledError(explain(reading), reading));
    const rejectFull = () => rejectKilled((file) => explainMemory(file, residentMb));
    const onExit = (code: number | null, signal: NodeJS.Signals | null) => {
      const reason = explainSignal(signal, reading, residentMb);
      if (reason !== undefined) rejectKilled(() => reason);
      else reject(new Error(`the process of the loader has ended (${signal ?? code})`));
    };
    const endWatch = watchMemory(child, residentMb, rejectFull);
    const end = setTimeout(() => rejectKilled(explainSlow), Math.max(0, job.remainingMs - RESERVED_MS));
    setReferenced(child, true);
    child.on('message', onMessage).on('error', reject).on('exit', onExit);
    child.send(job);
    try {
      const result = await promise;
      if (result.outcome === 'abandoned') await this.#kill(); // it may still be undoing the load, or reading a file
      return result;
    } catch (error) {
      await this.#kill();
      throw error;
    } finally {
      endWatch();
      clearTimeout(end);
      child.off('message', onMessage).off('error', reject).off('exit', onExit);
      setReferenced(child, false);
    }
  }

  #start(): ChildProcess {
    const child = fork(fileURLToPath(this.#entry), {
      execArgv: [`--max-old-space-size=${this.#limits.heapMb}`], // not this process's own, which may name another module
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    // These listeners stay between two jobs: without the first, an error would end the function; without the second, the next job would be sent to a process
    // that has ended.
    child
      .on('error', () => undefined)
      .on('exit', () => {
        if (this.#child === child) this.#child = undefined;
      });
    this.#child = child;
    return child;
  }

  /** The next job starts another process. */
  async #kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child?.kill('SIGKILL')) await once(child, 'exit');
    await removeTemporaryDirectories();
  }
}

function explainSlow(file: string | undefined): string {
  const advice = 'did not end in time: load the folder in parts, or from a machine without a time limit';
  return file === undefined ? advice : `was read last when the load ${advice}`;
}

/** Whether this process waits for the child before it ends. */
function setReferenced(child: ChildProcess, isReferenced: boolean): void {
  for (const handle of [child, child.channel]) {
    if (isReferenced) handle?.ref();
    else handle?.unref();
  }
}
