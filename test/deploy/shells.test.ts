import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CDK, ROOT, shellEnvironment } from '../infra/shell.ts';
import { type InstalledNode, installNode, type OlderNode } from './support/install-node.ts';

const OLDER: readonly OlderNode[] = ['20.20.2', '22.23.3'];
/** The folder of the Node 24 that runs the tests. */
const OWN_BIN = dirname(process.execPath);

const folder = mkdtempSync(join(tmpdir(), 'endcap-shells-'));
/** A copy of the project. */
const copy = join(folder, 'endcap');
const installed = new Map<string, InstalledNode>();

beforeAll(() => {
  for (const version of OLDER) installed.set(version, installNode(version));
  const left = new Set(['node_modules', '.git', '.endcap', 'cdk.out', 'dist']);
  cpSync(ROOT, copy, { recursive: true, filter: (path) => !left.has(basename(path)) });
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  execFileSync('npm', args, { cwd: copy, env: shellEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] });
});

afterAll(() => {
  for (const node of installed.values()) node[Symbol.dispose]();
  rmSync(folder, { recursive: true, force: true });
});

interface Ended {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in a shell whose `node` is in the folder `bin`. */
function run(bin: string, command: string, args: readonly string[], cwd: string): Promise<Ended> {
  const env = { ...shellEnvironment(bin), CDK_DISABLE_CLI_TELEMETRY: 'true' };
  return new Promise((resolve) => {
    execFile(command, args, { cwd, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    );
  });
}

const binOf = (version: string) => installed.get(version)?.bin ?? OWN_BIN;

test('the CDK command line writes the same template from a shell with Node 20, 22 or 24', async () => {
  const templates: string[] = [];
  for (const version of [...OLDER, '24']) {
    const args = [CDK, 'synth', '--quiet', '--output', join(folder, version)];
    expect((await run(binOf(version), 'node', args, ROOT)).code).toBe(0);
    templates.push(readFileSync(join(folder, version, 'Endcap.template.json'), 'utf8'));
  }
  expect(new Set(templates).size).toBe(1);
});

describe('after npm ci --ignore-scripts', () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const others = ['types', 'lint', 'check']; // TypeScript and Biome run under Node 20; `check` begins with them

  test.each(OLDER)('each script that needs Node 24 says so in one sentence under Node %s', async (version) => {
    const sentence = `endcap: this needs Node 24 or newer and runs under Node ${version}, because the package "node" was installed without its install script, or does not run on this system (as on Alpine): run "npm rebuild node --ignore-scripts=false", or install Node 24`;
    const needing = Object.keys(scripts).filter((script) => !others.includes(script));
    const commands = [['npx', 'endcap', 'audit'], ...needing.map((name) => ['npm', 'run', '--silent', name])];
    for (const [program = '', ...args] of commands) {
      const name = args.join(' ');
      const { code, stderr } = await run(binOf(version), program, args, copy);
      const lines = stderr
        .split('\n')
        .filter((line) => line !== '' && !line.endsWith('Subprocess exited with error 1')); // of CDK
      expect({ name, code, lines }).toEqual({ name, code: 1, lines: [sentence] });
    }
  });

  test('the scripts run under the Node 24 of the shell', async () => {
    const { stdout } = await run(OWN_BIN, 'npx', ['endcap', 'openapi'], copy);
    expect(JSON.parse(stdout)).toMatchObject({ openapi: '3.1.0' });
    expect(await run(OWN_BIN, 'npm', ['run', '--silent', 'synth'], copy)).toMatchObject({ code: 0 });
  });

  test('npm rebuild node --ignore-scripts=false installs it', async () => {
    const args = ['rebuild', 'node', '--ignore-scripts=false'];
    expect(await run(binOf('20.20.2'), 'npm', args, copy)).toMatchObject({ code: 0 });
    const { stdout } = await run(binOf('20.20.2'), 'npm', ['exec', '--no', '--', 'node', '--version'], copy);
    expect(stdout).toMatch(/^v24\./);
  });
});
