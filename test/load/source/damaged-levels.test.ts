import { describe, expect, test } from 'vitest';
import {
  byteArray,
  dataPage,
  dataPageV2,
  dictionaryPage,
  ENCODINGS,
  levels,
  littleEndian,
  type OneColumn,
  readColumn,
  run,
  TYPES,
} from './parquet-pages.ts';

const NUMBERS = [1, 2, 3, 4].flatMap(littleEndian);
const TEXTS = ['a', 'b', 'c', 'd'].flatMap(byteArray);
const BITS = 2;
/** Bit by bit, lowest first: rows 1, 3, 5 and 7 of 8 have a value; and the same without that of row 1. */
const RUN = [3, 0b1010_1010];
const DAMAGED_RUN = [3, 0b1010_1000];

const integers = (...pages: (readonly number[])[]): OneColumn => ({ type: TYPES.int32, rows: 8, pages });
const texts = (...pages: (readonly number[])[]): OneColumn => ({ type: TYPES.byteArray, rows: 8, pages });
const coded = (...codes: number[]): OneColumn => ({
  ...texts(dictionaryPage(4, TEXTS), dataPage(8, ENCODINGS.dictionary, [...levels(...RUN), BITS, ...codes])),
  hasDictionary: true,
});
const second = (nulls: number, body: readonly number[]) =>
  dataPageV2([8, nulls, 8, ENCODINGS.plain, 2, 0], [...body, ...NUMBERS]);

describe('rows keep their own values where a page has rows without one', () => {
  test.each<[string, OneColumn, readonly unknown[]]>([
    ['integers', integers(dataPage(8, ENCODINGS.plain, [...levels(...RUN), ...NUMBERS])), [1, 2, 3, 4]],
    ['integers of the second version', integers(second(4, RUN)), [1, 2, 3, 4]],
    ['texts', texts(dataPage(8, ENCODINGS.plain, [...levels(...RUN), ...TEXTS])), ['a', 'b', 'c', 'd']],
    ['codes bit by bit, which writers fill up to 8', coded(3, 0b1110_0100, 0), ['a', 'b', 'c', 'd']],
  ])('%s', async (_, column, [one, two, three, four]) => {
    expect(await readColumn(column)).toEqual([null, one, null, two, null, three, null, four]);
  });
});

describe('a page without a checksum whose levels do not match its values is rejected: rows had the values of others', () => {
  test.each<[string, OneColumn, string]>([
    [
      'integers',
      integers(dataPage(8, ENCODINGS.plain, [...levels(...DAMAGED_RUN), ...NUMBERS])),
      '4 bytes follow its last value',
    ],
    [
      'texts',
      texts(dataPage(8, ENCODINGS.plain, [...levels(...DAMAGED_RUN), ...TEXTS])),
      '5 bytes follow its last value',
    ],
    [
      'integers whose bytes are in streams',
      integers(dataPage(8, ENCODINGS.byteStreamSplit, [...levels(...DAMAGED_RUN), ...NUMBERS])),
      '4 bytes follow its last value',
    ],
    ['a run of codes that goes on beyond the values', coded(...run(8, 1)), 'it has 8 values for 4 rows that have one'],
    [
      'integers of the second version, fewer by their levels than by their header',
      integers(second(4, DAMAGED_RUN)),
      'it has 4 values by its header, and 3 by its levels',
    ],
    [
      'integers of the second version, without nulls by their header',
      integers(dataPageV2([8, 0, 8, ENCODINGS.plain, 2, 0], [...RUN, ...NUMBERS, ...NUMBERS])),
      'it has 8 values by its header, and 4 by its levels',
    ],
  ])('%s', async (_, column, reason) => {
    await expect(readColumn(column)).rejects.toThrow(reason);
  });
});
