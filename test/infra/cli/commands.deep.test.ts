import { exec } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { ROOT } from '../../rules/source-files.ts';
import { runCommand } from './run-command.ts';

const REPORT = '../tools/report/report';

/** `npm run openapi` rejected -h. */
test.each([
  'audit',
  'key',
  'load',
  'write-openapi',
  'start',
  '../operate/prove',
  '../tools/demo/demo',
  '../tools/mcp/mcp',
  REPORT,
])('%s prints its usage with -h', async (name) => {
  const stdout = expect.stringMatching(/^usage: npm (run|start)/);
  expect(await runCommand(name, ['-h'], {})).toEqual({ code: 0, stdout, stderr: '' });
});

test.each([
  [REPORT, ['--metrics', 'cost', '--limit', '0'], undefined, /^endcap: --limit is 0; [^\n]*\n$/],
  [
    REPORT,
    ['--metrics', 'cost', '--limit', '0'],
    '1',
    /^endcap: Error: --limit is 0; [^\n]*\n {4}at (?:(?!--limit is 0).)*$/s,
  ],
  ['audit', ['--since', '5'], undefined, /^endcap: --since is 5; it must be a duration such as 7d, /],
  ['audit', ['7d'], undefined, /^endcap: unexpected argument 7d\nusage: npm run audit/],
])('%s %j prints its message once, in the stack if DEBUG is set: %j', async (name, args, DEBUG, message) => {
  const stderr = expect.stringMatching(message);
  expect(await runCommand(name, args, { DEBUG })).toEqual({ code: 1, stdout: '', stderr });
});

/** The other tests start the files of the commands without what the scripts preload. */
test('npm run prove starts with the compile cache', async () => {
  const script = packageJson.scripts.prove;
  expect(script).toContain('--import ./infra/preload.mjs');
  const { stdout } = await promisify(exec)(`${script} --help`, { cwd: ROOT });
  expect(stdout).toMatch(/^usage: npm run /);
});
