import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Section, SectionSource } from '../source/sections.ts';
import { type CodedSection, type FactFile, SectionCoder } from './code-section.ts';
import type { ReferenceIds } from './key-codes.ts';

/** Codes the sections of a load on several threads, or on the calling one. */
export interface CodingPool {
  /** How many sections to hand over concurrently, so that no thread ever waits. */
  readonly concurrency: number;
  /** To be called once, before `code`. */
  setReferences(references: ReferenceIds, problemLimit: number): void;
  /** @returns the section checked and coded; a block of text belongs to the thread that codes it */
  code(file: FactFile, section: Section): Promise<CodedSection>;
  close(): Promise<void>;
}

/** What a thread receives. Only sections have a response. */
export type CodingMessage =
  | { readonly kind: 'references'; readonly references: ReferenceIds; readonly problemLimit: number }
  | { readonly kind: 'section'; readonly file: FactFile; readonly source: SectionSource };

/** Fewer bytes are read before a thread has started. */
const MIN_BYTES_FOR_THREADS = 1 << 20;
const MAX_THREADS = 4;

/**
 * @param bytes of all fact files
 * @param threads at most so many; 0 = code on the calling thread, if no threads can be started
 */
export function openCodingPool(bytes: number, threads = Math.min(MAX_THREADS, availableParallelism())): CodingPool {
  return threads < 2 || bytes < MIN_BYTES_FOR_THREADS ? new CallingThread() : new ThreadPool(threads);
}

class CallingThread implements CodingPool {
  readonly concurrency = 1;
  #coder: SectionCoder | undefined;

  setReferences(references: ReferenceIds, problemLimit: number): void {
    this.#coder = new SectionCoder(references, problemLimit);
  }

  async code(file: FactFile, section: Section): Promise<CodedSection> {
    if (this.#coder === undefined) throw new Error('sections cannot be coded before the references are set');
    return this.#coder.code(file, (sink) => section.read(sink));
  }

  async close(): Promise<void> {}
}

class ThreadPool implements CodingPool {
  readonly concurrency: number;
  /** Codes the sections that no other thread can read. */
  readonly #callingThread = new CallingThread();
  readonly #workers: readonly Worker[];
  readonly #idle: Worker[];
  readonly #waiting: PromiseWithResolvers<Worker>[] = [];
  /** Set when a thread has failed: no further section is coded. */
  #failure: Error | undefined;

  constructor(threads: number) {
    this.#workers = Array.from({ length: threads }, () => new Worker(new URL('./coding-thread.ts', import.meta.url)));
    this.#idle = [...this.#workers];
    this.concurrency = threads + 1; // one more is prepared in the meantime
  }

  setReferences(references: ReferenceIds, problemLimit: number): void {
    this.#callingThread.setReferences(references, problemLimit);
    for (const worker of this.#workers) post(worker, { kind: 'references', references, problemLimit });
  }

  async code(file: FactFile, section: Section): Promise<CodedSection> {
    const { source } = section;
    if (source === undefined) return this.#callingThread.code(file, section);
    const worker = await this.#take();
    try {
      post(worker, { kind: 'section', file, source }, 'block' in source ? [source.block.bytes.buffer] : []);
      const [coded] = await once(worker, 'message'); // rejects with the error that ends the thread
      this.#release(worker);
      return coded as CodedSection; // the thread's only response
    } catch (error) {
      this.#failure ??= new Error('a thread of the load has failed', { cause: error });
      for (const turn of this.#waiting.splice(0)) turn.reject(this.#failure);
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  async #take(): Promise<Worker> {
    if (this.#failure !== undefined) throw this.#failure;
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    const turn = Promise.withResolvers<Worker>();
    this.#waiting.push(turn);
    return turn.promise;
  }

  #release(worker: Worker): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#idle.push(worker);
    else next.resolve(worker);
  }
}

function post(worker: Worker, message: CodingMessage, buffers: readonly ArrayBuffer[] = []): void {
  worker.postMessage(message, buffers);
}
