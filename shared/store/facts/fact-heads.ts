import { CUBES, type Cube, SHARD_CUBE } from '../../catalog/cubes.ts';
import type { CubeEntry, CubeMonths, FactHead, MonthEntry, PartitionRef } from '../../catalog/partitions.ts';
import { EXPERIENCES, type Experience, FACT_TABLES, type FactTable } from '../../catalog/tables.ts';
import { asRecord } from '../table/item.ts';
import { compressJson, decompressJson } from '../table/zstd.ts';
import type { StoredCubes } from './cubes.ts';

/** A partition that a load has changed. */
export interface ChangedPartition {
  readonly ref: PartitionRef;
  /** The last day of the month with rows; undefined if none is left. */
  readonly lastDay: number | undefined;
}

/** A load's changes to facts. */
export interface FactChange {
  readonly partitions: readonly ChangedPartition[];
  /** The cubes that the load has written. */
  readonly cubes: readonly StoredCubes[];
}

/**
 * @param change the load's changes to the facts of the head's advertiser
 * @param readLastDay reads the last day with rows of a partition that is not among the changes
 * @returns the head after the load
 */
export async function updateFactHead(
  before: FactHead,
  change: FactChange,
  readLastDay: (ref: PartitionRef) => Promise<number | undefined>,
): Promise<FactHead> {
  const months = new Map<Experience, ReadonlyMap<FactTable, readonly string[]>>();
  const latestDelivery = new Map<Experience, string>();
  for (const experience of EXPERIENCES) {
    const tables = updateMonths(before, change, experience);
    if (tables.size > 0) months.set(experience, tables);
    const month = tables.get('delivery')?.at(-1);
    if (month === undefined) continue;
    const ref: PartitionRef = { advertiserId: before.advertiserId, experience, table: 'delivery', month };
    const partition = change.partitions.find((changed) => isSame(changed.ref, ref));
    const previous = before.latestDelivery.get(experience);
    if (partition === undefined && previous?.startsWith(month)) latestDelivery.set(experience, previous);
    else latestDelivery.set(experience, dateOf(month, partition?.lastDay ?? (await readLastDay(ref))));
  }
  const cubeMonths = updateCubes(before, change);
  return {
    advertiserId: before.advertiserId,
    months,
    latestDelivery,
    ...(cubeMonths.size === 0 ? {} : { cubeMonths }),
  };
}

/** @returns by table, the months of the experience that have rows; tables without any are absent */
function updateMonths(
  before: FactHead,
  { partitions }: FactChange,
  experience: Experience,
): ReadonlyMap<FactTable, readonly string[]> {
  const tables = new Map<FactTable, readonly string[]>();
  for (const table of FACT_TABLES) {
    const months = new Set(before.months.get(experience)?.get(table));
    for (const { ref, lastDay } of partitions) {
      if (ref.experience !== experience || ref.table !== table) continue;
      if (lastDay === undefined) months.delete(ref.month);
      else months.add(ref.month);
    }
    if (months.size > 0) tables.set(table, [...months].sort());
  }
  return tables;
}

