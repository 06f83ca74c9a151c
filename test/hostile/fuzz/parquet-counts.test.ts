import { zstdCompressSync } from 'node:zlib';
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
  littleEndian,
  type OneColumn,
  parquetFile,
  replaceInteger,
  run,
  TYPES,
  varint,
} from '../../load/source/parquet-pages.ts';
import { printFigures } from '../support/budget.ts';
import { ParquetProcess } from './parquet-process.ts';

/** What a file may add to the memory of a process that has read others; all limits of a page together are 256 MiB. */
const MAX_ADDED_MB = 600;
const MAX_INT32 = 2 ** 31 - 1;
const MAX_UINT32 = 2 ** 32 - 1;
/** Also −2³¹ or 2³¹ − 1 where integers have a sign, and 64 KiB of bytes that continue. */
const INTEGERS: readonly (readonly number[])[] = [
  ...[0, 1, MAX_INT32, MAX_UINT32 - 1, MAX_UINT32].map((value) => varint(value)),
  Array<number>(1 << 16).fill(0xff),
];

const packed = (body: readonly number[]) => [...zstdCompressSync(Uint8Array.from(body))];
const required = { isRequired: true, rows: 8 };
const eight = Array.from({ length: 8 }, (_, i) => littleEndian(i)).flat();
const abc = ['a', 'b', 'c'].flatMap((text) => [...byteArray(text)]);
/** A frame of LZ4 as Hadoop writes it: both sizes in big-endian order, then the content. */
const framed = (unpacked: number, size: number, content: readonly number[]) => [
  ...littleEndian(unpacked).toReversed(),
  ...littleEndian(size).toReversed(),
  ...content,
];
/** LZ4 of the integers 0 to 7: one run of literals. */
const lz4 = [0xf0, 32 - 15, ...eight];

/** Small files of every encoding that have all kinds of counts. */
const FILES: Readonly<Record<string, () => OneColumn>> = {
  'integers, plain': () => ({ ...required, type: TYPES.int32, pages: [dataPage(8, ENCODINGS.plain, eight)] }),
  'integers as differences': () => ({
    ...required,
    type: TYPES.int32,
    pages: [dataPage(8, ENCODINGS.deltaInteger, differences(8, 0, 1, 1))],
  }),
  'integers as differences, nulls, second version': () => ({
    type: TYPES.int32,
    rows: 8,
    pages: [dataPageV2([8, 4, 8, ENCODINGS.deltaInteger, 2, 0], [3, 0b1010_1010, ...differences(4, 0, 1, 1)])],
  }),
  'texts with lengths as differences': () => ({
    type: TYPES.byteArray,
    rows: 8,
    pages: [
      dataPage(8, ENCODINGS.deltaLength, [...levels(...run(8, 1)), ...differences(8, 1, 0), ...Array(8).fill(97)]),
    ],
  }),
  'texts as differences, zstd': () => {
    const body = [...differences(8, 0, 0), ...differences(8, 1, 0), ...Array(8).fill(97)];
    const pages = [dataPage(8, ENCODINGS.deltaText, packed(body), undefined, body.length)];
    return { ...required, type: TYPES.byteArray, codec: CODECS.zstd, pages };
  },
  'texts in a dictionary, nulls': () => ({
    type: TYPES.byteArray,
    rows: 8,
    hasDictionary: true,
    pages: [dictionaryPage(3, abc), dataPage(8, ENCODINGS.dictionary, [...levels(3, 0xaa), 2, ...run(4, 1)])],
  }),
  'texts in a dictionary, second version': () => ({
    type: TYPES.byteArray,
    rows: 8,
    hasDictionary: true,
    pages: [
      dictionaryPage(3, abc),
      dataPageV2([8, 0, 8, ENCODINGS.dictionary, 2, 0], [...run(8, 1), 2, ...varint(3), 0x55, 0x55]),
    ],
  }),
  'decimals in texts': () => ({
    type: TYPES.byteArray,
    decimal: [2, 4],
    rows: 2,
    pages: [dataPage(2, ENCODINGS.plain, [...levels(...run(2, 1)), ...byteArray('1'), ...byteArray('23')])],
  }),
  'true and false in runs': () => ({
    ...required,
    type: TYPES.boolean,
    pages: [dataPage(8, ENCODINGS.rle, levels(...run(8, 1)))],
  }),
  'integers in frames of LZ4': () => ({
    ...required,
    type: TYPES.int32,
    codec: CODECS.lz4,
    pages: [dataPage(8, ENCODINGS.plain, framed(32, lz4.length, lz4), undefined, 32)],
  }),
  'lists of texts in a dictionary': () => ({
    type: TYPES.byteArray,
    isList: true,
    rows: 4,
    hasDictionary: true,
    pages: [
      dictionaryPage(3, abc),
      dataPage(4, ENCODINGS.dictionary, [...levels(...run(4, 0)), ...levels(...run(4, 3)), 2, ...run(4, 1)]),
    ],
  }),
  'lists of integers as differences, second version': () => ({
    type: TYPES.int32,
    isList: true,
    rows: 4,
    pages: [dataPageV2([4, 0, 4, ENCODINGS.deltaInteger, 2, 2], [...run(4, 0), ...run(4, 3), ...differences(4, 0, 1)])],
  }),
};

describe('reading a file with a wrong count or length ends with all rows or an error, in little memory', () => {
  test.each(Object.entries(FILES))('%s', async (name, column) => {
    await using reader = new ParquetProcess();
    const valid = parquetFile(column());
    const { outcome } = await reader.read(valid);
    expect(outcome).toBe(`${column().rows} rows`);
    const { count } = replaceInteger(-1, [], () => parquetFile(column()));
    const files = [...integersReplaced(column, count), ...bytesReplaced(valid)];
    const wrong: string[] = [];
    let unreadable = 0;
    for (const [change, bytes] of files) {
      const result = await reader.read(bytes);
      const ended = result.outcome === outcome || /^(is|has|lacks) /.test(result.outcome);
      if (!ended || result.addedMb > MAX_ADDED_MB) wrong.push(`${change}: ${result.outcome}, ${result.addedMb} MB`);
      unreadable += Number(!result.outcome.endsWith(' rows'));
      if (wrong.length >= 5) break;
    }
    printFigures(`Parquet counts, ${name}`, { files: files.length, unreadable });
    expect(wrong).toEqual([]);
    expect(unreadable).toBeGreaterThan(count);
  });
});

/** The lengths around a changed integer are those of the changed file. */
function integersReplaced(column: () => OneColumn, count: number): [string, Uint8Array][] {
  return Array.from({ length: count }, (_, at) =>
    INTEGERS.map((bytes): [string, Uint8Array] => [
      `integer ${at} as ${bytes.length < 9 ? bytes : bytes.length}`,
      replaceInteger(at, bytes, () => parquetFile(column())).made,
    ]),
  ).flat();
}

function bytesReplaced(valid: Uint8Array): [string, Uint8Array][] {
  return Array.from(valid, (_, at) =>
    [0, 1, 0x7f, 0x80, 0xff].map((byte): [string, Uint8Array] => [`byte ${at} as ${byte}`, valid.with(at, byte)]),
  ).flat();
}
