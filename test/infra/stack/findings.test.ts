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

/** @returns `rule at path` of what the rules find: cdk-nag's AwsSolutions, and those of CDK itself */
function findingsIn(context: Record<string, unknown>): string[] {
  const outdir = mkdtempSync(join(tmpdir(), 'endcap-findings-'));
  const app = createApp({ context, outdir });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  vi.spyOn(console, 'error').mockImplementation(() => undefined); // where the findings are printed
  try {
    app.synth();
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ValidationFailed') throw error; // the report has it all
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

test('cdk-nag finds nothing that is not acknowledged', () => {
  expect(findingsIn({})).toEqual([]);
});

test('nor with every setting set', () => {
  expect(findingsIn(EVERY_SETTING)).toEqual([]);
});

test('everything that is acknowledged is found where it is said to be, and has a reason', () => {
  vi.spyOn(Validations.prototype, 'acknowledge').mockImplementation(() => undefined);
  const found = findingsIn({});
  const idle = ACKNOWLEDGED_FINDINGS.filter(
    ({ at, rule }) => !found.some((it) => it.startsWith(`AwsSolutions-${rule} at Endcap/${at}/`)),
  );
  expect(idle).toEqual([]);
  expect(ACKNOWLEDGED_FINDINGS.filter(({ reason }) => reason.length < 40)).toEqual([]);
});
