import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { Limiter } from '../../lib/concurrency.ts';
import type { Section } from '../source/sections.ts';
import type { References } from './code-facts.ts';
import { type CodedSection, type FactFile, SectionCoder } from './code-section.ts';
import { type DayBlocks, encodeDay } from './encode-day.ts';
import { type DayOfFiles, findRepeats, type Repeats } from './find-repeats.ts';

type EncodedDay = ReturnType<typeof encodeDay>;

/** Codes the sections of a load, and then encodes its days, on several threads or on the calling one. */
export interface CodingPool {
  /** How many sections or days to hand over concurrently: if there are threads, one more than these. */
  readonly concurrency: number;
  /** To be called once, before `code`. */
  setReferences(references: References, problemLimit: number): void;
  /** @returns the section checked and coded. Its block of text may be transferred: do not use it afterwards. */
  code(file: FactFile, section: Section): Promise<CodedSection>;
  /** @returns what `findRepeats` returns */
  findRepeats(day: DayOfFiles): Promise<Repeats[]>;
  /** @returns what `encodeDay` returns; to be called when all sections are coded */
  encode(day: DayBlocks): Promise<EncodedDay>;
  close(): Promise<void>;
}

/** What a thread receives. All but references have a response. */
export type CodingMessage =
  | { readonly kind: 'references'; readonly references: References; readonly problemLimit: number }
  | { readonly kind: 'section'; readonly file: FactFile; readonly section: Section }
  | { readonly kind: 'repeats'; readonly day: DayOfFiles }
  | { readonly kind: 'day'; readonly day: DayBlocks };

/** Reading fewer bytes takes less time than starting a thread. */
const MIN_BYTES_FOR_THREADS = 1 << 20;
const MAX_THREADS = 4;

/**
 * @param bytes of all fact files; with less than 1 MiB, the calling thread does the work
 * @param threads to start; with 0 or 1, the calling thread does the work
 */
export function openCodingPool(bytes: number, threads = Math.min(MAX_THREADS, availableParallelism())): CodingPool {
  return threads < 2 || bytes < MIN_BYTES_FOR_THREADS ? new CallingThread() : new ThreadPool(threads);
}

class CallingThread implements CodingPool {
  readonly concurrency = 1;
  #coder: SectionCoder | undefined;

  setReferences(references: References, problemLimit: number): void {
    this.#coder = new SectionCoder(references, problemLimit);
  }

  async code(file: FactFile, section: Section): Promise<CodedSection> {
    if (this.#coder === undefined) throw new Error('sections cannot be coded before the references are set');
    return this.#coder.code(file, section);
  }

  async findRepeats(day: DayOfFiles): Promise<Repeats[]> {
    return findRepeats(day);
  }

  async encode(day: DayBlocks): Promise<EncodedDay> {
    this.#coder = undefined; // all sections are coded, and a day may take most of the memory
    return encodeDay(day);
  }

  async close(): Promise<void> {}
}

class ThreadPool implements CodingPool {
  readonly concurrency: number;
  readonly #idle: Worker[];
  readonly #workers: readonly Worker[];
  readonly #limiter: Limiter;
  /** Set when a thread has failed: nothing more is coded or encoded. */
  #failure: Error | undefined;

  constructor(threads: number) {
    this.#workers = Array.from({ length: threads }, () => new Worker(new URL('./coding-thread.ts', import.meta.url)));
    // if no section or day waits for the thread, the next one fails
    for (const worker of this.#workers) worker.on('error', (error) => this.#fail(error));
    this.#idle = [...this.#workers];
    this.#limiter = new Limiter(threads);
    this.concurrency = threads + 1; // one more is prepared in the meantime
  }

  setReferences(references: References, problemLimit: number): void {
    for (const worker of this.#workers) post(worker, { kind: 'references', references, problemLimit });
  }

  async code(file: FactFile, section: Section): Promise<CodedSection> {
    const buffers = 'block' in section ? [section.block.bytes.buffer] : [];
    return (await this.#ask({ kind: 'section', file, section }, buffers)) as CodedSection; // the thread's response to a section
  }

  async findRepeats(day: DayOfFiles): Promise<Repeats[]> {
    return (await this.#ask({ kind: 'repeats', day }, [])) as Repeats[]; // the thread's response
  }

  async encode(day: DayBlocks): Promise<EncodedDay> {
    const blocks = day.blocks.slice(); // the copy is transferred, and the caller keeps its own
    return (await this.#ask({ kind: 'day', day: { ...day, blocks } }, [blocks.buffer])) as EncodedDay; // the thread's response to a day
  }

  /** @returns the thread's response */
  #ask(message: CodingMessage, buffers: readonly ArrayBuffer[]): Promise<unknown> {
    return this.#limiter.run(async () => {
      const worker = this.#idle.pop(); // there is one, unless a thread has failed
      if (worker === undefined || this.#failure !== undefined) throw this.#failure;
      try {
        post(worker, message, buffers);
        const [response] = await once(worker, 'message'); // rejects with the error that ends the thread
        this.#idle.push(worker);
        return response;
      } catch (error) {
        this.#fail(error);
        throw error;
      }
    });
  }

  #fail(error: unknown): void {
    this.#failure ??= new Error('a thread of the load has failed', { cause: error });
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}

function post(worker: Worker, message: CodingMessage, buffers: readonly ArrayBuffer[] = []): void {
  worker.postMessage(message, buffers);
}
