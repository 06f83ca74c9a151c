import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { absent, NotShown, poll, Steps } from '../../../../infra/cli/operate/steps.ts';
import { formatPage } from '../../../../infra/cli/operate/write-page.ts';

const printed: string[] = [];
beforeEach(() => {
  printed.length = 0;
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const fails = (error: unknown) => () => Promise.reject(error);

test('a step is as expected, not as expected or not shown, and the page lists failures first', async () => {
  const steps = new Steps();
  const found = [
    await steps.run('good', 'a', async () => 'seen'),
    await steps.run('bad', 'b|c', fails(new Error('fetch failed', { cause: new Error('<refused>\nnow') }))),
    await steps.run('absent', 'd', fails(new NotShown('no alarms'))),
  ];
  vi.restoreAllMocks();
  expect(found).toEqual([true, false, false]);
  expect(printed).toEqual([
    'as expected      good: seen\n',
    'not as expected  bad: fetch failed (<refused>\\u000anow)\n',
    'not shown        absent: no alarms\n',
  ]);
  const tables = new Map([
    [
      'Usage',
      [
        ['Unit', 'USD'],
        ['hours', '0.1'],
      ],
    ],
  ]);
  const results = steps.results.map((result) => ({ ...result, seconds: 7 }));
  expect(formatPage({ title: 'The stack X', facts: ['One', 'Two'], results, tables })).toBe(`# The stack X

- One
- Two

## 1 not as expected

| Step | Expected | Seen | Seconds |
| --- | --- | --- | --- |
| bad | b\\|c | fetch failed (&lt;refused> now) | 7 |

## 1 not shown

| Step | Expected | Seen | Seconds |
| --- | --- | --- | --- |
| absent | d | no alarms | 7 |

## 1 as expected

| Step | Expected | Seen | Seconds |
| --- | --- | --- | --- |
| good | a | seen | 7 |

## Usage

| Unit | USD |
| --- | --- |
| hours | 0.1 |
`);
});

test('after an interruption only the steps run that always do', async () => {
  const steps = new Steps(AbortSignal.abort());
  expect(await steps.run('request', 'a', async () => 'seen')).toBe(false);
  expect(await steps.runAlways('deletion', 'b', async () => 'deleted')).toBe(true);
  expect(steps.results.map(({ name }) => name)).toEqual(['deletion']);
});

test('what is absent as a whole is an error on AWS, and not shown on an emulator', () => {
  vi.stubEnv('AWS_ENDPOINT_URL', undefined);
  expect(absent('no access log')).not.toBeInstanceOf(NotShown);
  vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:4566');
  expect(absent('no access log')).toBeInstanceOf(NotShown);
});

test('poll returns what it finds, or undefined once the time is over', async () => {
  expect(await poll(0, async () => undefined)).toBeUndefined();
  expect(await poll(0, async () => 1)).toBe(1);
});
