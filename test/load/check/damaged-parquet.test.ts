import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parquetFolderOf } from '../support/parquet-folder.ts';
import { useRejections } from '../support/use-rejections.ts';

const { load } = useRejections();

/** The first page of a file begins after its first four bytes, `PAR1`. */
const PAGE = 4;

test.each([
  ['accounts', { id: '9001', name: 'Damaged' }],
  ['deletions', { experience: 'pla', table: 'delivery', advertiserId: '2001', day: '2026-02-01' }],
  ['facts/pla/delivery', { daily_date: '2026-02-01', hour: '9', ad_group_id: '1', impressions: '7' }],
])('a page of %s that is damaged is a problem of its file, beside those of other files', async (name, row) => {
  using folder = await parquetFolderOf({ [name]: [row] });
  const file = `${name}.parquet`;
  const damaged = readFileSync(`${folder.path}/${file}`).fill(0xff, PAGE, PAGE + 8);
  const { outcome, problems } = await load({ [file]: damaged, 'users.csv': 'userId,colour\n' });
  expect(outcome).toBe('rejected');
  expect(problems.find((problem) => problem.file === file)?.reason).toContain('is not readable Parquet');
  expect(problems.map((problem) => problem.file)).toContain('users.csv');
});
