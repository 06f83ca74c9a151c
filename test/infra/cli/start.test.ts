import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openDataDir } from '../../../infra/start/data-dir.ts';
import { folderOf } from '../../load/folder.ts';
import { copyOfDemo, DEMO_END } from '../../support/stage.ts';

const NO_SUCH_USER = 'endcap: there is no user demo-cgp: users come with the load file users.*';
const CLI = join(import.meta.dirname, '../../../infra/cli');

/** Runs a command to its end. @returns exit code and what it wrote */
async function run(name: string, args: readonly string[], env: Readonly<Record<string, string | undefined>>) {
  const command = promisify(execFile)(process.execPath, [join(CLI, `${name}.ts`), ...args], {
    env: { ...process.env, PORT: '0', ...env },
  });
  return command.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

describe('npm start says in one line why it cannot', () => {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-start-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const formatted = (name: string, content: string) => {
    const path = mkdtempSync(join(folder, name));
    writeFileSync(join(path, 'format.json'), content);
    return path;
  };

  test.each([
    ['a data folder that is a file', { DATA_DIR: file }, /the data folder .* cannot be used: EEXIST/],
    ['a data folder below a file', { DATA_DIR: join(file, 'x') }, /the data folder .* cannot be used: ENOTDIR/],
    [
      'a data folder of a newer format',
      { DATA_DIR: formatted('newer', '{"version":2,"engine":"dynalite"}') },
      /has format 2, this version of Endcap knows 1: use a newer one, or another folder/,
    ],
    [
      'a data folder of another engine',
      { DATA_DIR: formatted('other', '{"version":1,"engine":"dynoxide"}') },
      /is dynoxide's: set DYNAMODB_ENGINE=dynoxide, or use another folder/,
    ],
    ['a data folder that is damaged', { DATA_DIR: formatted('odd', '{"version":') }, /format\.json is damaged/],
    ['a PORT that is none', { PORT: '80a', DATA_DIR: folder }, /PORT is 80a; it may be 0 to 65535/],
    [
      'an engine there is not',
      { DYNAMODB_ENGINE: 'sqlite' },
      /DYNAMODB_ENGINE is sqlite; it may be dynalite or dynoxide/,
    ],
    ['a DEMO_END that does not exist', { DEMO_END: '2026-02-30' }, /DEMO_END is 2026-02-30; it may be a date/],
  ])('%s', async (_, env, message) => {
    const { code, stdout, stderr } = await run('start', [], env);
    expect(stderr).toMatch(message);
    expect({ code, stdout, lines: stderr.trimEnd().split('\n').length }).toEqual({ code: 1, stdout: '', lines: 1 });
  });

  test('an argument, which it would not heed', async () => {
    const { code, stderr } = await run('start', ['--port', '4000'], {});
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^endcap: there is no option --port\nusage: npm start\n/),
    });
  });

  test('a busy port', async () => {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const { code, stderr } = await run('start', [], { PORT: String(port), DATA_DIR: join(folder, 'busy') });
    server.close();
    expect({ code, stderr }).toEqual({ code: 1, stderr: `endcap: port ${port} is in use: set PORT to another one\n` });
  });
});

