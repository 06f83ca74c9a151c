import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { FactTable } from '../catalog/tables.ts';
import { type EncodedSpill, encodeSpilled } from './encode-spilled.ts';
import type { SpilledDay } from './spill-facts.ts';

export interface EncodeTask {
  readonly table: FactTable;
  /** Of the month, 1–31. */
  readonly day: number;
  readonly spilled: SpilledDay;
}

/** Encodes days, as many at once as it has threads. */
export interface Encoder {
  readonly atOnce: number;
  /** @returns the day encoded; its arrays may be gone afterwards */
  encode(task: EncodeTask): Promise<EncodedSpill>;
  close(): Promise<void>;
}

/** Fewer rows are encoded before a thread has started. */
const ROWS_WORTH_THREADS = 50_000;
const MAX_THREADS = 4;

/**
 * @param rows how many there will be to encode
 * @param threads at most so many; 0 = in the calling thread, where no threads may be made
 */
export function openEncoder(rows: number, threads = Math.min(MAX_THREADS, availableParallelism())): Encoder {
  return threads < 2 || rows < ROWS_WORTH_THREADS ? CALLING_THREAD : new EncodePool(threads);
}

const CALLING_THREAD: Encoder = {
  atOnce: 1,
  encode: async ({ table, day, spilled }) => encodeSpilled(table, day, spilled),
  close: async () => undefined,
};

class EncodePool implements Encoder {
  readonly atOnce: number;
  readonly #workers: readonly Worker[];
  readonly #idle: Worker[];
  readonly #waiting: PromiseWithResolvers<Worker>[] = [];
  /** Set once a thread has failed: then the pool takes nothing any more. */
  #failure: Error | undefined;

  constructor(threads: number) {
    const url = new URL('./encode-thread.ts', import.meta.url);
    this.#workers = Array.from({ length: threads }, () => new Worker(url, { name: 'encode' }));
    this.#idle = [...this.#workers];
    this.atOnce = threads + 1; // one more is read meanwhile
  }

  async encode(task: EncodeTask): Promise<EncodedSpill> {
    const worker = await this.#takeWorker();
    const answer = Promise.withResolvers<EncodedSpill>();
    worker.once('message', answer.resolve).once('error', answer.reject);
    try {
      worker.postMessage(task, buffersOf(task.spilled));
      const encoded = await answer.promise;
      this.#giveBack(worker);
      return encoded;
    } catch (error) {
      this.#fail(error);
      throw error;
    } finally {
      worker.off('message', answer.resolve).off('error', answer.reject);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  async #takeWorker(): Promise<Worker> {
    if (this.#failure !== undefined) throw this.#failure;
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    const turn = Promise.withResolvers<Worker>();
    this.#waiting.push(turn);
    return turn.promise;
  }

  #giveBack(worker: Worker): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#idle.push(worker);
    else next.resolve(worker);
  }

  #fail(error: unknown): void {
    this.#failure ??= new Error('a thread that encodes facts has failed', { cause: error });
    for (const turn of this.#waiting.splice(0)) turn.reject(this.#failure);
  }
}

/** The arrays go over to the thread, instead of being copied. */
function buffersOf({ keys, measures, users }: SpilledDay): ArrayBuffer[] {
  return [
    ...[...keys.values()].map((it) => it.codes.buffer),
    ...[...measures.values()].map((it) => it.buffer),
    ...(users === undefined ? [] : [users.offsets.buffer, users.hashes.buffer]),
  ];
}
