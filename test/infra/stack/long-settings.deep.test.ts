import { execFile } from 'node:child_process';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createApp } from '../../../infra/app.ts';
import { FUNCTION_ROUTES, PAGES } from '../../../infra/config/routes.ts';
import { EXPERIENCES } from '../../../shared/catalog/tables.ts';
import { ROOT } from '../../rules/source-files.ts';
import { BUNDLES, EVERY_SETTING, resourcesOf, shorten, synthesizeWith } from './synthesized.ts';

const STACK_NAME = 'S'.repeat(110);
/** The longest values that references in a template can have. */
const LONGEST: Readonly<Record<string, string>> = { Table: 'T'.repeat(255), 'AWS::StackName': STACK_NAME };

/** @returns the text with the longest values in the place of references; the id of a key has 36 characters */
const resolve = (value: unknown) =>
  String(shorten(value))
    .replaceAll(/\b(Table|AWS::StackName)\b/g, (name) => LONGEST[name] ?? name)
    .replaceAll(/\bSigningKey\d*\b/g, 'k'.repeat(36));

const longest = synthesizeWith({
  stackName: STACK_NAME,
  alarms: { email: 'ops@example.com' },
  timeZone: 'America/Argentina/ComodRivadavia',
  keyLimits: { requestsPerMinute: 2 ** 53 - 1, concurrentReports: 2 ** 53 - 1, dailyReadUnits: 2 ** 53 - 1 },
  pages: { name: '\u{1F600}'.repeat(30), logo: `data:image/png;base64,${'A'.repeat(2_478)}`, contact: 'é'.repeat(60) },
  signingKeys: { sign: 4, accept: [1, 2, 3] },
  attribution: Object.fromEntries(EXPERIENCES.map((name) => [name, { windowDays: 90, basis: 'é'.repeat(80) }])),
  corsOrigins: Array.from({ length: 18 }, (_, index) => `https://${index}${'a'.repeat(110)}.example.com`),
});

test('with the longest settings, the environment of each function has at most the 4,096 bytes that Lambda allows', () => {
  const sizes = [...resourcesOf(longest, 'AWS::Lambda::Function').values()].map(({ Properties }) => {
    const variables = Object.entries(Object(Object(Properties.Environment).Variables));
    return variables.reduce((sum, [name, value]) => sum + Buffer.byteLength(name + resolve(value)), 0);
  });
  expect(Math.max(...sizes)).toBeGreaterThan(3_000);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(4_096);
});

test('with the longest name of a stack, the names of its rules have at most the 128 characters that CloudWatch allows', () => {
  const names = [...resourcesOf(longest, 'AWS::CloudWatch::InsightRule').values()].map(({ Properties }) =>
    resolve(Properties.RuleName),
  );
  expect(names.map((name) => name.replace(STACK_NAME, ''))).toEqual(['-RejectedAddresses', '-RejectedKeys']);
  for (const name of names) expect(name.length).toBeLessThanOrEqual(128);
});

test('with all options and the long tags, the template has less than the 1,000,000 bytes that CloudFormation allows', () => {
  const everyFunction = Object.fromEntries(
    [...FUNCTION_ROUTES, PAGES].map((route) => [route.function, { reserved: 1, provisioned: 1 }]),
  );
  const settings = {
    ...EVERY_SETTING,
    stackName: STACK_NAME,
    userIdKey: undefined,
    signingKeys: { sign: 4, accept: [1, 2, 3] },
    staleAfterHours: { pla: 1, toa: 1, carousel: 1 },
    concurrency: everyFunction,
    corsOrigins: Array.from({ length: 18 }, (_, index) => `https://${index}${'a'.repeat(110)}.example.com`),
  };
  // as many as are allowed
  const tags = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`é${index}`.padEnd(20, 'k'), 'v'.repeat(16)]),
  );
  const { directory, stacks } = createApp(BUNDLES, { context: { ...settings, tags } }).synth();
  const size = statSync(stacks[0]?.templateFullPath ?? '').size;
  rmSync(directory, { recursive: true });
  expect(size).toBeLessThan(1_000_000);
});

test('settings that are not valid are rejected by the app, which prints nothing but its message', async () => {
  const app = promisify(execFile)(process.execPath, [join(ROOT, 'infra/app.ts')], {
    env: { ...process.env, CDK_CONTEXT_JSON: JSON.stringify({ waf: true }) },
  });
  await expect(app).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^endcap: settings .* are not valid:\n {2}waf is true; .*\n$/),
  });
});
