import { describe, expect, test } from 'vitest';
import { parseRows } from '../../../shared/load/check/parse-rows.ts';
import { RowBudget } from '../../../shared/load/check/row-budget.ts';
import { Problems } from '../../../shared/load/schema/problems.ts';
import { TimeZone } from '../../../shared/load/schema/time-zone.ts';
import { ID, LONG_TEXT } from '../../../shared/load/schema/value-types.ts';
import { type RowBatch, UnreadableFileError } from '../../../shared/load/source/row-batch.ts';

/** All rows of a Parquet batch may share a text of a dictionary, and each row gets a copy: 303 KB exhausted the loader's memory. */
test('a batch that exceeds the budget is read no further than the column in which it does', async () => {
  const read: string[] = [];
  const batch: RowBatch = {
    rows: 3,
    read: async (name) => {
      read.push(name);
      return Array(3).fill('x'.repeat(10_000));
    },
    lineOf: (row) => row + 1,
  };
  const budget = new RowBudget();
  budget.spend({ text: 'x'.repeat(128_000_000 - 45_000) }); // column a takes 30,000 of the rest, and row 1 of b exceeds it
  const columns = ['a', 'b', 'c'].map((name) => ({ name, type: LONG_TEXT, about: '' }));
  const problems = new Problems(10);
  const format = { splitLists: false, zone: new TimeZone('UTC') };
  async function* batches() {
    yield batch;
  }
  const parsed = await parseRows('accounts', columns, batches(), format, problems, () => undefined, budget);
  expect(parsed.rows).toEqual([]);
  expect(problems.list()).toMatchObject([
    { line: 2, field: null, reason: expect.stringMatching(/^exceeds a limit: /) },
  ]);
  expect(read).toEqual(['a', 'b']);
});

const COLUMNS = [
  { name: 'id', type: ID, about: '' },
  { name: 'text', type: LONG_TEXT, about: '' },
];

/** @returns the problems of one batch with the columns `id` and `text`, of which a report holds ten */
async function problemsOf(batch: RowBatch, budget = new RowBudget()): Promise<Problems> {
  const problems = new Problems(10);
  const format = { splitLists: false, zone: new TimeZone('UTC') };
  async function* batches() {
    yield batch;
  }
  await parseRows('accounts', COLUMNS, batches(), format, problems, () => undefined, budget);
  return problems;
}

test('a column that cannot be read is reported even if the columns before it have more problems than a report holds', async () => {
  const problems = await problemsOf({
    rows: 20,
    read: async (name) => {
      if (name === 'id') return Array.from({ length: 20 }, (_, row) => `x${row}`);
      throw new UnreadableFileError(null, 'is not readable Parquet');
    },
    lineOf: (row) => row + 1,
  });
  expect(problems.count).toBe(21);
  expect(problems.list().map(({ reason }) => reason)).toContain('is not readable Parquet');
});

describe('the problems of a batch that is not read to its end are reported:', () => {
  const TOO_LONG = 'x'.repeat(10_000);
  test.each([
    ['one that exceeds the budget', async () => [null, null, null, TOO_LONG], [4, 'exceeds a limit']],
    [
      'one with a damaged column',
      () => Promise.reject(new UnreadableFileError(null, 'is not readable Parquet')),
      [null, 'is not readable Parquet'],
    ],
  ] as const)('%s', async (_title, readText, [line, reason]) => {
    const budget = new RowBudget();
    budget.spend({ text: 'x'.repeat(128_000_000 - 5_000) });
    const batch: RowBatch = {
      rows: 4,
      read: (name) => (name === 'id' ? Promise.resolve([1, 'two', 3, 4]) : readText()),
      lineOf: (row) => row + 1,
    };
    const problems = await problemsOf(batch, budget);
    expect(problems.list()).toMatchObject([
      { line: 2, field: 'id', reason: 'must be an integer ≥ 1, not "two"' },
      { line, field: null, reason: expect.stringContaining(reason) },
    ]);
  });
});
