import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FactRows } from '../../../shared/columns/build-day.ts';
import { codeKeys } from '../../../shared/columns/coded-keys.ts';
import type { ShopperData } from '../../../shared/columns/column.ts';
import { BlockWriter, readBlocks } from '../../../shared/load/encode/blocks.ts';
import type { StoredColumns } from '../../../shared/load/schema/fact-columns.ts';

const SHAPE: StoredColumns = { keys: ['ad_group_id', 'keyword'], measures: ['clicks', 'cost'], hasShoppers: true };

/** One row, with its values instead of codes. */
interface PlainRow {
  readonly adGroup: number | null;
  readonly keyword: string | null;
  readonly clicks: number;
  readonly cost: number;
  readonly shoppers: readonly number[];
}

function write(rows: readonly PlainRow[], shape = SHAPE): Uint8Array {
  const offsets = new Uint32Array(rows.length + 1);
  rows.forEach((row, i) => {
    offsets[i + 1] = (offsets[i] ?? 0) + row.shoppers.length;
  });
  const shoppers: ShopperData = {
    rows: rows.length,
    offsets,
    hashes: Float64Array.from(rows.flatMap((row) => row.shoppers)),
  };
  return writeAll(shape, {
    rows: rows.length,
    keys: new Map([
      ['ad_group_id', codeKeys(rows.map((row) => row.adGroup))],
      ['keyword', codeKeys(rows.map((row) => row.keyword))],
    ]),
    measures: new Map([
      ['clicks', Float64Array.from(rows, (row) => row.clicks)],
      ['cost', Float64Array.from(rows, (row) => row.cost)],
    ]),
    shoppers,
  });
}

function writeAll(shape: StoredColumns, facts: FactRows): Uint8Array {
  const writer = new BlockWriter(shape, facts);
  writer.write(Array.from({ length: facts.rows }, (_, row) => row));
  return writer.finish();
}

function plainRowsOf({ rows, keys, measures, shoppers }: FactRows): PlainRow[] {
  const keyIn = (name: 'ad_group_id' | 'keyword', row: number) => {
    const { dictionary = [], codes = [] } = keys.get(name) ?? {};
    return dictionary[codes[row] ?? 0] ?? null;
  };
  return Array.from({ length: rows }, (_, row) => ({
    adGroup: keyIn('ad_group_id', row) as number | null,
    keyword: keyIn('keyword', row) as string | null,
    clicks: measures.get('clicks')?.[row] ?? Number.NaN,
    cost: measures.get('cost')?.[row] ?? Number.NaN,
    shoppers: [...(shoppers?.hashes.subarray(shoppers.offsets[row], shoppers.offsets[row + 1]) ?? [])],
  }));
}

const ROW: PlainRow = { adGroup: 1, keyword: 'milk', clicks: 0, cost: 0, shoppers: [] };

/** As many rows as integers, each with the next of them in every column that holds integers. */
function rowsWith(integers: readonly number[]): PlainRow[] {
  return integers.map((value) => ({ ...ROW, adGroup: value, clicks: value, cost: value, shoppers: [value % 2 ** 48] }));
}

describe('writes rows as a block and reads the same rows back', () => {
  test.each<[string, PlainRow[]]>([
    ['one row', [ROW]],
    ['equal rows', [ROW, ROW, ROW]],
    ['integers of one byte', rowsWith([0, 1, 254, 255])],
    ['integers of two bytes', rowsWith([0, 256, 65_534, 65_535])],
    ['integers of four bytes', rowsWith([0, 65_536, 2 ** 32 - 2, 2 ** 32 - 1])],
    ['integers of eight bytes', rowsWith([0, 2 ** 32, 2 ** 48 - 1, Number.MAX_SAFE_INTEGER])],
    ['one large integer in all rows', rowsWith([2 ** 47, 2 ** 47])],
    ['keys without any value', [{ ...ROW, adGroup: null, keyword: null }]],
    [
      'an empty text, no text, and texts of several bytes a character',
      ['', null, 'ü', '🥛', 'Milch'].map((keyword) => ({ ...ROW, keyword })),
    ],
    ['more than 256 texts', Array.from({ length: 300 }, (_, i) => ({ ...ROW, keyword: `word ${i}` }))],
    ['more than 65,536 texts', Array.from({ length: 66_000 }, (_, i) => ({ ...ROW, keyword: `word ${i}` }))],
    [
      'shoppers of some rows, not sorted, and one twice',
      [[9, 3, 9], [], [2 ** 48 - 1], [2 ** 32, 2 ** 32 - 1]].map((shoppers) => ({ ...ROW, shoppers })),
    ],
    ['more than 256 shoppers of a row', [{ ...ROW, shoppers: Array.from({ length: 300 }, (_, i) => i) }, ROW]],
  ])('%s', (_, rows) => {
    expect(plainRowsOf(readBlocks(SHAPE, rows.length, write(rows)))).toEqual(rows);
  });

  test('several blocks with different values, read as one', () => {
    const row = fc.record({
      adGroup: fc.option(fc.oneof(fc.nat(3), fc.maxSafeNat())),
      keyword: fc.option(fc.oneof(fc.constantFrom('a', 'b'), fc.string({ unit: 'grapheme' }))),
      clicks: fc.oneof(fc.constant(0), fc.nat(300)),
      cost: fc.oneof(fc.constantFrom(0, -7), fc.maxSafeInteger()),
      shoppers: fc.array(fc.nat(2 ** 48 - 1), { maxLength: 3 }),
    });
    fc.assert(
      fc.property(fc.array(fc.array(row, { minLength: 1, maxLength: 6 }), { maxLength: 6 }), (blocks) => {
        const bytes = Buffer.concat(blocks.map((block) => write(block)));
        expect(plainRowsOf(readBlocks(SHAPE, blocks.flat().length, bytes))).toEqual(blocks.flat());
      }),
    );
  });
});
