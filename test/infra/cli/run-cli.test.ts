import { exec } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { explainAwsError } from '../../../infra/cli/explain-aws-error.ts';
import { printReport } from '../../../infra/cli/print-report.ts';
import { writeLine } from '../../../infra/cli/run-cli.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { ROOT } from '../../rules/source-files.ts';
import { runCommand } from './run-command.ts';

test('control characters are written as escapes, all other text as it is', () => {
  const lines: string[] = [];
  writeLine({ write: (text) => lines.push(text) }, 'a\u001b[2Jb\nc\u009b\u202edé €😀.csv');
  expect(lines).toEqual(['a\\u001b[2Jb\\u000ac\\u009b\\u202edé €😀.csv\n']);
});

/** These are the characters with Unicode's property Bidi_Control. U+061C, the Arabic letter mark, was not escaped. */
test('every character that changes the direction of text is escaped', () => {
  const lines: string[] = [];
  const characters = [...Array(0x10000).keys()].map((code) => String.fromCharCode(code));
  const marks = characters.filter((character) => /\p{Bidi_Control}/u.test(character));
  for (const mark of marks) writeLine({ write: (text) => lines.push(text) }, mark);
  expect(lines.filter((line) => !/^\\u[0-9a-f]{4}\n$/.test(line))).toEqual([]);
  expect(marks).toHaveLength(12);
});

test('invisible characters are escaped, also those that Unicode added late', () => {
  const lines: string[] = [];
  writeLine({ write: (text) => lines.push(text) }, 'a\u200bb\ufeffc\u{e0041}d');
  expect(lines).toEqual(['a\\u200bb\\ufeffc\\udb40\\udc41d\n']);
});

test('a failed command prints its message once', async () => {
  const { code, stdout, stderr } = await runCommand('audit', ['--since', '5'], { DEBUG: undefined });
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^endcap: --since is 5; [^\n]*\n$/),
  });
});

test('the name of a file in a report cannot control the terminal', () => {
  const written: string[] = [];
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  const name = 'facts/pla/delivery\u001b]0;owned\u0007.csv';
  const problem = { file: name, line: 2, field: null, reason: 'is malformed' };
  const report = { problems: [problem], problemCount: 1, warnings: [`${name}: not a data file, ignored`] };
  printReport({ outcome: 'rejected', listings: [], facts: [], changes: [], ...report }, '');
  write.mockRestore();
  expect(written.slice(0, 2)).toEqual([
    'warning: facts/pla/delivery\\u001b]0;owned\\u0007.csv: not a data file, ignored\n',
    'facts/pla/delivery\\u001b]0;owned\\u0007.csv:2: is malformed\n',
  ]);
});

/** The other tests start the files of the commands without what the scripts preload. */
test('npm run key starts with the compile cache', async () => {
  const script = packageJson.scripts.key;
  expect(script).toContain('--import ./infra/preload.mjs');
  const { stdout } = await promisify(exec)(`${script} --help`, { cwd: ROOT });
  expect(stdout).toMatch(/^usage: npm run /);
});

const named = (name: string, message: string) => Object.assign(new Error(message), { name });
const NO_ALIAS = named(
  'NotFoundException',
  'Alias arn:aws:kms:eu-west-1:111122223333:alias/ads-user-ids is not found.',
);
const NO_TABLE = named('ResourceNotFoundException', 'Requested resource not found');

test.each([
  [new Error('Region is missing'), 'the AWS region is missing: add --region, '],
  [named('CredentialsProviderError', 'no profile'), 'there are no AWS credentials: set AWS_PROFILE, '],
  [NO_TABLE, 'there is no table ads in this account and region; '],
  [NO_ALIAS, 'there is no user-id key for the table ads in this account and region: '],
])('%s is explained by what to do', (error, advice) => {
  const explained = explainAwsError(error, 'ads');
  expect(explained).toMatchObject({ message: expect.stringContaining(advice), cause: error });
});

test('other errors stay as they are', () => {
  for (const error of [named('NotFoundException', 'Key alias/other-user-ids is not found'), new Error('x'), 'text'])
    expect(explainAwsError(error, 'ads')).toBe(error);
  for (const error of [NO_TABLE, NO_ALIAS]) expect(explainAwsError(error)).toBe(error); // no table is named
});
