import { expect, test } from 'vitest';
import { cubesOf, ROLLUP } from '../../../shared/catalog/cubes.ts';
import { FACT_TABLES, type FactTable } from '../../../shared/catalog/tables.ts';
import { MAX_SMALL_DAY_ROWS, MIN_DAY_SHRINKAGE } from '../../../shared/columns/rollup.ts';
import { SpillSequence } from '../../../shared/load/check/spill.ts';
import { bytesOfRows, estimateBytes } from '../../../shared/load/write/cube-memory.ts';

const TEXT = 'x'.repeat(1_000);

/** @returns the bytes of a day's cubes, each with so many rows and one of them with a text */
function bytesOfCubes(rows: readonly number[]): number {
  return rows
    .flatMap((count, index) => {
      const dictionary = index === 0 ? [TEXT] : [];
      return [
        ...bytesOfRows(ROLLUP, { rows: count, keys: new Map([['keyword', { dictionary, codes: new Uint8Array() }]]) }),
      ];
    })
    .reduce((sum, [, bytes]) => sum + bytes, 0);
}

function estimateOf(table: FactTable, rows: number): number {
  const sequence = Object.assign(new SpillSequence(), { rows, textUnits: TEXT.length });
  return estimateBytes([{ advertiserId: 1, experience: 'pla', table, day: 1, sequence }], undefined);
}

test.each(FACT_TABLES.filter((table) => cubesOf(table).length > 0))(
  'the estimate of a month has room for all rows and texts of the cubes of %s',
  (table) => {
    const cubes = cubesOf(table).length;
    const [small, large] = [MAX_SMALL_DAY_ROWS, 30_000];
    expect(estimateOf(table, small)).toBeGreaterThanOrEqual(bytesOfCubes(Array(cubes).fill(small)));
    expect(estimateOf(table, large)).toBeGreaterThanOrEqual(bytesOfCubes([large]));
    expect(estimateOf(table, large)).toBeGreaterThanOrEqual(bytesOfCubes(Array(cubes).fill(large / MIN_DAY_SHRINKAGE)));
  },
);
