import { expect, test } from 'vitest';
import { summarizeMissing } from '../../../infra/cli/print-report.ts';

const problem = {
  file: 'facts/pla/delivery.csv',
  line: 2,
  field: 'ad_group_id',
  reason: '7 is not among the ad_groups',
};

test('a missing id that several rows refer to is summarized in one line that says what to do; other problems are not', () => {
  const others = [
    { ...problem, line: 3, reason: '8 is not among the ad_groups' },
    { ...problem, line: 4, field: 'cost', reason: 'is -1; it must be 0 or more' },
  ];
  expect(
    summarizeMissing([problem, { ...problem, line: 5 }, { ...problem, line: 6, repeats: 99_997 }, ...others]),
  ).toEqual(['100,000 rows refer to ad_group_id 7, which is missing: add it to ad_groups, or load it first']);
});
