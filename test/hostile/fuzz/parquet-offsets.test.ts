import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  byteArray,
  CODECS,
  dataPage,
  dataPageV2,
  dictionaryPage,
  differences,
  ENCODINGS,
  levels,
  type OneColumn,
  parquetFile,
  run,
  TYPES,
  varint,
} from '../../load/source/parquet-pages.ts';
import { printFigures } from '../support/budget.ts';
import { ParquetProcess } from './parquet-process.ts';

const MAX_ADDED_MB = 600;
/** A run of so many codes takes 1.7 GB and 24 s to read. */
const MANY = 90_000_000;
const BOMB = run(MANY, 1);
/** The header of a bit-packed run of no values: the library reads one byte after it. */
const NO_GROUPS = 1;

const ABC = dictionaryPage(
  3,
  ['a', 'b', 'c'].flatMap((text) => [...byteArray(text)]),
);
const coded = (rows: number, ...pages: OneColumn['pages']): OneColumn => ({
  ...{ type: TYPES.byteArray, rows, isRequired: true, hasDictionary: true },
  pages: [ABC, ...pages],
});
/** A page of 8 rows. */
const first = (body: readonly number[]) => dataPage(8, ENCODINGS.dictionary, body);
const optional = { isRequired: false };

/** The levels of a list have no bytes, so the library reads them from the compressed page: from the header of gzip and its extra field. */
function levelsInCompressedPage(): OneColumn {
  const rows = 1000;
  const page = run(rows, 0);
  const [, , method, , ...packed] = gzipSync(Uint8Array.from(page));
  const [groups15, hasExtra] = [0x1f, 4];
  const extra = [...Array<number>(4).fill(0), ...BOMB];
  const head = [groups15, 0x8b, method ?? 0, hasExtra, ...packed.slice(0, 6), extra.length, 0, ...extra];
  return {
    ...{ type: TYPES.int32, isList: true, rows, codec: CODECS.gzip },
    pages: [dataPageV2([rows, rows, rows, ENCODINGS.plain, 0, 0], [...head, ...packed.slice(6)], page.length)],
  };
}

/** The block size 2³² − 128 is −128 as a signed integer, so the second miniblock leads back to the beginning of the block. */
const BACKWARDS = [
  ...varint(2 ** 32 - 128),
  4,
  100,
  0,
  ...[0x80, 0x80, 0x80, 0],
  ...[0, 2, 0, 0],
  ...Array(64).fill(0),
];

/** Read as two kinds of levels, the run is within the second one; read as one kind, it follows the levels. */
const REPEATED_ROOT = [...levels(...run(8, 1)), 8, 0, 0, 0, 3, ...BOMB, 0, 0, 2, ...run(1, 0)];

/** Levels, then a delta encoding of no values whose first value is a varint of 2 MiB. */
const ENDLESS = [...levels(...run(8, 0)), 0x80, 1, 4, 0, ...Array<number>(2 << 20).fill(0xff), 1];

describe('a Parquet file whose pages the check and the library could read at different places is rejected', () => {
  test.each<[string, () => OneColumn]>([
    [
      'codes: a bit-packed run of no values, and then one of 90,000,000',
      () => coded(8, first([2, NO_GROUPS, 16, ...BOMB, 1])),
    ],
    [
      'codes of no bits, second version: a bit-packed run has no bytes, but the library reads one',
      () => coded(20, dataPageV2([20, 0, 20, ENCODINGS.dictionary, 0, 0], [0, 3, 24, ...BOMB])),
    ],
    [
      'levels: a bit-packed run of no values, and then one of 90,000,000',
      () => ({ ...coded(8, first([...levels(NO_GROUPS, 16, ...BOMB, 1), 2, ...run(8, 1)])), ...optional }),
    ],
    ['four such pages', () => coded(32, ...Array(4).fill(first([2, NO_GROUPS, 16, ...BOMB, 1])))],
    [
      'a root that is repeated: the check read two kinds of levels, the loader one',
      () => ({ ...coded(8, first(REPEATED_ROOT)), ...optional, isRootRepeated: true }),
    ],
    [
      'definition levels of a required column, which the library reads as values',
      () => coded(8, dataPageV2([8, 0, 8, ENCODINGS.dictionary, 1 + BOMB.length, 0], [2, ...BOMB, 2, ...run(8, 1)])),
    ],
    ['levels beyond their length, which the library reads before values are decompressed', levelsInCompressedPage],
    [
      'differences in blocks of 2³² − 128, as a signed integer −128: read for ever',
      () => ({
        type: TYPES.int32,
        isRequired: true,
        rows: 100,
        pages: [dataPage(100, ENCODINGS.deltaInteger, BACKWARDS)],
      }),
    ],
    [
      'an integer of 2 MiB in the differences of no values: its time grows with the square',
      () => {
        const page = dataPage(
          8,
          ENCODINGS.deltaInteger,
          [...gzipSync(Uint8Array.from(ENDLESS))],
          undefined,
          ENDLESS.length,
        );
        return { type: TYPES.int64, rows: 8, codec: CODECS.gzip, pages: [page] };
      },
    ],
  ])('%s', async (name, make) => {
    const bytes = parquetFile(make());
    await using reader = new ParquetProcess();
    const { outcome, addedMb } = await reader.read(bytes);
    printFigures(`offsets, ${name}`, { bytes: bytes.length, 'MB added': addedMb, outcome: outcome.slice(0, 120) });
    expect(outcome).toMatch(/^is not readable Parquet: /);
    expect(addedMb).toBeLessThan(MAX_ADDED_MB);
  });
});

test('a Parquet file with an offset index of a list column is read without the index, which could lead to pages that are not checked', async () => {
  const rows = 300_000;
  const tree = Array(20).fill([0xf9, ...varint(2 ** 25 - 1)]);
  const body = [...levels(...run(rows, 0)), ...levels(...run(rows, 3)), ...differences(rows, 0, 1)];
  const bytes = parquetFile({
    ...{ type: TYPES.int32, isList: true, rows, pages: [dataPage(rows, ENCODINGS.deltaInteger, body)] },
    offsetIndex: [0x19, ...tree.flat()],
  });
  await using reader = new ParquetProcess();
  const { outcome, addedMb } = await reader.read(bytes);
  expect(outcome).toBe(`${rows} rows`);
  expect(addedMb).toBeLessThan(MAX_ADDED_MB);
});
