import { describe, expect, it } from 'vitest';
import type { BaseColumn, Measure } from '../../shared/catalog/tables.ts';
import { type FactRows, sumDay } from '../../shared/columns/build-day.ts';
import { encodeKeys } from '../../shared/columns/coded-keys.ts';
import { packColumns, unpackColumns } from '../../shared/columns/pack.ts';
import { decodeRollup, encodeRollup, joinParts, keepRows, rollUpDay } from '../../shared/columns/rollup.ts';
import type { Grain } from '../../shared/layout/rollup-keys.ts';
import { codeFacts, encodeFactRows, type PlainFacts } from '../support/encode-fact-rows.ts';

/** Three rows of two ad groups. User 5 is in both rows of ad group 1. */
const FACTS: PlainFacts = {
  rows: 3,
  keys: new Map([
    ['ad_group_id', [1, 2, 1]],
    ['hour', [8, 9, 10]],
  ]),
  measures: new Map([['impressions', Float64Array.of(10, 20, 30)]]),
  shoppers: { rows: 3, offsets: Uint32Array.of(0, 2, 3, 4), hashes: Float64Array.of(5, 6, 7, 5) },
};

it('a stored day states the pairs of a shopper and a row of each band, because its bytes do not show those of shoppers in all rows', () => {
  const { columns } = encodeFactRows('delivery', codeFacts(FACTS));
  expect([...columns].flatMap(([name, { distinct }]) => (name.startsWith('users') ? [distinct] : []))).toEqual([
    4, 0, 0,
  ]);
});

const rollUp = (day: number, facts: PlainFacts) => rollUpDay(day, sumDay('delivery', codeFacts(facts)));

/** @returns the parts as they are read from the month's encoded rollup */
function storeAndRead(key: Grain['key'], parts: readonly (FactRows | undefined)[]): FactRows {
  const { columns } = encodeRollup(
    key,
    joinParts(
      key,
      parts.filter((part) => part !== undefined),
    ),
  );
  const packed = packColumns(new Map([...columns].map(([name, { bytes }]) => [name, bytes])));
  return decodeRollup(key, 'delivery', unpackColumns(packed, 'test'), 'test');
}

/** @returns the rows as records, which have values instead of codes */
function recordsOf({ rows, keys, measures, shoppers }: FactRows): Record<string, unknown>[] {
  return Array.from({ length: rows }, (_, row) => ({
    ...Object.fromEntries([...keys].map(([name, { dictionary, codes }]) => [name, dictionary[codes[row] ?? -1]])),
    ...Object.fromEntries([...measures].map(([name, values]) => [name, values[row]])),
    ...(shoppers === undefined
      ? {}
      : { shoppers: [...shoppers.hashes.subarray(shoppers.offsets[row], shoppers.offsets[row + 1])] }),
  }));
}

describe('the rollup of a month', () => {
  const month = storeAndRead('ad_group_id', [rollUp(1, FACTS), rollUp(4, FACTS)]);

  it('has one row per ad group and day, sorted by these, with its sums and distinct users', () => {
    expect(recordsOf(month)).toEqual([
      { ad_group_id: 1, date: 1, impressions: 40, shoppers: [5, 6] },
      { ad_group_id: 1, date: 4, impressions: 40, shoppers: [5, 6] },
      { ad_group_id: 2, date: 1, impressions: 20, shoppers: [7] },
      { ad_group_id: 2, date: 4, impressions: 20, shoppers: [7] },
    ]);
  });

  it('can drop the rows of one day, of which no value is left', () => {
    const other = { ...FACTS, keys: new Map([['ad_group_id', [3, 3, 3]]] as const) };
    const both = storeAndRead('ad_group_id', [rollUp(1, FACTS), rollUp(2, other)]);
    const kept = storeAndRead('ad_group_id', [keepRows(both, 'date', (day) => day !== 2)]);
    expect(recordsOf(kept)).toEqual(recordsOf(month).filter(({ date }) => date === 1));
    expect(kept.keys.get('ad_group_id')?.dictionary).toEqual([1, 2]);
  });
});

it('a rollup has several rows with equal keys where their sum would reach 2^53, so that every value is exact', () => {
  const rows = 300;
  const facts: PlainFacts = {
    rows,
    keys: new Map<BaseColumn, (string | number | null)[]>([
      ['ad_group_id', Array(rows).fill(1)],
      ['keyword', Array.from({ length: rows }, (_, row) => `k${row}`)],
    ]),
    measures: new Map<Measure, Float64Array>([['cost', new Float64Array(rows).fill(2 ** 51 + 1)]]),
  };
  const found = recordsOf(storeAndRead('ad_group_id', [rollUp(7, facts)]));
  expect(found.length).toBeGreaterThan(2);
  expect(found.reduce((sum, { cost }) => sum + BigInt(Number(cost)), 0n)).toBe(300n * (2n ** 51n + 1n));
});

describe('a pack of columns', () => {
  const packed = packColumns(new Map([['a', Uint8Array.of(1, 2, 3)]]));

  it.each([
    ['cut short', packed.subarray(0, packed.length - 2)],
    ['of another kind', encodeKeys(['a', 'b'])],
    ['empty', new Uint8Array()],
  ])('is rejected with an error that names it, where it is %s', (_, bytes) => {
    expect(() => unpackColumns(bytes, '7/pla/2026-01')).toThrow('column 7/pla/2026-01: ');
  });
});
