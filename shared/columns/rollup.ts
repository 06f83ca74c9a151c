import { type BaseColumn, type FactTable, type Measure, measuresOf } from '../catalog/tables.ts';
import { type Grain, OF_ADVERTISER, OF_SHARD } from '../layout/rollup-keys.ts';
import { compressColumns, type EncodedRows, encodeRows, type FactRows, keysOf, sumRowsByKeys } from './build-day.ts';
import { type CodedKeys, decodeKeys, expandCodes } from './coded-keys.ts';
import { type KeyValue, SHOPPER_BANDS, type ShopperData } from './column.ts';
import { decodeMeasure, expandMeasure } from './measures.ts';
import { decodeShoppers } from './shopper-rows.ts';

/**
 * @param day day of the month, from 1
 * @param facts the rows of that day
 * @returns its rows of the rollup
 */
export function rollUpDay(day: number, facts: FactRows): FactRows {
  const summed = sumRowsByKeys([OF_ADVERTISER.key], facts);
  const date = { dictionary: [day], codes: new Uint8Array(summed.rows) };
  return { ...summed, keys: new Map<BaseColumn, CodedKeys>(summed.keys).set('date', date) };
}

/** @returns the rows of all parts of a rollup */
export function joinParts(key: Grain['key'], parts: readonly FactRows[]): FactRows {
  return joinRows([key, 'date'], parts);
}

/** @returns the rows of all parts, with those of the given keys that some part has */
export function joinRows(names: readonly BaseColumn[], parts: readonly FactRows[]): FactRows {
  const measures = new Map<Measure, Float64Array>();
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  let from = 0;
  for (const part of parts) {
    for (const [name, values] of part.measures) {
      const column = measures.get(name) ?? new Float64Array(rows);
      column.set(values, from);
      measures.set(name, column);
    }
    from += part.rows;
  }
  const present = names.filter((name) => parts.some((part) => part.keys.has(name)));
  const keys = new Map(present.map((name) => [name, joinKeys(parts.map((part) => keysOf(part, name)))]));
  const shoppers = parts.some((part) => part.shoppers !== undefined) ? { shoppers: joinShoppers(parts, rows) } : {};
  return { rows, keys, measures, ...shoppers };
}

/** @returns the codes of all parts in one dictionary, which has only values that occur */
function joinKeys(parts: readonly CodedKeys[]): CodedKeys {
  const joinedCodes = new Map<KeyValue, number>();
  const joined: KeyValue[] = [];
  const codes = new Uint32Array(parts.reduce((sum, part) => sum + part.codes.length, 0));
  let from = 0;
  for (const { dictionary, codes: own } of parts) {
    const occurs = new Uint8Array(dictionary.length);
    for (let row = 0; row < own.length; row++) occurs[own[row] ?? 0] = 1;
    const joinedCodeOf = dictionary.map((value, code) => {
      const found = joinedCodes.get(value);
      const joinedCode = found ?? joined.length; // if the value does not occur, no row uses this code
      if (found === undefined && occurs[code] === 1) {
        joinedCodes.set(value, joinedCode);
        joined.push(value);
      }
      return joinedCode;
    });
    for (let row = 0; row < own.length; row++) codes[from + row] = joinedCodeOf[own[row] ?? 0] ?? 0;
    from += own.length;
  }
  return { dictionary: joined, codes };
}

/** @returns the rows of the days, advertisers or hours for which `keeps` is true */
export function keepRows(
  facts: FactRows,
  key: 'date' | 'advertiser' | 'hour',
  keeps: (value: number) => boolean,
): FactRows {
  const { dictionary, codes } = keysOf(facts, key);
  const isKept = dictionary.map((value) => keeps(Number(value)));
  const kept: number[] = [];
  codes.forEach((code, row) => {
    if (isKept[code] === true) kept.push(row);
  });
  const keys = [...facts.keys].map(([name, column]) => {
    const keptCodes = Uint32Array.from(kept, (row) => column.codes[row] ?? 0);
    return [name, { dictionary: column.dictionary, codes: keptCodes }] as const;
  });
  const measures = new Map(
    [...facts.measures].map(([name, values]) => [name, Float64Array.from(kept, (row) => values[row] ?? 0)]),
  );
  const shoppers = facts.shoppers === undefined ? {} : { shoppers: keepShoppers(facts.shoppers, kept) };
  return { rows: kept.length, keys: new Map(keys), measures, ...shoppers };
}

/**
 * @param facts the rows of a month, which are summed where they have equal keys
 * @returns the encoded columns: keys and measures not compressed, shoppers compressed
 */
export function encodeRollup(key: Grain['key'], facts: FactRows): EncodedRows {
  const { rows, columns } = encodeRows(sumRowsByKeys([key, 'date'], facts));
  const bands = SHOPPER_BANDS.flatMap(({ column }) => {
    const band = columns.get(column);
    return band === undefined ? [] : [[column, band] as const];
  });
  return { rows, columns: new Map([...columns, ...compressColumns(new Map(bands))]) };
}

