import type { Cube } from '../columns/rollup.ts';
import type { RollupData } from '../store/facts/rollups.ts';
import { type CodedSection, type FactFile, SectionCoder } from './code-section.ts';
import { encodeMonth, type RolledDays } from './encode-month.ts';
import { type EncodedSpill, encodeSpilled, type SpilledDay } from './encode-spilled.ts';
import type { KnownKeys } from './key-codes.ts';
import { readSection, type SectionSource } from './sections.ts';

/** What the coder of a thread must know before its first section. */
export interface KnowTask {
  readonly kind: 'know';
  readonly known: KnownKeys;
  readonly problemLimit: number;
}

export interface CodeTask {
  readonly kind: 'code';
  readonly file: FactFile;
  readonly source: SectionSource;
}

export interface EncodeTask {
  readonly kind: 'encode';
  readonly days: readonly SpilledDay[];
  /** The blocks of all days, one day after another. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface RollUpTask {
  readonly kind: 'roll up';
  /** `YYYY-MM` */
  readonly month: string;
  readonly before: RollupData | undefined;
  readonly brought: ReadonlyMap<Cube, RolledDays>;
}

/** What has an answer. */
export type Task = CodeTask | EncodeTask | RollUpTask;

/** The part of a load that needs nothing but the processor: done by each of its threads, or by the calling one. */
export class LoadWork {
  #coder: SectionCoder | undefined;

  know({ known, problemLimit }: KnowTask): void {
    this.#coder = new SectionCoder(known, problemLimit);
  }

  get coder(): SectionCoder {
    if (this.#coder === undefined) throw new Error('sections cannot be checked before it is known against what');
    return this.#coder;
  }

  /** @returns the answer, and the buffers of it that go over to another thread */
  async perform(
    task: Task,
  ): Promise<{ answer: CodedSection | EncodedSpill[] | RollupData | undefined; buffers: ArrayBuffer[] }> {
    switch (task.kind) {
      case 'code': {
        const answer = await this.code(task);
        return { answer, buffers: answer.facts === undefined ? [] : [answer.facts.bytes.buffer] };
      }
      case 'encode': {
        const { days, buffer } = encodeSpilled(task.days, task.bytes);
        return { answer: days, buffers: [buffer] };
      }
      case 'roll up':
        return { answer: this.rollUp(task), buffers: [] };
    }
  }

  code({ file, source }: CodeTask): Promise<CodedSection> {
    return this.coder.code(file, (sink) => readSection(source, sink));
  }

  encode({ days, bytes }: Omit<EncodeTask, 'kind'>): EncodedSpill[] {
    return encodeSpilled(days, bytes).days;
  }

  rollUp({ month, before, brought }: Omit<RollUpTask, 'kind'>): RollupData | undefined {
    return encodeMonth(month, before, brought);
  }
}
