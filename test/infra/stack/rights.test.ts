import { describe, expect, test } from 'vitest';
import { FUNCTION_ROUTES, type FunctionRoute, PAGES } from '../../../infra/config/routes.ts';
import { pascalCase } from '../../../infra/stack/pascal-case.ts';
import { keysOf } from '../../../shared/lib/keys-of.ts';
import { LISTINGS } from '../../../shared/load/write/derive-listings.ts';
import { isAllowed, type Policy, policyOf } from './policy.ts';
import { policyDocumentsOf, resourcesOf, synthesizeDefault, synthesizeWith } from './synthesized.ts';

const template = synthesizeDefault();

describe('the permissions of each function are exactly those expected', () => {
  const log = (name: string) => ({
    Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    Effect: 'Allow',
    Resource: `${name}Log.Arn`,
  });
  const onlyIn = (...partitions: string[]) => ({
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions },
    Null: { 'dynamodb:LeadingKeys': 'false' },
  });
  const read = (...partitions: string[]) => ({
    Action: ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query'],
    Effect: 'Allow',
    Resource: 'Table.Arn',
    Condition: onlyIn('COMMIT', 'KEY#*', 'USAGE#*', 'USER#*', ...partitions),
  });
  const writeUsage = {
    Action: 'dynamodb:UpdateItem',
    Effect: 'Allow',
    Resource: 'Table.Arn',
    Condition: onlyIn('USAGE#*'),
  };
  const writeView = {
    Action: 'dynamodb:UpdateItem',
    Effect: 'Allow',
    Resource: 'Table.Arn',
    Condition: onlyIn('VIEW#*'),
  };
  const readPublicKey = { Action: 'kms:GetPublicKey', Effect: 'Allow', Resource: 'SigningKey.Arn' };
  const sign = {
    Action: 'kms:Sign',
    Effect: 'Allow',
    Resource: 'SigningKey.Arn',
    Condition: { StringEquals: { 'kms:SigningAlgorithm': 'ECDSA_SHA_256' } },
  };

  /** Most listings read their own items, and nothing else. */
  const isPlainListing = ({ access, reads }: FunctionRoute) =>
    access.join() === 'readPublicKey' && keysOf(LISTINGS).some((listing) => listing === reads.toString());

  /** A function that needs no API key reads nothing in the table, and counts no use of a key. */
  const withUsage = (statements: readonly object[]) =>
    statements.length === 1 ? statements : statements.toSpliced(1, 0, writeUsage);

  test.each<readonly [string, readonly object[]]>([
    ...FUNCTION_ROUTES.filter(isPlainListing).map(
      (route) => [pascalCase(route.function), [read(`LISTING#${route.reads}#*`), readPublicKey]] as const,
    ),
    ['ListAccounts', [read('LISTING#accounts#*'), writeView, readPublicKey]],
    ['ListContacts', [read('VIEW#*', 'LISTING#contacts#*'), writeView, readPublicKey]],
    ['ListAddresses', [read('VIEW#*', 'LISTING#addresses#*'), writeView, readPublicKey]],
    ['ListCampaigns', [read('ACCOUNT#*', 'DIMENSION#*'), readPublicKey]],
    ['ListAdGroups', [read('ACCOUNT#*', 'DIMENSION#*'), readPublicKey]],
    ['ListChanges', [read('ACCOUNT#*', 'CHANGES#*'), readPublicKey]],
    ['ListFields', [read('ACCOUNT#*', 'COLUMNS#*', 'DIMENSION#*', 'FACTS#0', 'FACTS#0#head'), readPublicKey]],
    [
      'ServeMcp',
      [
        read(
          ...['ACCOUNT#*', 'LISTING#accounts#*', 'LISTING#advertisers#*', 'COLUMNS#*'],
          ...['DIMENSION#*', 'FACTS#*', 'ROLLUP#*', 'SHARD#*'],
        ),
        readPublicKey,
      ],
    ],
    ['ListAvailableProducts', [read('ADGROUP#*', 'LISTING#products#*'), readPublicKey]],
    ['SubmitReport', [read('ACCOUNT#*', 'DIMENSION#*', 'FACTS#*', 'ROLLUP#*', 'SHARD#*'), readPublicKey]],
    ['GetJwt', [read(), readPublicKey, sign]],
    ['GetJwtClaims', [read(), readPublicKey]],
    ['GetJwks', [readPublicKey]],
  ])('for %s', (name, statements) => {
    expect(policyDocumentsOf(template, name)).toEqual([
      { Statement: [log(name), ...withUsage(statements)], Version: '2012-10-17' },
    ]);
    const [role] = [...resourcesOf(template, 'AWS::IAM::Role')].filter(([id]) => id.startsWith(`${name}Role`));
    expect(role?.[1].Properties).toEqual({
      AssumeRolePolicyDocument: {
        Statement: [{ Action: 'sts:AssumeRole', Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' } }],
        Version: '2012-10-17',
      },
    });
  });

  test('for the pages: writing their log, and nothing else', () => {
    const name = pascalCase(PAGES.function);
    expect(policyDocumentsOf(template, name)).toEqual([{ Statement: [log(name)], Version: '2012-10-17' }]);
  });

  test('for the check: reading its key, and with canary deployments invoking the new versions and reporting to CodeDeploy', () => {
    const name = 'CheckCheckService';
    const parameter = 'arn:AWS::Partition:ssm:AWS::Region:AWS::AccountId:parameter/endcap/AWS::StackName/check-key';
    const readKey = { Action: 'ssm:GetParameter', Effect: 'Allow', Resource: parameter };
    expect(policyDocumentsOf(template, name)).toEqual([{ Statement: [log(name), readKey], Version: '2012-10-17' }]);
    const [, , invoke, report, ...others] = policyOf(synthesizeWith({ deployment: 'canary' }), name).Statement;
    const names = [...FUNCTION_ROUTES, PAGES].map((route) => pascalCase(route.function)).sort();
    expect(invoke?.Action).toEqual(['lambda:InvokeFunction']);
    expect(invoke?.Resource.map((version) => version.replace(/CurrentVersion.*/, '')).sort()).toEqual(names);
    expect(report?.Action).toEqual(['codedeploy:GetDeployment', 'codedeploy:PutLifecycleEventHookExecutionStatus']);
    const groups = 'arn:AWS::Partition:codedeploy:AWS::Region:AWS::AccountId:deploymentgroup:Deployments/';
    expect(report?.Resource.toSorted()).toEqual(names.map((group) => `${groups}${group}Deployment`).sort());
    expect(others).toEqual([]);
  });

  test('for the ingestion: no scan, no API keys, no writing of objects except report and progress, and of the keys in KMS only the user-id key', () => {
    const bucket = 'IngestionBucket.Arn';
    const loaded = {
      'ForAllValues:StringLike': {
        'dynamodb:LeadingKeys': [
          'COMMIT',
          'JOURNAL',
          'GARBAGE#*',
          'USER#*',
          ...keysOf(LISTINGS).map((listing) => `LISTING#${listing}#*`),
          'ADGROUP#*',
          'ACCOUNT#*',
          'DIMENSION#*',
          'FACTS#*',
          'COLUMNS#*',
          'CHANGES#*',
          'ROLLUP#*',
          'SHARD#*',
          'COLLECTION#*',
        ],
      },
      Null: { 'dynamodb:LeadingKeys': 'false' },
    };
    const allow = (Action: string | string[], Resource: string | string[]) => ({ Action, Effect: 'Allow', Resource });
    expect(policyDocumentsOf(template, 'IngestionIngestFolder')).toMatchObject([
      {
        Statement: [
          allow(['logs:CreateLogStream', 'logs:PutLogEvents'], 'IngestionIngestFolderLog.Arn'),
          allow(
            ['ChangeMessageVisibility', 'DeleteMessage', 'GetQueueAttributes', 'GetQueueUrl', 'ReceiveMessage'].map(
              (name) => `sqs:${name}`,
            ),
            'IngestionFolders.Arn',
          ),
          {
            ...allow(
              ['BatchGetItem', 'BatchWriteItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'].map(
                (name) => `dynamodb:${name}`,
              ),
              'Table.Arn',
            ),
            Condition: loaded,
          },
          {
            ...allow('dynamodb:PutItem', 'Table.Arn'),
            Condition: {
              'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['AUDIT#LOAD#*'] },
              Null: { 'dynamodb:LeadingKeys': 'false' },
            },
          },
          allow('s3:GetObject', `${bucket}/*`),
          allow('s3:ListBucket', bucket),
          allow('s3:PutObject', [
            `${bucket}/*/_PROGRESS.json`,
            `${bucket}/*/_REPORT.json`,
            `${bucket}/_PROGRESS.json`,
            `${bucket}/_REPORT.json`,
          ]),
          allow('kms:GenerateMac', 'UserIdKey.Arn'),
        ],
      },
    ]);
  });

  test('there are no other policies except those of the ingestion, the pages and the check', () => {
    expect(resourcesOf(template, 'AWS::IAM::Policy').size).toBe(FUNCTION_ROUTES.length + 3);
  });
});

/** @returns the policy of a function whose policy has one statement: to scan the partitions USER#*, except for what `members` replace */
function policyWith(members: Readonly<Record<string, unknown>>): Policy {
  const statement = {
    Effect: 'Allow',
    Action: 'dynamodb:Scan',
    Resource: { 'Fn::GetAtt': ['Table01234567', 'Arn'] },
    Condition: onlyUsers,
    ...members,
  };
  const Properties = {
    Roles: [{ Ref: 'ReaderRole01234567' }],
    PolicyDocument: { Version: '2012-10-17', Statement: [statement] },
  };
  return policyOf({ Resources: { Policy: { Type: 'AWS::IAM::Policy', DependsOn: [], Properties } } }, 'Reader');
}

const onlyUsers = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['USER#*'] } };
const withKeys = { Null: { 'dynamodb:LeadingKeys': 'false' } };

