import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, test } from 'vitest';
import { openBucket } from '../../../shared/ingest/bucket.ts';
import { bucketSource } from '../../../shared/ingest/bucket-source.ts';
import { formatProblem, Problems } from '../../../shared/load/schema/problems.ts';
import { ColumnNames } from '../../../shared/load/source/column-names.ts';
import { directorySource } from '../../../shared/load/source/file-source.ts';
import { classifyFiles, type FileFormat } from '../../../shared/load/source/find-files.ts';
import { explainFullDisk, FileSink, reportUnreadable } from '../../../shared/load/source/row-batch.ts';
import { openSections } from '../../../shared/load/source/sections.ts';
import { decompress } from '../../../shared/load/source/text-blocks.ts';
import { makeFolder } from '../support/folder.ts';

const NAMES = ['\u{1F600}.csv', 'facts/\uFF5E.csv', 'facts/\u{1F600}.csv', 'z.csv', '\uFF5E.csv'];
const SORTED_NAMES = ['facts/\uFF5E.csv', 'facts/\u{1F600}.csv', 'z.csv', '\uFF5E.csv', '\u{1F600}.csv'];

test('files of a directory are listed by code point of their names, as a bucket lists its keys', async () => {
  using folder = makeFolder();
  for (const name of NAMES) folder.write(name, '');
  expect((await directorySource(folder.path).list()).map((file) => file.name)).toEqual(SORTED_NAMES);
});

test('a file whose name is not UTF-8 is named as such', async () => {
  using folder = makeFolder();
  writeFileSync(Buffer.from(`${folder.path}/caf\xe9.csv`, 'latin1'), 'id\n');
  const problems = new Problems();
  classifyFiles(await directorySource(folder.path).list(), problems);
  expect(problems.list().map(formatProblem)).toEqual(['caf\ufffd.csv: has a name that is not UTF-8: rename it']);
});

test('files of a bucket are listed in the same order', async () => {
  const listedObject = (name: string) => [name, { key: name, bytes: 0, etag: '"0"', sha256: undefined }] as const;
  const bucket = openBucket({ name: 'never-asked', region: 'us-east-1' });
  const source = bucketSource(
    bucket,
    new Map(NAMES.map(listedObject)),
    () => undefined,
    () => undefined,
  );
  expect((await source.list()).map((file) => file.name)).toEqual(SORTED_NAMES);
});

/** The local copy once had the object's name, so that every attempt of the load failed with ENAMETOOLONG. */
test('a Parquet object in a bucket may have a name that is too long for a local file', async () => {
  using temporary = makeFolder();
  const bytes = new Uint8Array(parquetWriteBuffer({ columnData: [{ name: 'id', data: [1n, 2n] }] }));
  const source = {
    list: async () => [],
    read: async function* () {
      yield bytes;
    },
  };
  const file = {
    name: `facts/${'x'.repeat(300)}.parquet`,
    bytes: bytes.length,
    format: 'parquet',
    partitions: [],
  } as const;
  const header: string[] = [];
  const sink = {
    header: (names: readonly string[]) => {
      header.push(...names);
      return [...names];
    },
    missing: () => [],
    warn: () => undefined,
  };
  const { signal } = new AbortController();
  const sections = openSections({ source, temporaryDirectory: temporary.path, signal }, file, sink);
  expect(await Array.fromAsync(sections)).toMatchObject([{ format: 'parquet', start: 0, end: 2 }]);
  expect(header).toEqual(['id']);
});

test('the files of a linked directory belong to the folder; a link to a directory that contains it is left out', async () => {
  using real = makeFolder();
  real.write('pla/delivery.csv', 'x');
  using folder = makeFolder();
  folder.write('accounts.csv', 'id,name');
  symlinkSync(real.path, join(folder.path, 'facts'));
  symlinkSync(folder.path, join(real.path, 'back'));
  const files = await directorySource(folder.path).list();
  expect(files).toEqual([
    { name: 'accounts.csv', bytes: 7 },
    { name: 'facts/pla/delivery.csv', bytes: 1 },
  ]);
});

/** A pipe was ignored without a warning; a link to a directory that was renamed ended the load with `ENOENT`. */
test('pipes, and links that lead nowhere, are files that cannot be read, and problems of the folder unless they are hidden', async () => {
  using folder = makeFolder();
  folder.write('accounts.csv', 'id,name');
  execFileSync('mkfifo', [join(folder.path, 'users.csv')]);
  symlinkSync(join(folder.path, 'renamed'), join(folder.path, 'facts'));
  symlinkSync('self.txt', join(folder.path, 'self.txt'));
  symlinkSync('nobody@host', join(folder.path, '.#accounts.csv'));
  const problems = new Problems(10);
  const { listings, ignored } = classifyFiles(await directorySource(folder.path).list(), problems);
  expect({ listings: listings.map(({ name }) => name), ignored }).toEqual({ listings: ['accounts.csv'], ignored: [] });
  expect(problems.list().map(formatProblem)).toEqual([
    'facts: is a link to something that does not exist',
    'self.txt: is a link to something that does not exist',
    'users.csv: is not a regular file',
  ]);
});

