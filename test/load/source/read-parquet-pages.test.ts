import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { checkNestedColumn } from '../../../shared/load/source/check-pages.ts';
import { ParquetFile } from '../../../shared/load/source/read-parquet.ts';
import {
  byteArray,
  dataPage,
  dataPageV2,
  dictionaryPage,
  ENCODINGS,
  levels,
  littleEndian,
  type OneColumn,
  parquetFile,
  run,
  TYPES,
} from './parquet-pages.ts';

async function read(column: OneColumn): Promise<unknown[]> {
  const file = await ParquetFile.open(parquetFile(column).buffer);
  return Array.from(await file.rows({ start: 0, end: column.rows }).read('x'));
}

const ABC = dictionaryPage(3, [...byteArray('a'), ...byteArray('b'), ...byteArray('c')]);
const BITS = 2;
/** A page of codes, which are positions in the dictionary. */
const coded = (rows: number, defined: readonly number[], places: readonly number[]) =>
  dataPage(rows, ENCODINGS.dictionary, [...defined, BITS, ...places]);
const texts = (rows: number, ...pages: (readonly number[])[]): OneColumn => ({
  type: TYPES.byteArray,
  rows,
  pages: [ABC, ...pages],
  hasDictionary: true,
});
/** Bit by bit, lowest first: rows 1, 3, 5 and 7 of 8 have a value. */
const EVERY_SECOND = levels(3, 0b1010_1010);
const b = 'b';

const integers = { type: TYPES.int32, isRequired: true, rows: 8 };
const four = [1, 2, 3, 4].flatMap(littleEndian);
/** The page with its compressed length, the third field of its header, as a text of one byte. Zeros follow, so that a concatenation of digits is within the file. */
const withTextLength = (page: readonly number[]) => [
  ...page.slice(0, 4),
  0x18,
  1,
  9,
  ...page.slice(6),
  ...Array(900).fill(0),
];

describe('reads unusual but valid pages', () => {
  test.each<[string, OneColumn, unknown[]]>([
    ['levels bit by bit', texts(8, coded(8, EVERY_SECOND, run(4, 1))), [null, b, null, b, null, b, null, b]],
    [
      'a run that goes on beyond the values',
      texts(8, coded(8, EVERY_SECOND, run(8, 1))),
      [null, b, null, b, null, b, null, b],
    ],
    ['a run that goes on beyond the rows', texts(8, coded(8, levels(...run(8, 1)), run(9, 1))), Array(8).fill(b)],
    ['levels in two runs', texts(8, coded(8, levels(...run(1, 1), ...run(7, 1)), run(8, 1))), Array(8).fill(b)],
    ['all null', texts(3, coded(3, levels(...run(3, 0)), [])), [null, null, null]],
    [
      'an empty page between two',
      texts(
        4,
        coded(2, levels(...run(2, 1)), run(2, 0)),
        coded(0, levels(), []),
        coded(2, levels(...run(2, 1)), run(2, 2)),
      ),
      ['a', 'a', 'c', 'c'],
    ],
    [
      'plain pages after coded ones',
      texts(
        3,
        coded(2, levels(...run(2, 1)), run(2, 0)),
        dataPage(1, ENCODINGS.plain, [...levels(...run(1, 1)), ...byteArray('z')]),
      ),
      ['a', 'a', 'z'],
    ],
    [
      'required integers',
      {
        type: TYPES.int32,
        isRequired: true,
        rows: 2,
        pages: [dataPage(2, ENCODINGS.plain, [...littleEndian(7), ...littleEndian(8)])],
      },
      [7, 8],
    ],
    [
      'integers of the second version, nulls among them, of which its header says there are none',
      {
        type: TYPES.int32,
        rows: 4,
        pages: [dataPageV2([4, 0, 4, ENCODINGS.plain, 2, 0], [3, 0b1010, ...[1, 2, 3, 4].flatMap(littleEndian)])],
      },
      [null, 1, null, 2],
    ],
    [
      'a dictionary of more values than the column, as pandas writes its categories',
      {
        type: TYPES.byteArray,
        rows: 1,
        pages: [
          dictionaryPage(1 << 16, [
            ...byteArray('a'),
            ...byteArray('b'),
            ...Array<number>(4 * ((1 << 16) - 2)).fill(0),
          ]),
          coded(1, levels(...run(1, 1)), run(1, 1)),
        ],
        hasDictionary: true,
      },
      [b],
    ],
    [
      'a page that matches its checksum',
      { ...integers, rows: 4, pages: [dataPage(4, ENCODINGS.plain, four, crc32(Uint8Array.from(four)))] },
      [1, 2, 3, 4],
    ],
    [
      'a root that is repeated, as some writers state, of which columns have no levels',
      { ...texts(8, coded(8, EVERY_SECOND, run(4, 1))), isRootRepeated: true },
      [null, b, null, b, null, b, null, b],
    ],
    [
      'codes of no bits, in both versions',
      texts(
        12,
        dataPage(8, ENCODINGS.dictionary, [...levels(...run(8, 1)), 0]),
        dataPageV2([4, 0, 4, ENCODINGS.dictionary, 2, 0], [...run(4, 1), 0, 3]),
      ),
      Array(12).fill('a'),
    ],
    [
      'decimals as bytes',
      {
        type: TYPES.byteArray,
        decimal: [2, 4],
        rows: 2,
        pages: [dataPage(2, ENCODINGS.plain, [...levels(...run(2, 1)), ...byteArray('1'), ...byteArray('23')])],
      },
      [0.49, 128.51],
    ],
  ])('%s', async (_, column, expected) => {
    expect(await read(column)).toEqual(expected);
  });
});

