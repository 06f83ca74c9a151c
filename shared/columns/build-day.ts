import { type FactTable, type KeyColumn, type Measure, TABLE_KEYS } from '../catalog/tables.ts';
import type { Codes, KeyValue, UserData } from './column.ts';
import { compressFrame } from './frame.ts';
import { type CodedKeys, codeKeys, encodeCodedKeys, sortDictionary } from './keys.ts';
import { encodeMeasure } from './measures.ts';
import { encodeUsers } from './users.ts';

/** Fact rows of one day, by column. Key columns that are absent are null in every row, measures that are absent 0. */
export interface FactRows {
  readonly rows: number;
  readonly keys: ReadonlyMap<KeyColumn, readonly KeyValue[]>;
  readonly measures: ReadonlyMap<Measure, Float64Array>;
  readonly users?: UserData;
}

/** Fact rows whose keys may be coded already, their dictionaries in any order. */
export interface CodedRows extends Omit<FactRows, 'keys'> {
  readonly keys: ReadonlyMap<KeyColumn, readonly KeyValue[] | CodedKeys>;
}

export interface EncodedColumn {
  readonly bytes: Uint8Array;
  /** Distinct values of a key column; 0 for measures and users. */
  readonly distinct: number;
}

export interface EncodedRows {
  readonly rows: number;
  readonly columns: Map<string, EncodedColumn>;
}

/** Below this, before compression, a day's columns are framed without it: they are stored as one item, compressed together. */
const COMPRESS_TOGETHER_BYTES = 16_000;

/**
 * Encodes one day of a fact table. Rows with equal keys become one: measures are summed, users united (see `sumRowsByKeys`). Rows are
 * sorted by the table's key columns, so that the leading ones are runs.
 * @returns the rows kept, and each column's bytes by its name; `date` is not stored, it is the segment's own
 */
export function encodeDay(table: FactTable, facts: CodedRows): EncodedRows {
  return encodeSummedDay(sumDay(table, facts));
}

/** @returns the rows of one day as they are stored, before they are encoded */
export function sumDay(table: FactTable, facts: CodedRows): SummedRows {
  return sumRowsByKeys(sortedKeyColumns(table), facts);
}

/** The second half of `encodeDay`. */
export function encodeSummedDay(summed: SummedRows): EncodedRows {
  const { rows, columns } = encodeRows(summed);
  let bytes = 0;
  for (const column of columns.values()) bytes += column.bytes.length;
  return { rows, columns: bytes <= COMPRESS_TOGETHER_BYTES ? columns : compressColumns(columns) };
}

/** Fact rows in the order of their keys; dictionaries are ascending. */
export interface SummedRows {
  readonly rows: number;
  readonly keys: ReadonlyMap<KeyColumn, CodedKeys>;
  readonly measures: ReadonlyMap<Measure, Float64Array>;
  readonly users?: UserData;
}

/**
 * Rows with equal keys become one row, unless a measure of it would reach 2^53: then they become as many rows as it takes, so that every
 * stored value is exact.
 * @returns the facts by the given key columns, measures summed and users united; sorted, the first column slowest
 */
export function sumRowsByKeys(columns: readonly KeyColumn[], facts: CodedRows): SummedRows {
  const coded = columns.map((name) => codeColumn(facts, name));
  const sortable = combineColumns(coded, facts.rows);
  const order = sortRows(sortable, facts.rows);
  let groups = findEqualRows(sortable, order);
  let measures = sumMeasures(facts.measures, order, groups);
  if (groups.length <= order.length && !areExact(measures)) {
    groups = splitLargeSums(facts.measures, order, groups);
    measures = sumMeasures(facts.measures, order, groups);
  }
  const rows = groups.length - 1;
  const firsts = rows === order.length ? order : groups.subarray(0, rows).map((i) => order[i] as number); // groups hold places of order
  const keys = new Map<KeyColumn, CodedKeys>();
  columns.forEach((name, column) => {
    const { dictionary, codes } = coded[column] ?? { dictionary: [null], codes: new Uint8Array(facts.rows) };
    keys.set(name, { dictionary, codes: dictionary.length <= 1 ? new Uint32Array(rows) : pickCodes(codes, firsts) });
  });
  const users = facts.users === undefined ? {} : { users: uniteUsers(facts.users, order, groups) };
  return { rows, keys, measures, ...users };
}