const FIRST = gzipSync('first row\n');
const SECOND = gzipSync('second row\n');

/** @returns the text of a file that is read in pieces of some bytes */
async function read(file: Buffer, pieceBytes: number): Promise<string> {
  const pieces = async function* () {
    for (let start = 0; start < file.length; start += pieceBytes) yield file.subarray(start, start + pieceBytes);
  };
  const unpacked = await Array.fromAsync(decompress(pieces()));
  return Buffer.concat(unpacked).toString();
}

describe.each([1, 7, FIRST.length, FIRST.length + 1, 1 << 20])('a gzipped file in pieces of %i bytes', (pieceBytes) => {
  test('may have several members', async () => {
    expect(await read(Buffer.concat([FIRST, SECOND]), pieceBytes)).toBe('first row\nsecond row\n');
  });

  /** Node stops at a zero after a member: a second row after it was not loaded, without an error. */
  test.each([
    ['zeros', Buffer.alloc(512)],
    ['a zero', Buffer.alloc(1)],
    ['a zero and a member', Buffer.concat([Buffer.alloc(1), SECOND])],
  ])('is rejected if %s follow', async (_, rest) => {
    const file = Buffer.concat([FIRST, SECOND, rest]);
    await expect(read(file, pieceBytes)).rejects.toThrow('has zeros after its gzip data');
  });

  test('is rejected if other bytes follow a member', async () => {
    await expect(read(Buffer.concat([FIRST, Buffer.from('other')]), pieceBytes)).rejects.toThrow('damaged gzip');
  });
});

/** Node's stream ends after the first frame, without an error. */
describe.each([1, 7, 15, 64, 1 << 20])('a zstd file in pieces of %i bytes', (pieceBytes) => {
  const frames = Array.from({ length: 40 }, (_, i) => zstdCompressSync(`row ${i}\n`.repeat(i * i)));
  const rows = Array.from({ length: 40 }, (_, i) => `row ${i}\n`.repeat(i * i)).join('');

  test('may have several frames, also empty ones', async () => {
    expect(await read(Buffer.concat(frames), pieceBytes)).toBe(rows);
  });

  test.each<[string, Buffer[]]>([
    ['is truncated', [...frames.slice(0, -1), zstdCompressSync('last row\n').subarray(0, -1)]],
    ['has other bytes after its frames', [...frames, Buffer.from('other bytes')]],
  ])('is rejected if it %s', async (_, parts) => {
    await expect(read(Buffer.concat(parts), pieceBytes)).rejects.toThrow('is truncated or damaged zstd');
  });
});

/** 0.3 MB of zstd held 10 GB of equal lines, which were read for minutes. */
test.each<[string, () => Buffer]>([
  ['zstd', () => zstdCompressSync(Buffer.alloc(100 << 20, '2026-03-01,0,1000\n'))],
  ['zstd of many frames', () => Buffer.concat(new Array(80).fill(zstdCompressSync(Buffer.alloc(1 << 20, '\n'))))],
  ['gzip', () => gzipSync(Buffer.alloc(100 << 20, '\n'))],
])('%s that unpacks to what no data do is rejected before it is unpacked', async (_, pack) => {
  const pieces = async function* () {
    yield pack();
  };
  let length = 0;
  const unpack = async () => {
    for await (const piece of decompress(pieces())) length += piece.length;
  };
  await expect(unpack()).rejects.toThrow('unpacks to more than 1000 times its size, as no data do');
  expect(length).toBeLessThanOrEqual(64 << 20);
});

test('other bytes are returned as they are', async () => {
  for (const text of ['', 'a', 'id,name\n']) expect(await read(Buffer.from(text), 2)).toBe(text);
});

/** A load that is over its time went on reading small files that unpack to gigabytes. */
test.each<[FileFormat, string]>([
  ['csv', '\n'],
  ['ndjson', ' '],
  ['parquet', 'PAR1'],
])('a gzipped file (%s) is no longer unpacked once the load is aborted', async (format, repeated) => {
  using temporary = makeFolder();
  const packed = gzipSync(repeated.repeat(10_000_000));
  const aborted = new AbortController();
  const source = {
    list: async () => [],
    read: async function* () {
      yield packed;
    },
  };
  const file = { name: `a.${format}.gz`, bytes: packed.length, format, partitions: [] };
  const sink = new FileSink(file, new ColumnNames('delivery', []), new Problems(10));
  aborted.abort(new Error('out of time'));
  const sections = openSections({ source, temporaryDirectory: temporary.path, signal: aborted.signal }, file, sink);
  await expect(Array.fromAsync(sections)).rejects.toThrow('out of time');
});

/** The load failed in all attempts, and folders behind it waited. */
test('a file that does not fit into the temporary directory is a problem of the file; other errors are thrown', () => {
  const problems = new Problems(10);
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  reportUnreadable('a.parquet.gz', full, problems);
  const reason = 'does not fit into the temporary directory with the facts before it: make the folder smaller';
  expect(problems.list()).toEqual([{ file: 'a.parquet.gz', line: null, field: null, reason }]);
  expect(() => explainFullDisk(new Error('another'))).toThrow('another');
});
