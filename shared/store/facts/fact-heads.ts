import type { FactHead, PartitionRef, RollupEntry } from '../../catalog/partitions.ts';
import type { Experience, FactTable } from '../../catalog/tables.ts';
import { EXPERIENCES, FACT_TABLES } from '../../catalog/tables.ts';
import { asRecord } from '../table/item.ts';
import { deflateJson, inflateJson } from '../table/zstd.ts';
import type { RolledUp } from './rollups.ts';

/** A partition that a load has changed; `lastDay` is its last day with rows, undefined where none is left. */
export interface TouchedMonth {
  readonly ref: PartitionRef;
  readonly lastDay: number | undefined;
}

/** What a load has changed of one advertiser's facts. */
export interface FactChange {
  readonly touched: readonly TouchedMonth[];
  readonly rolledUp: readonly RolledUp[];
}

/**
 * @param lastDayOf tells the last day of a month that was not touched
 * @returns the head as it is after the load
 */
export async function updateFactHead(
  before: FactHead,
  { touched, rolledUp }: FactChange,
  lastDayOf: (ref: PartitionRef) => Promise<number | undefined>,
): Promise<FactHead> {
  const months = new Map<Experience, ReadonlyMap<FactTable, readonly string[]>>();
  const latestDelivery = new Map<Experience, string>();
  for (const experience of EXPERIENCES) {
    const tables = new Map<FactTable, readonly string[]>();
    for (const table of FACT_TABLES) {
      const present = new Set(before.months.get(experience)?.get(table) ?? []);
      for (const { ref, lastDay } of touched) {
        if (ref.experience !== experience || ref.table !== table) continue;
        if (lastDay === undefined) present.delete(ref.month);
        else present.add(ref.month);
      }
      if (present.size > 0) tables.set(table, [...present].sort());
    }
    if (tables.size > 0) months.set(experience, tables);
    const month = tables.get('delivery')?.at(-1);
    if (month === undefined) continue;
    const ref: PartitionRef = { advertiserId: before.advertiserId, experience, table: 'delivery', month };
    const change = touched.find((one) => isSame(one.ref, ref));
    const known = before.latestDelivery.get(experience);
    if (change === undefined && known?.startsWith(month) === true) latestDelivery.set(experience, known);
    else latestDelivery.set(experience, dateOf(month, change?.lastDay ?? (await lastDayOf(ref))));
  }
  const rollups = updateRollups(before, touched, rolledUp);
  return { advertiserId: before.advertiserId, months, latestDelivery, ...(rollups.size === 0 ? {} : { rollups }) };
}

/** @returns the rollups that still say what the facts say: not those of months that were changed and not rolled up again. */
function updateRollups(before: FactHead, touched: readonly TouchedMonth[], rolledUp: readonly RolledUp[]): Rollups {
  const rollups = new Map<Experience, Map<string, RollupEntry>>();
  for (const [experience, entries] of before.rollups ?? []) rollups.set(experience, new Map(entries));
  for (const { ref } of touched) rollups.get(ref.experience)?.delete(ref.month);
  for (const { ref, entry } of rolledUp) {
    rollups.set(ref.experience, (rollups.get(ref.experience) ?? new Map<string, RollupEntry>()).set(ref.month, entry));
  }
  // months are rolled up side by side, done in any order: the head is the same all the same
  const sorted = new Map<Experience, Map<string, RollupEntry>>();
  for (const experience of EXPERIENCES) {
    const entries = [...(rollups.get(experience) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
    if (entries.length > 0) sorted.set(experience, new Map(entries));
  }
  return sorted;
}

type Rollups = NonNullable<FactHead['rollups']>;

/** @returns the head as an attribute: months in runs, so that years of them stay small. */
export function formatFactHead(head: FactHead): Readonly<Record<string, unknown>> {
  const months = [...head.months].map(([experience, tables]) => [
    experience,
    Object.fromEntries([...tables].map(([table, list]) => [table, formatMonths(list)])),
  ]);
  const latest = Object.fromEntries(head.latestDelivery);
  const rollups = head.rollups === undefined ? {} : { rollups: formatRollups(head.rollups) };
  return { months: Object.fromEntries(months), latest, ...rollups };
}

/** @returns the head that `formatFactHead` was given. */
export function parseFactHead(advertiserId: number, value: unknown): FactHead {
  const { months, latest, rollups } = asRecord(value) ?? {};
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
  const found = rollups instanceof Uint8Array ? { rollups: parseRollups(rollups) } : {};
  return { advertiserId, months: parsed, latestDelivery, ...found };
}

/** Years of months repeat the names of their columns, which compresses away. */
function formatRollups(rollups: Rollups): Uint8Array {
  const list = [...rollups].flatMap(([experience, entries]) =>
    [...entries].map(([month, entry]) => [
      experience,
      month,
      entry.version,
      entry.bytes,
      Object.fromEntries(entry.users),
    ]),
  );
  return deflateJson(list);
}

function parseRollups(bytes: Uint8Array): Rollups {
  const list: unknown = inflateJson(bytes);
  if (!Array.isArray(list)) throw new Error('the rollups of a fact head are not readable');
  const rollups = new Map<Experience, Map<string, RollupEntry>>();
  for (const member of list) {
    const [name, month, version, size, users] = Array.isArray(member) ? member : [];
    const experience = EXPERIENCES.find((one) => one === name);
    if (experience === undefined) throw new Error('the rollups of a fact head are not readable');
    const sizes = Object.entries(asRecord(users) ?? {}).map(([column, bytes]) => [column, Number(bytes)] as const);
    const entry = { version: Number(version), bytes: Number(size), users: new Map(sizes) };
    rollups.set(experience, (rollups.get(experience) ?? new Map<string, RollupEntry>()).set(String(month), entry));
  }
  return rollups;
}

const isSame = (a: PartitionRef, b: PartitionRef): boolean =>
  a.experience === b.experience && a.table === b.table && a.month === b.month;

function dateOf(month: string, day: number | undefined): string {
  if (day === undefined) throw new Error(`the month ${month} is listed as having rows, and has none`);
  return `${month}-${String(day).padStart(2, '0')}`;
}

/** @example formatMonths(['2025-12', '2026-01', '2026-03']) === '2025-12+2,2026-03+1' */
function formatMonths(months: readonly string[]): string {
  const runs: { start: string; length: number }[] = [];
  for (const month of months) {
    const last = runs.at(-1);
    if (last !== undefined && addMonths(last.start, last.length) === month) last.length += 1;
    else runs.push({ start: month, length: 1 });
  }
  return runs.map(({ start, length }) => `${start}+${length}`).join(',');
}

function parseMonths(text: string): string[] {
  return text.split(',').flatMap((run) => {
    const [start, length] = run.split('+');
    return Array.from({ length: Number(length) }, (_, index) => addMonths(start ?? '', index));
  });
}

function addMonths(month: string, count: number): string {
  const months = Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1 + count;
  return `${String(Math.floor(months / 12)).padStart(4, '0')}-${String((months % 12) + 1).padStart(2, '0')}`;
}
