import { type BaseColumn, FACT_TABLES, type FactTable, KEY_COLUMNS, type KeyColumn, TABLE_KEYS } from './tables.ts';

/**
 * A cube has the facts of one month, summed by ad group, day and at most one other key. It is named by that key; the cube without one, which is called
 * the rollup, by the ad group.
 */
export type Cube = Exclude<KeyColumn, 'date'>;

/** The cube without another key. Every other cube has all its keys, so whatever this one answers, it answers from fewer rows. */
export const ROLLUP: Cube = 'ad_group_id';

/** The cubes that a load may store. */
export const CUBES: readonly Cube[] = [ROLLUP, ...KEY_COLUMNS.filter((key) => key !== 'date' && key !== ROLLUP)];

/** @returns the key columns of the cube, in the order by which its rows are sorted */
export function cubeKeys(cube: Cube): KeyColumn[] {
  return cube === ROLLUP ? [ROLLUP, 'date'] : [ROLLUP, cube, 'date'];
}

/**
 * @returns the cubes that have facts of `table`. Market has none: which of its rows count depends on the caller, so it cannot be summed in advance.
 */
export function cubesOf(table: FactTable): Cube[] {
  const keys = TABLE_KEYS[table];
  return keys.includes(ROLLUP) ? CUBES.filter((cube) => keys.includes(cube)) : [];
}

/** @returns the fact tables that the cube has facts of */
export function tablesOf(cube: Cube): FactTable[] {
  return FACT_TABLES.filter((table) => cubesOf(table).includes(cube));
}

/** @returns the only cube that facts can be broken down by all of `bases` in, with the fewest rows; undefined if there is none */
export function cubeFor(bases: readonly BaseColumn[]): Cube | undefined {
  const others = new Set<Cube>();
  for (const base of bases) if (base !== 'date' && base !== 'advertiser' && base !== 'experience') others.add(base);
  others.delete(ROLLUP);
  const [first = ROLLUP] = others;
  return others.size <= 1 ? first : undefined;
}
