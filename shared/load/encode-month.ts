import type { FactRows } from '../columns/build-day.ts';
import { CUBES, type Cube, decodeCube, encodeCube, joinDays, keepDays } from '../columns/rollup.ts';

/** The days of a month that a load brings, rolled up, by cube and day of the month; a day without rows becomes empty. */
export type RolledDays = ReadonlyMap<Cube, ReadonlyMap<number, FactRows>>;

/** Columns of all cubes of a month, named `<cube>/<column>`. */
export type MonthColumns = ReadonlyMap<string, Uint8Array>;

/**
 * @param before the month's rollup so far; days that the load brings are replaced in it
 * @param month names it in errors
 * @returns the month's rollup
 */
export function encodeMonth(month: string, before: MonthColumns, days: RolledDays): MonthColumns {
  const columns = new Map<string, Uint8Array>();
  for (const cube of Object.keys(CUBES) as Cube[]) {
    // keys of the literal are the union
    const prefix = `${cube}/`;
    const own = [...before].filter(([name]) => name.startsWith(prefix));
    const stored = new Map(own.map(([name, bytes]) => [name.slice(prefix.length), bytes]));
    const brought = days.get(cube) ?? new Map<number, FactRows>();
    const kept = keepDays(decodeCube(cube, stored, `${month}/${cube}`), (day) => !brought.has(day));
    const encoded = encodeCube(cube, joinDays([kept, ...brought.values()].filter((it) => it.rows > 0)));
    for (const [name, { bytes }] of encoded) columns.set(`${prefix}${name}`, bytes);
  }
  return columns;
}
