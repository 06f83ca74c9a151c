import { describe, expect, it } from 'vitest';
import type { FactRows } from '../../shared/columns/build-day.ts';
import { packColumns, unpackColumns } from '../../shared/columns/pack.ts';
import { decodeCube, encodeCube, joinDays, keepDays, rollUpDay } from '../../shared/columns/rollup.ts';

/** Three rows of two ad groups. User 5 is in both rows of ad group 1. */
const FACTS: FactRows = {
  rows: 3,
  keys: new Map([
    ['ad_group_id', [1, 2, 1]],
    ['hour', [8, 9, 10]],
  ]),
  measures: new Map([['impressions', Float64Array.of(10, 20, 30)]]),
  users: { rows: 3, offsets: Uint32Array.of(0, 2, 3, 4), hashes: Float64Array.of(5, 6, 7, 5) },
};

describe('the rollup of a month', () => {
  const month = joinDays([rollUpDay('delivery', 1, FACTS), rollUpDay('delivery', 4, FACTS)]);

  it('has one row per ad group and day, with its sums and distinct users', () => {
    expect(rollUpDay('delivery', 4, FACTS)).toEqual({
      rows: 2,
      keys: new Map([
        ['ad_group_id', [1, 2]],
        ['date', [4, 4]],
      ]),
      measures: new Map([['impressions', Float64Array.of(40, 20)]]),
      users: { rows: 2, offsets: Uint32Array.of(0, 2, 3), hashes: Float64Array.of(5, 6, 7) },
    });
  });

  it('decodes to the rows that were encoded, sorted by ad group and day', () => {
    const encoded = new Map([...encodeCube('delivery', month)].map(([name, { bytes }]) => [name, bytes]));
    expect(decodeCube('delivery', unpackColumns(packColumns(encoded), 'test'), 'test')).toEqual({
      rows: 4,
      keys: new Map([
        ['ad_group_id', [1, 1, 2, 2]],
        ['date', [1, 4, 1, 4]],
      ]),
      measures: new Map([['impressions', Float64Array.of(40, 40, 20, 20)]]),
      users: { rows: 4, offsets: Uint32Array.of(0, 2, 4, 5, 6), hashes: Float64Array.of(5, 6, 5, 6, 7, 7) },
    });
  });

  it('can drop the rows of one day', () => {
    expect(keepDays(month, (day) => day !== 1)).toEqual(rollUpDay('delivery', 4, FACTS));
  });
});

describe('a pack of columns', () => {
  const packed = packColumns(new Map([['a', Uint8Array.of(1, 2, 3)]]));

  it.each([
    ['cut short', packed.subarray(0, packed.length - 2)],
    ['of another kind', Uint8Array.of(0xec, ...packed.subarray(1))],
    ['empty', new Uint8Array()],
  ])('is rejected with an error that names it, where it is %s', (_, bytes) => {
    expect(() => unpackColumns(bytes, '7/pla/2026-01')).toThrow('column 7/pla/2026-01: ');
  });
});
