import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readFlatColumn } from '../../shared/load/read-flat-column.ts';
import { readHybrid } from '../../shared/load/read-hybrid.ts';

type Type = 'INT32' | 'INT64' | 'BYTE_ARRAY';

/** A struct of Thrift's compact protocol whose fields 1, 2, 3 … are the members: integers ≥ 0, booleans and structs; undefined is left out. */
function struct(...members: (number | boolean | Buffer | undefined)[]): Buffer {
  const fields = members.map((member, index) => {
    const id = Buffer.of(2 * (index + 1));
    if (member === undefined) return Buffer.alloc(0);
    if (typeof member === 'boolean') return Buffer.concat([Buffer.of(member ? 1 : 2), id]);
    if (typeof member === 'number') return Buffer.concat([Buffer.of(5), id, varint(2 * member)]);
    return Buffer.concat([Buffer.of(12), id, member]);
  });
  return Buffer.concat([...fields, Buffer.of(0)]);
}

function varint(value: number): Buffer {
  return value < 128
    ? Buffer.of(value)
    : Buffer.concat([Buffer.of((value % 128) + 128), varint(Math.floor(value / 128))]);
}

const compressed = (bytes: Buffer) => zstdCompressSync(bytes);
const text = (value: string) => Buffer.concat([Buffer.of(value.length, 0, 0, 0), Buffer.from(value)]);
/** Eight bits, the first the lowest, behind the head of one packed group. */
const bits = (...values: readonly number[]) =>
  Buffer.of(
    3,
    values.reduce((byte, bit, place) => byte | (bit << place), 0),
  );
const levelsV1 = (levels: Buffer) => Buffer.concat([Buffer.of(levels.length, 0, 0, 0), levels]);

function dictionaryPage(count: number, values: Buffer): Buffer {
  const stored = compressed(values);
  const none = undefined;
  return Buffer.concat([struct(2, values.length, stored.length, none, none, none, struct(count, 0)), stored]);
}

function dataPage(rows: number, encoding: number, bytes: Buffer): Buffer {
  const stored = compressed(bytes);
  return Buffer.concat([struct(0, bytes.length, stored.length, undefined, struct(rows, encoding, 3, 3)), stored]);
}

function dataPageV2(
  rows: number,
  nulls: number,
  encoding: number,
  levels: Buffer,
  values: Buffer,
  isCompressed: boolean,
): Buffer {
  const stored = isCompressed ? compressed(values) : values;
  const none = undefined;
  const own = struct(rows, nulls, rows, encoding, levels.length, 0, isCompressed);
  const header = struct(3, levels.length + values.length, levels.length + stored.length, none, none, none, none, own);
  return Buffer.concat([header, levels, stored]);
}

function read(type: Type, pages: readonly Buffer[], range: { from: number; to: number }, isOptional = true): unknown[] {
  const metadata = {
    type,
    codec: 'ZSTD',
    encodings: [],
    path_in_schema: ['a'],
    num_values: 0n,
    total_uncompressed_size: 0n,
    total_compressed_size: 0n,
    data_page_offset: 0n,
  } as const;
  const convert = (raw: unknown) => (raw instanceof Uint8Array ? Buffer.from(raw).toString() : raw);
  const compressors = { ZSTD: (bytes: Uint8Array) => zstdDecompressSync(bytes) };
  return readFlatColumn(
    Buffer.concat(pages),
    { metadata: { ...metadata, encodings: [], path_in_schema: ['a'] }, isOptional, compressors, convert },
    range,
  );
}

const WORDS = dictionaryPage(3, Buffer.concat([text('milk'), text('bread'), text('')]));
const FIRST = dataPage(4, 8, Buffer.concat([levelsV1(bits(1, 0, 1, 1)), Buffer.of(2), Buffer.of(3, 0b10_01_00)]));
const SECOND = dataPage(3, 8, Buffer.concat([levelsV1(Buffer.of(6, 1)), Buffer.of(2, 6, 1)]));
const ALL = ['milk', null, 'bread', '', 'bread', 'bread', 'bread'];

