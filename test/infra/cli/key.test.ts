import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDataDir } from '../../../infra/start/data-dir.ts';
import { runCommand } from './run-command.ts';

describe('npm run key', () => {
  test.each([
    [[], /^endcap: the command must be one of create, list, set, rotate, revoke\nusage: npm run key -- create/],
    [['destroy', '--user', 'a'], /^endcap: the command must be one of create, list, set, rotate, revoke\nusage/],
    [['create'], /^endcap: --user is missing\nusage/],
    [['create', '--user', 'a', '--days', '0'], /^endcap: --days is 0; it must be an integer from 1\n$/],
    [
      ['create', '--user', 'a', '--scopes', 'report,all'],
      /^endcap: --scopes has all; it must be a list of metadata, report, jwt, or all\n$/,
    ],
    [
      ['create', '--user', 'a', '--accounts', '1,x'],
      /^endcap: --accounts has x; it must be a list of account ids, or all\n$/,
    ],
    [
      ['rotate', '--user', 'a', '--overlap', '-1'],
      /^endcap: --overlap needs a value; write --overlap=-1 if it begins with -\nusage/,
    ],
    [['create', '--users', 'a'], /^endcap: there is no option --users\nusage: npm run key -- create/],
    [['create', '--user'], /^endcap: --user needs a value\nusage/],
    [['create', '--user', '--days'], /^endcap: --user needs a value; write --user=--days if it begins with -\nusage/],
    [['create', '--user', 'a', '--id', 'x'], /^endcap: create has no option --id\nusage/],
    [['list', '--user', 'a', '--days', '7'], /^endcap: list has no option --days\nusage/],
    [['set', '--user', 'a', '--id', 'x', '--overlap', '7'], /^endcap: set has no option --overlap\nusage/],
    [['rotate', '--user', 'a', '--id', 'x', '--label', 'b'], /^endcap: rotate has no option --label\nusage/],
    [['revoke', '--user', 'a', '--id', 'x', '--scopes', 'jwt'], /^endcap: revoke has no option --scopes\nusage/],
    [['create', '--help=yes'], /^endcap: --help takes no value\nusage/],
  ])('rejects the arguments %j', async (args, message) => {
    const { code, stdout, stderr } = await runCommand('key', args, {});
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(message) });
  });

  test.each([
    ['create', '--user', 'nobody'],
    ['list', '--user', 'nobody'],
    ['revoke', '--user', 'nobody', '--id', 'x'],
  ])('%s rejects a user who does not exist', async (...args) => {
    const folder = mkdtempSync(join(tmpdir(), 'endcap-key-'));
    openDataDir(folder);
    const { code, stdout, stderr } = await runCommand('key', args, { DATA_DIR: folder });
    rmSync(folder, { recursive: true, force: true });
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: `keys of nobody in the data folder ${folder}\nendcap: there is no user nobody: users are loaded from a file users.*\n`,
    });
  });

  test('rejects a data folder that does not exist, and does not create it', async () => {
    const folder = join(tmpdir(), `endcap-key-${process.pid}`);
    const { code, stdout, stderr } = await runCommand('key', ['list', '--user', 'nobody'], { DATA_DIR: folder });
    expect({ code, stdout, stderr, made: existsSync(folder) }).toEqual({
      code: 1,
      stdout: '',
      stderr: `endcap: there is no data in ${folder}: start the local stage (npm start), load a folder, or add --table\n`,
      made: false,
    });
  });

  test('reports a missing AWS region', async () => {
    const env = { AWS_REGION: undefined, AWS_PROFILE: undefined, AWS_CONFIG_FILE: '/nowhere' };
    const { code, stderr } = await runCommand('key', ['list', '--user', 'a', '--table', 'T'], env);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'keys of a in the table T on AWS\nendcap: the AWS region is missing: add --region, set AWS_REGION, or use a profile that has a region (--profile, AWS_PROFILE)\n',
    });
  });
});
