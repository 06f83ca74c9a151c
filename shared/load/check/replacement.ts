import type { CodedKeys } from '../../columns/coded-keys.ts';
import { unpackTables } from '../../columns/rollup-tables.ts';
import { type DayRange, daysOfRanges } from '../../layout/day-ranges.ts';
import { type LoadedDays, type PartitionRef, PLATFORM_ID, type ShardRef } from '../../layout/partitions.ts';
import { OF_SHARD, ROLLUP_TABLES } from '../../layout/rollup-keys.ts';
import { formatDay, parseDate } from '../../lib/calendar.ts';
import type { CommitState } from '../../store/commit/commits.ts';
import { readAdvertiserShards } from '../../store/facts/advertiser-shards.ts';
import { readRollups } from '../../store/facts/stored-rollups.ts';
import type { Table } from '../../store/table/table.ts';
import type { ReadFacts } from '../encode/read-facts.ts';
import { MAX_EXAMPLES, type Problems } from '../schema/problems.ts';

/** Days of a partition. */
export interface PartitionDays {
  readonly ref: PartitionRef;
  /** Of the month, 1–31. */
  readonly days: readonly number[];
}

/** A set of days of partitions. */
export class DaySet {
  readonly #days = new Set<string>();

  constructor(all: Iterable<PartitionDays>) {
    for (const { ref, days } of all) for (const day of days) this.#days.add(nameOf(ref, day));
  }

  has(ref: PartitionRef, day: number): boolean {
    return this.#days.has(nameOf(ref, day));
  }

  /** @returns the days that are not in the set */
  without(all: readonly PartitionDays[]): PartitionDays[] {
    return all
      .map(({ ref, days }) => ({ ref, days: days.filter((day) => !this.has(ref, day)) }))
      .filter(({ days }) => days.length > 0);
  }
}

function nameOf({ advertiserId, experience, table, month }: PartitionRef, day: number): string {
  return `${advertiserId}/${experience}/${table}/${month}/${day}`;
}

/** @returns a function that tells whether the folder has rows of a day of the month */
export function rowsOfFacts(facts: readonly ReadFacts[]): (ref: PartitionRef, day: number) => boolean {
  return ({ experience, table, advertiserId, month }, day) => {
    const read = facts.find((other) => other.experience === experience && other.table === table);
    return read?.partitions.has(advertiserId, dayNumber(month, day)) ?? false;
  };
}

function dayNumber(month: string, day: number): number {
  return parseDate(`${month}-${String(day).padStart(2, '0')}`) ?? 0;
}

/** A row outside the period would replace a day that is not said to be complete: it is a problem. */
export function checkPeriod(facts: readonly ReadFacts[], [first, last]: DayRange, problems: Problems): void {
  for (const { experience, table, partitions } of facts) {
    const outside = [...partitions.dayNumbers()].find((day) => day < first || day > last);
    if (outside === undefined) continue;
    const reason = `rows of ${formatDay(outside)} are outside --replace ${formatDay(first)}..${formatDay(last)}`;
    problems.addFile(`facts/${experience}/${table}*`, reason);
  }
}

/** Rows without an hour replace no hours: they are a problem. */
export function checkHours(facts: readonly ReadFacts[], problems: Problems): void {
  for (const { experience, table, partitions } of facts) {
    const without = partitions.days().find(({ sequence }) => sequence.runs.some(({ hasHours }) => !hasHours));
    if (without === undefined) continue;
    const reason = `--replace hours needs the column hour, which rows of ${formatDay(without.day)} lack: load whole days with --replace advertiser-days`;
    problems.addFile(`facts/${experience}/${table}*`, reason);
  }
}

/**
 * Reads the shards of advertisers, and of each the keys of the months' rollups: about five read units for a month of 128 advertisers.
 * @param period the days to look at; absent: those that the folder has
 * @returns the stored days of advertisers that the folder has no rows of
 */
