import { type DayRange, daysOfRanges, formatRanges, parseRanges, rangesOf } from '../../catalog/day-ranges.ts';
import type { DaysBy, FactHead, LoadedDays, PartitionRef, UnmeasuredDays } from '../../catalog/partitions.ts';
import {
  EXPERIENCES,
  type Experience,
  FACT_TABLES,
  type FactTable,
  fileMeasuresOf,
  type Measure,
  measureOf,
  TABLES_WITH_SHOPPERS,
  UNIDENTIFIED,
} from '../../catalog/tables.ts';
import { dayNumber, formatDay } from '../../lib/calendar.ts';
import type { CommitWriter } from '../commit/commits.ts';
import { readEncodedTables, writeEncodedTable } from '../commit/encoded-tables.ts';
import { compressJson, decompressJson } from '../table/compress.ts';
import { asRecord } from '../table/item.ts';
import { loadTableRef } from '../table/item-keys.ts';

/** The measures of `UnmeasuredDays`. */
export const MEASURES: readonly Measure[] = [
  ...FACT_TABLES.flatMap(fileMeasuresOf),
  ...TABLES_WITH_SHOPPERS.map((table) => UNIDENTIFIED[table].part),
];

/** A partition that a load has changed. */
export interface ChangedPartition {
  readonly ref: PartitionRef;
  /** The days of the month with rows before and after the load, ascending. */
  readonly before: readonly number[];
  readonly after: readonly number[];
  /** Those of `after`, as in `FactHead.unmeasured`. */
  readonly unmeasured: ReadonlyMap<Measure, readonly number[]>;
  /** As in `FactHead.fed`, of the days after the load. */
  readonly fed: readonly string[];
}

/** By `<experience>/<table>` and day number, how many advertisers have rows. Only loads read it: reports need the days without the numbers. */
type DayCounts = Map<string, Map<number, number>>;

const COUNTS = loadTableRef('advertisers-by-day');
const COLUMN = 'counts';

/**
 * @param before the days before the load
 * @returns the days that have rows of any advertiser after the load
 */
export async function updateLoadedDays(
  writer: CommitWriter,
  before: LoadedDays,
  partitions: readonly ChangedPartition[],
): Promise<LoadedDays> {
  const changes = partitions.flatMap(({ ref, before, after }) => {
    const [old, current] = [new Set(numbersOf(ref, before)), new Set(numbersOf(ref, after))];
    return [
      ...[...current.difference(old)].map((day) => ({ ref, day, change: 1 })),
      ...[...old.difference(current)].map((day) => ({ ref, day, change: -1 })),
    ];
  });
  if (changes.length === 0) return before;
  const [stored] = await readEncodedTables(writer.table, [COUNTS], writer.state);
  const counts = parseCounts(stored?.columns.get(COLUMN));
  for (const { ref, day, change } of changes) {
    const key = `${ref.experience}/${ref.table}`;
    const ofTable = counts.get(key) ?? new Map<number, number>();
    counts.set(key, ofTable);
    const count = (ofTable.get(day) ?? 0) + change;
    if (count > 0) ofTable.set(day, count);
    else ofTable.delete(day);
  }
  // sorted, because months are written in any order
  const present = [...counts].filter(([, ofTable]) => ofTable.size > 0).sort(([a], [b]) => (a < b ? -1 : 1));
  const content = compressJson(present.map(([key, ofTable]) => [key, [...ofTable].sort(([a], [b]) => a - b)]));
  await writeEncodedTable(writer, COUNTS, { rows: present.length, columns: new Map([[COLUMN, content]]) });
  return mapDays(FACT_TABLES, (experience, table) =>
    rangesOf([...(counts.get(`${experience}/${table}`)?.keys() ?? [])]),
  );
}

