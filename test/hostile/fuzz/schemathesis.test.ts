import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEMO_KEYS } from '../../../infra/local/demo/demo-keys.ts';
import { document } from '../../contract/openapi-document.ts';
import { installPythonTools, type PythonTools } from '../../support/python-tools.ts';
import { startTestStage, type TestStage } from '../../support/stage.ts';
import { printFigures, SEED, scaled } from '../support/budget.ts';
import { liftKeyLimits } from '../support/demo-requests.ts';

/** Generated requests of both keys together. */
const CASES = scaled(2_000);
/** Random requests of each operation in a round, besides those that its schema determines. */
const EXAMPLES = 150;

let stage: TestStage;
let tools: PythonTools;
const folder = mkdtempSync(join(tmpdir(), 'endcap-schemathesis-'));
const openapi = join(folder, 'openapi.json');

beforeAll(async () => {
  tools = installPythonTools('hostile/fuzz/requirements.txt');
  stage = await startTestStage({ demo: true });
  await liftKeyLimits(stage.table);
  writeFileSync(openapi, JSON.stringify(document, withFormats));
});
afterAll(async () => {
  await stage.close();
  rmSync(folder, { recursive: true, force: true });
});

test('Schemathesis finds no response that the OpenAPI document does not promise', async () => {
  const url = await stage.url();
  let cases = 0;
  for (let round = 0; cases < CASES; round++) {
    const runs = Object.keys(DEMO_KEYS).map((key) => run(url, key, SEED * 1_000 + round));
    for (const { code, output } of await Promise.all(runs)) {
      expect(code, output).toBe(0);
      const [, generated = '0'] = /([\d,]+) generated/.exec(output) ?? [];
      expect(Number(generated.replaceAll(',', '')), output).toBeGreaterThan(EXAMPLES);
      cases += Number(generated.replaceAll(',', ''));
    }
  }
  printFigures('fuzz, schemathesis', { cases, failures: 0 });
});

/** Schemathesis does not know the extension that has the media types besides JSON. */
function withFormats(_name: string, value: unknown): unknown {
  const { 'x-endcap-formats': formats, content, ...response } = Object(value);
  return formats === undefined ? value : { ...response, content: { ...content, ...formats } };
}

async function run(url: string, key: string, seed: number): Promise<{ code: number | null; output: string }> {
  const child = spawn(
    tools.bin('st'),
    [
      ...['--config-file', join(import.meta.dirname, 'schemathesis.toml'), 'run', openapi, '--url', url],
      ...['--header', `Ocp-Apim-Subscription-Key: ${key}`, '--seed', String(seed), '--max-examples', String(EXAMPLES)],
      ...['--checks', 'all', '--phases', 'examples,coverage,fuzzing', '--workers', '2', '--continue-on-failure'],
      ...['--generation-database', 'none', '--suppress-health-check', 'all', '--no-color'],
    ],
    { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const ended = Promise.withResolvers<number | null>();
  child.on('error', ended.reject);
  child.on('close', ended.resolve);
  const [code, out, err] = await Promise.all([ended.promise, text(child.stdout), text(child.stderr)]);
  return { code, output: `${out}${err}` };
}
