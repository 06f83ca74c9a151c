import type { Experience, FactTable } from '../../catalog/tables.ts';
import { BatchProblems, type RowProblems } from '../schema/problems.ts';
import { TimeZone } from '../schema/time-zone.ts';
import { type RowBatch, type RowSink, UnreadableFileError } from '../source/row-batch.ts';
import { FactChecks } from './check-facts.ts';
import { FactCoder, storedColumns } from './code-facts.ts';
import type { Finding } from './fact-warnings.ts';
import {
  type DecodeKey,
  type EncodeKey,
  keyDecoders,
  keyEncoders,
  type ReferenceIds,
  type StoredKey,
  TextCodes,
} from './key-codes.ts';
import { type FactBlocks, FactSorter } from './sort-facts.ts';

/** The fact file that a section belongs to. */
export interface FactFile {
  readonly experience: Experience;
  readonly table: FactTable;
  /** Lists are texts, as CSV writes them. */
  readonly splitLists: boolean;
}

/** A section of a fact file, checked and coded. Plain data, which threads send. */
export interface CodedSection {
  readonly rows: number;
  /** The rows, unless a value of any row is wrong. */
  readonly facts?: FactBlocks;
  readonly problems: RowProblems;
  /** Suspicious rows; none if any row has an invalid value. */
  readonly findings: readonly Finding[];
  /** The columns of the section with a line of each, if each row names its columns. */
  readonly columns: readonly (readonly [name: string, line: number])[];
  /** Why the file is damaged: the sections after this one must not be read. */
  readonly unreadable?: { readonly line: number | null; readonly reason: string };
}

/** Checks and codes sections of fact files; each thread has one. */
export class SectionCoder {
  readonly #encoders: Readonly<Record<StoredKey, EncodeKey>>;
  readonly #decoders: Readonly<Record<StoredKey, DecodeKey>>;
  readonly #owners: readonly number[];
  readonly #zone: TimeZone;
  readonly #checks: FactChecks;
  readonly #problemLimit: number;
  readonly #coders = new Map<string, { readonly coder: FactCoder; readonly sorter: FactSorter }>();

  /** @param problemLimit the number of problems that a report holds */
  constructor(known: ReferenceIds, problemLimit: number) {
    const texts = new TextCodes();
    this.#encoders = keyEncoders(known, texts);
    this.#decoders = keyDecoders(known, texts);
    this.#owners = known.owners;
    this.#zone = new TimeZone(known.timeZone);
    this.#checks = new FactChecks(known, this.#zone, (code) => texts.decode(code));
    this.#problemLimit = problemLimit;
  }

  /** May be called concurrently. */
  async code(file: FactFile, read: (sink: RowSink) => Promise<RowBatch>): Promise<CodedSection> {
    const columns: [string, number][] = [];
    const lines: { line: number; field: null; reason: string }[] = [];
    try {
      const batch = await read({
        problem: (line, reason) => void lines.push({ line, field: null, reason }),
        header: () => undefined, // was reported when the file was opened
        column: (name, line) => void columns.push([name, line]),
      });
      const problems = new BatchProblems(this.#problemLimit);
      const { coder, sorter } = this.#coderOf(file);
      const coded = await coder.code(batch, problems);
      const lineOf = (row: number) => batch.lineOf(row);
      const { first, unseen } = problems.finish(lineOf);
      const checked = { rows: batch.rows, columns, problems: { first: [...lines, ...first], unseen } };
      if (first.length + unseen > 0) return { ...checked, findings: [] };
      return { ...checked, findings: this.#checks.check(file.table, coded, lineOf), facts: sorter.sort(coded) };
    } catch (error) {
      if (!(error instanceof UnreadableFileError)) throw error;
      const { line, message } = error;
      const unreadable = { line, reason: message };
      return { rows: 0, columns, problems: { first: lines, unseen: 0 }, findings: [], unreadable };
    }
  }

  #coderOf({ experience, table, splitLists }: FactFile): { coder: FactCoder; sorter: FactSorter } {
    const key = `${experience}/${table}/${splitLists}`;
    const known = this.#coders.get(key);
    if (known !== undefined) return known;
    const made = {
      coder: new FactCoder(table, experience, this.#encoders, { splitLists, zone: this.#zone }),
      sorter: new FactSorter(storedColumns(table), this.#decoders, this.#owners),
    };
    this.#coders.set(key, made);
    return made;
  }
}
