import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openDataDir } from '../../../infra/local/data-dir.ts';
import { createKey, listKeys, revokeKey } from '../../../shared/identity/api-keys.ts';
import { Callers } from '../../../shared/identity/callers.ts';
import { openUsage } from '../../../shared/identity/key-usage.ts';
import { type ApiKey, digestOf } from '../../../shared/identity/keys/key-record.ts';
import { LastUsed } from '../../../shared/identity/last-used.ts';
import { systemClock } from '../../../shared/lib/clock.ts';
import { storeListing } from '../../../shared/load/listings/known-network.ts';
import { integerOf } from '../../../shared/load/schema/text-ids.ts';
import { beginCommit, CommitReader } from '../../../shared/store/commit/commits.ts';
import { writeUsers } from '../../../shared/store/listings/users.ts';
import { findUser, loadAna } from '../../identity/ana.ts';
import { useTablePerTest } from '../../support/use-engine.ts';
import { runCommand } from './run-command.ts';

const DAY_MS = 86_400_000;
/** An account that the loaded files call acme. */
const ACME = integerOf('acme');

describe('npm run key', () => {
  test.each([
    [[], /^endcap: the command must be one of create, list, set, rotate, revoke\nusage: npm run key -- create/],
    [['set', '--id', 'x'], /^endcap: --user is missing\nusage/],
    [['create', '--user', 'a', '--days', '0'], /^endcap: --days is 0; it must be an integer from 1\n$/],
    [
      ['create', '--user', 'a', '--scopes', 'report,all'],
      /^endcap: --scopes has all; it must be a list of metadata, report, jwt, or all\n$/,
    ],
    [['rotate', '--user', 'a', '--overlap', '-1'], /^endcap: Option '--overlap' argument is ambiguous\.[\s\S]+\nusage/],
    [['create', '--users', 'a'], /^endcap: Unknown option '--users'.*\nusage: npm run key -- create/],
    [['create', '--user', '--days'], /^endcap: Option '--user' argument is ambiguous\.[\s\S]+\nusage/],
    [['create', '--user', 'a', '--id', 'x'], /^endcap: create has no option --id\nusage/],
    [['set', '--user', 'a', '--id', 'x', '--overlap', '7'], /^endcap: set has no option --overlap\nusage/],
    [['revoke', '--user', 'a', '--id', 'x', '--scopes', 'jwt'], /^endcap: revoke has no option --scopes\nusage/],
    [['create', '--help=yes'], /^endcap: Option '-h, --help' does not take an argument\nusage/],
  ])('rejects the arguments %j', async (args, message) => {
    const { code, stdout, stderr } = await runCommand('key', args, {});
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(message) });
  });

  test.each([
    ['create', '--user', 'nobody'],
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

  test.each([
    ['key', ['list', '--user', 'nobody']],
    ['audit', []],
  ])('%s rejects a data folder that does not exist, and does not create it', async (command, args) => {
    const folder = join(tmpdir(), `endcap-key-${process.pid}`);
    const { code, stdout, stderr } = await runCommand(command, args, { DATA_DIR: folder });
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

describe('npm run key, on the table of a local stage,', () => {
  const made = useTablePerTest();
  let folder: string;
  beforeEach(async () => {
    await loadAna(made.table, [1, 2, ACME]);
    const writer = await beginCommit(made.table, { owner: 'the test' });
    await storeListing(writer, 'accounts', [{ id: ACME, idText: 'acme', name: 'Acme', active: true }]);
    await writer.finish();
    folder = mkdtempSync(join(tmpdir(), 'endcap-key-'));
    const { endpoint: dynamodb, tableName } = made;
    openDataDir(folder).writeRunning({ pid: 1, url: 'http://localhost:1', dynamodb, tableName, timeZone: 'UTC' });
    vi.stubEnv('DATA_DIR', folder);
    vi.stubEnv('npm_lifecycle_event', undefined);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs the command in this process, which is faster than in its own. @returns what it writes to stdout */
  async function runKey(...args: string[]): Promise<string> {
    const { argv } = process;
    let text = '';
    using _stdout = vi.spyOn(process.stdout, 'write').mockImplementation((part, ...rest) => {
      text += part;
      for (const callback of rest) if (typeof callback === 'function') callback();
      return true;
    });
    using _stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    process.argv = [...argv.slice(0, 1), 'key.ts', ...args];
    vi.resetModules();
    try {
      await import('../../../infra/cli/key.ts');
    } finally {
      process.argv = argv;
    }
    return text;
  }
  /** @returns the record of the key in the first line of the command's output */
  async function recordIn(output: string): Promise<ApiKey | undefined> {
    const digest = digestOf(output.split('\n')[0] ?? '');
    return (await listKeys(made.table, 'ana')).find((record) => record.digest === digest);
  }
  const dateOf = (time = Number.NaN) => new Date(time).toISOString().slice(0, 10);

  const OPTIONS = [
    ...[
      '--label',
      'nightly',
      '--scopes',
      'report,jwt',
      '--accounts',
      '2,acme',
      '--addresses',
      '203.0.113.0/24,2001:db8::1',
    ],
    ...['--rpm', '600', '--concurrency', '4', '--daily-units', '200000', '--days', '30'],
  ];
  const RESTRICTIONS = {
    label: 'nightly',
    scopes: ['report', 'jwt'],
    accountIds: [2, ACME],
    addresses: ['203.0.113.0/24', '2001:db8::1'],
  };
  const LIMITS = { requestsPerMinute: 600, concurrentReports: 4, dailyReadUnits: 200_000 };
  const RESTRICTION_LINES = [
    '    label: nightly',
    '    scopes: report, jwt',
    '    accounts: 2, acme',
    '    addresses: 203.0.113.0/24, 2001:db8::1',
  ];
  const LIMIT_LINES = ['    requestsPerMinute: 600', '    concurrentReports: 4', '    dailyReadUnits: 200000'];
  const firstLine = ({ id, createdAt, expiresAt }: Partial<ApiKey> = {}, days = 30) => {
    const state = days > 30 ? 'Valid.' : `Expires within ${days} days.`;
    return `${id}  created ${dateOf(createdAt)}  expires ${dateOf(expiresAt)}  not used  ${state}`;
  };
  const attributesIn = ({ id, digest, userId, createdAt, expiresAt, ...attributes }: Partial<ApiKey> = {}) =>
    attributes;
  const lifetimeOf = ({ createdAt, expiresAt }: Partial<ApiKey> = {}) => Number(expiresAt) - Number(createdAt);

  test('create stores restrictions, limits and expiry of the new key, and list shows them', async () => {
    const record = await recordIn(await runKey('create', '--user', 'ana', ...OPTIONS));
    expect(attributesIn(record)).toEqual({ ...RESTRICTIONS, ...LIMITS });
    expect(lifetimeOf(record)).toBe(30 * DAY_MS);
    const listed = await runKey('list', '--user', 'ana');
    expect(listed.split('\n')).toEqual([firstLine(record), ...RESTRICTION_LINES, ...LIMIT_LINES, '']);
  });

  test('create --mail-text prints a text to send, without the label, and with the steps that the key allows', async () => {
    const create = (...options: string[]) => runKey('create', '--user', 'ana', '--mail-text', ...options);
    const text = await create('--label', 'nightly', '--accounts', '2', '--days', '30');
    const key = /Key: (ecap_\w+)/.exec(text)?.[1] ?? '';
    const record = await recordIn(key);
    expect(text.split('\n')).toEqual([
      'Dear Ana,',
      '',
      'this is your key for the advertising reports of our network. Keep it secret; we cannot show it again.',
      '',
      '    Address: http://localhost:1/v2',
      `    Key: ${key}`,
      `    Valid until: ${dateOf(record?.expiresAt)}`,
      '    accounts: 2',
      '',
      'First steps:',
      '- See reports in a browser: open http://localhost:1/v2/explorer, and enter the key.',
      '- Use reports in a sheet or program: send the key in the header Ocp-Apim-Subscription-Key; http://localhost:1/v2/docs shows how.',
      '- What the figures mean: http://localhost:1/v2/docs/fields',
      '',
    ]);
    expect(await create('--scopes', 'report')).not.toContain('/explorer');
  });

  test('accounts of other users are named as they are given', async () => {
    const args = ['create', '--user', 'ana', '--accounts', 'acme,zest,7'];
    const { code, stderr } = await runCommand('key', args, { DATA_DIR: folder });
    expect([code, stderr]).toEqual([1, expect.stringContaining('not a member of the accounts zest, 7\n')]);
  });

  test('set changes only what its options name: default resets a limit, and all lifts a restriction', async () => {
    const { id = '', expiresAt } = (await recordIn(await runKey('create', '--user', 'ana', ...OPTIONS))) ?? {};
    const set = (...options: string[]) => runKey('set', '--user', 'ana', '--id', id, ...options);
    await set('--rpm', 'default', '--daily-units', '7');
    const [changed] = await listKeys(made.table, 'ana');
    expect(attributesIn(changed)).toEqual({ ...RESTRICTIONS, concurrentReports: 4, dailyReadUnits: 7 });
    expect(changed?.expiresAt).toBe(expiresAt);
    const lines = ['    concurrentReports: 4', '    dailyReadUnits: 7', ''];
    expect((await runKey('list', '--user', 'ana')).split('\n').slice(1)).toEqual([...RESTRICTION_LINES, ...lines]);

    const all = ['--scopes', 'all', '--accounts', 'all', '--addresses', 'all', '--label', ''];
    await set(...all, '--concurrency', 'default', '--daily-units', 'default');
    const [free] = await listKeys(made.table, 'ana');
    expect(attributesIn(free)).toEqual({});
    expect(await runKey('list', '--user', 'ana')).toBe(`${firstLine(free)}\n`);
  });

  test.each([
    [[], 7, 365],
    [['--overlap', '3', '--days', '60'], 3, 60],
  ])(
    'rotate %j makes a key with the same attributes, and the old one expires after %i days',
    async (options, overlapDays, days) => {
      const old = await recordIn(await runKey('create', '--user', 'ana', ...OPTIONS));
      const before = Date.now();
      const output = await runKey('rotate', '--user', 'ana', '--id', old?.id ?? '', ...options);
      const after = Date.now();
      const [replaced, record] = await listKeys(made.table, 'ana');
      expect(record).toEqual(await recordIn(output));
      expect(attributesIn(record)).toEqual({ ...RESTRICTIONS, ...LIMITS });
      expect(lifetimeOf(record)).toBe(days * DAY_MS);
      expect(replaced).toEqual({ ...old, expiresAt: replaced?.expiresAt });
      expect(replaced?.expiresAt).toBeGreaterThanOrEqual(before + overlapDays * DAY_MS);
      expect(replaced?.expiresAt).toBeLessThanOrEqual(after + overlapDays * DAY_MS);
      const attributes = [...RESTRICTION_LINES, ...LIMIT_LINES];
      expect((await runKey('list', '--user', 'ana')).split('\n')).toEqual([
        ...[firstLine(replaced, overlapDays), ...attributes],
        ...[firstLine(record, days), ...attributes, ''],
      ]);
      const callers = new Callers(new CommitReader(made.table), systemClock);
      expect(await findUser(callers, made.table, output.split('\n')[0] ?? '')).toEqual(['ana', 2, ACME]);
    },
  );

  test('list without a user shows the keys of all users, with their use and state', async () => {
    const writer = await beginCommit(made.table, { owner: 'the test' });
    const user = { name: 'A user', userType: 'CPG', accountIds: [] } as const;
    await writeUsers(writer, [
      { ...user, userId: 'ana' },
      { ...user, userId: 'ben' },
      { ...user, userId: 'USER#c' },
    ]);
    await writer.finish();
    const create = async (userId: string, days: number, label?: string) =>
      (await createKey(made.table, userId, { days, ...(label === undefined ? {} : { label }) })).record;
    const [nightly, ending] = [await create('USER#c', 365, 'nightly'), await create('ana', 5)];
    const revoked = await create('ben', 365);
    await revokeKey(made.table, 'ben', revoked.id);
    await new LastUsed(made.table, systemClock).record(nightly);
    const usage = openUsage(made.table, nightly.digest, systemClock);
    usage.countRequest(); // settles in the background
    usage.countReadUnits(12.5);
    await usage.settle();
    const today = dateOf(Date.now());
    const lines = (await runKey('list')).trimEnd().split('\n');
    expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
      ['user', 'key', 'label', 'expires', 'last used', 'requests in 7 days', 'read units in 7 days', 'state'],
      ['USER#c', nightly.id, 'nightly', dateOf(nightly.expiresAt), today, '1', '13', 'Valid.'],
      ['ana', ending.id, dateOf(ending.expiresAt), 'not used', '-', '-', 'Expires within 5 days.'],
      ['ben', revoked.id, dateOf(revoked.expiresAt), 'not used', '-', '-', 'The API key has been revoked.'],
    ]);
  });
});
