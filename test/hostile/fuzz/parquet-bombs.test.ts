import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { Invalid } from '../../../shared/load/schema/value-types.ts';
import { ParquetFile } from '../../../shared/load/source/read-parquet.ts';
import {
  byteArray,
  CODECS,
  dataPage,
  dataPageV2,
  dictionaryPage,
  differences,
  ENCODINGS,
  levels,
  littleEndian,
  type OneColumn,
  parquetFile,
  run,
  TYPES,
  varint,
  zigzag,
} from '../../load/source/parquet-pages.ts';
import { printFigures } from '../support/budget.ts';
import { ParquetProcess } from './parquet-process.ts';

const ENTRIES = 1 << 24;
/** Concurrent reads, as by the function's threads; here they share one thread. */
const CONCURRENT = 2;
/** What reading may add to the memory of the process. The function has 3,008 MB. */
const MAX_ADDED_MB = 1_000;
const TEXT_BYTES = 100 << 20;

const empty = Buffer.alloc(4 * ENTRIES);
const short = Buffer.alloc(12 * ENTRIES, Buffer.from([8, 0, 0, 0, ...Buffer.from('abcdefgh')]));
const long = Buffer.concat([
  Buffer.from([...levels(...run(1, 1)), ...littleEndian(TEXT_BYTES)]),
  Buffer.alloc(TEXT_BYTES, 'x'),
]);

const MIB = 1 << 20;
const MAX_INT32 = 2 ** 31 - 1;
/** The header of differences in blocks of 128, each of 2³² − 1 miniblocks (−1 with a sign), with 100 values. */
const MINUS_ONE_MINIBLOCKS = [0x80, 0x01, 0xff, 0xff, 0xff, 0xff, 0x0f, 100, ...Array<number>(8).fill(0)];
const backwards = dataPage(100, ENCODINGS.deltaInteger, MINUS_ONE_MINIBLOCKS);
const integers: OneColumn = { type: TYPES.int32, isRequired: true, rows: 100, pages: [] };
const textsOf = (rows: number, ...pages: OneColumn['pages']): OneColumn => ({ type: TYPES.byteArray, rows, pages });
/** Levels of a list of one value in each row. */
const single = (rows: number) => [...levels(...run(rows, 0)), ...levels(...run(rows, 3))];

const PACK = { gzip: gzipSync, brotli: (bytes: Buffer) => brotliCompressSync(bytes), zstd: zstdCompressSync } as const;

/** @param claimed the rows of the row group as the metadata have them */
const dictionary = (content: Buffer, codec: keyof typeof PACK, claimed: number): OneColumn => {
  const coded = PACK[codec](Buffer.from([...levels(...run(10, 1)), 1, ...run(10, 0)]));
  return {
    type: TYPES.byteArray,
    rows: claimed,
    codec: CODECS[codec],
    hasDictionary: true,
    pages: [
      dictionaryPage(ENTRIES, [...PACK[codec](content)], content.length),
      dataPage(10, ENCODINGS.dictionary, [...coded], undefined, levels(...run(10, 1)).length + 1 + run(10, 0).length),
    ],
  };
};

const plain = (content: Buffer, values: number, pages: number): OneColumn => {
  const page = dataPage(values, ENCODINGS.plain, [...zstdCompressSync(content)], undefined, content.length);
  return { type: TYPES.byteArray, rows: values * pages, codec: CODECS.zstd, pages: Array(pages).fill(page) };
};

