import { type BaseColumn, FACT_TABLES, type FactTable, type KeyColumn, TABLE_KEYS } from './tables.ts';

/**
 * A cube has the facts of one advertiser in one experience and month, summed by ad group, day and at most one other key. It is named by that key; the cube without one,
 * which is called the rollup, by the ad group. SHARD_CUBE has the facts of many advertisers.
 */
export type Cube = Exclude<KeyColumn, 'date'> | 'advertiser';

/** The cube of a shard of advertisers: their facts of one month, summed by advertiser and day, without users. It has the fact tables of ROLLUP. */
export const SHARD_CUBE: Cube = 'advertiser';

/** The cube without another key. It has the fewest rows, because every other cube has its keys and one more. */
export const ROLLUP: Cube = 'ad_group_id';

/** Maximum advertisers of a shard: a load of one of them rewrites the months that it changes for the whole shard, and a report of many reads some items per shard. */
export const MAX_SHARD_ADVERTISERS = 128;

/** The cubes of one advertiser that a load may store. */
export const CUBES: readonly Cube[] = [ROLLUP];

/** @returns the key columns of the cube, in the order by which its rows are sorted */
export function cubeKeys(cube: Cube): BaseColumn[] {
  return cube === ROLLUP || cube === SHARD_CUBE ? [cube, 'date'] : [ROLLUP, cube, 'date'];
}

/** @returns the cubes of one advertiser that have facts of `table`. Market has none: which of its rows count depends on the caller, so it cannot be summed in advance. */
export function cubesOf(table: FactTable): Cube[] {
  const keys: readonly BaseColumn[] = TABLE_KEYS[table];
  return keys.includes(ROLLUP) ? CUBES.filter((cube) => keys.includes(cube)) : [];
}

/** @returns the fact tables that the cube of one advertiser has facts of; none for SHARD_CUBE, which has those of ROLLUP */
export function tablesOf(cube: Cube): FactTable[] {
  return FACT_TABLES.filter((table) => cubesOf(table).includes(cube));
}

/** @returns the cube of one advertiser with the fewest rows in which facts can be broken down by all of `bases`; undefined if there is none */
export function cubeFor(bases: readonly BaseColumn[]): Cube | undefined {
  const others = new Set<Cube>();
  for (const base of bases) if (base !== 'date' && base !== 'advertiser' && base !== 'experience') others.add(base);
  others.delete(ROLLUP);
  const [first = ROLLUP] = others;
  return others.size <= 1 ? first : undefined;
}
