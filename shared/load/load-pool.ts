import { availableParallelism } from 'node:os';
import type { CodedSection, FactFile } from './code-section.ts';
import type { MonthColumns } from './encode-month.ts';
import type { EncodedSpill } from './encode-spilled.ts';
import type { KnownKeys } from './key-codes.ts';
import { type EncodeTask, type KnowTask, LoadWork, type RollUpTask, type Task } from './load-work.ts';
import type { Section } from './sections.ts';
import type { SpilledDay } from './spill-facts.ts';
import { Threads } from './threads.ts';

/** Does a load's work on several threads, or on the calling one. */
export interface LoadPool {
  /** So much work is to be given at once that no thread ever waits. */
  readonly atOnce: number;
  /** To be called once, before `code`. */
  know(known: KnownKeys, problemLimit: number): void;
  /** @returns the section, and which coder's codes its texts have; sections of one coder are answered in the order they are given */
  code(file: FactFile, section: Section): Promise<{ coder: number; coded: CodedSection }>;
  /** @returns the day encoded; its arrays may be gone afterwards */
  encode(task: Omit<EncodeTask, 'kind'>): Promise<EncodedSpill>;
  /** @returns the month's rollup */
  rollUp(task: Omit<RollUpTask, 'kind'>): Promise<MonthColumns>;
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

  async code(file: FactFile, section: Section): Promise<{ coder: number; coded: CodedSection }> {
    return { coder: 0, coded: await this.#work.coder.code(file, (sink) => section.read(sink)) };
  }

  async encode(task: Omit<EncodeTask, 'kind'>): Promise<EncodedSpill> {
    return this.#work.encode({ kind: 'encode', ...task });
  }

  async rollUp(task: Omit<RollUpTask, 'kind'>): Promise<MonthColumns> {
    return this.#work.rollUp({ kind: 'roll up', ...task });
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

  override async code(file: FactFile, section: Section): Promise<{ coder: number; coded: CodedSection }> {
    const { source } = section;
    if (source === undefined) return super.code(file, section);
    const buffers = source.format === 'parquet' ? [] : [source.block.bytes.buffer];
    const { thread, answer } = await this.#threads.run<CodedSection>({ kind: 'code', file, source }, buffers);
    return { coder: thread + 1, coded: answer };
  }

  override async encode(task: Omit<EncodeTask, 'kind'>): Promise<EncodedSpill> {
    const { answer } = await this.#threads.run<EncodedSpill>({ kind: 'encode', ...task }, buffersOf(task.spilled));
    return answer;
  }

  override async rollUp(task: Omit<RollUpTask, 'kind'>): Promise<MonthColumns> {
    const { answer } = await this.#threads.run<MonthColumns>({ kind: 'roll up', ...task }, []);
    return answer;
  }

  override close(): Promise<void> {
    return this.#threads.close();
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
