import { createHash } from 'node:crypto';
import { type BaseColumn, type FactTable, isDerived, isOptional } from '../catalog/tables.ts';
import type { RunColumns } from '../layout/partitions.ts';
import {
  compressColumns,
  type EncodedColumn,
  encodeRows,
  type FactRows,
  sortedKeyColumns,
  withoutZeros,
} from './build-day.ts';
import { type CodedKeys, sortDictionary } from './coded-keys.ts';
import { SHOPPER_BANDS, SHOPPERS_COLUMN } from './column.ts';
import { decodeRows, joinRows } from './rollup.ts';

/** Days become one run up to this size; a load of one of these days writes the run again. */
const MAX_RUN_SIZE = 8_192;
/** Columns that take at most so many bytes together are one item of their run, and reports read the items of many runs in one call. */
const MAX_PACKED_BYTES = 64 * 1024;
/** Shoppers take about a quarter of the bytes of rows. */
const PAIRS_PER_ROW = 4;

/** Columns of a run that are read together. Few reports read its shoppers, which may be most of its bytes, or what few networks have. */
export const PACKS = ['facts', 'users', 'optional'] as const;
export type Pack = (typeof PACKS)[number];

/** Length of a day's hash, in bytes. */
export const HASH_BYTES = 8;

/** The rows of a run, encoded. */
export interface EncodedRun {
  readonly rows: number;
  /** By name, ascending. */
  readonly columns: ReadonlyMap<string, EncodedColumn>;
  /** Those whose columns become one item. The columns of others are items of their own. */
  readonly packs: readonly Pack[];
}

/** The rows of one day of a partition, as a load writes them. */
export interface BuiltDay {
  readonly rows: number;
  /** Hours with rows, ascending; none if the rows have no hour. */
  readonly hours: readonly number[];
  /** In rows: PAIRS_PER_ROW pairs of a shopper and a row count as one. */
  readonly size: number;
  /** As `namesOf` returns them: the days of a run have the same. */
  readonly names: string;
  /** HASH_BYTES bytes, which differ if the content differs. */
  readonly hash: Uint8Array;
  /** Whether rows have impressions, or lack the measure. */
  readonly isDelivered: boolean;
  /** The rows; a day that is too large for a run with others is encoded. */
  readonly content: FactRows | EncodedRun;
}

/** A day without rows. */
export const EMPTY_DAY: BuiltDay = {
  ...{ rows: 0, hours: [], size: 0, names: '', hash: new Uint8Array(HASH_BYTES), isDelivered: false },
  content: { rows: 0, keys: new Map(), measures: new Map() },
};

/** @param facts the rows of one day, as `sumDay` returns them */
export function buildDay(facts: FactRows): BuiltDay {
  const { rows, keys, measures, shoppers } = facts;
  const size = rows + Math.ceil((shoppers?.hashes.length ?? 0) / PAIRS_PER_ROW);
  const bands = shoppers === undefined ? [] : SHOPPER_BANDS.map(({ column }) => column);
  const names = namesOf([...keys.keys(), ...measures.keys(), ...bands]);
  const hours =
    keys
      .get('hour')
      ?.dictionary.filter((hour) => hour !== null)
      .map(Number) ?? [];
  const content = size > MAX_RUN_SIZE ? encodeRun(facts) : facts;
  const isDelivered = measures.get('impressions')?.some((impressions) => impressions !== 0) ?? true;
  return { rows, hours, size, names, hash: hashOf(content), isDelivered, content };
}

/** @returns the names of the columns; without derived measures, which may be absent from some days of a run, where they are 0 */
export function namesOf(columns: Iterable<string>): string {
  return [...columns]
    .filter((name) => !isDerived(name))
    .sort()
    .join();
}

/** @returns whether days of these sizes may be one run */
export function fitsRun(size: number): boolean {
  return size <= MAX_RUN_SIZE;
}

/** @returns the pack that has the column where it is small */
export function packOf(column: string): Pack {
  if (isOptional(column)) return 'optional';
  return column.startsWith(SHOPPERS_COLUMN) ? 'users' : 'facts';
}

/** @returns the rows as a run; columns that are not packed are compressed */
export function encodeRun(facts: FactRows): EncodedRun {
  const { rows, columns } = encodeRows(facts);
  const sizes = { facts: 0, users: 0, optional: 0 };
  for (const [name, { bytes }] of columns) sizes[packOf(name)] += bytes.length;
  const packs = PACKS.filter((pack) => sizes[pack] <= MAX_PACKED_BYTES);
  const large = new Map([...columns].filter(([name]) => !packs.includes(packOf(name))));
  const all = [...new Map([...columns, ...compressColumns(large)])].sort(([a], [b]) => (a < b ? -1 : 1));
  return { rows, columns: new Map(all), packs };
}

/** @returns the rows of each day of a run, all of whose columns were read */
export function decodeDays({ ref, run, columns }: RunColumns): Map<number, FactRows> {
  const facts = decodeRows(sortedKeyColumns(ref.table), ref.table, columns, `${ref.table}/${ref.month}`);
  let from = 0;
  return new Map(
    run.days.map(({ day, rows }) => {
      const part = sliceRows(facts, from, from + rows);
      from += rows;
      return [day, part] as const;
    }),
  );
}

/** @returns the rows of the days as those of a run, one day after the other */
export function joinDays(table: FactTable, days: readonly FactRows[]): FactRows {
  const joined = joinRows(sortedKeyColumns(table), days);
  const keys = [...joined.keys].map(([name, coded]) => [name, sortDictionary(coded)] as const);
  return { ...joined, keys: new Map<BaseColumn, CodedKeys>(keys), measures: withoutZeros(joined.measures) };
}

function sliceRows(facts: FactRows, from: number, to: number): FactRows {
  const keys = [...facts.keys].map(([name, { dictionary, codes }]) => {
    return [name, { dictionary, codes: codes.subarray(from, to) }] as const;
  });
  const measures = [...facts.measures].map(([name, values]) => [name, values.subarray(from, to)] as const);
  const part = { rows: to - from, keys: new Map<BaseColumn, CodedKeys>(keys), measures: new Map(measures) };
  if (facts.shoppers === undefined) return part;
  const base = facts.shoppers.offsets[from] ?? 0;
  const offsets = facts.shoppers.offsets.slice(from, to + 1).map((offset) => offset - base);
  return {
    ...part,
    shoppers: { rows: to - from, offsets, hashes: facts.shoppers.hashes.subarray(base, facts.shoppers.offsets[to]) },
  };
}

function hashOf(content: FactRows | EncodedRun): Uint8Array {
  const hash = createHash('sha256').update(`${content.rows}\n`);
  const add = (name: string, values: Uint8Array | Uint32Array | Float64Array, distinct: unknown = '') => {
    hash.update(`${name} ${JSON.stringify(distinct)} ${values.length}\n`);
    hash.update(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  };
  if ('columns' in content) {
    for (const [name, { bytes, distinct }] of content.columns) add(name, bytes, distinct);
  } else {
    const { keys, measures, shoppers } = content;
    for (const [name, { dictionary, codes }] of keys) add(name, Uint32Array.from(codes), dictionary);
    for (const [name, values] of measures) add(name, values);
    if (shoppers !== undefined) {
      add('offsets', shoppers.offsets);
      add('hashes', shoppers.hashes);
    }
  }
  return new Uint8Array(hash.digest().subarray(0, HASH_BYTES));
}
