import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../infra/app.ts';
import { cachedBundles } from '../../infra/bundle/cached-bundles.ts';
import { SETTING_VARIANTS } from '../infra/stack/synthesized.ts';
import { installPythonTools, type PythonTools } from '../support/python-tools.ts';

let tools: PythonTools;
beforeAll(() => {
  tools = installPythonTools('deploy/requirements-lint.txt');
});

/** @returns the tool's output @throws an error with the output if the tool fails */
function check(tool: string, ...args: string[]): string {
  try {
    return execFileSync(tools.bin(tool), args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, SAM_CLI_TELEMETRY: '0', AWS_REGION: 'us-east-1' },
    });
  } catch (error) {
    throw new Error(`${tool} failed: ${Object(error).stdout}${Object(error).stderr}`);
  }
}

describe('the templates with no setting, all optional settings and parts of them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-templates-'));
  const templateOf = (variant: string) => join(folder, variant, 'Endcap.template.json');
  beforeAll(async () => {
    const bundles = await cachedBundles();
    for (const [variant, context] of SETTING_VARIANTS)
      createApp(bundles, { context, outdir: join(folder, variant) }).synth();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('have no errors or warnings in cfn-lint', () => {
    const templates = SETTING_VARIANTS.map(([variant]) => templateOf(variant));
    expect(check('cfn-lint', '--regions', 'us-east-1', 'eu-central-1', '--template', ...templates)).toBe('');
  });

  // cfn-lint has checked the others
  test.each(['no setting', 'every setting'])(
    'are valid for SAM with %s, as far as that can be checked without Docker',
    (variant) => {
      expect(check('sam', 'validate', '--lint', '--region', 'us-east-1', '--template', templateOf(variant))).toContain(
        'is a valid SAM Template',
      );
    },
  );
});
