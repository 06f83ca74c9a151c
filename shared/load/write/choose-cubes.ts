import { CUBES, type Cube, ROLLUP, tablesOf } from '../../catalog/cubes.ts';
import type { DayEntry } from '../../catalog/partitions.ts';
import { type FactTable, KEY_COLUMNS } from '../../catalog/tables.ts';
import {
  compressColumns,
  type EncodedColumn,
  type EncodedRows,
  MAX_COMPRESSED_TOGETHER_BYTES,
} from '../../columns/build-day.ts';
import { USER_BANDS } from '../../columns/column.ts';
import { packColumns } from '../../columns/pack.ts';
import { type CubeRows, encodeCube, joinParts, MAX_SMALL_DAY_ROWS } from '../../columns/rollup.ts';
import type { CubeData, MonthCubes } from '../../store/facts/cubes.ts';
import { bytesOfDay } from '../../store/facts/manifest-codec.ts';

/**
 * Months of fewer fact rows a day have no cube but ROLLUP: a report reads all their facts for about 10 read units. The threshold is per day, so that a month
 * that is loaded day by day also gets cubes.
 */
const MIN_DAY_ROWS = 330;
/** The facts must have at least this many times the rows of a new cube. */
const MIN_SHRINKAGE = 4;
/** The same for a cube that the month already has: lower, so that one day does not drop it. */
const MIN_SHRINKAGE_OF_STORED = 3;
/** ROLLUP and all other cubes together may take at most this share of the bytes of the month's facts, without users. ROLLUP is kept even if it is larger. */
const MAX_SHARE = 0.25;
/** Cubes with more rows have their measures stored separately, because a report reads few of them: an item then has about 4 KB, the unit of reads. */
const MAX_PACKED_ROWS = 8_000;
/** Estimated compressed size / the sum of the columns' sizes in the manifest, of a day that is stored in one item with columns that are not compressed. */
const COMPRESSED_SHARE = 0.5;

/** A month's facts of one table. */
export interface MonthFacts {
  readonly days: number;
  readonly rows: number;
  /** Stored size without users, estimated. */
  readonly bytes: number;
}

/** Returns the rows of a month that a cube has of a table; undefined if they are not complete. */
export type PartsOf = (cube: Cube, table: FactTable) => readonly CubeRows[] | undefined;

/** @returns the sums over the days of a partition */
export function describeFacts(days: readonly DayEntry[]): MonthFacts {
  let [rows, bytes] = [0, 0];
  for (const day of days) {
    rows += day.rows;
    const share = day.isPacked && bytesOfDay(day) <= MAX_COMPRESSED_TOGETHER_BYTES ? COMPRESSED_SHARE : 1;
    for (const [name, column] of day.columns) if (!isUsers(name)) bytes += column.bytes * share;
  }
  return { days: days.length, rows, bytes };
}

/**
 * Chooses the cubes of a month, smallest first: each byte of a small cube saves more reads than one of a large cube. At 33,000 rows a day, ROLLUP and
 * the cubes by creative, source, banner, placement and hour take 19 % of the bytes of the facts; those by keyword and product have 0.4 and 0.5 times the
 * rows of the facts.
 * @param facts the month's facts of each table that ROLLUP has
 * @param stored the cubes that the month already has
 * @returns the encoded cubes; undefined if ROLLUP is not complete
 */
export function chooseCubes(
  facts: ReadonlyMap<FactTable, MonthFacts>,
  partsOf: PartsOf,
  stored: ReadonlySet<Cube>,
): MonthCubes | undefined {
  const rollup = encodeTables(ROLLUP, facts, partsOf, 0);
  if (rollup === undefined || rollup.size < facts.size) return undefined;
  const chosen = new Map([[ROLLUP, packCube(ROLLUP, rollup, facts)]]);
  const all = [...facts.values()];
  const days = all.reduce((max, ofTable) => Math.max(max, ofTable.days), 0);
  if (all.reduce((sum, { rows }) => sum + rows, 0) < days * MIN_DAY_ROWS) return chosen;
  const candidates = CUBES.flatMap((cube) => {
    const shrinkage = stored.has(cube) ? MIN_SHRINKAGE_OF_STORED : MIN_SHRINKAGE;
    const encoded = cube === ROLLUP ? undefined : encodeTables(cube, facts, partsOf, shrinkage);
    return encoded === undefined ? [] : [[cube, packCube(cube, encoded, facts)] as const];
  });
  const max = all.reduce((sum, { bytes }) => sum + bytes, 0) * MAX_SHARE;
  let bytes = sizeOf(chosen.get(ROLLUP));
  for (const [cube, data] of candidates.sort(([, a], [, b]) => sizeOf(a) - sizeOf(b))) {
    bytes += sizeOf(data);
    if (bytes <= max) chosen.set(cube, data);
  }
  return chosen;
}

