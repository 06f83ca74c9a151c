import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../infra/app.ts';
import { EVERY_SETTING } from '../infra/stack/synthesized.ts';
import { installPythonTools, type PythonTools } from './python-tools.ts';

let tools: PythonTools;
beforeAll(() => {
  tools = installPythonTools('requirements-lint.txt');
});
afterAll(() => tools?.[Symbol.dispose]());

/** @returns the tool's output @throws an error with the output if the tool fails */
function check(tool: string, ...args: string[]): string {
  try {
    return execFileSync(tools.bin(tool), args, {
      encoding: 'utf8',
      env: { ...process.env, SAM_CLI_TELEMETRY: '0', AWS_REGION: 'us-east-1' },
    });
  } catch (error) {
    throw new Error(`${tool} failed: ${Object(error).stdout}${Object(error).stderr}`);
  }
}

describe.each([
  ['with default settings', {}],
  ['with every setting', EVERY_SETTING],
])('the template %s', (_, context) => {
  const outdir = mkdtempSync(join(tmpdir(), 'endcap-template-'));
  const template = join(outdir, 'Endcap.template.json');
  beforeAll(() => void createApp({ context, outdir }).synth());
  afterAll(() => rmSync(outdir, { recursive: true }));

  test('has no errors or warnings in cfn-lint', () => {
    expect(check('cfn-lint', '--regions', 'us-east-1', 'eu-central-1', '--template', template)).toBe('');
  });

  test('is valid for SAM, as far as that can be checked without Docker', () => {
    expect(check('sam', 'validate', '--lint', '--region', 'us-east-1', '--template', template)).toContain(
      'is a valid SAM Template',
    );
  });
});
