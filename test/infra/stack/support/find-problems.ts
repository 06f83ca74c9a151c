import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { Preflight } from 'cdk-preflight';
import { vi } from 'vitest';
import * as z from 'zod';
import { createApp, STACK_ID } from '../../../../infra/app.ts';
import { BUNDLES } from './synthesized.ts';

const Report = z.object({
  pluginReports: z.array(
    z.object({
      violations: z.array(
        z.object({ ruleName: z.string(), violatingConstructs: z.array(z.object({ constructPath: z.string() })) }),
      ),
    }),
  ),
});

/**
 * @param change is applied to the app before it is checked
 * @returns the findings of cdk-nag's AwsSolutions rules, of cdk-preflight (strict) and of CDK's own, as `rule at path`, and the lines of the template that are
 * not ASCII, because CloudFormation replaces other characters when it returns a template
 */
export function findProblems(context: Readonly<Record<string, unknown>>, change?: (app: App) => void): string[] {
  const outdir = mkdtempSync(join(tmpdir(), 'endcap-findings-'));
  const app = createApp(BUNDLES, { context, outdir });
  change?.(app);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  Preflight.apply(app, { strict: true });
  using _error = vi.spyOn(console, 'error').mockImplementation(() => undefined); // CDK prints the findings there
  try {
    app.synth();
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ValidationFailed') throw error; // the report contains the findings
  }
  const report = Report.parse(JSON.parse(readFileSync(join(outdir, 'validation-report.json'), 'utf8')));
  const template = readFileSync(join(outdir, `${STACK_ID}.template.json`), 'utf8');
  rmSync(outdir, { recursive: true });
  const notAscii = template.match(/.*[^\n -~].*/g) ?? [];
  const findings = report.pluginReports.flatMap(({ violations }) =>
    violations.flatMap(({ ruleName, violatingConstructs }) =>
      violatingConstructs.map(({ constructPath }) => `${ruleName} at ${constructPath}`),
    ),
  );
  return [...findings, ...notAscii];
}
