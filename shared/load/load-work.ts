import type { FactTable } from '../catalog/tables.ts';
import { type CodedSection, type FactFile, SectionCoder } from './code-section.ts';
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

  code({ file, source }: CodeTask): Promise<CodedSection> {
    return this.coder.code(file, (sink) => readSection(source, sink));
  }

  encode({ table, day, spilled }: EncodeTask): EncodedSpill {
    return encodeSpilled(table, day, spilled);
  }
}
