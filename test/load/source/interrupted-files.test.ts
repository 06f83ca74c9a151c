import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { Problems } from '../../../shared/load/schema/problems.ts';
import { ColumnNames } from '../../../shared/load/source/column-names.ts';
import type { FileFormat } from '../../../shared/load/source/find-files.ts';
import { explainFullDisk, FileSink, reportUnreadable } from '../../../shared/load/source/row-batch.ts';
import { openSections } from '../../../shared/load/source/sections.ts';
import { makeFolder } from '../support/folder.ts';

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