/** @returns the cubes that match the facts: those of unchanged months, and those that the load has written */
function updateCubes(before: FactHead, change: FactChange): CubeMonths {
  const cubeMonths = new Map<Experience, Map<string, MonthEntry>>();
  for (const [experience, entries] of before.cubeMonths ?? []) cubeMonths.set(experience, new Map(entries));
  for (const { ref } of change.partitions) cubeMonths.get(ref.experience)?.delete(ref.month);
  for (const { ref, entry } of change.cubes) {
    cubeMonths.set(
      ref.experience,
      (cubeMonths.get(ref.experience) ?? new Map<string, MonthEntry>()).set(ref.month, entry),
    );
  }
  // months are rolled up concurrently and finish in any order; sorting them makes equal heads compare equal
  const sorted = new Map<Experience, Map<string, MonthEntry>>();
  for (const experience of EXPERIENCES) {
    const entries = [...(cubeMonths.get(experience) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
    if (entries.length > 0) sorted.set(experience, new Map(entries));
  }
  return sorted;
}

/** A head as JSON, with months as ranges so that years of them take little space. */
export interface FactHeadValue {
  readonly months: unknown;
  readonly latest: unknown;
  /** As `formatCubes` formats them; absent if there are none. */
  readonly cubes?: readonly unknown[];
}

/** @returns the head as JSON */
export function factHeadValue(head: FactHead): FactHeadValue {
  const months = [...head.months].map(([experience, tables]) => [
    experience,
    Object.fromEntries([...tables].map(([table, list]) => [table, formatMonths(list)])),
  ]);
  const latest = Object.fromEntries(head.latestDelivery);
  const cubes = head.cubeMonths === undefined ? {} : { cubes: formatCubes(head.cubeMonths) };
  return { months: Object.fromEntries(months), latest, ...cubes };
}

/** @returns the head as a value to store. Its cubes are compressed, because every month repeats the names of its columns. */
export function formatFactHead({ cubes, ...value }: FactHeadValue): Readonly<Record<string, unknown>> {
  return cubes === undefined ? value : { ...value, cubes: compressJson(cubes) };
}

/** @param value a `FactHeadValue`, or one that `formatFactHead` formatted @returns the head @throws Error if it is damaged */
export function parseFactHead(advertiserId: number, value: unknown): FactHead {
  const { months, latest, cubes } = asRecord(value) ?? {};
  const monthsOf = asRecord(months);
  const latestOf = asRecord(latest);
  if (monthsOf === undefined || latestOf === undefined)
    throw new Error(`the fact head of ${advertiserId} is not readable`);
  const parsed = new Map<Experience, Map<FactTable, string[]>>();
  const latestDelivery = new Map<Experience, string>();
  for (const experience of EXPERIENCES) {
    const tables = asRecord(monthsOf[experience]);
    if (tables !== undefined) {
      const present = FACT_TABLES.filter((table) => typeof tables[table] === 'string');
      parsed.set(experience, new Map(present.map((table) => [table, parseMonths(String(tables[table]))])));
    }
    const day = latestOf[experience];
    if (typeof day === 'string') latestDelivery.set(experience, day);
  }
  if (cubes === undefined) return { advertiserId, months: parsed, latestDelivery };
  const where = `the cubes of the fact head of ${advertiserId}`;
  const list = cubes instanceof Uint8Array ? decompressJson(cubes, where) : cubes;
  return { advertiserId, months: parsed, latestDelivery, cubeMonths: parseCubes(list, where) };
}

/** @returns the cubes as JSON, which `parseCubes` parses */
export function formatCubes(cubeMonths: CubeMonths): unknown[] {
  return [...cubeMonths].flatMap(([experience, months]) =>
    [...months].map(([month, { version, cubes }]) => {
      const entries = [...cubes].map(([cube, { rows, bytes, columns, minDays }]) => {
        return [cube, [bytes, minDays, Object.fromEntries(rows), Object.fromEntries(columns)]] as const;
      });
      return [experience, month, version, Object.fromEntries(entries)];
    }),
  );
}

/** @returns the cubes that `formatCubes` formatted. @throws Error naming `where` if `list` is something else */
export function parseCubes(list: unknown, where: string): Map<Experience, Map<string, MonthEntry>> {
  if (!Array.isArray(list)) throw new Error(`${where} are not readable`);
  const cubeMonths = new Map<Experience, Map<string, MonthEntry>>();
  for (const member of list) {
    const [name, month, version, cubes] = Array.isArray(member) ? member : [];
    const experience = EXPERIENCES.find((candidate) => candidate === name);
    if (experience === undefined) throw new Error(`${where} are not readable`);
    const months = cubeMonths.get(experience) ?? new Map<string, MonthEntry>();
    cubeMonths.set(experience, months.set(String(month), parseEntry(Number(version), cubes)));
  }
  return cubeMonths;
}

function parseEntry(version: number, content: unknown): MonthEntry {
  const found = asRecord(content) ?? {};
  const cubes = new Map<Cube, CubeEntry>();
  for (const cube of [...CUBES, SHARD_CUBE]) {
    const entry = found[cube];
    if (!Array.isArray(entry)) continue;
    const [bytes, minDays, rows, columns] = entry;
    const counts = sizesIn(rows);
    const tables = FACT_TABLES.flatMap((table) => {
      const count = counts.get(table);
      return count === undefined ? [] : [[table, count] as const];
    });
    const parsed = { bytes: Number(bytes), minDays: Number(minDays), columns: sizesIn(columns), rows: new Map(tables) };
    cubes.set(cube, parsed);
  }
  return { version, cubes };
}

function sizesIn(value: unknown): Map<string, number> {
  return new Map(Object.entries(asRecord(value) ?? {}).map(([name, size]) => [name, Number(size)]));
}

const isSame = (a: PartitionRef, b: PartitionRef): boolean =>
  a.experience === b.experience && a.table === b.table && a.month === b.month;

function dateOf(month: string, day: number | undefined): string {
  if (day === undefined) throw new Error(`the month ${month} is listed in the fact head but has no rows`);
  return `${month}-${String(day).padStart(2, '0')}`;
}

/** @example formatMonths(['2025-12', '2026-01', '2026-03']) === '2025-12+2,2026-03+1' */
function formatMonths(months: readonly string[]): string {
  const runs: { start: string; length: number }[] = [];
  for (const month of months) {
    const last = runs.at(-1);
    if (last !== undefined && monthAfter(last.start, last.length) === month) last.length += 1;
    else runs.push({ start: month, length: 1 });
  }
  return runs.map(({ start, length }) => `${start}+${length}`).join(',');
}

function parseMonths(text: string): string[] {
  return text.split(',').flatMap((run) => {
    const [start, length] = run.split('+');
    return Array.from({ length: Number(length) }, (_, index) => monthAfter(start ?? '', index));
  });
}

function monthAfter(month: string, count: number): string {
  const months = Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1 + count;
  return `${String(Math.floor(months / 12)).padStart(4, '0')}-${String((months % 12) + 1).padStart(2, '0')}`;
}
