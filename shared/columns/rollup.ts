import { type FactTable, type KeyColumn, type Measure, TABLE_MEASURES } from '../catalog/tables.ts';
import {
  type CodedRows,
  compressColumns,
  type EncodedColumn,
  encodeRows,
  type FactRows,
  sumRowsByKeys,
} from './build-day.ts';
import { type KeyValue, USER_BANDS, type UserData } from './column.ts';
import { decodeKeys, expandKeys } from './keys.ts';
import { decodeMeasure, expandMeasure } from './measures.ts';
import { decodeUsers } from './users.ts';

/**
 * The cubes of a month's rollup: the facts of one table summed by a few key columns, among them the day of the month. A report that groups and
 * filters by no other columns reads a cube instead of the facts: it has the same sums and users in a fraction of the rows. Market has no cube: which
 * of its rows count depends on the caller, so it cannot be summed in advance.
 */
export const CUBES = {
  delivery: { table: 'delivery', keys: ['ad_group_id', 'date'] },
  conversions: { table: 'conversions', keys: ['ad_group_id', 'date'] },
  activity: { table: 'activity', keys: ['ad_group_id', 'date'] },
} as const satisfies Readonly<Record<string, { table: FactTable; keys: readonly KeyColumn[] }>>;

export type Cube = keyof typeof CUBES;

/** @returns the cubes that facts of `table` are rolled up into */
export function cubesOf(table: FactTable): Cube[] {
  return (Object.keys(CUBES) as Cube[]).filter((cube) => CUBES[cube].table === table); // the keys of CUBES are the union
}

/** @returns the facts of one day, summed by the cube's keys */
export function rollUpDay(cube: Cube, day: number, facts: CodedRows): FactRows {
  const date = { dictionary: [day], codes: new Uint8Array(facts.rows) };
  const keys = new Map(facts.keys).set('date', date);
  const summed = sumRowsByKeys(CUBES[cube].keys, { ...facts, keys });
  const expanded = [...summed.keys].map(([name, { dictionary, codes }]) => {
    return [name, Array.from(codes, (code) => dictionary[code] ?? null)] as const;
  });
  return { ...summed, keys: new Map(expanded) };
}

/** @returns the rows of all parts; no day may be in two of them */
export function joinDays(parts: readonly FactRows[]): FactRows {
  const keys = new Map<KeyColumn, KeyValue[]>();
  const measures = new Map<Measure, Float64Array>();
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  let from = 0;
  for (const part of parts) {
    for (const [name, values] of part.keys) {
      const column = keys.get(name) ?? new Array<KeyValue>(from).fill(null);
      for (const value of values) column.push(value);
      keys.set(name, column);
    }
    for (const [name, values] of part.measures) {
      const column = measures.get(name) ?? new Float64Array(rows);
      column.set(values, from);
      measures.set(name, column);
    }
    from += part.rows;
  }
  const users = parts.some((part) => part.users !== undefined) ? { users: joinUsers(parts, rows) } : {};
  return { rows, keys, measures, ...users };
}

/** @returns the rows of the days for which `keeps` is true */
export function keepDays(facts: FactRows, keeps: (day: number) => boolean): FactRows {
  const kept = (facts.keys.get('date') ?? []).flatMap((day, row) => (keeps(Number(day)) ? [row] : []));
  const keys = new Map([...facts.keys].map(([name, values]) => [name, kept.map((row) => values[row] ?? null)]));
  const measures = new Map(
    [...facts.measures].map(([name, values]) => [name, Float64Array.from(kept, (row) => values[row] ?? 0)]),
  );
  const users = facts.users === undefined ? {} : { users: keepUsers(facts.users, kept) };
  return { rows: kept.length, keys, measures, ...users };
}

/** @returns the encoded columns of a month's cube: keys and measures not compressed, to be packed together; users compressed */
export function encodeCube(cube: Cube, facts: FactRows): Map<string, EncodedColumn> {
  const { columns } = encodeRows(sumRowsByKeys(CUBES[cube].keys, facts));
  const bands = USER_BANDS.flatMap(({ column }) => {
    const band = columns.get(column);
    return band === undefined ? [] : [[column, band] as const];
  });
  for (const [name, band] of compressColumns(new Map(bands))) columns.set(name, band);
  return columns;
}

/**
 * @param columns all columns that `encodeCube` returned
 * @param where the cube's name in errors
 * @returns the rows of the cube
 */
export function decodeCube(cube: Cube, columns: ReadonlyMap<string, Uint8Array>, where: string): FactRows {
  const keys = new Map<KeyColumn, KeyValue[]>();
  const measures = new Map<Measure, Float64Array>();
  const { table, keys: names } = CUBES[cube];
  for (const name of names) {
    const bytes = columns.get(name);
    if (bytes !== undefined) keys.set(name, expandKeys(decodeKeys(bytes, `${where}/${name}`)));
  }
  for (const name of Object.keys(TABLE_MEASURES[table]) as Measure[]) {
    const bytes = columns.get(name); // the keys of TABLE_MEASURES are the Measure union
    if (bytes !== undefined) measures.set(name, expandMeasure(decodeMeasure(bytes, `${where}/${name}`)));
  }
  const rows = keys.get('date')?.length ?? 0;
  const users = columns.has(USER_BANDS[0].column) ? { users: decodeAllUsers(columns, rows, where) } : {};
  return { rows, keys, measures, ...users };
}

/** @returns the users of each row, from the columns of all bands */
function decodeAllUsers(columns: ReadonlyMap<string, Uint8Array>, rows: number, where: string): UserData {
  const bands = USER_BANDS.map(({ column }) =>
    decodeUsers(columns.get(column) ?? new Uint8Array(), `${where}/${column}`),
  );
  const offsets = new Uint32Array(rows + 1);
  for (const { positions } of bands) for (const row of positions) offsets[row + 1] = (offsets[row + 1] ?? 0) + 1;
  for (let row = 0; row < rows; row++) offsets[row + 1] = (offsets[row + 1] ?? 0) + (offsets[row] ?? 0);
  const next = offsets.slice();
  const hashes = new Float64Array(offsets[rows] ?? 0);
  // bands, and the users of each band, are ascending by hash, so the hashes of each row become ascending
  for (const band of bands) {
    band.hashes.forEach((hash, user) => {
      for (const row of band.positions.subarray(band.offsets[user], band.offsets[user + 1])) {
        const slot = next[row] ?? 0;
        hashes[slot] = hash;
        next[row] = slot + 1;
      }
    });
  }
  return { rows, offsets, hashes };
}

function joinUsers(parts: readonly FactRows[], rows: number): UserData {
  const offsets = new Uint32Array(rows + 1);
  const hashes = new Float64Array(parts.reduce((sum, part) => sum + (part.users?.hashes.length ?? 0), 0));
  let row = 0;
  let length = 0;
  for (const { rows: count, users } of parts) {
    for (let i = 1; i <= count; i++) offsets[row + i] = length + (users?.offsets[i] ?? 0);
    hashes.set(users?.hashes ?? [], length);
    row += count;
    length += users?.hashes.length ?? 0;
  }
  return { rows, offsets, hashes };
}

function keepUsers({ offsets, hashes }: UserData, kept: readonly number[]): UserData {
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
