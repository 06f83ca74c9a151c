import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, test } from 'vitest';
import { ROOT } from '../../rules/source-files.ts';
import { runCommand } from './run-command.ts';

/** `npx endcap openapi` rejected -h. */
test.each(['audit', 'key', 'load', 'write-openapi', 'start', 'operate/prove', 'tools/demo', 'tools/mcp/mcp'])(
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

test('a command that needs less memory ends with its own exit code and output', async () => {
  await expect(run(process.execPath, [SCRIPT, 'little'])).rejects.toMatchObject({ code: 7, stdout: 'done\n' });
});
