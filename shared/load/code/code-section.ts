import type { Experience, FactTable } from '../../catalog/tables.ts';
import { factColumns, storedColumns } from '../schema/fact-columns.ts';
import { BatchProblems, type RowProblems } from '../schema/problems.ts';
import { TimeZone } from '../schema/time-zone.ts';
import { UnreadableFileError } from '../source/row-batch.ts';
import { readSection, type Section } from '../source/sections.ts';
import { FactCoder, type References } from './code-facts.ts';
import { checkFacts, type Finding } from './fact-warnings.ts';
import { type FactBlocks, sortFacts } from './sort-facts.ts';

/** The fact file that a section belongs to. */
export interface FactFile {
  readonly experience: Experience;
  readonly table: FactTable;
  /** Whether lists are texts, as CSV writes them. */
  readonly splitLists: boolean;
}

/** A section of a fact file, checked and coded. Plain data, which threads send. */
export interface CodedSection {
  readonly rows: number;
  /** The rows; absent if a value of any row is wrong, or the section is unreadable. */
  readonly facts?: FactBlocks;
  readonly problems: RowProblems;
  /** Suspicious rows; none if any row has an invalid value. */
  readonly findings: readonly Finding[];
  /** The columns of the section with a line of each, if each row names its columns. */
  readonly columns: readonly (readonly [name: string, line: number])[];
  /** Why the file is damaged: results of the sections after this one must not be used. */
  readonly unreadable?: { readonly line: number | null; readonly reason: string };
}

/** Reads, checks and codes sections of fact files, one at a time. */
export class SectionCoder {
  readonly #references: References;
  readonly #zone: TimeZone;
  readonly #problemLimit: number;
  /** The coder of the table that was read last. It keeps distinct values from section to section. */
  #last: { readonly key: string; readonly coder: FactCoder } | undefined;

  /** @param problemLimit the number of problems that a report holds */
  constructor(references: References, problemLimit: number) {
    this.#references = references;
    this.#zone = new TimeZone(references.timeZone);
    this.#problemLimit = problemLimit;
  }

  async code(file: FactFile, section: Section): Promise<CodedSection> {
    const columns: [string, number][] = [];
    const lineProblems = new BatchProblems(this.#problemLimit);
    try {
      const batch = await readSection(section, {
        problem: (line, reason) => lineProblems.add(line, null, reason),
        header: () => undefined, // was reported when the file was opened
        column: (name, line) => {
          columns.push([name, line]);
          return factColumns(file.table).some((spec) => spec.name === name);
        },
      });
      const problems = new BatchProblems(this.#problemLimit);
      const coded = await this.#coderOf(file).code(batch, problems);
      const lineOf = (row: number) => batch.lineOf(row);
      const { first, unseen } = problems.finish(lineOf);
      const ofLines = lineProblems.finish((line) => line);
      const all = { first: [...ofLines.first, ...first], unseen: ofLines.unseen + unseen };
      const checked = { rows: batch.rows, columns, problems: all };
      if (first.length + unseen > 0) return { ...checked, findings: [] };
      const findings = checkFacts(coded, this.#references, this.#zone, lineOf);
      return { ...checked, findings, facts: sortFacts(coded, storedColumns(file.table)) };
    } catch (error) {
      if (!(error instanceof UnreadableFileError)) throw error;
      const { line, message } = error;
      const unreadable = { line, reason: message };
      return { rows: 0, columns, problems: lineProblems.finish((at) => at), findings: [], unreadable };
    }
  }

  #coderOf({ experience, table, splitLists }: FactFile): FactCoder {
    const key = `${experience}/${table}/${splitLists}`;
    if (this.#last?.key !== key) {
      const format = { splitLists, zone: this.#zone };
      this.#last = { key, coder: new FactCoder(table, experience, this.#references, format) };
    }
    return this.#last.coder;
  }
}
