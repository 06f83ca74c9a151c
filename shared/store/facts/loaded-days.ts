import { isCustom } from '../../catalog/custom-fields.ts';
import {
  DAY_COLUMNS,
  type DayColumn,
  EXPERIENCES,
  type Experience,
  FACT_TABLES,
  type FactTable,
  isKeyIn,
  isOptional,
  measureOf,
  tableOf,
} from '../../catalog/tables.ts';
import { type DayRange, daysOfRanges, formatRanges, parseRanges, rangesOf } from '../../layout/day-ranges.ts';
import {
  DAY_LISTS,
  type DayList,
  type DaysBy,
  type FactHead,
  type LoadedDays,
  type PartitionRef,
  PLATFORM_ID,
  type UnmeasuredDays,
} from '../../layout/partitions.ts';
import { dayNumber, formatDay, monthsBetween } from '../../lib/calendar.ts';
import type { CommitWriter } from '../commit/commits.ts';
import { readEncodedTables, writeEncodedTable } from '../commit/encoded-tables.ts';
import { compressJson, decompressJson } from '../table/compress.ts';
import { asRecord } from '../table/item.ts';
import { loadTableRef } from '../table/item-keys.ts';

/** A partition that a load has changed. */
export interface ChangedPartition {
  readonly ref: PartitionRef;
  /** The days of the month with rows before the load, ascending. */
  readonly before: readonly number[];
  /** The changed days of the month, each with the list of `LoadedDays` that has it; undefined: it has no rows after the load. */
  readonly lists: ReadonlyMap<number, DayList | undefined>;
  /** The days with rows after the load, as in `FactHead.unmeasured`. */
  readonly unmeasured: ReadonlyMap<DayColumn, readonly number[]>;
  /** The columns that have values on the days after the load, as `fieldsWithoutData` expects them. */
  readonly withData: readonly string[];
}

/** A day of `<experience>/<list>` that one advertiser has after a load (1), or has no longer (-1). */
export interface DayChange {
  readonly key: string;
  readonly day: number;
  readonly change: 1 | -1;
}

/** By `<experience>/<list>` and day number, how many advertisers have rows. Only loads read it: reports need the days without the numbers. */
type DayCounts = Map<string, Map<number, number>>;

const COUNTS = loadTableRef('advertisers-by-day');
const COLUMN = 'counts';
/** @returns the changes of the days of one advertiser */
export function changedDays(before: LoadedDays, after: LoadedDays): DayChange[] {
  return EXPERIENCES.flatMap((experience) =>
    DAY_LISTS.flatMap((list) => {
      const daysIn = (days: LoadedDays) => new Set(daysOfRanges(days.get(experience)?.get(list) ?? []));
      const [old, current] = [daysIn(before), daysIn(after)];
      const key = `${experience}/${list}`;
      return [
        ...Array.from(current.difference(old), (day) => ({ key, day, change: 1 }) as const),
        ...Array.from(old.difference(current), (day) => ({ key, day, change: -1 }) as const),
      ];
    }),
  );
}

/**
 * @param before the days before the load
 * @returns the days that have rows of any advertiser after the load
 */
