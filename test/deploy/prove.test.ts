import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from '../infra/shell.ts';
import { codeBlocksOf } from '../rules/pages.ts';
import { installPythonTools } from '../support/python-tools.ts';
import { type MiniStack, startMiniStack } from './support/ministack.ts';
import { type StackCommands, stackCommands } from './support/stack-commands.ts';

const folder = mkdtempSync(join(tmpdir(), 'endcap-prove-test-'));
let ministack: MiniStack;
let commands: StackCommands;

beforeAll(async () => {
  ministack = await startMiniStack(installPythonTools('deploy/requirements.txt'), folder);
  commands = stackCommands(ministack.environment, folder);
  await commands.bootstrap();
});

afterAll(async () => {
  await ministack?.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Run {
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Is called with what the command has printed so far, and its process group. */
  readonly onPrinted?: (printed: string, group: number) => void;
}

async function prove(
  name: string,
  { args = ['-c', 'waf=off', '-c', 'alarms=false', '--skip-idle'], env, onPrinted }: Run = {},
) {
  const page = join(folder, `${name}.md`);
  const command = ['endcap', 'prove', ...args, '--page', page];
  const child = spawn('npx', command, { cwd: ROOT, env: { ...ministack.environment, ...env }, detached: true });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data) => {
      printed += data;
      onPrinted?.(printed, child.pid ?? 0);
    });
  }
  const [code] = await once(child, 'close');
  const steps = [...printed.matchAll(/^(as expected|not as expected|not shown) +(.*?): (.*)$/gm)];
  return { code, steps: steps.map(([, ...step]) => step), printed, page: readFileSync(page, 'utf8') };
}

/** @returns the tables and buckets that the command has left behind, and the states of its keys */
async function findRemains() {
  const { TableNames } = await ministack.call('DynamoDB_20120810.ListTables', {});
  const buckets = (await (await ministack.get('/', 's3')).text()).match(/<Name>endcapprove[^<]*/g) ?? [];
  const { Keys } = Object(await ministack.call('TrentService.ListKeys', {}));
  const states = new Set<string>();
  for (const { KeyId } of Keys) {
    const { KeyMetadata } = Object(await ministack.call('TrentService.DescribeKey', { KeyId }));
    if (/GET \/jwt|user ids/.test(KeyMetadata.Description)) states.add(KeyMetadata.KeyState);
  }
  return { tables: TableNames, buckets, states: [...states] };
}

const NOTHING = { tables: [], buckets: [], states: ['PendingDeletion'] };

test('prove finds everything that MiniStack has as expected, says what it does not have, and leaves nothing', async () => {
  const { code, steps, printed, page } = await prove('whole');
  expect(steps.filter(([outcome]) => outcome !== 'as expected')).toEqual([
    ['not shown', 'access log', expect.stringMatching(/^request \S+ did not arrive in /)],
    ['not shown', 'restored stack', expect.stringMatching(/^ChangeSet \S+ is in UNAVAILABLE status$/)],
    ['not shown', 'times after 15 idle minutes', '--skip-idle'],
    ['not shown', 'canary', expect.stringMatching(/^Unrecognized resource types: .*AWS::CodeDeploy::Application/)],
    ['not shown', 'alarms', 'the stack has none (see the setting alarms)'],
    ['not shown', 'a failing version', 'there are no canary deployments'],
  ]);
  expect(steps.map(([, name]) => name)).toEqual([
    ...['deployment', 'load', 'API key', 'times', 'npm run test:deploy -- --url'],
    ...[
      'function log',
      'access log',
      'no key in the logs',
      'restore',
      'restored stack',
      'a load after 15 idle minutes',
      'times after 15 idle minutes',
    ],
    ...[
      'rotation of an API key',
      'rotation of the signing key',
      'canary',
      'alarms',
      'a failing version',
      'usage',
      'deletion',
    ],
  ]);
  expect(code).toBe(0);
  expect(page).toMatch(/^# The stack EndcapProve-\d{12}\n[\s\S]*\n## 0 not as expected\n\n## 6 not shown\n/);
  expect(page).toMatch(/\n\| POST \/report\/\{experience_name\}( \| \d+){6} \|\n/);
  expect(page).toMatch(/\n\| writeUnits \| [1-9]\S+ \| 0\.\d{4} \|\n/);
  expect([printed, page].filter((text) => /ecap_\w/.test(text))).toEqual([]);
  expect(await findRemains()).toEqual(NOTHING);
});

test('Ctrl-C ends it, and the stack is deleted all the same', async () => {
  let sent = false;
  const onPrinted = (printed: string, group: number) => {
    if (sent || !printed.includes('deployment: ')) return;
    sent = true;
    process.kill(-group, 'SIGINT');
  };
  const { code, steps, page } = await prove('interrupted', { onPrinted });
  const names = steps.filter(([outcome]) => outcome === 'as expected').map(([, name]) => name);
  expect({ names, isInterrupted: page.includes('\n- Interrupted\n') }).toEqual({
    names: ['deployment', 'deletion'],
    isInterrupted: true,
  });
  expect(code).not.toBe(0);
  expect(await findRemains()).toEqual(NOTHING);
});

test('with --stack it checks an existing stack that has only the minimal folder of the page, and finds nothing missing but what MiniStack does not have', async () => {
  const { TableName } = await commands.deploy({ waf: 'off', alarms: 'false' });
  const [script = ''] = codeBlocksOf('shared/load/README.md')
    .map(({ text }) => text)
    .filter((text) => text.includes('my-files/accounts.csv'));
  execFileSync('sh', ['-eu', '-c', script], { cwd: folder });
  await commands.load(join(folder, 'my-files'), TableName);
  const { key } = await commands.createKey('ana', TableName);
  const { code, steps, printed } = await prove('check', { args: ['--stack', 'Endcap'], env: { ENDCAP_KEY: key } });
  expect({ code, steps: steps.map(([outcome, name]) => `${outcome}: ${name}`) }).toEqual({
    code: 0,
    steps: [
      'as expected: routes',
      'as expected: npm run test:deploy -- --url',
      'as expected: function log',
      'not shown: access log',
      'as expected: no key in the logs',
      'not shown: alarms',
    ],
  });
  expect(printed).not.toContain(key);
});
