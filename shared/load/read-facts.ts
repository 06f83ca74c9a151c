import type { Experience, FactTable, Measure } from '../catalog/tables.ts';
import { FactCoder, storedColumns } from './code-facts.ts';
import { factColumns } from './fact-columns.ts';
import type { FactDataFile } from './find-files.ts';
import type { KeyCoder, StoredKey } from './key-codes.ts';
import { BatchProblems } from './problems.ts';
import { type Reading, readFile } from './read-file.ts';
import type { Spill } from './spill.ts';
import { FactPartitions } from './spill-facts.ts';

export interface FactReading extends Reading {
  readonly coders: Readonly<Record<StoredKey, KeyCoder>>;
  /** Advertiser of each ad group, by ad group code - 1. */
  readonly owners: readonly number[];
  readonly spill: Spill;
  /** Called with the number of rows after each batch. */
  readonly onRows: (rows: number) => void;
}

/** The rows of one fact table of one experience. */
export interface ReadFacts {
  readonly experience: Experience;
  readonly table: FactTable;
  readonly rows: number;
  readonly partitions: FactPartitions;
}

/** Checks all rows of the fact files and spills them by day. Once anything is wrong, rows are only checked on. */
export async function readFacts(reading: FactReading, files: readonly FactDataFile[]): Promise<ReadFacts[]> {
  const groups = Map.groupBy(files, (it) => `${it.experience}/${it.table}`);
  const found: ReadFacts[] = [];
  for (const [first, ...others] of groups.values()) {
    if (first !== undefined) found.push(await readTable(reading, first.experience, first.table, [first, ...others]));
  }
  return found;
}

async function readTable(
  reading: FactReading,
  experience: Experience,
  table: FactTable,
  files: readonly FactDataFile[],
): Promise<ReadFacts> {
  const { problems, coders, owners, spill, onRows } = reading;
  const partitions = new FactPartitions(experience, table, owners);
  const totals = new MeasureTotals(table);
  let rows = 0;
  for (const file of files) {
    const coder = new FactCoder(table, experience, coders, file.format === 'csv');
    for await (const batch of readFile(reading, file, factColumns(table))) {
      const wrong = new BatchProblems(problems.limit);
      const coded = await coder.code(batch, wrong);
      wrong.moveTo(problems, file.name, (row) => batch.lineOf(row));
      if (problems.count === 0) {
        totals.add(coded.columns);
        await partitions.add(coded, spill);
      }
      rows += batch.rows;
      onRows(batch.rows);
    }
    for (const { measure, most } of totals.takeTooLarge()) {
      const reason = `adds up to more than ${most}, with which sums would no longer be exact`;
      problems.add({ file: file.name, line: null, field: measure, reason });
    }
  }
  return { experience, table, rows, partitions };
}

/** Watches that no measure of a load adds up beyond what a double counts exactly. */
class MeasureTotals {
  readonly #specs: readonly { readonly name: string; readonly measure: Measure; readonly scale: number }[];
  readonly #first: number;
  readonly #totals: number[];

  constructor(table: FactTable) {
    this.#specs = factColumns(table).flatMap((it) => (it.role === 'measure' ? [it] : []));
    this.#first = storedColumns(table).keys.length;
    this.#totals = this.#specs.map(() => 0);
  }

  add(columns: readonly Float64Array[]): void {
    for (let i = 0; i < this.#totals.length; i++) {
      let total = this.#totals[i] ?? 0;
      const values = columns[this.#first + i] ?? new Float64Array(0);
      for (let row = 0; row < values.length; row++) total += values[row] ?? 0;
      this.#totals[i] = total;
    }
  }

  /** @returns the measures that have passed the limit since the last call. */
  takeTooLarge(): { measure: string; most: number }[] {
    return this.#specs.flatMap(({ name, scale }, i) => {
      if ((this.#totals[i] ?? 0) <= Number.MAX_SAFE_INTEGER) return [];
      this.#totals[i] = 0;
      return [{ measure: name, most: Math.floor(Number.MAX_SAFE_INTEGER / scale) }];
    });
  }
}