describe('rejects damaged pages', () => {
  test.each<[string, OneColumn, string]>([
    ['a place beyond the dictionary', texts(8, coded(8, levels(...run(8, 1)), run(8, 3))), 'not in its dictionary'],
    [
      'a dictionary whose header says that it has differences: the library read them as plain texts, which were not checked',
      {
        ...texts(8),
        pages: [
          dictionaryPage(1, [0x80, 0x81, 0x80, 0, 1, 1, 0], undefined, ENCODINGS.deltaInteger),
          coded(8, levels(...run(8, 1)), run(8, 0)),
          Array<number>(9 << 20).fill(0),
        ],
      },
      'parquet dictionary with the encoding DELTA_BINARY_PACKED',
    ],
    [
      'codes of 32 bits in a bit-packed run, which the library reads as zeros',
      texts(
        8,
        dataPage(8, ENCODINGS.dictionary, [...levels(...run(8, 1)), 32, 3, ...Array(8).fill(littleEndian(1)).flat()]),
      ),
      'codes of 32 bits, more than 24',
    ],
    [
      'a length of a page that is a text, which would be concatenated instead of added',
      { ...integers, pages: [withTextLength(dataPageV2([8, 0, 8, ENCODINGS.plain, 0, 0], [...four, ...four]))] },
      'ends too early',
    ],
    [
      'no dictionary',
      { ...texts(8), hasDictionary: false, pages: [coded(8, levels(...run(8, 1)), run(8, 1))] },
      'lacks its dictionary',
    ],
    ['levels that go on beyond the rows', texts(8, coded(8, levels(...run(9, 1)), run(8, 1))), 'not readable'],
    ['fewer rows than its row group', texts(8, coded(7, levels(...run(7, 1)), run(7, 1))), 'not readable'],
    [
      'more rows than its row group',
      texts(8, coded(9, levels(...run(9, 1)), run(9, 1))),
      'more rows than its row group',
    ],
    [
      'a negative number of rows',
      texts(8, coded(-4, levels(...run(4, 1)), run(4, 1)), coded(12, levels(...run(12, 1)), run(12, 1))),
      'is damaged',
    ],
    ['half of its values', { ...integers, pages: [dataPage(8, ENCODINGS.plain, four)] }, 'not readable'],
    [
      'another number of rows than of values',
      { ...integers, pages: [dataPageV2([4, 0, 8, ENCODINGS.plain, 0, 0], four)] },
      'is damaged',
    ],
    [
      'no length of its levels',
      { ...integers, pages: [dataPageV2([8, 0, 8, ENCODINGS.plain, 0, undefined], [...four, ...four])] },
      'is damaged',
    ],
    [
      'a byte that its checksum does not match: without the checksum, another number would be loaded',
      { ...integers, rows: 4, pages: [dataPage(4, ENCODINGS.plain, four, crc32(Uint8Array.from(four)) ^ 1)] },
      'does not match its checksum',
    ],
    [
      'more values than fit into memory',
      { ...integers, rows: 2 ** 25, pages: [dataPage(2 ** 25, ENCODINGS.plain, four)] },
      'page of 33554432 values',
    ],
    [
      'a dictionary of far more values than its column: one of 16,777,216 empty texts in 18 KB took 36 s and 2.9 GB',
      {
        type: TYPES.byteArray,
        rows: 8,
        pages: [
          dictionaryPage((1 << 16) + 1, Array<number>(4 * ((1 << 16) + 1)).fill(0)),
          coded(8, levels(...run(8, 1)), run(8, 1)),
        ],
        hasDictionary: true,
      },
      'parquet dictionary of 65537 values for a column of 8',
    ],
    [
      'texts that would take more than 256 MiB, however small they are in the file',
      { type: TYPES.byteArray, rows: 1_400_000, pages: [dataPage(1_400_000, ENCODINGS.plain, [])] },
      'parquet page of 1400000 values, which take about 280000000 bytes',
    ],
    [
      'the same texts in a column of integers',
      { type: TYPES.int32, rows: 1_400_000, pages: [dataPage(1_400_000, ENCODINGS.deltaLength, [])] },
      'parquet page of 1400000 values, which take about 280000000 bytes',
    ],
    [
      'a dictionary of such texts',
      {
        type: TYPES.byteArray,
        rows: 2_000_000,
        pages: [dictionaryPage(1_400_000, []), coded(8, levels(...run(8, 1)), run(8, 1))],
        hasDictionary: true,
      },
      'parquet page of 1400000 values, which take about 280000000 bytes',
    ],
    [
      'pages that would take more than 512 MiB together',
      {
        type: TYPES.byteArray,
        rows: 3_900_000,
        pages: Array.from({ length: 3 }, () => dataPage(1_300_000, ENCODINGS.plain, levels(...run(1_300_000, 0)))),
      },
      'parquet column x whose pages take more than 536870912 bytes at the same time: write smaller row groups',
    ],
    [
      'a page of a negative length, which would make the others seem smaller',
      { ...integers, pages: [dataPage(8, ENCODINGS.plain, four, undefined, -1)] },
      'parquet page of -1 bytes',
    ],
    [
      'levels above the highest one, whose rows would be null',
      texts(8, coded(8, levels(...run(8, 33)), run(8, 1))),
      'it has the level 33, but at most 1',
    ],
    ['the column twice', { ...texts(8, coded(8, levels(...run(8, 1)), run(8, 1))), times: 2 }, 'is there 2 times'],
  ])('%s', async (_, column, reason) => {
    await expect(read(column)).rejects.toThrow(reason);
  });
});

test('limits the memory of all pages of a list column together, because the library keeps them, however small each is', async () => {
  const pages = Array.from({ length: 20 }, () =>
    dataPage(1_000_000, ENCODINGS.dictionary, levels(...run(1_000_000, 0))),
  );
  const file = parquetFile({ type: TYPES.byteArray, rows: 20_000_000, pages }).buffer;
  const { metadata } = await ParquetFile.open(file);
  await expect(checkNestedColumn({ file, metadata, compressors: {} }, 'x', 0, 4)).rejects.toThrow(
    'parquet column x whose pages take more than 1073741824 bytes at the same time: write smaller row groups',
  );
});

test('checks the pages of list columns, which the library reads, in the same way', async () => {
  const file = parquetFile({ ...integers, rows: 4, pages: [dataPage(4, ENCODINGS.plain, four, 1)] }).buffer;
  const { metadata } = await ParquetFile.open(file);
  await expect(checkNestedColumn({ file, metadata, compressors: {} }, 'x', 0, 4)).rejects.toThrow(
    'does not match its checksum',
  );
});
