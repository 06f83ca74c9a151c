import { describe, expect, test } from 'vitest';
import { type Cube, ROLLUP } from '../../../shared/catalog/cubes.ts';
import type { FactTable, Measure } from '../../../shared/catalog/tables.ts';
import type { CubeRows } from '../../../shared/columns/rollup.ts';
import { chooseCubes, type MonthFacts, type PartsOf } from '../../../shared/load/write/choose-cubes.ts';

const MEASURES: Partial<Record<FactTable, Measure>> = { delivery: 'impressions', conversions: 'halo_units' };

/** @returns rows of one day that differ in the cube's key */
function rowsOf(cube: Cube, table: FactTable, rows: number): CubeRows {
  const same = { dictionary: [1], codes: new Uint32Array(rows) };
  const distinct = {
    dictionary: Array.from({ length: rows }, (_, i) => i),
    codes: Uint32Array.from({ length: rows }, (_, i) => i),
  };
  const keys =
    cube === ROLLUP
      ? ([['ad_group_id', distinct]] as const)
      : ([
          ['ad_group_id', same],
          [cube, distinct],
        ] as const);
  const measures = new Map([[MEASURES[table] ?? 'live_seconds', new Float64Array(rows).fill(1)] as const]);
  return { rows, keys: new Map([['date', same], ...keys]), measures };
}

/** @returns the tables of the cube `placement_id` of a month of one day, by the rows that the facts and the cube have of each table */
function tablesOfCube(tables: readonly (readonly [FactTable, facts: number, cube: number])[]): FactTable[] | undefined {
  const facts = new Map(
    tables.map(([table, rows]): [FactTable, MonthFacts] => [table, { days: 1, rows, bytes: 100_000 }]),
  );
  const partsOf: PartsOf = (cube, table) => {
    const rows = tables.find(([name]) => name === table)?.[2] ?? 0;
    return cube === ROLLUP || cube === 'placement_id' ? [rowsOf(cube, table, rows)] : undefined;
  };
  const cube = chooseCubes(facts, partsOf, new Set())?.get('placement_id');
  return cube && [...cube.rows.keys()].sort();
}

describe('of tables with small days, only the sum must have a quarter of the rows of the facts or less,', () => {
  test.each<[string, ...Parameters<typeof tablesOfCube>[0]]>([
    ['if the first alone has more', ['delivery', 200, 80], ['conversions', 200, 10]],
    ['if the second alone has more', ['delivery', 200, 10], ['conversions', 200, 80]],
    ['if a table with large days has few', ['delivery', 1_000, 10], ['conversions', 200, 200]],
  ])('%s', (_title, ...tables) => {
    expect(tablesOfCube(tables)).toEqual(['conversions', 'delivery']);
  });

  test('and there is no cube if the sum has more', () => {
    expect(
      tablesOfCube([
        ['delivery', 200, 80],
        ['conversions', 200, 21],
      ]),
    ).toBeUndefined();
  });

  test('while a table with large days that has more is left out', () => {
    expect(
      tablesOfCube([
        ['delivery', 1_000, 300],
        ['conversions', 200, 10],
      ]),
    ).toEqual(['conversions']);
  });
});
