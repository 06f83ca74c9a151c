import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { CDK, ROOT, shellEnvironment } from './shell.ts';

test('the CDK command line synthesizes the stack outside of npm scripts, whatever Node the shell has', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-cdk-'));
  const args = ['synth', '--quiet', '--output', folder];
  await promisify(execFile)(process.execPath, [CDK, ...args], { cwd: ROOT, env: shellEnvironment() });
  expect(readdirSync(folder)).toContain('Endcap.template.json');
  rmSync(folder, { recursive: true });
});