/** @returns the columns, not compressed */
export function encodeRows(summed: SummedRows): EncodedRows {
  const columns = new Map<string, EncodedColumn>();
  if (summed.rows === 0) return { rows: 0, columns };
  for (const [name, coded] of summed.keys) {
    columns.set(name, { bytes: encodeCodedKeys(coded), distinct: coded.dictionary.length });
  }
  for (const [name, values] of summed.measures) {
    columns.set(name, { bytes: encodeMeasure(values), distinct: 0 });
  }
  if (summed.users !== undefined) {
    for (const [name, bytes] of encodeUsers(summed.users)) columns.set(name, { bytes, distinct: 0 });
  }
  return { rows: summed.rows, columns };
}

/** @returns the columns, each compressed by itself where that saves bytes */
export function compressColumns(columns: ReadonlyMap<string, EncodedColumn>): Map<string, EncodedColumn> {
  return new Map([...columns].map(([name, column]) => [name, { ...column, bytes: compressFrame(column.bytes) }]));
}

/** What a table's reports from facts ask for most, where that is not what its keys begin with: conversions by product, since rollups have their ad groups. */
const SORTED_FIRST: Partial<Record<FactTable, readonly KeyColumn[]>> = {
  conversions: ['entity_id', 'purchased_entity_id'],
};

/** Key columns from the slowest changing to the fastest: the table's own order but for those, and the hour last. */
function sortedKeyColumns(table: FactTable): KeyColumn[] {
  const first = SORTED_FIRST[table] ?? [];
  const others = TABLE_KEYS[table].filter((it) => it !== 'date' && it !== 'hour' && !first.includes(it));
  return [...first, ...others, 'hour'];
}

function codeColumn(facts: CodedRows, name: KeyColumn): CodedKeys {
  const given = facts.keys.get(name);
  if (given === undefined) return { dictionary: [null], codes: new Uint8Array(facts.rows) };
  return 'codes' in given ? sortDictionary(given) : codeKeys(given);
}

/** What rows are sorted by: codes of [0, size). */
interface Sortable {
  readonly codes: Codes;
  readonly size: number;
}

/** Columns are sorted by together as long as their sizes multiplied stay within this: the counts of a sort then stay in the processor's cache. */
const MAX_COMBINED = 1 << 14;

/** @returns columns that rows are in the same order by, and equal in when they were: adjoining ones made one, those of a single value left out */
function combineColumns(columns: readonly CodedKeys[], rows: number): Sortable[] {
  const combined: Sortable[] = [];
  for (const { dictionary, codes } of columns) {
    const size = dictionary.length;
    if (size <= 1) continue;
    const last = combined.at(-1);
    if (last === undefined || last.size * size > MAX_COMBINED) {
      combined.push({ codes, size });
      continue;
    }
    const both = new Uint32Array(rows);
    for (let row = 0; row < rows; row++) both[row] = (last.codes[row] as number) * size + (codes[row] as number); // one code a row
    combined[combined.length - 1] = { codes: both, size: last.size * size };
  }
  return combined;
}

// Below, codes are within [0, size), `order` holds rows, and `groups` places of `order`: every index is in range.

/** @returns the rows in ascending order of all columns, the first most significant: one stable counting sort a column. */
function sortRows(columns: readonly Sortable[], rows: number): Uint32Array {
  let order = Uint32Array.from({ length: rows }, (_, row) => row);
  let target = new Uint32Array(rows);
  for (const { codes, size } of columns.toReversed()) {
    const next = new Uint32Array(size + 1);
    for (let row = 0; row < rows; row++)
      next[(codes[row] as number) + 1] = (next[(codes[row] as number) + 1] as number) + 1;
    for (let code = 1; code < next.length; code++) next[code] = (next[code] as number) + (next[code - 1] as number);
    for (let i = 0; i < rows; i++) {
      const row = order[i] as number;
      const code = codes[row] as number;
      const at = next[code] as number;
      target[at] = row;
      next[code] = at + 1;
    }
    [order, target] = [target, order];
  }
  return order;
}

/** @returns where in `order` each distinct row begins, and the end. */
function findEqualRows(columns: readonly Sortable[], order: Uint32Array): Uint32Array {
  const begins = new Uint8Array(order.length + 1);
  begins[0] = 1;
  begins[order.length] = 1;
  for (const { codes } of columns) {
    let before = order.length === 0 ? 0 : (codes[order[0] as number] as number);
    for (let i = 1; i < order.length; i++) {
      const code = codes[order[i] as number] as number;
      if (code !== before) begins[i] = 1;
      before = code;
    }
  }
  let count = 0;
  for (let i = 0; i < begins.length; i++) count += begins[i] as number;
  const starts = new Uint32Array(count);
  for (let i = 0, next = 0; i < begins.length; i++) if (begins[i] === 1) starts[next++] = i;
  return starts;
}