/**
 * @param columns the columns that `encodeRollup` returned for facts of the table; without the shopper columns, the rows have no shoppers
 * @param where the rollup's name in errors
 * @returns the rows of the rollup
 * @throws if a column is damaged
 */
export function decodeRollup(
  key: Grain['key'],
  table: FactTable,
  columns: ReadonlyMap<string, Uint8Array>,
  where: string,
): FactRows {
  return decodeRows([key, 'date'], table, columns, where);
}

/** @returns the rows of the columns, as `decodeRollup` does, with those of the given keys that have a column, at least one */
export function decodeRows(
  names: readonly BaseColumn[],
  table: FactTable,
  columns: ReadonlyMap<string, Uint8Array>,
  where: string,
): FactRows {
  const keys = new Map<BaseColumn, CodedKeys>();
  const measures = new Map<Measure, Float64Array>();
  for (const name of names) {
    const bytes = columns.get(name);
    if (bytes === undefined) continue;
    const data = decodeKeys(bytes, `${where}/${name}`);
    keys.set(name, { dictionary: data.dictionary, codes: expandCodes(data) });
  }
  for (const name of measuresOf(table)) {
    const bytes = columns.get(name);
    if (bytes !== undefined) measures.set(name, expandMeasure(decodeMeasure(bytes, `${where}/${name}`)));
  }
  const [first] = keys.values();
  const rows = first?.codes.length ?? 0;
  const shoppers = columns.has(SHOPPER_BANDS[0].column) ? { shoppers: decodeAllShoppers(columns, rows, where) } : {};
  return { rows, keys, measures, ...shoppers };
}

/**
 * @param facts one advertiser's, by day and other keys
 * @returns their sums by day, as rows of a shard's rollup, without shoppers
 */
export function sumByAdvertiser(advertiserId: number, { shoppers: _, ...facts }: FactRows): FactRows {
  const advertiser = { dictionary: [advertiserId], codes: new Uint8Array(facts.rows) };
  return sumRowsByKeys([OF_SHARD.key, 'date'], { ...facts, keys: new Map(facts.keys).set('advertiser', advertiser) });
}

/** @returns the shoppers of each row, from the columns of all bands */
function decodeAllShoppers(columns: ReadonlyMap<string, Uint8Array>, rows: number, where: string): ShopperData {
  const bands = SHOPPER_BANDS.map(({ column }) =>
    decodeShoppers(columns.get(column) ?? new Uint8Array(), `${where}/${column}`),
  );
  const offsets = new Uint32Array(rows + 1);
  for (const { positions } of bands) for (const row of positions) offsets[row + 1] = (offsets[row + 1] ?? 0) + 1;
  for (let row = 0; row < rows; row++) offsets[row + 1] = (offsets[row + 1] ?? 0) + (offsets[row] ?? 0);
  const next = offsets.slice();
  const hashes = new Float64Array(offsets[rows] ?? 0);
  // bands, and the shoppers of each band, are ascending by hash, so the hashes of each row become ascending
  for (const band of bands) {
    band.hashes.forEach((hash, shopper) => {
      for (const row of band.positions.subarray(band.offsets[shopper], band.offsets[shopper + 1])) {
        const slot = next[row] ?? 0;
        hashes[slot] = hash;
        next[row] = slot + 1;
      }
    });
  }
  return { rows, offsets, hashes };
}

function joinShoppers(parts: readonly FactRows[], rows: number): ShopperData {
  const offsets = new Uint32Array(rows + 1);
  const hashes = new Float64Array(parts.reduce((sum, part) => sum + (part.shoppers?.hashes.length ?? 0), 0));
  let row = 0;
  let length = 0;
  for (const { rows: count, shoppers } of parts) {
    for (let i = 1; i <= count; i++) offsets[row + i] = length + (shoppers?.offsets[i] ?? 0);
    hashes.set(shoppers?.hashes ?? [], length);
    row += count;
    length += shoppers?.hashes.length ?? 0;
  }
  return { rows, offsets, hashes };
}

function keepShoppers({ offsets, hashes }: ShopperData, kept: readonly number[]): ShopperData {
  const parts = kept.map((row) => hashes.subarray(offsets[row], offsets[row + 1]));
  const keptOffsets = new Uint32Array(kept.length + 1);
  parts.forEach((part, row) => {
    keptOffsets[row + 1] = (keptOffsets[row] ?? 0) + part.length;
  });
  const keptHashes = new Float64Array(keptOffsets[kept.length] ?? 0);
  parts.forEach((part, row) => {
    keptHashes.set(part, keptOffsets[row]);
  });
  return { rows: kept.length, offsets: keptOffsets, hashes: keptHashes };
}