describe('a flat column', () => {
  test('has the texts of its dictionary, packed or in runs, and nothing where the levels say so', () => {
    expect(read('BYTE_ARRAY', [WORDS, FIRST, SECOND], { from: 0, to: 7 })).toEqual(ALL);
  });

  test('is read in parts, wherever the pages end', () => {
    for (let from = 0; from < 7; from++) {
      for (let to = from + 1; to <= 7; to++) {
        expect(read('BYTE_ARRAY', [WORDS, FIRST, SECOND], { from, to })).toEqual(ALL.slice(from, to));
      }
    }
  });

  test('that ends early has fewer values', () => {
    expect(read('BYTE_ARRAY', [WORDS, FIRST], { from: 0, to: 7 })).toEqual(ALL.slice(0, 4));
    expect(read('BYTE_ARRAY', [WORDS, FIRST], { from: 5, to: 7 })).toEqual([]);
  });

  test.each([true, false])('may have pages of version 2, compressed: %s', (isCompressed) => {
    const plain = Buffer.concat([text('a'), text('b')]);
    const pages = [
      dataPageV2(3, 1, 0, bits(1, 0, 1), plain, isCompressed),
      dataPageV2(2, 0, 0, Buffer.of(4, 1), plain, isCompressed),
    ];
    expect(read('BYTE_ARRAY', pages, { from: 0, to: 5 })).toEqual(['a', null, 'b', 'a', 'b']);
  });

  test('of a dictionary of one value has codes of no bits', () => {
    const one = dictionaryPage(1, text('milk'));
    expect(read('BYTE_ARRAY', [one, dataPage(3, 2, Buffer.of(0))], { from: 0, to: 3 }, false)).toEqual([
      'milk',
      'milk',
      'milk',
    ]);
  });

  test('of integers has them as numbers, and as bigints where numbers are not exact', () => {
    const narrow = Buffer.from(Int32Array.of(1, -2, 2 ** 31 - 1).buffer);
    expect(read('INT32', [dataPage(3, 0, narrow)], { from: 0, to: 3 }, false)).toEqual([1, -2, 2 ** 31 - 1]);
    const given = [0n, -1n, 2n ** 53n - 1n, -(2n ** 53n) + 1n, 2n ** 53n, -(2n ** 63n), 2n ** 63n - 1n];
    const wide = Buffer.from(BigInt64Array.from(given).buffer);
    expect(read('INT64', [dataPage(7, 0, wide)], { from: 0, to: 7 }, false)).toEqual([
      0,
      -1,
      2 ** 53 - 1,
      -(2 ** 53) + 1,
      2n ** 53n,
      -(2n ** 63n),
      2n ** 63n - 1n,
    ]);
  });

  test.each<[string, readonly Buffer[]]>([
    ['a code beyond the dictionary', [dictionaryPage(1, text('milk')), dataPage(3, 8, Buffer.of(2, 6, 1))]],
    ['fewer codes than rows', [WORDS, dataPage(3, 8, Buffer.of(2, 4, 1))]],
    ['codes that are too wide', [WORDS, dataPage(3, 8, Buffer.of(25, 6, 1))]],
    ['texts that are longer than the page', [dataPage(1, 0, Buffer.of(9, 0, 0, 0, 65))]],
    ['fewer texts than rows', [dataPage(2, 0, text('a'))]],
    ['a page that is cut short', [WORDS.subarray(0, -4)]],
    ['a header that is cut short', [WORDS.subarray(0, 3)]],
    ['no header', [Buffer.of(0x1d, 0, 0)]],
  ])('is an error with %s', (_, pages) => {
    expect(() => read('BYTE_ARRAY', pages, { from: 0, to: 3 }, false)).toThrow();
  });
});

describe('integers of few bits', () => {
  test('are unpacked at every width', () => {
    for (let width = 1; width <= 24; width++) {
      const values = Array.from({ length: 16 }, (_, i) => (i * 2_654_435_761) % 2 ** width);
      const packed = values.reduce((sum, value, i) => sum + (BigInt(value) << BigInt(i * width)), 0n);
      const bytes = Uint8Array.from({ length: 1 + 2 * width }, (_, i) =>
        i === 0 ? 5 : Number((packed >> BigInt(8 * (i - 1))) & 255n),
      );
      const out = new Uint32Array(16);
      readHybrid(bytes, 0, bytes.length, width, out);
      expect([...out]).toEqual(values);
    }
  });

  test('in runs and packed, one after the other, of which only so many are asked for', () => {
    const out = new Uint32Array(9);
    readHybrid(Uint8Array.of(12, 1, 1), 0, 3, 9, out.subarray(0, 4));
    expect([...out]).toEqual([257, 257, 257, 257, 0, 0, 0, 0, 0]);
    readHybrid(Uint8Array.of(10, 1, 3, 0b0101_0101), 0, 4, 1, out);
    expect([...out]).toEqual([1, 1, 1, 1, 1, 1, 0, 1, 0]);
  });
});
