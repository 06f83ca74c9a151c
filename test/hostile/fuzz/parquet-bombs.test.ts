import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { ParquetFile } from '../../../shared/load/source/read-parquet.ts';
import {
  CODECS,
  dataPage,
  dictionaryPage,
  ENCODINGS,
  levels,
  littleEndian,
  type OneColumn,
  parquetFile,
  run,
  TYPES,
} from '../../load/source/parquet-pages.ts';
import { printFigures } from '../support/budget.ts';

const ENTRIES = 1 << 24;
/** Readings at the same time, as by the function's threads; here they share one. */
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

const PACK = { gzip: gzipSync, brotli: (bytes: Buffer) => brotliCompressSync(bytes), zstd: zstdCompressSync } as const;

/** @param claimed the rows of the row group as the metadata have them */
const dictionary = (content: Buffer, codec: keyof typeof CODECS, claimed: number): OneColumn => {
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
    const content = column();
    const bytes = parquetFile(content);
    const slice = async (start: number, end = bytes.length) => bytes.slice(start, end).buffer;
    const before = process.resourceUsage().maxRSS;
    const reading = Array.from({ length: CONCURRENT }, async () => {
      const file = await ParquetFile.open({ byteLength: bytes.length, slice });
      const [range] = file.ranges();
      return file.rows(range ?? { start: 0, end: 0 }).read('x');
    });
    const outcomes = await Promise.allSettled(reading);
    const addedMb = Math.round((process.resourceUsage().maxRSS - before) / 1024);
    printFigures(`bomb, ${name}`, { bytes: bytes.length, 'MB added': addedMb });
    expect(outcomes.map(({ status }) => status)).toEqual(Array(CONCURRENT).fill('rejected'));
    expect(addedMb).toBeLessThan(MAX_ADDED_MB);
  });
});

function levelsOf(rows: number): Buffer {
  return Buffer.from(levels(...run(rows, 1)));
}
