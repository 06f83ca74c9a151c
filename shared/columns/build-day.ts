import {
  type BaseColumn,
  DERIVED_MEASURES,
  type FactTable,
  type KeyColumn,
  type Measure,
  TABLE_KEYS,
} from '../catalog/tables.ts';
import { type CodedKeys, encodeCodedKeys, sortDictionary } from './coded-keys.ts';
import type { Codes, ShopperData } from './column.ts';
import { compressFrame } from './frame.ts';
import { encodeMeasure } from './measures.ts';
import { countShopperPairs, encodeShoppers } from './shopper-rows.ts';
import { combineColumns, findEqualRows, sortRows } from './sort-rows.ts';
import { areExact, splitLargeSums, sumMeasures, uniteShoppers } from './sum-rows.ts';

/** Fact rows, by column. Dictionaries may be in any order. Absent key columns are null in every row; no absent column is encoded. */
export interface FactRows {
  readonly rows: number;
  readonly keys: ReadonlyMap<BaseColumn, CodedKeys>;
  readonly measures: ReadonlyMap<Measure, Float64Array>;
  readonly shoppers?: ShopperData;
}

export interface EncodedColumn {
  readonly bytes: Uint8Array;
  /** Distinct values of a key column; pairs of a shopper and a row of a band of shoppers; 0 for measures. */
  readonly distinct: number;
}

export interface EncodedRows {
  readonly rows: number;
  /** By name; none if there are no rows. */
  readonly columns: ReadonlyMap<string, EncodedColumn>;
}

export const NO_ROWS = { rows: 0, columns: new Map<string, never>() };

/**
 * Sums rows with equal keys (see `sumRowsByKeys`), and sorts them by the table's key columns, so that the leading columns consist of runs.
 * @returns the rows of one day as they will be stored; there is no column `date`, which is constant
 */
export function sumDay(table: FactTable, facts: FactRows): FactRows {
  return sumRowsByKeys(sortedKeyColumns(table), facts);
}

/**
 * Sums rows with equal keys into one row, or into several where a measure would otherwise reach 2^53, so that every stored value is exact.
 * @returns the facts by those of the key columns that they have, whose dictionaries are ascending, sorted by them in their order; measures are summed (of LARGEST_MEASURES the largest is kept; see also `withoutZeros`), shoppers united
 */
export function sumRowsByKeys(names: readonly BaseColumn[], facts: FactRows): FactRows {
  const columns = names.filter((name) => facts.keys.has(name));
  const coded = columns.map((name) => sortDictionary(keysOf(facts, name)));
  const sortColumns = combineColumns(coded, facts.rows);
  const order = sortRows(sortColumns, facts.rows);
  const equal = findEqualRows(sortColumns, order);
  const isMerged = equal.length <= order.length; // it has one more element than there are groups
  const groups = isMerged && !areExact(facts.measures) ? splitLargeSums(facts.measures, order, equal) : equal;
  const measures = withoutZeros(sumMeasures(facts.measures, order, groups));
  const rows = groups.length - 1;
  const firsts = rows === order.length ? order : groups.subarray(0, rows).map((i) => order[i] ?? 0);
  const keys = new Map<BaseColumn, CodedKeys>();
  columns.forEach((name, column) => {
    const { dictionary, codes } = coded[column] ?? { dictionary: [null], codes: new Uint8Array(facts.rows) };
    keys.set(name, { dictionary, codes: dictionary.length <= 1 ? new Uint32Array(rows) : pickCodes(codes, firsts) });
  });
  const shoppers = facts.shoppers === undefined ? {} : { shoppers: uniteShoppers(facts.shoppers, order, groups) };
  return { rows, keys, measures, ...shoppers };
}

/** @returns the measures without those lists of DERIVED_MEASURES that are 0 in all rows: nothing is known of their products, or all have shoppers */
export function withoutZeros(measures: FactRows['measures']): Map<Measure, Float64Array> {
  const isZero = (name: Measure) => measures.get(name)?.every((value) => value === 0) ?? true;
  const zero = DERIVED_MEASURES.filter((list) => list.every(({ part }) => isZero(part)));
  const absent = new Set<Measure>(zero.flat().map(({ part }) => part));
  return new Map([...measures].filter(([name]) => !absent.has(name)));
}

/** @returns the encoded columns, not compressed */
export function encodeRows(summed: FactRows): EncodedRows {
  if (summed.rows === 0) return NO_ROWS;
  const columns = new Map<string, EncodedColumn>();
  for (const [name, coded] of summed.keys) {
    const isEmpty = coded.dictionary.every((value) => value === null);
    columns.set(name, { bytes: encodeCodedKeys(coded), distinct: isEmpty ? 0 : coded.dictionary.length });
  }
  for (const [name, values] of summed.measures) {
    columns.set(name, { bytes: encodeMeasure(values), distinct: 0 });
  }
  if (summed.shoppers !== undefined) {
    for (const [name, bytes] of encodeShoppers(summed.shoppers))
      columns.set(name, { bytes, distinct: countShopperPairs(bytes, name) });
  }
  return { rows: summed.rows, columns };
}

/** @returns the columns, each compressed separately where that saves bytes */
export function compressColumns(columns: ReadonlyMap<string, EncodedColumn>): Map<string, EncodedColumn> {
  return new Map([...columns].map(([name, column]) => [name, { ...column, bytes: compressFrame(column.bytes) }]));
}

/**
 * Key columns to sort by first, where they differ from the table's own order. Conversions by ad group are read from rollups, so the days are sorted for
 * reports by product.
 */
const SORT_FIRST: Partial<Record<FactTable, readonly KeyColumn[]>> = {
  conversions: ['entity_id', 'purchased_entity_id'],
};

/** @returns the key columns of a day to sort by: first SORT_FIRST, then the table's own order, with the hour last */
export function sortedKeyColumns(table: FactTable): KeyColumn[] {
  const first = SORT_FIRST[table] ?? [];
  const others = TABLE_KEYS[table].filter((name) => name !== 'date' && name !== 'hour' && !first.includes(name));
  return [...first, ...others, 'hour'];
}

/** @returns the key column; null in every row if it is absent */
export function keysOf({ keys, rows }: FactRows, name: BaseColumn): CodedKeys {
  return keys.get(name) ?? { dictionary: [null], codes: new Uint8Array(rows) };
}

function pickCodes(codes: Codes, rows: Uint32Array): Uint32Array {
  const picked = new Uint32Array(rows.length);
  for (let i = 0; i < rows.length; i++) picked[i] = codes[rows[i] ?? 0] ?? 0;
  return picked;
}
