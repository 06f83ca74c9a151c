import { DAY_COLUMNS, EXPERIENCES, type Experience, FACT_TABLES } from '../../catalog/tables.ts';
import { NO_ROWS } from '../../columns/build-day.ts';
import {
  DAY_LISTS,
  type EncodedTable,
  type FactHead,
  PLATFORM_ID,
  type RollupEntry,
  type Rollups,
} from '../../layout/partitions.ts';
import { compressJson, decompressJson } from '../table/compress.ts';
import { asRecord } from '../table/item.ts';
import {
  type ChangedPartition,
  formatDays,
  latestDeliveryOf,
  listOptional,
  monthsOf,
  parseDays,
  parseOptional,
  updateDays,
  updateUnmeasuredDays,
} from './loaded-days.ts';
import type { StoredRollup } from './stored-rollups.ts';

/** A load's changes to facts. */
export interface FactChange {
  readonly partitions: readonly ChangedPartition[];
  /** The rollups that the load has written. */
  readonly rollups: readonly StoredRollup[];
}

/**
 * @param n the number of the load
 * @param change the load's changes to the facts of the head's advertiser
 * @returns the head after the load
 */
export function updateFactHead(n: number, before: FactHead, change: FactChange): FactHead {
  const days = updateDays(before.days ?? new Map(), change.partitions);
  const unmeasured = updateUnmeasuredDays(before.unmeasured ?? new Map(), change.partitions);
  const rollups = updateRollups(before, change);
  const versions = new Map(before.versions);
  for (const { ref } of change.partitions) versions.set(ref.experience, n);
  return {
    advertiserId: before.advertiserId,
    ...{ months: monthsOf(before.advertiserId, days), latestDelivery: latestDeliveryOf(days), versions },
    ...(days.size === 0 ? {} : { days }),
    ...(unmeasured.size === 0 ? {} : { unmeasured }),
    ...(rollups.size === 0 ? {} : { rollups }),
  };
}

/** @returns the rollups that match the facts: of unchanged months, or written by the load */
function updateRollups(before: FactHead, change: FactChange): Rollups {
  const rollups = new Map<Experience, Map<string, RollupEntry>>();
  for (const [experience, entries] of before.rollups ?? []) rollups.set(experience, new Map(entries));
  for (const { ref } of change.partitions) rollups.get(ref.experience)?.delete(ref.month);
  for (const { ref, entry } of change.rollups) {
    rollups.set(ref.experience, (rollups.get(ref.experience) ?? new Map<string, RollupEntry>()).set(ref.month, entry));
  }
  // months are rolled up concurrently and finish in any order; sorting them makes equal heads compare equal
  const sorted = new Map<Experience, Map<string, RollupEntry>>();
  for (const experience of EXPERIENCES) {
    const entries = [...(rollups.get(experience) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
    if (entries.length > 0) sorted.set(experience, new Map(entries));
  }
  return sorted;
}

/** The only column of the table that has a head. */
export const HEAD_COLUMN = 'head';

/** @returns the head as a table of one row, to be stored; without rows if the advertiser has no facts. */
export function encodeFactHead(head: FactHead): EncodedTable {
  if ((head.days?.size ?? 0) === 0) return NO_ROWS;
  const { advertiserId, days = new Map(), unmeasured = new Map() } = head;
  const lacking = advertiserId === PLATFORM_ID ? unmeasured : listOptional(days, unmeasured);
  const value = {
    versions: Object.fromEntries([...head.versions].sort()), // days are written in any order
    days: formatDays(head.days ?? new Map()),
    ...(lacking.size > 0 && { unmeasured: formatDays(lacking) }),
    ...(head.advertisers && { advertisers: Object.fromEntries([...head.advertisers].sort()) }),
    rollups: formatRollups(head.rollups ?? new Map()),
  };
  return { rows: 1, columns: new Map([[HEAD_COLUMN, compressJson(value)]]) };
}

/** @returns the head that `encodeFactHead` encoded. @throws Error if it is damaged */
export function decodeFactHead(advertiserId: number, { columns }: EncodedTable): FactHead {
  const where = `the fact head of ${advertiserId}`;
  const bytes = columns.get(HEAD_COLUMN) ?? new Uint8Array(0);
  const { versions, days, unmeasured, advertisers, rollups } = asRecord(decompressJson(bytes, where)) ?? {};
  if (asRecord(days) === undefined) throw new Error(`${where} is not readable`);
  const loaded = parseDays(DAY_LISTS, days);
  const listed = parseDays(DAY_COLUMNS, unmeasured);
  const lacking = advertiserId === PLATFORM_ID ? listed : parseOptional(loaded, listed);
  const entries = parseRollups(rollups, where);
  return {
    ...{ advertiserId, months: monthsOf(advertiserId, loaded), latestDelivery: latestDeliveryOf(loaded) },
    versions: parseNumbers(versions),
    ...(loaded.size > 0 && { days: loaded }),
    ...(lacking.size > 0 && { unmeasured: lacking }),
    ...(advertisers !== undefined && { advertisers: parseNumbers(advertisers) }),
    ...(entries.size > 0 && { rollups: entries }),
  };
}

/** @param value an object made of `FactHead.versions` or `advertisers` */
export function parseNumbers(value: unknown): Map<Experience, number> {
  const versions = asRecord(value) ?? {};
  return new Map(EXPERIENCES.filter((name) => name in versions).map((name) => [name, Number(versions[name])]));
}

/** @returns the rollups as JSON, which `parseRollups` parses */
export function formatRollups(rollups: Rollups): unknown[] {
  return [...rollups].flatMap(([experience, months]) =>
    [...months].map(([month, { version, rows, bytes, columns }]) => {
      return [experience, month, version, bytes, Object.fromEntries(rows), Object.fromEntries(columns)];
    }),
  );
}

/** @returns the rollups that `formatRollups` formatted. @throws Error naming `where` if `list` is something else */
export function parseRollups(list: unknown, where: string): Map<Experience, Map<string, RollupEntry>> {
  if (!Array.isArray(list)) throw new Error(`${where} are not readable`);
  const rollups = new Map<Experience, Map<string, RollupEntry>>();
  for (const member of list) {
    const [name, month, version, bytes, rows, columns] = Array.isArray(member) ? member : [];
    const experience = EXPERIENCES.find((candidate) => candidate === name);
    if (experience === undefined) throw new Error(`${where} are not readable`);
    const counts = sizesIn(rows);
    const tables = FACT_TABLES.flatMap((table) => {
      const count = counts.get(table);
      return count === undefined ? [] : [[table, count] as const];
    });
    const entry = { version: Number(version), rows: new Map(tables), bytes: Number(bytes), columns: sizesIn(columns) };
    rollups.set(experience, (rollups.get(experience) ?? new Map<string, RollupEntry>()).set(String(month), entry));
  }
  return rollups;
}

function sizesIn(value: unknown): Map<string, number> {
  return new Map(Object.entries(asRecord(value) ?? {}).map(([name, size]) => [name, Number(size)]));
}
