import type { FactTable } from '../catalog/tables.ts';
import { type CodedSection, type FactFile, SectionCoder } from './code-section.ts';
import { encodeMonth, type MonthColumns, type RolledDays } from './encode-month.ts';
import { type EncodedSpill, encodeSpilled } from './encode-spilled.ts';
import type { KnownKeys } from './key-codes.ts';
import { readSection, type SectionSource } from './sections.ts';
import type { SpilledDay } from './spill-facts.ts';

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
  readonly table: FactTable;
  /** Of the month, 1–31. */
  readonly day: number;
  readonly spilled: SpilledDay;
}

export interface RollUpTask {
  readonly kind: 'roll up';
  /** `YYYY-MM` */
  readonly month: string;
  readonly before: MonthColumns;
  readonly days: RolledDays;
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

  async perform(task: Task): Promise<CodedSection | EncodedSpill | MonthColumns> {
    switch (task.kind) {
      case 'code':
        return this.code(task);
      case 'encode':
        return this.encode(task);
      case 'roll up':
        return this.rollUp(task);
    }
  }

  code({ file, source }: CodeTask): Promise<CodedSection> {
    return this.coder.code(file, (sink) => readSection(source, sink));
  }

  encode({ table, day, spilled }: EncodeTask): EncodedSpill {
    return encodeSpilled(table, day, spilled);
  }

  rollUp({ month, before, days }: RollUpTask): MonthColumns {
    return encodeMonth(month, before, days);
  }
}
