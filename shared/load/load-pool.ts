import { availableParallelism } from 'node:os';
import type { RollupData } from '../store/facts/rollups.ts';
import type { CodedSection, FactFile } from './code-section.ts';
import type { EncodedSpill } from './encode-spilled.ts';
import type { KnownKeys } from './key-codes.ts';
import { type EncodeTask, type KnowTask, LoadWork, type RollUpTask, type Task } from './load-work.ts';
import type { Section } from './sections.ts';
import { Threads } from './threads.ts';

/** Does a load's work on several threads, or on the calling one. */
export interface LoadPool {
  /** So much work is to be given at once that no thread ever waits. */
  readonly atOnce: number;
  /** To be called once, before `code`. */
  know(known: KnownKeys, problemLimit: number): void;
  /** @returns the section checked; its bytes may be gone afterwards */
  code(file: FactFile, section: Section): Promise<CodedSection>;
  /** @returns the days encoded; the bytes given may be gone afterwards */
  encode(task: Omit<EncodeTask, 'kind'>): Promise<EncodedSpill[]>;
  /** @returns the month's rollup; undefined where the month has no rows */
  rollUp(task: Omit<RollUpTask, 'kind'>): Promise<RollupData | undefined>;
  close(): Promise<void>;
}

/** Fewer bytes are read before a thread has started. */
const BYTES_WORTH_THREADS = 1 << 20;
const MAX_THREADS = 4;

/**
 * @param bytes of fact files there are
 * @param threads at most so many; 0 = in the calling thread, where no threads may be made
 */
export function openPool(bytes: number, threads = Math.min(MAX_THREADS, availableParallelism())): LoadPool {
  return threads < 2 || bytes < BYTES_WORTH_THREADS ? new CallingThread() : new ThreadPool(threads);
}

class CallingThread implements LoadPool {
  readonly atOnce: number = 1;
  readonly #work = new LoadWork();

  know(known: KnownKeys, problemLimit: number): void {
    this.#work.know({ kind: 'know', known, problemLimit });
  }

  async code(file: FactFile, section: Section): Promise<CodedSection> {
    return this.#work.coder.code(file, (sink) => section.read(sink));
  }

  async encode(task: Omit<EncodeTask, 'kind'>): Promise<EncodedSpill[]> {
    return this.#work.encode(task);
  }

  async rollUp(task: Omit<RollUpTask, 'kind'>): Promise<RollupData | undefined> {
    return this.#work.rollUp(task);
  }

  async close(): Promise<void> {}
}

class ThreadPool extends CallingThread {
  override readonly atOnce: number;
  readonly #threads: Threads<KnowTask, Task>;

  constructor(threads: number) {
    super();
    this.#threads = new Threads(new URL('./load-thread.ts', import.meta.url), threads);
    this.atOnce = threads + 1; // one more is prepared meanwhile
  }

  override know(known: KnownKeys, problemLimit: number): void {
    super.know(known, problemLimit);
    this.#threads.tell({ kind: 'know', known, problemLimit });
  }

  override async code(file: FactFile, section: Section): Promise<CodedSection> {
    const { source } = section;
    if (source === undefined) return super.code(file, section);
    const buffers = 'block' in source ? [source.block.bytes.buffer] : [];
    return this.#threads.run<CodedSection>({ kind: 'code', file, source }, buffers);
  }

  override encode(task: Omit<EncodeTask, 'kind'>): Promise<EncodedSpill[]> {
    return this.#threads.run<EncodedSpill[]>({ kind: 'encode', ...task }, [task.bytes.buffer]);
  }

  override rollUp(task: Omit<RollUpTask, 'kind'>): Promise<RollupData | undefined> {
    return this.#threads.run<RollupData | undefined>({ kind: 'roll up', ...task }, []);
  }

  override close(): Promise<void> {
    return this.#threads.close();
  }
}