/**
 * A table with small days is not checked alone but in the sum of all tables, because a report reads it for its ratios with the others.
 * @param shrinkage how many times fewer rows the cube must have than the facts, in each table whose days are not small, and together
 * @returns the encoded facts of each table that becomes part of the cube; undefined if the cube has no rows, or too many
 */
function encodeTables(
  cube: Cube,
  facts: ReadonlyMap<FactTable, MonthFacts>,
  partsOf: PartsOf,
  shrinkage: number,
): ReadonlyMap<FactTable, EncodedRows> | undefined {
  const encoded = new Map<FactTable, EncodedRows>();
  let [rows, factRows] = [0, 0];
  for (const table of tablesOf(cube)) {
    const [ofTable, parts] = [facts.get(table), partsOf(cube, table)];
    if (ofTable === undefined || parts === undefined) continue;
    const joined = joinParts(cube, parts);
    const isSmall = ofTable.rows <= ofTable.days * MAX_SMALL_DAY_ROWS;
    if (!isSmall && joined.rows * shrinkage > ofTable.rows) continue;
    const summed = encodeCube(cube, joined);
    encoded.set(table, summed);
    rows += summed.rows;
    factRows += ofTable.rows;
  }
  return rows === 0 || rows * shrinkage > factRows ? undefined : encoded;
}

function packCube(
  cube: Cube,
  tables: ReadonlyMap<FactTable, EncodedRows>,
  facts: ReadonlyMap<FactTable, MonthFacts>,
): CubeData {
  const data = { ...packTables(tables, MAX_PACKED_ROWS), minDays: 0 };
  if (cube === ROLLUP) return data;
  const ofTables = [...tables.keys()].map((table) => facts.get(table) ?? { days: 0, rows: 0, bytes: 0 });
  const bytes = ofTables.reduce((sum, ofTable) => sum + ofTable.bytes, 0);
  const days = ofTables.reduce((max, ofTable) => Math.max(max, ofTable.days), 0);
  return { ...data, minDays: Math.ceil((sizeOf(data) * days) / bytes) };
}

/**
 * @param maxPackedRows the measures of a cube of more rows are stored separately
 * @returns the tables of a cube as it is stored: users are separate, too
 */
export function packTables(
  tables: ReadonlyMap<FactTable, EncodedRows>,
  maxPackedRows: number,
): Omit<CubeData, 'minDays'> {
  const rows = new Map([...tables].map(([table, encoded]) => [table, encoded.rows]));
  const areMeasuresPacked = [...rows.values()].reduce((sum, count) => sum + count, 0) <= maxPackedRows;
  const together = new Map<string, Uint8Array>();
  const columns = new Map<string, Uint8Array>();
  for (const [table, encoded] of tables) {
    const separate = new Map<string, EncodedColumn>();
    for (const [name, column] of encoded.columns) {
      const isPacked = !isUsers(name) && (areMeasuresPacked || KEYS.has(name));
      if (isPacked) together.set(`${table}/${name}`, column.bytes);
      else separate.set(`${table}/${name}`, column);
    }
    for (const [name, { bytes }] of compressColumns(separate)) columns.set(name, bytes);
  }
  return { rows, packed: packColumns(together), columns };
}

const KEYS: ReadonlySet<string> = new Set([...KEY_COLUMNS, 'advertiser']);

/** @returns whether the column, with or without the name of its table, is a band of users */
export const isUsers = (column: string): boolean => USER_BANDS.some((band) => column.endsWith(band.column));

/** @returns the stored size of the cube without users */
function sizeOf(cube: CubeData | undefined): number {
  let bytes = cube?.packed.length ?? 0;
  for (const [name, column] of cube?.columns ?? []) if (!isUsers(name)) bytes += column.length;
  return bytes;
}
