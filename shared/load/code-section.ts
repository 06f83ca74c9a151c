import type { Experience, FactTable } from '../catalog/tables.ts';
import { type CodedFacts, FactCoder } from './code-facts.ts';
import { type EncodeKey, type KnownKeys, keyEncoders, type StoredKey, TextCodes } from './key-codes.ts';
import { BatchProblems, type RowProblems } from './problems.ts';
import { type RowBatch, type RowSink, UnreadableFileError } from './row-batch.ts';

/** The fact file that a section belongs to. */
export interface FactFile {
  readonly experience: Experience;
  readonly table: FactTable;
  /** Lists are texts, as CSV writes them. */
  readonly splitLists: boolean;
}

/** A section of a fact file, checked; plain data, to be handed from thread to thread. */
export interface CodedSection {
  /** Absent where nothing could be read. */
  readonly facts?: CodedFacts;
  /** Texts that the coder has met for the first time: codes of texts count on from those of its sections before. */
  readonly newTexts: readonly string[];
  readonly problems: RowProblems;
  /** Each column that the section has, where rows name their columns, with a line. */
  readonly columns: readonly (readonly [name: string, line: number])[];
  /** The file is damaged: what follows must not be read. */
  readonly unreadable?: { readonly line: number | null; readonly reason: string };
}

/** Checks sections of fact files; each thread has one. */
export class SectionCoder {
  readonly #texts = new TextCodes();
  readonly #encoders: Readonly<Record<StoredKey, EncodeKey>>;
  readonly #problemLimit: number;
  readonly #coders = new Map<string, FactCoder>();
  #last: Promise<unknown> = Promise.resolve();

  /** @param problemLimit how many problems can be shown at most */
  constructor(known: KnownKeys, problemLimit: number) {
    this.#encoders = keyEncoders(known, this.#texts);
    this.#problemLimit = problemLimit;
  }

  /** Sections are coded one after another in the order they are given: otherwise one would tell the new texts of another. */
  code(file: FactFile, read: (sink: RowSink) => Promise<RowBatch>): Promise<CodedSection> {
    const coding = this.#last.then(() => this.#codeNext(file, read));
    this.#last = coding.catch(() => undefined);
    return coding;
  }

  async #codeNext(file: FactFile, read: (sink: RowSink) => Promise<RowBatch>): Promise<CodedSection> {
    const columns: [string, number][] = [];
    const lines: { line: number; field: null; reason: string }[] = [];
    const told = () => ({ newTexts: this.#texts.takeNew(), columns });
    try {
      const batch = await read({
        problem: (line, reason) => void lines.push({ line, field: null, reason }),
        header: () => undefined, // known before the sections are
        column: (name, line) => void columns.push([name, line]),
      });
      const problems = new BatchProblems(this.#problemLimit);
      const facts = await this.#coderOf(file).code(batch, problems);
      const { first, unseen } = problems.told((row) => batch.lineOf(row));
      return { ...told(), facts, problems: { first: [...lines, ...first], unseen } };
    } catch (error) {
      if (!(error instanceof UnreadableFileError)) throw error;
      const { line, message } = error;
      return { ...told(), problems: { first: lines, unseen: 0 }, unreadable: { line, reason: message } };
    }
  }

  #coderOf({ experience, table, splitLists }: FactFile): FactCoder {
    const key = `${experience}/${table}/${splitLists}`;
    const known = this.#coders.get(key);
    if (known !== undefined) return known;
    const made = new FactCoder(table, experience, this.#encoders, splitLists);
    this.#coders.set(key, made);
    return made;
  }
}
