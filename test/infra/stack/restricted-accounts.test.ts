import { expect, test } from 'vitest';
import { readSource } from '../../rules/source-files.ts';
import { EVERY_SETTING, resourcesOf, synthesizeWith } from './synthesized.ts';

const BOUNDARY = { '@aws-cdk/core:permissionsBoundary': { name: 'developers' } };
const complete = synthesizeWith({ ...EVERY_SETTING, ...BOUNDARY });
const [, SECTION = ''] = /### Restricted accounts\n([\s\S]*?)\n### /.exec(readSource('infra/README.md')) ?? [];

test('every role has the permissions boundary that cdk.json names', () => {
  const roles = [...resourcesOf(complete, 'AWS::IAM::Role').values()];
  expect(roles.length).toBeGreaterThan(10);
  for (const { Properties } of roles) expect(JSON.stringify(Properties.PermissionsBoundary)).toContain('developers');
});

test('infra/README.md lists exactly the actions and managed policies of the stack’s roles', () => {
  const cells = [...SECTION.matchAll(/^\| (functions|CodeDeploy|API Gateway)[^|]*\| (.*) \|$/gm)];
  const documented = new Set(cells.flatMap(([, , cell = '']) => cell.match(/[a-z\d]+:[A-Z]\w+|\bA\w{20,}/g) ?? []));
  const policies = JSON.stringify([...resourcesOf(complete, 'AWS::IAM::Policy').values()]);
  const actions = policies.match(/(?<=[["]"?)(dynamodb|kms|s3|sqs|ssm|lambda|logs|codedeploy):\w+(?=")/g) ?? [];
  const roles = JSON.stringify([...resourcesOf(complete, 'AWS::IAM::Role').values()]);
  const managed = roles.match(/(?<=service-role\/)\w+/g) ?? [];
  const conditions = ['dynamodb:LeadingKeys', 'kms:SigningAlgorithm'];
  const used = new Set([...actions, ...managed].filter((name) => !conditions.includes(name)));
  expect([...documented].sort()).toEqual([...used].sort());
});

test('infra/README.md lists exactly the services of the stack’s resources', () => {
  const [, text = ''] = /The stack has resources of (.*)\.$/m.exec(SECTION) ?? [];
  const names: Readonly<Record<string, string>> = { ApiGateway: 'API Gateway', Events: 'EventBridge' };
  const used = Object.values(complete.Resources).map(({ Type }) => Type.split('::')[1] ?? '');
  expect(text.split(/, | and /).sort()).toEqual([...new Set(used.map((name) => names[name] ?? name))].sort());
});
