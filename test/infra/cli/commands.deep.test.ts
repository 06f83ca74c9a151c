import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test, vi } from 'vitest';
import { folderOf, makeFolder } from '../../load/support/folder.ts';
import { ROOT } from '../../rules/source-files.ts';
import { CLI, runCommand } from './run-command.ts';

/** What `npx endcap` runs. */
const ENDCAP = join(CLI, 'endcap.mjs');

/** `npx endcap openapi` rejected -h. */
test.each(['audit', 'key', 'load', 'write-openapi', 'start', 'operate/prove', 'tools/demo', 'tools/mcp'])(
  '%s prints its usage with -h',
  async (name) => {
    const stdout = expect.stringMatching(/^usage: (npm (run|start)|npx endcap)/);
    expect(await runCommand(name, ['-h'], {})).toEqual({ code: 0, stdout, stderr: '' });
  },
);

test.each([
  ['audit', ['--since', '5'], undefined, /^endcap: --since is 5; it must be a duration such as 7d, [^\n]*\n$/],
  ['audit', ['--since', '5'], '1', /^endcap: Error: --since is 5; [^\n]*\n {4}at (?:(?!--since is 5).)*$/s],
  ['audit', ['7d'], undefined, /^endcap: unexpected argument 7d\nusage: npx endcap audit/],
])('%s %j prints its message once, in the stack if DEBUG is set: %j', async (name, args, DEBUG, message) => {
  const stderr = expect.stringMatching(message);
  expect(await runCommand(name, args, { DEBUG })).toEqual({ code: 1, stdout: '', stderr });
});

const endcap = (...args: string[]) => promisify(execFile)('npx', ['endcap', ...args], { cwd: ROOT });

test('npx endcap runs each command that it lists', async () => {
  const { stdout } = await endcap();
  const names = [...stdout.matchAll(/^ {2}(\w+) /gm)].map(([, name = '']) => name);
  expect(names).toContain('prove');
  for (const name of names) {
    const usage = await endcap(name, '--help');
    expect(usage.stdout).toMatch(/^usage: np/);
  }
});

test('npx endcap load loads a folder, also one that is named like a command', async () => {
  using files = makeFolder();
  const folder = join(files.path, 'openapi');
  mkdirSync(folder);
  writeFileSync(join(folder, 'accounts.csv'), 'id,name\n1,One\n');
  const env = { ...process.env, DATA_DIR: join(files.path, 'data') };
  const loaded = await promisify(execFile)(process.execPath, [ENDCAP, 'load', 'openapi'], { cwd: files.path, env });
  expect(loaded.stdout).toContain('accounts');
  expect(loaded.stderr).toContain(`loading ${folder} into`);
});

