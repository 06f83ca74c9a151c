import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeBlocksOf } from '../../../rules/pages.ts';
import { onDemoDay } from '../../../support/on-demo-day.ts';
import { startTestStage, type TestStage } from '../../../support/stage.ts';

/** Each `curl` of README.md with the JSON block that follows it. */
const EXAMPLES = codeBlocksOf('README.md').flatMap(({ language, text }, at, blocks) => {
  const next = blocks[at + 1];
  return language === 'sh' && text.startsWith('curl') && next?.language === 'json'
    ? [{ command: text, response: next.text }]
    : [];
});

let stage: TestStage;
beforeAll(async () => {
  stage = await startTestStage({ demo: true });
});
afterAll(() => stage.close());

test('README.md shows the responses to its first three requests', async () => {
  const responses = await Promise.all(EXAMPLES.map(({ command }) => send(command)));
  expect(responses).toMatchObject(EXAMPLES.map(({ response }) => JSON.parse(response)));
  expect(EXAMPLES).toHaveLength(3);
});

async function send(command: string): Promise<unknown> {
  const [, url = ''] = /'http:\/\/localhost:3000([^']+)'\s*$/.exec(command) ?? [];
  const [, body] = /-d '([^']*)'/.exec(command) ?? [];
  const headers = Object.fromEntries(
    [...command.matchAll(/-H '([^:']+): ([^']*)'/g)].map(([, name = '', value = '']) => [name, value]),
  );
  const response = await stage.request(
    body === undefined ? { url, headers } : { method: 'POST', url, headers, body: onDemoDay(body) },
  );
  return response.json();
}
