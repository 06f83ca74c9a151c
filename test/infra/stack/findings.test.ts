import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { afterEach, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { createApp } from '../../../infra/app.ts';
import { ACKNOWLEDGED_FINDINGS } from '../../../infra/stack/acknowledged-findings.ts';
import { EVERY_SETTING } from './synthesized.ts';

const Report = z.object({
  pluginReports: z.array(
    z.object({
      violations: z.array(
        z.object({ ruleName: z.string(), violatingConstructs: z.array(z.object({ constructPath: z.string() })) }),
      ),
    }),
  ),
});

/** @returns the findings of cdk-nag's AwsSolutions rules and of CDK's own, as `rule at path` */
function findingsIn(context: Record<string, unknown>): string[] {
  const outdir = mkdtempSync(join(tmpdir(), 'endcap-findings-'));
  const app = createApp({ context, outdir });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  vi.spyOn(console, 'error').mockImplementation(() => undefined); // CDK prints the findings there
  try {
    app.synth();
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ValidationFailed') throw error; // the report contains the findings
  }
  const report = Report.parse(JSON.parse(readFileSync(join(outdir, 'validation-report.json'), 'utf8')));
  rmSync(outdir, { recursive: true });
  return report.pluginReports.flatMap(({ violations }) =>
    violations.flatMap(({ ruleName, violatingConstructs }) =>
      violatingConstructs.map(({ constructPath }) => `${ruleName} at ${constructPath}`),
    ),
  );
}

afterEach(() => vi.restoreAllMocks());

test('cdk-nag has no findings that are not acknowledged', () => {
  expect(findingsIn({})).toEqual([]);
});

test('cdk-nag has no such findings with every setting set, and without the firewall', () => {
  expect(findingsIn(EVERY_SETTING)).toEqual([]);
  expect(findingsIn({ waf: 'off' })).toEqual([]);
});

test('every acknowledged finding occurs at its construct, and has a reason', () => {
  vi.spyOn(Validations.prototype, 'acknowledge').mockImplementation(() => undefined);
  const found = [...findingsIn({}), ...findingsIn({ waf: 'off' })];
  const obsolete = ACKNOWLEDGED_FINDINGS.filter(
    ({ at, rule }) => !found.some((finding) => finding.startsWith(`AwsSolutions-${rule} at Endcap/${at}/`)),
  );
  expect(obsolete).toEqual([]);
  expect(ACKNOWLEDGED_FINDINGS.filter(({ reason }) => reason.length < 40)).toEqual([]);
});
