import { expect, test, vi } from 'vitest';
import { printReport } from '../../../infra/cli/print-report.ts';

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
  const problems = [problem, { ...problem, line: 5 }, { ...problem, line: 6, repeats: 99_997 }, ...others];
  const parts = { commit: 1, warnings: [], listings: [], facts: [], changes: [] };
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const code = printReport({ ...parts, outcome: 'rejected', problems, problemCount: 100_001 }, 'correct these first');
  const lines = stderr.mock.calls.map(([line]) => line);
  stderr.mockRestore();
  expect([code, lines.slice(5)]).toEqual([
    1,
    [
      '100,000 rows refer to ad_group_id 7, which is missing: add it to ad_groups, or load it first\n',
      'endcap: 100,001 problems, nothing was loaded\n',
    ],
  ]);
});
