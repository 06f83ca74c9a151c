import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { expect, test } from 'vitest';
import { openBucket } from '../../../shared/ingest/bucket.ts';
import { bucketSource } from '../../../shared/ingest/bucket-source.ts';
import { formatProblem, Problems } from '../../../shared/load/schema/problems.ts';
import { directorySource } from '../../../shared/load/source/file-source.ts';
import { classifyFiles } from '../../../shared/load/source/find-files.ts';
import { openSections } from '../../../shared/load/source/sections.ts';
import { makeFolder } from '../support/folder.ts';

const NAMES = ['\u{1F600}.csv', 'facts/\uFF5E.csv', 'facts/\u{1F600}.csv', 'z.csv', '\uFF5E.csv'];
const SORTED_NAMES = ['facts/\uFF5E.csv', 'facts/\u{1F600}.csv', 'z.csv', '\uFF5E.csv', '\u{1F600}.csv'];

test('files of a directory are listed by code point of their names, as a bucket lists its keys', async () => {
  using folder = makeFolder();
  for (const name of NAMES) folder.write(name, '');
  expect((await directorySource(folder.path).list()).map((file) => file.name)).toEqual(SORTED_NAMES);
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