/** @param partitions those of one advertiser @returns the days with delivery after the load */
export function updateDeliveryDays(before: LoadedDays, partitions: readonly ChangedPartition[]): LoadedDays {
  return mapDays(FACT_TABLES, (experience, table) => {
    if (table !== 'delivery') return [];
    let days = new Set(daysOfRanges(before.get(experience)?.get(table) ?? []));
    for (const { ref, before, after } of partitions) {
      if (ref.experience !== experience || ref.table !== table) continue;
      days = days.difference(new Set(numbersOf(ref, before))).union(new Set(numbersOf(ref, after)));
    }
    return rangesOf(days);
  });
}

/** @param partitions those of one advertiser @returns the days that lack a measure after the load */
export function updateUnmeasuredDays(before: UnmeasuredDays, partitions: readonly ChangedPartition[]): UnmeasuredDays {
  return mapDays(MEASURES, (experience, measure) => {
    let days = new Set(daysOfRanges(before.get(experience)?.get(measure) ?? []));
    for (const { ref, before, unmeasured } of partitions) {
      if (ref.experience !== experience || ref.table !== measureOf(measure).table) continue;
      const now = numbersOf(ref, unmeasured.get(measure) ?? []);
      days = days.difference(new Set(numbersOf(ref, before))).union(new Set(now));
    }
    return rangesOf(days);
  });
}

const numbersOf = ({ month }: PartitionRef, days: readonly number[]): number[] =>
  days.map((day) => dayNumber(`${month}-${String(day).padStart(2, '0')}`));

/** @returns the latest day with delivery, by experience */
export function latestDeliveryOf(days: LoadedDays): FactHead['latestDelivery'] {
  const latest = new Map<Experience, string>();
  for (const [experience, tables] of days) {
    const last = tables.get('delivery')?.at(-1);
    if (last !== undefined) latest.set(experience, formatDay(last[1]));
  }
  return latest;
}

/** @returns the days as JSON, which `parseLoadedDays` parses */
export function formatLoadedDays(days: LoadedDays): unknown {
  const tablesOf = (tables: ReadonlyMap<FactTable, readonly DayRange[]>) =>
    Object.fromEntries([...tables].map(([table, ranges]) => [table, formatRanges(ranges)]));
  return Object.fromEntries([...days].map(([experience, tables]) => [experience, tablesOf(tables)]));
}

/** @returns the days as JSON, which `parseDays` parses */
export function formatDays(days: LoadedDays | UnmeasuredDays): unknown {
  const rangesIn = (lists: ReadonlyMap<string, readonly DayRange[]>) =>
    Object.fromEntries([...lists].map(([name, ranges]) => [name, formatRanges(ranges)]));
  return Object.fromEntries([...days].map(([experience, lists]) => [experience, rangesIn(lists)]));
}

/** @param names of tables or measures @returns the days that `formatDays` formatted */
export function parseDays<Name extends string>(names: readonly Name[], value: unknown): DaysBy<Name> {
  return mapDays(names, (experience, name) => {
    const text = asRecord(asRecord(value)?.[experience])?.[name];
    return typeof text === 'string' ? parseRanges(text) : [];
  });
}

/** @returns the ranges by experience and name; names and experiences without any are absent */
export function mapDays<Name extends string>(
  names: readonly Name[],
  rangesBy: (experience: Experience, name: Name) => readonly DayRange[],
): DaysBy<Name> {
  const days = new Map<Experience, Map<Name, readonly DayRange[]>>();
  for (const experience of EXPERIENCES) {
    const lists = names.map((name) => [name, rangesBy(experience, name)] as const);
    const present = lists.filter(([, ranges]) => ranges.length > 0);
    if (present.length > 0) days.set(experience, new Map(present));
  }
  return days;
}

function parseCounts(bytes: Uint8Array | undefined): DayCounts {
  if (bytes === undefined) return new Map();
  const list = decompressJson(bytes, 'the numbers of advertisers by day');
  if (!Array.isArray(list)) throw new Error('the numbers of advertisers by day are not a list');
  return new Map(list.map(([key, days]) => [String(key), new Map<number, number>(days)]));
}