describe('a small Parquet file that would take gigabytes is rejected before it does', () => {
  test.each<[string, () => OneColumn]>([
    ['a dictionary of 16,777,216 empty texts for 10 rows, zstd', () => dictionary(empty, 'zstd', 10)],
    ['the same in a file that claims as many rows', () => dictionary(empty, 'zstd', ENTRIES)],
    ['the same, gzip', () => dictionary(empty, 'gzip', 10)],
    ['the same, brotli', () => dictionary(empty, 'brotli', 10)],
    ['a dictionary of 16,777,216 texts of 8 letters', () => dictionary(short, 'zstd', 10)],
    ['a page of 16,777,216 empty texts', () => plain(Buffer.concat([levelsOf(ENTRIES), empty]), ENTRIES, 1)],
    ['40 pages, each with a text of 100 MiB', () => plain(long, 1, 40)],
  ])('%s', async (name, column) => {
    const bytes = parquetFile(column());
    await using reader = new ParquetProcess(); // this process has had more memory than a bomb may take
    const { outcome, addedMb } = await reader.read(bytes, CONCURRENT);
    printFigures(`bomb, ${name}`, { bytes: bytes.length, 'MB added': addedMb, outcome: outcome.slice(0, 120) });
    expect(outcome).toMatch(/^is not readable Parquet: /);
    expect(addedMb).toBeLessThan(MAX_ADDED_MB);
  });
});

/** Texts of 1, 2, 3, … letters, each of which copies the one before. */
function copies(rows: number): OneColumn {
  const body = Uint8Array.from([...differences(rows, 0, 1), ...differences(rows, 1, 0), ...Array(rows).fill(120)]);
  const page = dataPage(rows, ENCODINGS.deltaText, [...zstdCompressSync(body)], undefined, body.length);
  return { ...textsOf(rows, page), isRequired: true, codec: CODECS.zstd };
}

/** A dictionary whose header also has that of a data page, of one value. */
function twoHeaders(entries: number): OneColumn {
  const packed = zstdCompressSync(Buffer.alloc(4 * entries));
  const page = dictionaryPage(entries, [...packed], 4 * entries);
  const header = page.slice(0, page.length - packed.length);
  // Thrift's compact protocol: the difference to the field before, and type 12, a struct
  const [seventhAfterThird, fifthAfterThird, seventhAfterFifth] = [0x4c, 0x2c, 0x2c];
  const at = header.indexOf(seventhAfterThird);
  const other = [fifthAfterThird, ...[1, 0, 3, 3].flatMap((value) => [0x15, ...zigzag(value)]), 0];
  const content = [...levels(...run(10, 1)), 1, ...run(10, 0)];
  const coded = dataPage(
    10,
    ENCODINGS.dictionary,
    [...zstdCompressSync(Buffer.from(content))],
    undefined,
    content.length,
  );
  const dictionary = [...header.slice(0, at), ...other, seventhAfterFifth, ...header.slice(at + 1), ...packed];
  return { ...textsOf(10, dictionary, coded), hasDictionary: true, codec: CODECS.zstd };
}

/** Each page's last text has the length of all bytes that follow. */
function overlapping(pages: number): OneColumn {
  const size = 1 << 16;
  const filler = dataPage(1, ENCODINGS.plain, [...littleEndian(size - 4), ...Array(size - 4).fill(120)]);
  const rest = MIB * 16;
  return {
    ...textsOf(
      pages + rest / size,
      ...Array(pages).fill(dataPage(1, ENCODINGS.plain, littleEndian(rest - size))),
      ...Array(rest / size).fill(filler),
    ),
    isRequired: true,
  };
}

function fileOf(metadata: readonly number[] | Uint8Array): Uint8Array {
  const magic = Buffer.from('PAR1');
  return Buffer.concat([magic, metadata, Buffer.from(littleEndian(metadata.length)), magic].map((b) => Buffer.from(b)));
}