function pickCodes(codes: Codes, rows: Uint32Array): Uint32Array {
  const picked = new Uint32Array(rows.length);
  for (let i = 0; i < rows.length; i++) picked[i] = codes[rows[i] as number] as number;
  return picked;
}

function sumMeasures(
  measures: ReadonlyMap<Measure, Float64Array>,
  order: Uint32Array,
  groups: Uint32Array,
): Map<Measure, Float64Array> {
  return new Map([...measures].map(([name, values]) => [name, sumRows(values, order, groups)]));
}

/** Sums of doubles are exact as long as they stay below 2^53, and never fall below it again. */
function areExact(measures: ReadonlyMap<Measure, Float64Array>): boolean {
  return [...measures.values()].every((sums) => sums.every((sum) => sum <= Number.MAX_SAFE_INTEGER));
}

/** @returns the groups, with a further one beginning wherever a sum of one of the measures would reach 2^53 */
function splitLargeSums(
  measures: ReadonlyMap<Measure, Float64Array>,
  order: Uint32Array,
  groups: Uint32Array,
): Uint32Array {
  const columns = [...measures.values()];
  const sums = new Float64Array(columns.length);
  const starts: number[] = [];
  let group = 0;
  for (let i = 0; i < order.length; i++) {
    const row = order[i] as number;
    const isFirst = groups[group] === i;
    if (isFirst) group++;
    if (
      isFirst ||
      columns.some((values, c) => (sums[c] as number) + (values[row] as number) > Number.MAX_SAFE_INTEGER)
    ) {
      starts.push(i);
      sums.fill(0);
    }
    columns.forEach((values, c) => {
      sums[c] = (sums[c] as number) + (values[row] as number);
    });
  }
  return Uint32Array.from([...starts, order.length]);
}

function sumRows(values: Float64Array, order: Uint32Array, groups: Uint32Array): Float64Array {
  const sums = new Float64Array(groups.length - 1);
  if (sums.length === order.length) {
    for (let row = 0; row < sums.length; row++) sums[row] = values[order[row] as number] as number;
    return sums;
  }
  for (let row = 0; row < sums.length; row++) {
    let sum = 0;
    const end = groups[row + 1] as number;
    for (let i = groups[row] as number; i < end; i++) sum += values[order[i] as number] as number;
    sums[row] = sum;
  }
  return sums;
}

function uniteUsers(users: UserData, order: Uint32Array, groups: Uint32Array): UserData {
  const rows = groups.length - 1;
  const offsets = new Uint32Array(rows + 1);
  if (users.hashes.length === 0) return { rows, offsets, hashes: users.hashes };
  const hashes = new Float64Array(users.hashes.length);
  let length = 0;
  for (let row = 0; row < rows; row++) {
    const from = length;
    for (let i = groups[row] as number; i < (groups[row + 1] as number); i++) {
      const source = order[i] as number;
      const end = users.offsets[source + 1] as number;
      for (let at = users.offsets[source] as number; at < end; at++) hashes[length++] = users.hashes[at] as number;
    }
    length = from + keepDistinct(hashes, from, length);
    offsets[row + 1] = length;
  }
  return { rows, offsets, hashes: hashes.subarray(0, length) };
}

/** Up to so many values are sorted by hand: most rows have a few users, and a call takes longer than they do. */
const FEW_VALUES = 8;

/** Sorts in place and moves the distinct values to the front. @returns how many they are */
function keepDistinct(values: Float64Array, from: number, to: number): number {
  if (to - from < 2) return to - from;
  if (to - from > FEW_VALUES) values.subarray(from, to).sort();
  else insertionSort(values, from, to);
  let end = from + 1;
  for (let i = from + 1; i < to; i++) {
    if (values[i] !== values[end - 1]) values[end++] = values[i] as number; // i < to
  }
  return end - from;
}

function insertionSort(values: Float64Array, from: number, to: number): void {
  for (let i = from + 1; i < to; i++) {
    const value = values[i] as number; // i < to, and at > from below
    let at = i;
    for (; at > from && (values[at - 1] as number) > value; at--) values[at] = values[at - 1] as number;
    values[at] = value;
  }
}
