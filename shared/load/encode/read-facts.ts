import { columnName } from '../../catalog/custom-fields.ts';
import { columnHasValues } from '../../catalog/rules.ts';
import { type Experience, type FactTable, keyIn, measureOf } from '../../catalog/tables.ts';
import { formatDay } from '../../lib/calendar.ts';
import { forEachConcurrently, mapInOrder } from '../../lib/concurrency.ts';
import { formatAmount } from '../../lib/format-amount.ts';
import { factColumns } from '../schema/fact-columns.ts';
import { MAX_EXAMPLES, type Problems } from '../schema/problems.ts';
import { TimeZone } from '../schema/time-zone.ts';
import { ColumnNames } from '../source/column-names.ts';
import { skipEmptyFiles } from '../source/empty-files.ts';
import type { FactDataFile } from '../source/find-files.ts';
import { explainFullDisk, FileSink, rejectRest, UnreadableFileError } from '../source/row-batch.ts';
import { bytesOf, openSections, type Reading } from '../source/sections.ts';
import type { CodedSection } from './code-section.ts';
import type { CodingPool } from './coding-pool.ts';
import type { FactWarnings } from './fact-warnings.ts';
import type { Repeats } from './find-repeats.ts';
import { FactPartitions, type Spill } from './spill.ts';

export interface FactReading extends Reading {
  readonly pool: CodingPool;
  readonly spill: Spill;
  readonly factWarnings: FactWarnings;
  readonly timeZone: string;
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

interface CountedFile {
  readonly name: string;
  readonly rows: number;
  /** Undefined if its format does not list them. */
  readonly columns: ReadonlySet<string> | undefined;
  /** The columns that it lists or that its rows name. */
  readonly named: ReadonlySet<string>;
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
  const counts: CountedFile[] = [];
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
    counts.push({ name: file.name, rows, columns: sink.columns, named: sink.named });
  }
  if (table !== 'market') markUnmeasured({ experience, table }, counts, partitions);
  if (problems.count === 0) checkColumns(table, counts, partitions, problems);
  if (problems.count === 0) checkHours(counts, partitions, problems);
  if (problems.count === 0 && !reading.columns.filesAddUp) await checkRepeats(table, counts, partitions, reading);
  const emptyFiles = counts.filter(({ rows }) => rows === 0).map(({ name }) => name);
  return { experience, table, rows: counts.reduce((sum, { rows }) => sum + rows, 0), emptyFiles, partitions };
}