export async function updateLoadedDays(
  writer: CommitWriter,
  before: LoadedDays,
  changes: readonly DayChange[],
): Promise<LoadedDays> {
  if (changes.length === 0) return before;
  const [stored] = await readEncodedTables(writer.table, [COUNTS], writer.state);
  const counts = parseCounts(stored?.columns.get(COLUMN));
  for (const { key, day, change } of changes) {
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
  const daysIn = (experience: Experience, list: DayList) => new Set(counts.get(`${experience}/${list}`)?.keys());
  return mapDays(DAY_LISTS, (experience, list) => {
    const days = daysIn(experience, list);
    // that some advertiser had rows without impressions must not show where others delivered
    return rangesOf(list === 'undelivered' ? days.difference(daysIn(experience, 'delivery')) : days);
  });
}

/** @param partitions those of one advertiser @returns the days with rows after the load */
export function updateDays(before: LoadedDays, partitions: readonly ChangedPartition[]): LoadedDays {
  return mapDays(DAY_LISTS, (experience, list) => {
    let days = new Set(daysOfRanges(before.get(experience)?.get(list) ?? []));
    for (const { ref, lists } of partitions) {
      if (ref.experience !== experience) continue;
      const isOfTable = ref.table === (list === 'undelivered' ? 'delivery' : list);
      if (!isOfTable) continue;
      const now = [...lists].flatMap(([day, own]) => (own === list ? [day] : []));
      days = days.difference(new Set(numbersOf(ref, [...lists.keys()]))).union(new Set(numbersOf(ref, now)));
    }
    return rangesOf(days);
  });
}

/** @returns the months with rows by experience and table; of the platform those of market, because its days are those of all advertisers */
export function monthsOf(advertiserId: number, days: LoadedDays): FactHead['months'] {
  const tables: readonly FactTable[] = advertiserId === PLATFORM_ID ? ['market'] : FACT_TABLES;
  const months = [...days].map(([experience, lists]) => {
    const ofTables = tables.map((table) => {
      const ranges = [lists.get(table), table === 'delivery' ? lists.get('undelivered') : undefined];
      const found = ranges.flatMap((own = []) => own.flatMap(([first, last]) => monthsBetween(first, last)));
      return [table, [...new Set(found)].sort()] as const;
    });
    return [experience, new Map(ofTables.filter(([, own]) => own.length > 0))] as const;
  });
  return new Map(months.filter(([, ofTables]) => ofTables.size > 0));
}

/** @param partitions those of one advertiser @returns the days that lack a column after the load */
export function updateUnmeasuredDays(before: UnmeasuredDays, partitions: readonly ChangedPartition[]): UnmeasuredDays {
  return mapDays(DAY_COLUMNS, (experience, column) => {
    let days = new Set(daysOfRanges(before.get(experience)?.get(column) ?? []));
    for (const { ref, before, lists, unmeasured } of partitions) {
      if (ref.experience !== experience || ref.table !== tableOf(column)) continue;
      const now = numbersOf(ref, unmeasured.get(column) ?? []);
      days = days.difference(new Set(numbersOf(ref, [...before, ...lists.keys()]))).union(new Set(now));
    }
    return rangesOf(days);
  });
}

const numbersOf = ({ month }: PartitionRef, days: readonly number[]): number[] =>
  days.map((day) => dayNumber(`${month}-${String(day).padStart(2, '0')}`));

/**
 * What few networks have is stored as the days that have it, which takes nothing where none has.
 * @returns of these columns the days with rows of the table that do not lack it, of others those that do
 */
export function listOptional(days: LoadedDays, lacking: UnmeasuredDays): UnmeasuredDays {
  return mapDays(DAY_COLUMNS, (experience, column) => {
    const ranges = lacking.get(experience)?.get(column) ?? [];
    if (!isOptional(column)) return ranges;
    return rangesOf(daysWithRows(days, experience, column).difference(new Set(daysOfRanges(ranges))));
  });
}

/**
 * @param listed what `listOptional` returned
 * @returns the days that lack a column; of measures that few networks have, also the days before the first that has it, on which the table has no rows: they are not 0 there
 */
export function parseOptional(days: LoadedDays, listed: UnmeasuredDays): UnmeasuredDays {
  return mapDays(DAY_COLUMNS, (experience, column) => {
    const ranges = listed.get(experience)?.get(column) ?? [];
    if (!isOptional(column)) return ranges;
    const lists = [...(days.get(experience)?.values() ?? [])];
    const from = Math.min(...lists.flatMap(([first]) => first?.[0] ?? []));
    const to = (ranges[0]?.[0] ?? 1 + Math.max(...lists.flatMap((list) => list.at(-1)?.[1] ?? []))) - 1;
    const before: DayRange[] = isKeyIn(tableOf(column), column) || lists.length === 0 ? [] : [[from, to]];
    if (ranges.length === 0) return before.length > 0 ? before : rangesWithRows(days, experience, column); // in most networks
    const lacking = daysWithRows(days, experience, column).difference(new Set(daysOfRanges(ranges)));
    return rangesOf(lacking.union(new Set(daysOfRanges(before))));
  });
}

function daysWithRows(days: LoadedDays, experience: Experience, column: DayColumn): Set<number> {
  return new Set(daysOfRanges(rangesWithRows(days, experience, column)));
}

/** @returns the days on which the column's table has rows */
function rangesWithRows(days: LoadedDays, experience: Experience, column: DayColumn): readonly DayRange[] {
  const table = tableOf(column);
  const lists = days.get(experience);
  const [all = [], undelivered = []] = [
    lists?.get(table),
    table === 'delivery' ? lists?.get('undelivered') : undefined,
  ];
  return undelivered.length === 0 ? all : rangesOf(new Set(daysOfRanges([...all, ...undelivered])));
}

/** @returns the latest day with delivery, by experience */
export function latestDeliveryOf(days: LoadedDays): FactHead['latestDelivery'] {
  const latest = new Map<Experience, string>();
  for (const [experience, tables] of days) {
    const last = tables.get('delivery')?.at(-1);
    if (last !== undefined) latest.set(experience, formatDay(last[1]));
  }
  return latest;
}

/** @returns the days as JSON, which `parseDays` parses */
export function formatDays(days: LoadedDays | UnmeasuredDays): unknown {
  const rangesIn = (lists: ReadonlyMap<DayList | DayColumn, readonly DayRange[]>) =>
    Object.fromEntries([...lists].map(([name, ranges]) => [withKind(name), formatRanges(ranges)]));
  return Object.fromEntries([...days].map(([experience, lists]) => [experience, rangesIn(lists)]));
}

/** @param names of lists or columns @returns the days that `formatDays` formatted */
export function parseDays<Name extends DayList | DayColumn>(names: readonly Name[], value: unknown): DaysBy<Name> {
  return mapDays(names, (experience, name) => {
    const text = asRecord(asRecord(value)?.[experience])?.[withKind(name)];
    return typeof text === 'string' ? parseRanges(text) : [];
  });
}

/** @returns the name; of a custom measure with its table and scale: what was loaded as another kind is unknown, not misread */
function withKind(name: DayList | DayColumn): string {
  if (!isCustom(name)) return name;
  const { table, scale } = measureOf(name);
  return `${name}:${table}:${scale}`;
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
