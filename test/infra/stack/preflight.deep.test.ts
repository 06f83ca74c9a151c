import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, Stack, Validations } from 'aws-cdk-lib';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { AwsSolutionsChecks } from 'cdk-nag';
import { Preflight } from 'cdk-preflight';
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { createApp, STACK_ID } from '../../../infra/app.ts';
import { SETTINGS } from '../../../infra/config/setting-schema.ts';
import { ACKNOWLEDGED_FINDINGS } from '../../../infra/stack/acknowledged-findings.ts';
import { BUNDLES, EVERY_SETTING, SETTING_VARIANTS } from './synthesized.ts';

test.each(SETTING_VARIANTS)(
  'cdk-preflight finds nothing that AWS would reject, cdk-nag nothing that is not acknowledged, and the template is ASCII, with %s',
  (_, context) => {
    expect(findProblems(context)).toEqual([]);
  },
);

test('cdk-preflight finds a function whose time limit AWS rejects', () => {
  const role = 'arn:aws:iam::000000000000:role/any';
  const found = findProblems({}, (app) => {
    new CfnFunction(new Stack(app, 'Invalid'), 'Slow', { code: { zipFile: '0' }, role, timeout: 901 });
  });
  expect(found.filter((finding) => finding.endsWith('at Invalid/Slow'))).not.toEqual([]);
});

test('every acknowledged finding occurs at its construct, and has a reason', () => {
  // so that the acknowledged findings are found, too
  using _acknowledge = vi.spyOn(Validations.prototype, 'acknowledge').mockImplementation(() => undefined);
  const found = [...findProblems(EVERY_SETTING), ...findProblems({ waf: 'off' })];
  const obsolete = ACKNOWLEDGED_FINDINGS.filter(
    ({ at, rule }) => !found.some((finding) => finding.startsWith(`AwsSolutions-${rule} at Endcap/${at}/`)),
  );
  expect(obsolete).toEqual([]);
  expect(ACKNOWLEDGED_FINDINGS.filter(({ reason }) => reason.length < 40)).toEqual([]);
});

test('every setting that changes the template’s resources is checked', () => {
  const checked = new Set(SETTING_VARIANTS.flatMap(([, context]) => Object.keys(context)));
  const unchecked = Object.keys(SETTINGS.shape).filter((name) => !checked.has(name));
  // these change values of the template only
  const values = [
    'stackName',
    'timeZone',
    'currency',
    'attribution',
    'methodology',
    'restatementDays',
    'productIds',
    'marketMinOthers',
    'minUsers',
    'weekStartsOn',
  ];
  expect(unchecked).toEqual([
    ...values,
    'throttle',
    'reportThrottle',
    'keyLimits',
    'corsOrigins',
    'logRetentionDays',
    'sam',
    'successMarker',
    'rejectOlder',
    'maxDrop',
    'maxGrowth',
  ]);
});

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
function findProblems(context: Readonly<Record<string, unknown>>, change?: (app: App) => void): string[] {
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
