import { afterAll, beforeAll, expect, test } from 'vitest';
import { REPORT_USAGE } from '../../../infra/tools/report/report-options.ts';
import { readSource } from '../../rules/source-files.ts';
import { startTestStage, type TestStage } from '../../support/stage.ts';
import { runCommand } from '../cli/run-command.ts';

const PAGE = readSource('infra/tools/README.md');
const EXAMPLES = [...PAGE.matchAll(/```sh\nnpm run report -- ([^\n]*)\n```\n```text\n(.*?)```/gs)].map(
  ([, command = '', output = '']) => ({ command, output }),
);

let stage: TestStage;
let url: string;
beforeAll(async () => {
  stage = await startTestStage({ demo: true });
  url = await stage.url();
});
afterAll(() => stage.close());

/** @returns the arguments of a command line, without the apostrophes around some */
const split = (command: string): string[] =>
  [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain = '']) => quoted ?? plain);

test('every report on the page of the tools has an output below it', () => {
  expect(EXAMPLES).toHaveLength([...PAGE.matchAll(/^npm run report/gm)].length);
  expect(EXAMPLES.length).toBeGreaterThan(3);
});

test('the example in the usage is the first of the page', () => {
  expect(REPORT_USAGE).toContain(`for example\n  npm run report -- ${EXAMPLES[0]?.command}\n`);
});

test.each(EXAMPLES)('prints what the page shows: npm run report -- $command', async ({ command, output }) => {
  const env = { ENDCAP_URL: url, ENDCAP_KEY: 'ecap_demo_agency', COLUMNS: undefined };
  const { code, stdout, stderr } = await runCommand('../tools/report/report', split(command), env);
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: output, stderr: '' });
});