describe('a policy that limits partition keys', () => {
  test('allows a call without keys, unless it also requires a key', () => {
    expect(isAllowed(policyWith({}), 'dynamodb:Scan', [])).toBe(true);
    expect(isAllowed(policyWith({ Condition: { ...onlyUsers, ...withKeys } }), 'dynamodb:Scan', [])).toBe(false);
  });

  test('allows only its actions, and these only if every key matches', () => {
    const policy = policyWith({ Condition: { ...onlyUsers, ...withKeys } });
    expect(isAllowed(policy, 'dynamodb:Scan', ['USER#1', 'USER#2'])).toBe(true);
    expect(isAllowed(policy, 'dynamodb:Scan', ['USER#1', 'KEY#2'])).toBe(false);
    expect(isAllowed(policy, 'dynamodb:Query', ['USER#1'])).toBe(false);
  });
});

describe('a policy that is not modelled is rejected rather than misread', () => {
  test.each([
    { Action: 'dynamodb:*' },
    { Action: ['dynamodb:Get*'] },
    { Action: '*' },
    { Action: undefined, NotAction: 'dynamodb:Scan' },
    { Effect: 'Deny' },
    { Principal: '*' },
    { Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['USER#?'] } } },
    { Condition: { ...onlyUsers, 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': ['USER#*'] } } },
    { Condition: { ...onlyUsers, Null: { 'dynamodb:LeadingKeys': 'true' } } },
    { Condition: { StringLike: { 'aws:PrincipalArn': '*' } } },
  ])('%j', (members) => {
    expect(() => policyWith(members)).toThrow();
  });

  test.each(['*', 'Table.Arn/index/*'])('a statement about the resource %j', (Resource) => {
    expect(() => isAllowed(policyWith({ Resource }), 'dynamodb:Scan', [])).toThrow('is allowed on');
  });
});
