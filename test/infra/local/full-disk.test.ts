import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { explainFullDisk } from '../../../infra/local/data-dir.ts';

/** The local table ended with an I/O error on a full disk, and the command said that the data store was overloaded, or the folder damaged. */
test('a full disk is named in place of the error that it causes; other errors stay', async () => {
  const error = new Error('The data store is overloaded or unreachable at the moment.');
  const full = existsSync('/proc') ? '/proc' : '/dev'; // file systems without free blocks
  expect(await explainFullDisk(full, error)).toMatchObject({
    message: `the disk of ${full} is full: free some of it and try again`,
    cause: error,
  });
  expect(await explainFullDisk(tmpdir(), error)).toBe(error);
});
