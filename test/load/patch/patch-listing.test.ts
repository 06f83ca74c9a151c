import { expect, test } from 'vitest';
import { patchListing } from '../../../shared/load/check/patch-listing.ts';
import { MAX_ROWS, RowBudget } from '../../../shared/load/check/row-budget.ts';
import { formatProblem, Problems } from '../../../shared/load/schema/problems.ts';

const FILE = {
  name: 'accounts.patch.csv',
  listing: 'accounts',
  isPatch: true,
  format: 'csv',
  gzipped: false,
  bytes: 1,
} as const;
const LISTED = Array.from({ length: MAX_ROWS }, (_, id) => ({ id, name: 'A', active: true }));

test.each([
  ['accepted if it replaces a row, although the listing has the greatest allowed size', 5, []],
  [
    'rejected if it adds a row to a listing of the greatest allowed size',
    MAX_ROWS,
    [
      'accounts.patch.csv: exceeds a limit: all listing files of a folder, with the listed rows that patches keep, may have 1,000,000 rows and 128,000,000 UTF-16 code units of text',
    ],
  ],
])('listed rows that a patch keeps count as rows of the folder, so the patch is %s', (_, id, expected) => {
  const row = { id, name: 'B', active: true, deleted: false };
  const budget = new RowBudget();
  expect(budget.spend(row)).toBeUndefined(); // as the parser of the patch does
  const problems = new Problems(10);
  patchListing(FILE, { rows: [row], lines: [2] }, LISTED, budget, problems);
  expect(problems.list().map(formatProblem)).toEqual(expected);
});
