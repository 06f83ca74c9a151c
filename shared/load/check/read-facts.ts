import type { Experience, FactTable } from '../../catalog/tables.ts';
import { mapInOrder } from '../../lib/concurrency.ts';
import type { CodedSection } from '../code/code-section.ts';
import type { CodingPool } from '../code/coding-pool.ts';
import type { FactWarnings } from '../code/fact-warnings.ts';
import { factColumns } from '../schema/fact-columns.ts';
import { ColumnNames } from '../source/column-names.ts';
import { skipEmptyFiles } from '../source/empty-files.ts';
import type { FactDataFile } from '../source/find-files.ts';
import { explainFullDisk, FileSink, UnreadableFileError } from '../source/row-batch.ts';
import { bytesOf, openSections, type Reading } from '../source/sections.ts';
import { checkColumns } from './check-columns.ts';
import { checkRepeats } from './check-repeats.ts';
import { FactPartitions, type Spill } from './spill.ts';

export interface FactReading extends Reading {
  readonly pool: CodingPool;
  readonly spill: Spill;
  readonly factWarnings: FactWarnings;
  /** Called with the number of rows as they are read. */
  readonly onRows: (rows: number) => void;
}

/** The rows of one fact table of one experience. */
export interface ReadFacts {
  readonly experience: Experience;
  readonly table: FactTable;
  readonly rows: number;
  /** The files without rows. */
  readonly emptyFiles: readonly string[];
  readonly partitions: FactPartitions;
}

/** Checks all rows of the fact files and spills them by day. After the first problem, rows are checked but not spilled. */
export async function readFacts(reading: FactReading, files: readonly FactDataFile[]): Promise<ReadFacts[]> {
  const groups = Map.groupBy(files, (file) => `${file.experience}/${file.table}`);
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
  const { problems, spill, onRows } = reading;
  const partitions = new FactPartitions(experience, table);
  const counts: { readonly name: string; readonly rows: number; readonly columns: ReadonlySet<string> | undefined }[] =
    [];
  for (const [number, file] of (await skipEmptyFiles(reading, files, false)).entries()) {
    let rows = 0;
    const names = new ColumnNames(table, factColumns(table), reading.columns.names[table]);
    const sink = new FileSink(file, names, problems);
    for await (const { facts, rows: added } of codeFile(reading, file, sink)) {
      if (problems.count === 0 && facts !== undefined) {
        await partitions.add(facts, number, spill).catch((error: unknown) => {
          problems.addFile(file.name, explainFullDisk(error));
        });
      }
      rows += added;
      onRows(added);
    }
    counts.push({ name: file.name, rows, columns: sink.columns });
  }
  if (problems.count === 0) checkColumns(table, counts, partitions, problems);
  if (problems.count === 0 && !reading.columns.filesAddUp) await checkRepeats(table, counts, partitions, reading);
  const emptyFiles = counts.filter(({ rows }) => rows === 0).map(({ name }) => name);
  return { experience, table, rows: counts.reduce((sum, { rows }) => sum + rows, 0), emptyFiles, partitions };
}

/** Reads and checks the file's sections, several concurrently. Problems go to `problems`. */
async function* codeFile(reading: FactReading, file: FactDataFile, sink: FileSink): AsyncGenerator<CodedSection> {
  const { problems, pool, factWarnings } = reading;
  const { name, experience, table } = file;
  const names = reading.columns.names[table] ?? {};
  const sections = openSections(reading, file, sink);
  const factFile = { experience, table, names, partitions: sink.partitions };
  try {
    for await (const { bytes, coded } of mapInOrder(sections, pool.concurrency, async (section) => {
      return { bytes: bytesOf(section), coded: await pool.code(factFile, section) };
    })) {
      reading.onBytes(bytes);
      for (const [column, line] of coded.columns) sink.column(column, line);
      if (coded.emptyRow !== undefined) sink.emptyRow(coded.emptyRow);
      problems.addRows(name, coded.problems);
      problems.roundings.add(`facts/${experience}/${table}*`, coded.roundings ?? []);
      factWarnings.add({ experience, table, file: name }, coded.findings);
      yield coded;
      if (coded.unreadable !== undefined) {
        throw new UnreadableFileError(coded.unreadable.line, coded.unreadable.reason);
      }
    }
  } catch (error) {
    sink.fail(error);
  }
}
