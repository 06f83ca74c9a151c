import { Stack, Validations } from 'aws-cdk-lib';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { expect, test, vi } from 'vitest';
import { SETTINGS } from '../../../infra/config/setting-schema.ts';
import { ACKNOWLEDGED_FINDINGS } from '../../../infra/stack/acknowledged-findings.ts';
import { findProblems } from './support/find-problems.ts';
import { EVERY_SETTING, SETTING_VARIANTS } from './support/synthesized.ts';

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
  const values = ['stackName', 'timeZone', 'currency', 'attribution', 'productIds', 'marketMinOthers', 'weekStartsOn'];
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
