import { expect, test, vi } from 'vitest';
import { printReport } from '../../../infra/cli/print-report.ts';
import { writeLine } from '../../../infra/cli/run-cli.ts';

test('control characters are written as escapes, all other text as it is', () => {
  const lines: string[] = [];
  writeLine({ write: (text) => lines.push(text) }, 'a\u001b[2Jb\nc\u009b\u202edé €😀.csv');
  expect(lines).toEqual(['a\\u001b[2Jb\\u000ac\\u009b\\u202edé €😀.csv\n']);
});

test('the name of a file in a report cannot control the terminal', () => {
  const written: string[] = [];
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  const name = 'facts/pla/delivery\u001b]0;owned\u0007.csv';
  const problem = { file: name, line: 2, field: null, reason: 'is malformed' };
  const report = { problems: [problem], problemCount: 1, warnings: [`${name}: not a data file, ignored`] };
  printReport({ outcome: 'rejected', listings: [], facts: [], emptied: [], ...report }, '');
  write.mockRestore();
  expect(written.slice(0, 2)).toEqual([
    'warning: facts/pla/delivery\\u001b]0;owned\\u0007.csv: not a data file, ignored\n',
    'facts/pla/delivery\\u001b]0;owned\\u0007.csv:2: is malformed\n',
  ]);
});