test('npx endcap help and --version print usage and version', async () => {
  expect((await endcap('help')).stdout).toBe((await endcap()).stdout);
  expect((await endcap('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test.each([
  ['key', ['list', '--table', 'T']],
  ['audit', ['--table', 'T']],
  ['load', ['.', '--bucket', 'b']],
])('npx endcap %s names endpoint and cause where AWS does not respond', async (name, args) => {
  const aws = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_REGION: 'us-east-1' };
  const { code, stderr } = await runCommand(name, args, { ...aws, AWS_ENDPOINT_URL: 'http://127.0.0.1:1' });
  expect(code).toBe(1);
  expect(stderr.trimEnd().split('\n').at(-1)).toBe(
    'endcap: AWS does not respond at http://127.0.0.1:1 (connect ECONNREFUSED 127.0.0.1:1): see whether this machine reaches it, also through HTTPS_PROXY',
  );
});

/** Runs a command whose output nobody reads. */
async function runUnread(args: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [ENDCAP, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  const [[code], stderr] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
  return { code, stderr };
}

test.each(['audit', 'key', 'load', 'openapi', 'prove', 'demo', 'mcp'])(
  'npx endcap %s -h ends without a stack trace when nobody reads it',
  async (name) => {
    expect(await runUnread([name, '-h'], process.env)).toEqual({ code: 0, stderr: '' });
  },
);

test('a key that nobody has seen is revoked', async () => {
  using files = folderOf({ users: [{ userId: 'ann', name: 'Ann', userType: 'AGENCY', accountIds: '*' }] });
  const env = { ...process.env, DATA_DIR: join(files.path, '.data') };
  await runCommand('load', [files.path], env);
  const { code, stderr } = await runUnread(['key', 'create', '--user', 'ann'], env);
  expect({ code, last: stderr.trimEnd().split('\n').at(-1) }).toEqual({
    code: 1,
    last: expect.stringMatching(/^endcap: nobody reads the output: the new key \w+ is revoked$/),
  });
  expect((await runCommand('key', ['list', '--user', 'ann'], env)).stdout).toMatch(/has been revoked/);
});

test('Ctrl-C removes what npx endcap demo has written', async () => {
  using files = makeFolder();
  const temporary = join(files.path, 'tmp');
  mkdirSync(temporary);
  const env = { ...process.env, TMPDIR: temporary };
  const child = spawn(process.execPath, [ENDCAP, 'demo', '--out', join(files.path, 'out')], { env });
  await vi.waitFor(() => expect(readdirSync(temporary)).toHaveLength(1), { timeout: 120_000 });
  child.kill('SIGINT');
  const [code] = await once(child, 'exit');
  expect({ code, left: readdirSync(files.path), temporary: readdirSync(temporary) }).toEqual({
    code: 130,
    left: ['tmp'],
    temporary: [],
  });
});

test.each([
  ['toString', ''],
  ['aduit', ' (did you mean audit?)'],
])('npx endcap rejects the command %s, with those that exist', async (name, suggestion) => {
  await expect(endcap(name)).rejects.toMatchObject({
    ...{ code: 2, stdout: '' },
    stderr: expect.stringMatching(
      `^endcap: there is no command "${name}"${RegExp.escape(suggestion)}\nusage: [^]* prove `,
    ),
  });
});

/** It started npx, which runs the host's own Node outside the folder of Endcap. */
test('the configuration of a host in the usage of mcp starts the server in any folder, without a PATH', async () => {
  const { stdout } = await endcap('mcp', '--help');
  const [json = ''] = /\{"mcpServers".*/.exec(stdout) ?? [];
  const { command, args } = JSON.parse(json.replaceAll('FOLDER', ROOT)).mcpServers.endcap;
  const env = { PATH: '', ENDCAP_URL: 'http://localhost:1/v2', ENDCAP_KEY: 'none' };
  const transport = new StdioClientTransport({ command, args, cwd: tmpdir(), env });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  expect((await client.listTools()).tools.map((tool) => tool.name)).toContain('run_report');
  await client.close();
});

const run = promisify(execFile);
const SCRIPT = `${import.meta.dirname}/hungry-command.ts`;

const LINUX_ONLY = process.platform === 'linux' ? ['buffers'] : []; // only Linux states how much memory another process has

test.each(['heap', ...LINUX_ONLY])(
  'a command that fills the memory with its %s ends, and names the file',
  async (what) => {
    await expect(run(process.execPath, [SCRIPT, what])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('endcap: facts/pla/delivery.csv needs more memory than 300 MB: split it'),
    });
  },
);

test('a command that somebody kills does not blame the memory alone', async () => {
  await expect(run(process.execPath, [SCRIPT, 'killed'])).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      'endcap: facts/pla/delivery.csv was read last when the load was killed from outside, perhaps because the memory of the machine was full: load again, or in parts. Nothing',
    ),
  });
});

test('a command that needs less memory ends with its own exit code and output', async () => {
  await expect(run(process.execPath, [SCRIPT, 'little'])).rejects.toMatchObject({ code: 7, stdout: 'done\n' });
});