describe('a stage that runs', () => {
  let folder: string;
  let stage: Running;
  beforeAll(async () => {
    folder = await copyOfDemo();
    openDataDir(folder, 'dynalite').writeDemo({ state: 'loaded', end: DEMO_END });
    stage = await start(folder);
  }, 300_000); // on a fresh checkout the demo network is made first
  afterAll(() => {
    stage.child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  test('answers the three requests that it prints', async () => {
    const curls = stage
      .printed()
      .split('\n')
      .filter((line) => line.startsWith('curl '));
    expect(curls).toHaveLength(3);
    const answers = await Promise.all(curls.map(async (line) => Object.keys(await send(line))));
    expect(answers.map((keys) => keys.slice(0, 2))).toEqual([
      ['data', 'meta'],
      ['data', 'meta'],
      ['headers', 'data'],
    ]);
  });

  test('serves the documentation beside the API, and nothing else outside it', async () => {
    const docs = await fetch(`${stage.base}/docs`);
    expect({ status: docs.status, type: docs.headers.get('content-type') }).toEqual({
      status: 200,
      type: 'text/html; charset=utf-8',
    });
    expect((await fetch(`${stage.base}/openapi.json`)).status).toBe(200);
    expect((await fetch(`${stage.base}/nope`)).status).toBe(404);
  });

  test('has its folder for itself', async () => {
    const { code, stderr } = await run('start', [], { DATA_DIR: folder });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^endcap: a stage runs on .* already: http:\/\/localhost:\d+ \(process \d+\)\n$/);
  });

  test('takes keys that npm run key makes meanwhile, until they are revoked', async () => {
    const env = { DATA_DIR: folder };
    const created = await run('key', ['create', '--user', 'demo-cpg', '--days', '7'], env);
    expect(created.stderr).toBe(`keys of demo-cpg in the stage at ${stage.base.replace(/\/v2$/, '')}\n`);
    const [key = ''] = created.stdout.split('\n');
    expect(key).toMatch(/^ecap_[\w-]{43}$/);
    const ask = () => fetch(`${stage.base}/metadata/accounts`, { headers: { 'Ocp-Apim-Subscription-Key': key } });
    expect((await ask()).status).toBe(200);

    const listed = await run('key', ['list', '--user', 'demo-cpg'], env);
    expect(listed.stdout).not.toContain(key);
    const [, id = ''] =
      /^(\w+) {2}created [\d-]+ {2}expires [\d-]+ {2}In force\.$/m.exec(
        listed.stdout.trim().split('\n').at(-1) ?? '',
      ) ?? [];
    const third = await run('key', ['create', '--user', 'demo-cpg'], env);
    expect({ code: third.code, stderr: third.stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('already has two valid keys'),
    });
    const mistyped = await run('key', ['list', '--user', 'demo-cgp'], env);
    expect([mistyped.code, mistyped.stderr.split('\n')[1]]).toEqual([1, NO_SUCH_USER]);

    expect((await run('key', ['revoke', '--user', 'demo-cpg', '--id', id], env)).code).toBe(0);
    expect((await run('key', ['list', '--user', 'demo-cpg'], env)).stdout).toContain('has been revoked');
  });

  test('outlives kill −9 with all its data, and ends cleanly when asked to', async () => {
    stage.child.kill('SIGKILL');
    await once(stage.child, 'exit');
    stage = await start(folder);
    const headers = { 'Ocp-Apim-Subscription-Key': 'ecap_demo_agency' };
    expect((await fetch(`${stage.base}/metadata/accounts`, { headers })).status).toBe(200);
    stage.child.kill('SIGINT');
    stage.child.kill('SIGINT'); // as npm does
    const [code] = await once(stage.child, 'exit');
    expect(code).toBe(0);
    expect(existsSync(join(folder, 'stage.json'))).toBe(false);
  });

  test('once it has ended, npm run key opens the folder itself', async () => {
    const { stdout, stderr } = await run('key', ['list', '--user', 'demo-agency'], { DATA_DIR: folder });
    expect({ stdout, stderr }).toEqual({
      stdout: expect.stringMatching(/In force\.\n$/),
      stderr: `keys of demo-agency in the data folder ${folder}\n`,
    });
  });

  test('promises the demo keys only as long as there are the demo’s users', async () => {
    stage = await start(folder);
    expect(stage.printed()).toContain('Demo keys: ecap_demo_agency (user demo-agency), ecap_demo_cpg (user demo-cpg)');
    expect(await (await fetch(`${stage.base}/docs`)).text()).toContain('the demo key <code>ecap_demo_agency</code>');
    using own = folderOf({ users: [{ userId: 'ann', name: 'Ann', userType: 'CPG', accountIds: [1001] }] });
    expect((await run('load', [own.path], { DATA_DIR: folder })).code).toBe(0);
    expect(await (await fetch(`${stage.base}/docs`)).text()).not.toContain('demo key');
    stage.child.kill('SIGTERM');
    await once(stage.child, 'exit');
    stage = await start(folder);
    expect(stage.printed()).not.toContain('ecap_demo');
    expect(stage.printed()).toContain('Make a key for one of your users:  npm run key -- create --user ID');
  });

  test('ends with npm, whose shell dies of the signal that npm passes on without passing it on itself', async () => {
    stage.child.kill('SIGTERM');
    await once(stage.child, 'exit');
    stage = await start(folder, { throughShell: true });
    expect(existsSync(join(folder, 'stage.json'))).toBe(true);
    stage.child.kill('SIGTERM');
    await vi.waitFor(() => expect(existsSync(join(folder, 'stage.json'))).toBe(false), 10_000);
    await vi.waitFor(() => expect(fetch(stage.base)).rejects.toThrow('fetch failed'), 10_000);
  });
});

describe('npm run key says what is missing', () => {
  test.each([
    [[], /^endcap: what to do\?\nusage: npm run key -- create/],
    [['destroy', '--user', 'a'], /^endcap: what to do\?\nusage/],
    [['create'], /^endcap: --user is missing\nusage/],
    [['create', '--user', 'a', '--days', '0'], /^endcap: --days is 0; it may be a whole number of days from 1 on\n$/],
    [['create', '--users', 'a'], /^endcap: there is no option --users\nusage: npm run key -- create/],
    [['create', '--user'], /^endcap: --user needs a value\nusage/],
    [['create', '--user', '--days'], /^endcap: --user needs a value\nusage/],
    [['create', '--help=yes'], /^endcap: --help takes no value\nusage/],
  ])('%j', async (args, message) => {
    const { code, stdout, stderr } = await run('key', args, {});
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(message) });
  });

  test.each([
    ['create', '--user', 'nobody'],
    ['list', '--user', 'nobody'],
    ['revoke', '--user', 'nobody', '--id', 'x'],
  ])('a user there is not: %s', async (...args) => {
    const folder = mkdtempSync(join(tmpdir(), 'endcap-key-'));
    openDataDir(folder, 'dynalite');
    const { code, stdout, stderr } = await run('key', args, { DATA_DIR: folder });
    rmSync(folder, { recursive: true, force: true });
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: `keys of nobody in the data folder ${folder}\nendcap: there is no user nobody: users come with the load file users.*\n`,
    });
  });

  test('data there are not, and makes no folder for them', async () => {
    const folder = join(tmpdir(), `endcap-key-${process.pid}`);
    const { code, stdout, stderr } = await run('key', ['list', '--user', 'nobody'], { DATA_DIR: folder });
    expect({ code, stdout, stderr, made: existsSync(folder) }).toEqual({
      code: 1,
      stdout: '',
      stderr: `endcap: there are no data in ${folder}: start the stage (npm start), load a folder, or name a --table\n`,
      made: false,
    });
  });

  test('a region', async () => {
    const env = { AWS_REGION: undefined, AWS_PROFILE: undefined, AWS_CONFIG_FILE: '/nowhere' };
    const { code, stderr } = await run('key', ['list', '--user', 'a', '--table', 'T'], env);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'keys of a in the table T on AWS\nendcap: it is not said in which AWS region: add --region, set AWS_REGION, or take a profile that has one (--profile, AWS_PROFILE)\n',
    });
  });
});

