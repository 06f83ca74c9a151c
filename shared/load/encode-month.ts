import type { FactRows } from '../columns/build-day.ts';
import { expandKeys } from '../columns/keys.ts';
import { packColumns, unpackColumns } from '../columns/pack.ts';
import { CUBES, type Cube, decodeCube, encodeCube, joinDays, keepDays } from '../columns/rollup.ts';
import type { RollupData } from '../store/facts/rollups.ts';
import { storedColumns } from './code-facts.ts';
import { type BlockRows, readBlocks } from './read-blocks.ts';
import type { BlockShape } from './write-block.ts';

/** Days of a month that a load brings, rolled up into one cube. */
export interface RolledDays {
  /** Of the month; those without rows become empty. */
  readonly days: readonly number[];
  readonly rows: number;
  /** Blocks of the rows of all days. */
  readonly bytes: Uint8Array;
}

/** @returns the columns of a cube's rows under way */
export function cubeShape(cube: Cube): BlockShape {
  const { table, keys } = CUBES[cube];
  const { measures, hasUsers } = storedColumns(table);
  return { keys, measures, hasUsers };
}

/**
 * @param before the month's rollup so far, if any; days that the load brings are replaced in it
 * @param month names it in errors
 * @returns the month's rollup; undefined where the month has no rows
 */
export function encodeMonth(
  month: string,
  before: RollupData | undefined,
  brought: ReadonlyMap<Cube, RolledDays>,
): RollupData | undefined {
  const stored = before === undefined ? [] : [...unpackColumns(before.packed, month), ...before.users];
  let hasRows = false;
  const packed = new Map<string, Uint8Array>();
  const users = new Map<string, Uint8Array>();
  for (const cube of Object.keys(CUBES) as Cube[]) {
    // keys of the literal are the union
    const prefix = `${cube}/`;
    const own = stored.filter(([name]) => name.startsWith(prefix));
    const columns = new Map(own.map(([name, bytes]) => [name.slice(prefix.length), bytes]));
    const { days, rows, bytes } = brought.get(cube) ?? { days: [], rows: 0, bytes: new Uint8Array(0) };
    const kept = keepDays(decodeCube(cube, columns, `${month}/${cube}`), (day) => !days.includes(day));
    const parts = [kept, expand(readBlocks(cubeShape(cube), rows, bytes))];
    const joined = joinDays(parts.filter((it) => it.rows > 0));
    if (joined.rows > 0) hasRows = true;
    for (const [name, column] of encodeCube(cube, joined)) {
      (name.startsWith('users') ? users : packed).set(`${prefix}${name}`, column.bytes);
    }
  }
  return hasRows ? { packed: packColumns(packed), users } : undefined;
}

function expand(rows: BlockRows): FactRows {
  const keys = [...rows.keys].map(([name, { dictionary, codes }]) => {
    return [name, expandKeys({ kind: 'codes', rows: rows.rows, dictionary, codes })] as const;
  });
  return { ...rows, keys: new Map(keys) };
}
