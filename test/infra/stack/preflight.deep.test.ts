import { Stack } from 'aws-cdk-lib';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { expect, test } from 'vitest';
import { SETTINGS } from '../../../infra/config/setting-schema.ts';
import { findProblems } from './support/find-problems.ts';
import { EVERY_SETTING, resourcesOf, SETTING_VARIANTS, synthesizeWith } from './support/synthesized.ts';

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

test.each([
  ['no setting', {}],
  ['every setting', EVERY_SETTING],
])('method settings name `*` and POST, because API Gateway rejects ANY, with %s', (_, context) => {
  const [stage] = resourcesOf(synthesizeWith(context), 'AWS::ApiGateway::Stage').values();
  const settings = stage?.Properties.MethodSettings as readonly { HttpMethod: string }[]; // as AWS documents it
  expect(settings.map(({ HttpMethod }) => HttpMethod)).toEqual(['*', 'POST']);
});

test('every setting that changes the template’s resources is checked alone, or with the alarms that it changes', () => {
  const isChecked = (name: string) =>
    SETTING_VARIANTS.some(
      ([, context]) =>
        Object.hasOwn(context, name) && Object.keys(context).every((key) => key === name || key === 'alarms'),
    );
  const unchecked = Object.keys(SETTINGS.shape).filter((name) => !isChecked(name));
  // these change values of the template only; terminationProtection is not in it
  const values = [
    'stackName',
    'timeZone',
    'currency',
    'attribution',
    'productIds',
    'marketMinOthers',
    'weekStartsOn',
    'jwtIssuer',
    'jwtAudience',
  ];
  expect(unchecked).toEqual([
    ...values,
    'throttle',
    'reportThrottle',
    'keyLimits',
    'corsOrigins',
    'logRetentionDays',
    'architecture',
    'sam',
    'terminationProtection',
  ]);
});