/** Does what curl would with a line of `-H 'name: value'`, `-d 'body'` and an address, and takes only a good answer. */
async function send(line: string): Promise<object> {
  const [, ...words] = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
  const headers = words.filter((_, index) => words[index - 1] === '-H').map((header) => header.split(': '));
  const body = words[words.indexOf('-d') + 1];
  const sent = words.includes('-d') ? { method: 'POST', body: body ?? '' } : {};
  const response = await fetch(words.at(-1) ?? '', { headers: Object.fromEntries(headers), ...sent });
  expect(response.status).toBe(200);
  return Object(await response.json());
}

interface Running {
  readonly child: ChildProcess;
  /** With the stage. */
  readonly base: string;
  printed(): string;
}

/** @param options.throughShell as npm does it; the child is then the shell */
async function start(folder: string, options: { throughShell?: boolean } = {}): Promise<Running> {
  const env = { ...process.env, PORT: '0', DATA_DIR: folder, npm_lifecycle_event: 'start' };
  const command = [process.execPath, join(CLI, 'start.ts')] as const;
  const [program, ...args] = options.throughShell === true ? ['sh', '-c', '"$@"; exit', 'sh', ...command] : command;
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
  }
  while (!text.includes('Stop with')) {
    if (child.exitCode !== null) throw new Error(`npm start has ended: ${text}`);
    await sleep(20);
  }
  return { child, base: /Endcap is at +(\S+)/.exec(text)?.[1] ?? '', printed: () => text };
}