/** Reads and checks the file's sections, several concurrently. Problems go to `problems`. */
async function* codeFile(reading: FactReading, file: FactDataFile, sink: FileSink): AsyncGenerator<CodedSection> {
  const { problems, pool, factWarnings } = reading;
  const { name, experience, table } = file;
  const names = reading.columns.names[table] ?? {};
  const { nullWords } = reading.columns;
  const sections = openSections(reading, file, sink);
  const factFile = { experience, table, names, nullWords, partitions: sink.partitions };
  try {
    for await (const { bytes, coded } of mapInOrder(sections, pool.concurrency, async (section) => {
      return { bytes: bytesOf(section), coded: await pool.code(factFile, section) };
    })) {
      reading.onBytes(bytes);
      for (const [column, line] of coded.columns) sink.column(column, line);
      if (coded.emptyRow !== undefined) sink.emptyRow(coded.emptyRow);
      problems.addRows(name, coded.problems);
      rejectRest(problems);
      const where = `facts/${experience}/${table}*`;
      problems.roundings.add(where, coded.roundings ?? []);
      problems.emptyCells.add(where, coded.rows, coded.impressions ?? 0, coded.emptyCells ?? []);
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

/** Of market, absent numbers are 0: a row without a number of advertisers does not count. */
function markUnmeasured(
  { experience, table }: Pick<ReadFacts, 'experience' | 'table'>,
  files: readonly CountedFile[],
  partitions: FactPartitions,
): void {
  const columns = factColumns(table).flatMap((column, at) => {
    if (column.role === 'users' || column.required === true) return [];
    const stored = column.role === 'key' ? keyIn(table, column.key) : column.measure;
    if (column.role === 'key' && !columnHasValues(column.key, experience)) return [];
    return [{ name: column.name, stored, bit: 1n << BigInt(at) }];
  });
  const valued = new Map<number, bigint>();
  for (const day of partitions.days()) valued.set(day.day, (valued.get(day.day) ?? 0n) | day.valued);
  for (const day of partitions.days()) {
    const ofDay = day.sequence.runs.flatMap((run) => files[run.file] ?? []);
    day.unmeasured = columns.flatMap(({ name, stored, bit }) => {
      const bits = name === 'hour' ? day.valued : valued.get(day.day); // a row without an hour has none, whatever others have
      const hasColumn = ofDay.some(({ named }) => named.has(name));
      return hasColumn && ((bits ?? 0n) & bit) !== 0n ? [] : [stored];
    });
  }
}

/**
 * Finds files of a table that have rows of the same day, but not the same columns: sums by the column would be those of some files. A missing key is a problem,
 * a missing measure or `users` a warning; once per file and column.
 * @param files each with its columns; undefined if its format does not list them
 */
function checkColumns(
  table: FactTable,
  files: readonly { readonly name: string; readonly columns: ReadonlySet<string> | undefined }[],
  partitions: FactPartitions,
  problems: Problems,
): void {
  for (const { name, role, required } of factColumns(table)) {
    if (required === 'in all rows or none') continue;
    const has = new Set(files.filter(({ columns }) => columns?.has(name)));
    const lacks = new Set(files.filter(({ columns }) => columns?.has(name) === false));
    if (has.size === 0 || lacks.size === 0) continue;
    for (const { day, sequence } of partitions.days()) {
      const ofDay = sequence.runs.flatMap((run) => files[run.file] ?? []);
      const other = ofDay.find((file) => has.has(file));
      for (const file of other === undefined ? [] : ofDay.filter((one) => lacks.delete(one))) {
        const reason = `lacks the column ${name}, which ${other?.name} has with rows of the same day, ${formatDay(day)}`;
        if (role === 'key') problems.addFile(file.name, `${reason}: add it, empty where it has no value`);
        else problems.warnings.push(`${file.name}: ${reason}: sums of the day are those of some files`);
      }
    }
  }
}

/** Finds files that have rows without an hour of a day of which other rows have one: it is in all rows of a day or in none. */
function checkHours(files: readonly CountedFile[], partitions: FactPartitions, problems: Problems): void {
  const found = new Set<string>();
  for (const { day, sequence } of partitions.days()) {
    const nameOf = (hasHours: boolean) =>
      files[sequence.runs.find((run) => run.hasHours === hasHours)?.file ?? -1]?.name;
    const [has, lacks] = [nameOf(true), nameOf(false)];
    if (has === undefined || lacks === undefined || found.has(lacks)) continue;
    found.add(lacks);
    problems.addFile(lacks, `has rows of ${formatDay(day)} without hour, which ${has} has on the same day: add it`);
  }
}

/**
 * Finds rows with equal keys in different files of a table: an old part beside the whole, or the same rows in two formats, would be counted twice. They are a
 * warning; if they are more than half of a file's rows, a problem.
 * @param files the files with their numbers of rows
 */
async function checkRepeats(
  table: FactTable,
  files: readonly { readonly name: string; readonly rows: number }[],
  partitions: FactPartitions,
  { pool, spill, problems, timeZone }: Pick<FactReading, 'pool' | 'spill' | 'problems' | 'timeZone'>,
): Promise<void> {
  const pairs = new Map<string, Repeats>();
  const zone = new TimeZone(timeZone);
  const others = new Set<string>(); // the pairs with rows of hours that clocks do not repeat
  const shared = partitions.days().filter(({ sequence }) => new Set(sequence.runs.map(({ file }) => file)).size > 1);
  await forEachConcurrently(shared, pool.concurrency, async ({ day, sequence }) => {
    const { rows, runs } = sequence;
    for (const found of await pool.findRepeats({ table, day, rows, runs, blocks: await spill.read(sequence) })) {
      const key = `${found.file}/${found.other}`;
      pairs.set(key, add(found, pairs.get(key)));
      if (!found.hours.isSubsetOf(new Set(zone.repeatedHours(day)))) others.add(key);
    }
  });
  const rejected = new Set<number>();
  for (const [file, own] of [...Map.groupBy(pairs.values(), (pair) => pair.file)].sort(([a], [b]) => b - a)) {
    const { name, rows } = files[file] ?? { name: '', rows: 0 };
    const [most, ...rest] = own.sort((a, b) => b.rows - a.rows);
    if (most === undefined) continue;
    const describe = (pair: Repeats) =>
      `${pair.rows.toLocaleString('en-US')} of ${rows.toLocaleString('en-US')} rows have the keys of rows in ${files[pair.other]?.name} (${describeSums(pair)})`;
    if (own.reduce((sum, pair) => sum + pair.rows, 0) > rows / 2) {
      if (rejected.has(most.other)) continue;
      rejected.add(file);
      const isCopy = others.has(`${most.file}/${most.other}`);
      const advice = isCopy
        ? 'they would be counted twice; remove one of the files or, if both are meant,'
        : 'clocks repeat their hour; if each file has one of the two,';
      const reason = `${describe(most)}: ${advice} write {"filesAddUp": true} into columns.json`;
      problems.addFile(name, `repeats another file: ${reason}`);
    } else {
      const later = [most, ...rest].filter((pair) => pair.other < file);
      problems.warnings.push(...later.map((pair) => `${name}: ${describe(pair)}; both are counted`));
    }
  }
}

function add(found: Repeats, before: Repeats | undefined): Repeats {
  if (before === undefined) return found;
  const sums = new Map([...found.sums].map(([name, sum]) => [name, sum + (before.sums.get(name) ?? 0)]));
  return { ...found, rows: found.rows + before.rows, sums };
}

function describeSums({ sums }: Repeats): string {
  const present = [...sums].filter(([, sum]) => sum !== 0).slice(0, MAX_EXAMPLES);
  const texts = present.map(([name, sum]) => `${columnName(name)} ${formatAmount(sum / measureOf(name).scale)}`);
  return texts.join(', ') || 'all figures are 0';
}
