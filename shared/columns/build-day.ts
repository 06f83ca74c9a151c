import { type FactTable, type KeyColumn, type Measure, TABLE_KEYS } from '../catalog/tables.ts';
import type { Codes, KeyValue, UserData } from './column.ts';
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
 * Encodes one day of a fact table. Rows with equal keys become one: measures are summed, users united. Rows are sorted by the
 * table's key columns, hour last, so that the leading columns are runs.
 * @returns the rows kept, and each column's bytes by its name; `date` is not stored, it is the segment's own
 */
export function encodeDay(table: FactTable, facts: CodedRows): EncodedRows {
  const summed = sumRowsByKeys(sortedKeyColumns(table), facts);
  const together = encodeRows(summed, false);
  let bytes = 0;
  for (const column of together.columns.values()) bytes += column.bytes.length;
  return bytes <= COMPRESS_TOGETHER_BYTES ? together : encodeRows(summed, true);
}

/** Fact rows with distinct keys, in the order of their keys; dictionaries are ascending. */
export interface SummedRows {
  readonly rows: number;
  readonly keys: ReadonlyMap<KeyColumn, CodedKeys>;
  readonly measures: ReadonlyMap<Measure, Float64Array>;
  readonly users?: UserData;
}

/** @returns the facts by the given key columns: rows alike in them are one, measures summed and users united; sorted, the first column slowest. */
export function sumRowsByKeys(columns: readonly KeyColumn[], facts: CodedRows): SummedRows {
  const coded = columns.map((name) => codeColumn(facts, name));
  const order = sortRows(coded, facts.rows);
  const groups = findEqualRows(
    coded.map((it) => it.codes),
    order,
  );
  const rows = groups.length - 1;
  const keys = new Map<KeyColumn, CodedKeys>();
  columns.forEach((name, column) => {
    const { dictionary, codes } = coded[column] ?? { dictionary: [null], codes: new Uint8Array(facts.rows) };
    const kept = new Uint32Array(rows);
    for (let row = 0; row < rows; row++) kept[row] = codes[order[groups[row] ?? 0] ?? 0] ?? 0;
    keys.set(name, { dictionary, codes: kept });
  });
  const measures = new Map<Measure, Float64Array>();
  for (const [name, values] of facts.measures) measures.set(name, sumRows(values, order, groups));
  const users = facts.users === undefined ? {} : { users: uniteUsers(facts.users, order, groups) };
  return { rows, keys, measures, ...users };
}

/** @param compress whether each column is compressed by itself; columns that are stored together are compressed together */
export function encodeRows(summed: SummedRows, compress: boolean): EncodedRows {
  const columns = new Map<string, EncodedColumn>();
  if (summed.rows === 0) return { rows: 0, columns };
  for (const [name, coded] of summed.keys) {
    columns.set(name, { bytes: encodeCodedKeys(coded, compress), distinct: coded.dictionary.length });
  }
  for (const [name, values] of summed.measures) {
    columns.set(name, { bytes: encodeMeasure(values, compress), distinct: 0 });
  }
  if (summed.users !== undefined) {
    for (const [name, bytes] of encodeUsers(summed.users, compress)) columns.set(name, { bytes, distinct: 0 });
  }
  return { rows: summed.rows, columns };
}

/** Key columns from the slowest changing to the fastest: the table's own order, but the hour last. */
function sortedKeyColumns(table: FactTable): KeyColumn[] {
  const columns = TABLE_KEYS[table].filter((it) => it !== 'date' && it !== 'hour');
  return [...columns, 'hour'];
}

function codeColumn(facts: CodedRows, name: KeyColumn): CodedKeys {
  const given = facts.keys.get(name);
  if (given === undefined) return { dictionary: [null], codes: new Uint8Array(facts.rows) };
  return 'codes' in given ? sortDictionary(given) : codeKeys(given);
}

/** @returns the rows in ascending order of all columns, the first most significant: one stable counting sort a column. */
function sortRows(columns: readonly CodedKeys[], rows: number): Uint32Array {
  let order = Uint32Array.from({ length: rows }, (_, row) => row);
  let target = new Uint32Array(rows);
  for (const { dictionary, codes } of columns.toReversed()) {
    if (dictionary.length <= 1) continue;
    const next = new Uint32Array(dictionary.length + 1);
    for (let row = 0; row < rows; row++) next[(codes[row] ?? 0) + 1] = (next[(codes[row] ?? 0) + 1] ?? 0) + 1;
    for (let code = 1; code < next.length; code++) next[code] = (next[code] ?? 0) + (next[code - 1] ?? 0);
    for (let i = 0; i < rows; i++) {
      const row = order[i] ?? 0;
      const code = codes[row] ?? 0;
      const at = next[code] ?? 0;
      target[at] = row;
      next[code] = at + 1;
    }
    [order, target] = [target, order];
  }
  return order;
}

/** @returns where in `order` each distinct row begins, and the end. */
function findEqualRows(columns: readonly Codes[], order: Uint32Array): Uint32Array {
  const begins = new Uint8Array(order.length + 1);
  begins[0] = 1;
  begins[order.length] = 1;
  for (const codes of columns) {
    for (let i = 1; i < order.length; i++) {
      if (codes[order[i - 1] as number] !== codes[order[i] as number]) begins[i] = 1; // i < length, and order holds rows
    }
  }
  const starts = new Uint32Array(begins.reduce((sum, begin) => sum + begin, 0));
  for (let i = 0, next = 0; i < begins.length; i++) if (begins[i] === 1) starts[next++] = i;
  return starts;
}

function sumRows(values: Float64Array, order: Uint32Array, groups: Uint32Array): Float64Array {
  const sums = new Float64Array(groups.length - 1);
  for (let row = 0; row < sums.length; row++) {
    let sum = 0;
    const end = groups[row + 1] ?? 0;
    for (let i = groups[row] ?? 0; i < end; i++) sum += values[order[i] ?? 0] ?? 0;
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
    for (let i = groups[row] ?? 0; i < (groups[row + 1] ?? 0); i++) {
      const source = order[i] ?? 0;
      const part = users.hashes.subarray(users.offsets[source] ?? 0, users.offsets[source + 1] ?? 0);
      hashes.set(part, length);
      length += part.length;
    }
    length = from + keepDistinct(hashes.subarray(from, length));
    offsets[row + 1] = length;
  }
  return { rows, offsets, hashes: hashes.subarray(0, length) };
}

/** Sorts in place and moves the distinct values to the front. @returns how many they are */
function keepDistinct(values: Float64Array): number {
  if (values.length < 2) return values.length;
  values.sort();
  let kept = 1;
  for (let i = 1; i < values.length; i++) {
    if (values[i] !== values[kept - 1]) values[kept++] = values[i] ?? 0;
  }
  return kept;
}
