import type { Experience, FactTable } from '../../catalog/tables.ts';
import type { EmptyCells } from '../schema/empty-cells.ts';
import { factColumns } from '../schema/fact-columns.ts';
import { BatchProblems } from '../schema/problems.ts';
import type { Rounding } from '../schema/roundings.ts';
import { TextIds } from '../schema/text-ids.ts';
import { TimeZone } from '../schema/time-zone.ts';
import { ColumnNames, convertColumns, type GivenColumns } from '../source/column-names.ts';
import { UnreadableFileError } from '../source/row-batch.ts';
import { readSection, type Section } from '../source/sections.ts';
import { FactCoder, type References } from './code-facts.ts';
import { checkFacts } from './fact-warnings.ts';
import { type FactBlocks, sortFacts } from './sort-facts.ts';

/** The fact file that a section belongs to. */
export interface FactFile {
  readonly experience: Experience;
  readonly table: FactTable;
  /** What `columns.json` says about the table's columns. */
  readonly names: GivenColumns;
  /** What it says is null. */
  readonly nullWords: readonly string[];
  /** The columns that folders above the file name, as we name them. */
  readonly partitions: ReadonlyMap<string, string | null>;
}

/** A section of a fact file, checked and coded. Plain data, which threads send. */
export interface CodedSection {
  readonly rows: number;
  /** The rows; absent if a value of any row is wrong, or the section is unreadable. */
  readonly facts?: FactBlocks;
  readonly problems: ReturnType<BatchProblems['finish']>;
  /** Suspicious rows; none if any row has an invalid value. */
  readonly findings: ReturnType<typeof checkFacts>;
  readonly roundings?: readonly Rounding[];
  readonly emptyCells?: readonly EmptyCells[];
  /** The sum over the rows; 0 in tables without impressions. */
  readonly impressions?: number;
  /** The columns of the section with a line of each, if each row names its columns. */
  readonly columns: readonly (readonly [name: string, line: number])[];
  /** The first line with separators only. */
  readonly emptyRow: number | undefined;
  /** Why the file is damaged: results of the sections after this one must not be used. */
  readonly unreadable?: { readonly line: number | null; readonly reason: string };
}

/** Reads, checks and codes sections of fact files, one at a time. */
export class SectionCoder {
  readonly #references: References;
  readonly #zone: TimeZone;
  readonly #textIds: TextIds;
  readonly #problemLimit: number;
  /** The coder of the table that was read last. It keeps distinct values from section to section. */
  #last: { readonly key: string; readonly coder: FactCoder } | undefined;

  /** @param problemLimit the number of problems that a report holds */
  constructor(references: References, problemLimit: number) {
    this.#references = references;
    this.#zone = new TimeZone(references.timeZone);
    this.#textIds = new TextIds(references.texts);
    this.#problemLimit = problemLimit;
  }

  async code(file: FactFile, section: Section): Promise<CodedSection> {
    const names = new ColumnNames(file.table, factColumns(file.table), file.names);
    let emptyRow: number | undefined;
    const columns: [string, number][] = [];
    const lineProblems = new BatchProblems(this.#problemLimit);
    try {
      const batch = await readSection(section, {
        partitions: file.partitions,
        nullWords: file.nullWords,
        problem: (line, reason) => lineProblems.add(line, null, reason),
        emptyRow: (line) => {
          emptyRow ??= line;
        },
        column: (name, line) => {
          columns.push([name, line]);
          return names.resolve(name) ?? null;
        },
      });
      const problems = new BatchProblems(this.#problemLimit);
      const coded = await this.#coderOf(file, batch.joinsLists).code(batch, problems);
      const lineOf = (row: number) => batch.lineOf(row);
      const { first, unseen } = problems.finish(lineOf);
      const ofLines = lineProblems.finish((line) => line);
      const all = { first: [...ofLines.first, ...first], unseen: ofLines.unseen + unseen };
      const checked = { rows: batch.rows, columns, emptyRow, problems: all };
      if (first.length + unseen > 0) return { ...checked, findings: [] };
      const findings = checkFacts(coded, this.#references, this.#zone, lineOf);
      const { roundings, emptyCells } = coded;
      const impressions = coded.measures.get('impressions')?.reduce((sum, value) => sum + value, 0) ?? 0;
      const facts = sortFacts(coded, file.table);
      return { ...checked, findings, roundings, emptyCells, impressions, facts };
    } catch (error) {
      if (!(error instanceof UnreadableFileError)) throw error;
      const { line, message } = error;
      const unreadable = { line, reason: message };
      return { rows: 0, columns, emptyRow, problems: lineProblems.finish((at) => at), findings: [], unreadable };
    }
  }

  #coderOf({ experience, table, names }: FactFile, splitLists: boolean): FactCoder {
    const key = `${experience}/${table}/${splitLists}`;
    if (this.#last?.key !== key) {
      const integerOf = (text: string) => this.#textIds.integerOf(text);
      const format = { splitLists, zone: this.#zone, productIds: this.#references.productIds, integerOf };
      this.#last = {
        key,
        coder: new FactCoder(convertColumns(factColumns(table), names), experience, this.#references, format),
      };
    }
    return this.#last.coder;
  }
}
