import { Worker } from 'node:worker_threads';
import { removeTemporaryDirectories } from '../load/temporary-directory.ts';
import type { IngestOptions, IngestOutcome } from './ingest-folder.ts';
import type { ReadyEvent } from './ready-event.ts';

/** What the thread loads. */
export interface LoaderJob extends ReadyEvent {
  /** Time until the next attempt if this one fails; undefined if it is the last one. */
  readonly retryInSeconds: number | undefined;
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

/** What the thread sends: signs of life, the file that is read and checked, changes to log, and at the end the result or the error. */
export type LoaderMessage =
  | { readonly kind: 'alive' }
  | { readonly kind: 'reading'; readonly file: string | undefined }
  | { readonly kind: 'change'; readonly change: Parameters<OnChange>[0] }
  | { readonly kind: 'ended'; readonly result: LoaderResult }
  | { readonly kind: 'failed'; readonly error: unknown };

/** The thread ran out of memory or was silent for too long, and was ended. What it has written is undone by the next load. */
export class LoaderKilledError extends Error {
  /** The file that was read last; undefined if none was being checked. */
  readonly reading: string | undefined;

  constructor(reason: string, reading: string | undefined) {
    super(reason);
    this.reading = reading;
  }
}

/** The `workerData` of the thread. */
export const LOADER = 'loader';

interface ThreadLimits {
  /** Of the process: heaps, buffers and what the allocator keeps. */
  readonly residentMb: number;
  /** Of the thread's heap, in case it fills before the main thread has looked. */
  readonly heapMb: number;
  /** The thread hangs if it has sent nothing for this time. */
  readonly silenceMs: number;
}

/** Of the function's 3,008 MB. */
const LIMITS: ThreadLimits = { residentMb: 2_750, heapMb: 2_200, silenceMs: 120_000 };
const BYTES_PER_MB = 2 ** 20;
/** Between two looks at the memory: a thread that fills it takes 10 MB in a millisecond at most, and usually 1 MB. */
const MEMORY_MS = 100;
const OUT_OF_MEMORY = 'The load ran out of memory';
/** Time reserved for the report if the thread does not end in time. */
const RESERVED_MS = 8_000;

/**
 * Loads folders in a thread, one at a time, so that a file that takes too much memory or time ends the thread and not the function: the main thread can
 * still write a report that names the file.
 */
export class LoaderThread {
  readonly #entry: URL;
  readonly #limits: ThreadLimits;
  #worker: Worker | undefined;

  /** @param entry the module of the thread: it receives a `LoaderJob` and sends `LoaderMessage`s, the first one within `silenceMs` */
  constructor(entry: URL, limits = LIMITS) {
    this.#entry = entry;
    this.#limits = limits;
  }

  /**
   * @param onChange called with each change to log
   * @throws LoaderKilledError, and any error of the thread
   */
  async run(job: LoaderJob, onChange: OnChange): Promise<LoaderResult> {
    const { residentMb, silenceMs } = this.#limits;
    const worker = this.#worker ?? this.#start();
    const { promise, resolve, reject } = Promise.withResolvers<LoaderResult>();
    let reading: string | undefined;
    const onMessage = (message: LoaderMessage) => {
      silence.refresh();
      if (message.kind === 'reading') reading = message.file;
      else if (message.kind === 'change') onChange(message.change);
      else if (message.kind === 'ended') resolve(message.result);
      else if (message.kind === 'failed') reject(message.error);
    };
    const kill = (reason: string) => reject(new LoaderKilledError(reason, reading));
    const onError = (error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') kill(OUT_OF_MEMORY);
      else reject(error);
    };
    const memory = setInterval(() => {
      if (process.memoryUsage.rss() > residentMb * BYTES_PER_MB) kill(OUT_OF_MEMORY);
    }, MEMORY_MS);
    const onExit = () => reject(new Error('the thread of the loader has ended'));
    const silence = setTimeout(() => kill('The load did not respond'), silenceMs);
    const end = setTimeout(() => kill('The load did not end in time'), Math.max(0, job.remainingMs - RESERVED_MS));
    worker.ref();
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.postMessage(job);
    try {
      const result = await promise;
      if (result.outcome === 'abandoned') await this.#terminate(); // it may still be undoing the load, or reading a file
      return result;
    } catch (error) {
      await this.#terminate();
      throw error;
    } finally {
      clearInterval(memory);
      clearTimeout(silence);
      clearTimeout(end);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      worker.unref();
    }
  }

  #start(): Worker {
    const worker = new Worker(this.#entry, {
      workerData: LOADER,
      execArgv: [], // those of the process may name another module
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.heapMb },
    });
    // also between two jobs, where an error without a listener would end the process, and a job for a thread that has ended would wait in vain
    worker
      .on('error', () => undefined)
      .on('exit', () => {
        if (this.#worker === worker) this.#worker = undefined;
      });
    this.#worker = worker;
    return worker;
  }

  /** The next job starts another thread. */
  async #terminate(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
    await removeTemporaryDirectories();
  }
}