export async function findOthers(
  table: Table,
  state: CommitState,
  facts: readonly ReadFacts[],
  period?: DayRange,
): Promise<PartitionDays[]> {
  const inPeriod = period && new Set(daysOfRanges([period]));
  const named = facts
    .filter((read) => ROLLUP_TABLES.includes(read.table)) // a day of market has one owner
    .map((read) => ({ ...read, days: inPeriod ?? read.partitions.dayNumbers() }));
  const months = new Map(
    named.flatMap(({ experience, days }) =>
      [...days].map((day) => {
        const month = formatDay(day).slice(0, 7);
        return [`${experience}/${month}`, { experience, month }] as const;
      }),
    ),
  );
  if (months.size === 0) return [];
  const reads = (await readAdvertiserShards(table, state)).flatMap(({ shard, rollups }) =>
    [...months.values()].flatMap(({ experience, month }) => {
      const entry = rollups.get(experience)?.get(month);
      const ref: ShardRef = { shard, experience, month };
      return entry === undefined ? [] : [{ ref, entry, columns: [] }];
    }),
  );
  const others = new Map<string, { readonly ref: PartitionRef; readonly days: Set<number> }>();
  for await (const { read, encoded } of readRollups(table, reads)) {
    const { experience, month, shard } = read.ref;
    const stored = unpackTables(OF_SHARD, encoded, `shard ${shard}/${experience}/${month}`);
    for (const { table: factTable, days, partitions } of named.filter((facts) => facts.experience === experience)) {
      const { rows = 0, keys } = stored.get(factTable) ?? {};
      const [advertisers = [], dates = []] = [keys?.get('advertiser'), keys?.get('date')].map(valuesOf);
      for (let row = 0; row < rows; row++) {
        const advertiserId = advertisers[row] ?? 0;
        const day = dayNumber(month, dates[row] ?? 0);
        if (!days.has(day) || partitions.has(advertiserId, day)) continue;
        const ref = { advertiserId, experience, table: factTable, month };
        const found = others.get(nameOf(ref, 0)) ?? { ref, days: new Set() };
        found.days.add(dates[row] ?? 0);
        others.set(nameOf(ref, 0), found);
      }
    }
  }
  return [...others.values()].map(({ ref, days }) => ({ ref, days: [...days] }));
}

/** @returns the stored days of market in the period that the folder has no rows of */
export function findMarket(facts: readonly ReadFacts[], stored: LoadedDays, [first, last]: DayRange): PartitionDays[] {
  return facts.flatMap(({ experience, table, partitions }) => {
    const days = table === 'market' ? daysOfRanges(stored.get(experience)?.get(table) ?? []) : [];
    const lacking = days.filter((day) => day >= first && day <= last && !partitions.has(PLATFORM_ID, day));
    return [...Map.groupBy(lacking.map(formatDay), (date) => date.slice(0, 'YYYY-MM'.length))].map(
      ([month, dates]) => ({
        ref: { advertiserId: PLATFORM_ID, experience, table, month },
        days: dates.map((date) => Number(date.slice('YYYY-MM-'.length))),
      }),
    );
  });
}

function valuesOf(keys: CodedKeys | undefined): number[] {
  return Array.from(keys?.codes ?? [], (code) => Number(keys?.dictionary[code]));
}

/** @returns a warning of the advertisers whose rows stay beside those of others on the same day, if there are any */
export function warnOfKept(kept: readonly PartitionDays[]): string[] {
  if (kept.length === 0) return [];
  const count = new Set(kept.map(({ ref }) => ref.advertiserId)).size;
  const examples = kept.slice(0, MAX_EXAMPLES).map(({ ref: { advertiserId, experience, table, month }, days }) => {
    return `${advertiserId} (${experience} ${table}, ${formatDay(dayNumber(month, days[0] ?? 0))})`;
  });
  return [
    `${count} ${count === 1 ? 'advertiser keeps its rows' : 'advertisers keep their rows'} of days that the folder has of others only, such as ${examples.join(', ')}; --replace days removes them, --replace advertiser-days keeps them without this warning`,
  ];
}