describe('a Parquet file whose counts and lengths are wrong is rejected before it takes minutes or gigabytes', () => {
  test.each<[string, () => OneColumn | Uint8Array]>([
    ['differences in −1 miniblocks: 106 bytes were read for ever', () => ({ ...integers, pages: [backwards] })],
    [
      'the same in lists, behind the values that the column states: pages there were read but not checked',
      () => ({
        ...{ type: TYPES.int32, isList: true, rows: 1 },
        pages: [
          dataPage(1, ENCODINGS.plain, [...single(1), ...littleEndian(7)]),
          dataPage(100, ENCODINGS.deltaInteger, [...single(100), ...MINUS_ONE_MINIBLOCKS]),
        ],
      }),
    ],
    ['50,000 texts that copy each other: 1.2 GB in a file of 0.3 KB', () => copies(50_000)],
    ['a dictionary page that also has the header of a data page of 1 value: 690 MB', () => twoHeaders(4_000_000)],
    ['levels in a run of 2³¹ − 1', () => textsOf(8, dataPage(8, ENCODINGS.plain, levels(...run(MAX_INT32, 0))))],
    [
      'codes of 0 bits in −8 values: read for ever',
      () => ({
        ...textsOf(
          8,
          dictionaryPage(1, byteArray('a')),
          dataPageV2([8, 0, 8, ENCODINGS.dictionary, 0, 0], [0, 0xff, 0xff, 0xff, 0xff, 0x0f]),
        ),
        ...{ hasDictionary: true, isRequired: true },
      }),
    ],
    [
      'a negative number of nulls in a list',
      () => ({
        ...{ type: TYPES.int32, isList: true, rows: 8 },
        pages: [
          dataPageV2(
            [8, -(2 ** 30), 8, ENCODINGS.dictionary, 2, 2],
            [...run(8, 0), ...run(8, 3), 1, ...run(2 ** 30, 0)],
          ),
        ],
      }),
    ],
    [
      'a frame of LZ4 of −8 bytes: read for ever',
      () => ({
        ...{ ...integers, rows: 8, codec: CODECS.lz4 },
        pages: [dataPage(8, ENCODINGS.plain, [0, 0, 0, 0, 0xff, 0xff, 0xff, 0xf8, 0], undefined, 32)],
      }),
    ],
    ['last texts that extend over the pages that follow', () => overlapping(300)],
    [
      'metadata of 20 lists within one another, each of 2²⁵ − 1 values: 256 MiB each',
      () =>
        fileOf([
          0x19,
          ...Array(20)
            .fill([0xf9, ...varint(2 ** 25 - 1)])
            .flat(),
        ]),
    ],
    [
      'an integer of 2 MiB in the metadata: its time grows with the square',
      () => fileOf(Buffer.concat([Buffer.from([0x16]), Buffer.alloc(2 * MIB, 0xff), Buffer.from([1, 0])])),
    ],
    [
      'metadata of 8,000,000 empty structs',
      () => fileOf(Buffer.concat([Buffer.from([0x19, 0xfc, ...varint(8_000_000)]), Buffer.alloc(8_000_001)])),
    ],
  ])('%s', async (name, make) => {
    const content = make();
    const bytes = content instanceof Uint8Array ? content : parquetFile(content);
    await using reader = new ParquetProcess();
    const { outcome, addedMb } = await reader.read(bytes);
    printFigures(`bomb, ${name}`, { bytes: bytes.length, 'MB added': addedMb, outcome: outcome.slice(0, 120) });
    expect(outcome).toMatch(/^is not readable Parquet: /);
    expect(addedMb).toBeLessThan(MAX_ADDED_MB);
  });

  test('a decimal of 256 KiB, whose conversion takes time that grows with the square, is a value that no column accepts', async () => {
    const size = 1 << 18;
    const page = dataPage(1, ENCODINGS.plain, [...littleEndian(size), ...Array(size).fill(1)]);
    const bytes = parquetFile({ ...textsOf(1, page), isRequired: true, decimal: [2, 4] });
    const slice = async (start: number, end = bytes.length) => bytes.slice(start, end).buffer;
    const file = await ParquetFile.open({ byteLength: bytes.length, slice });
    const [value] = Array.from(await file.rows({ start: 0, end: 1 }).read('x'));
    expect(value).toEqual(new Invalid('must be a decimal of at most 76 digits'));
  });
});

function levelsOf(rows: number): Buffer {
  return Buffer.from(levels(...run(rows, 1)));
}
