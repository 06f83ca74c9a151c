import { beforeAll, describe, expect, test } from 'vitest';
import { ROUTES } from '../../../infra/routes.ts';
import { readSynthesized, resourcesOf, shorten, type Template } from './synthesized.ts';

let template: Template;
beforeAll(async () => {
  ({ template } = await readSynthesized());
});

describe('each function may do this and nothing else', () => {
  const log = (name: string) => ({
    Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    Effect: 'Allow',
    Resource: `${name}Log.Arn`,
  });
  const only = (...partitions: string[]) => ({
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions },
    Null: { 'dynamodb:LeadingKeys': 'false' },
  });
  const read = (...partitions: string[]) => ({
    Action: ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'],
    Effect: 'Allow',
    Resource: 'Table.Arn',
    Condition: only('COMMIT', 'KEY#*', 'USER#*', ...partitions),
  });
  const moveView = {
    Action: 'dynamodb:UpdateItem',
    Effect: 'Allow',
    Resource: 'Table.Arn',
    Condition: only('VIEW#*'),
  };
  const keepResults = {
    Action: ['dynamodb:PutItem', 'dynamodb:BatchWriteItem'],
    Effect: 'Allow',
    Resource: 'Table.Arn',
    Condition: only('RESULT#*'),
  };
  const readPublicKey = { Action: 'kms:GetPublicKey', Effect: 'Allow', Resource: 'SigningKey.Arn' };
  const sign = {
    Action: 'kms:Sign',
    Effect: 'Allow',
    Resource: 'SigningKey.Arn',
    Condition: { StringEquals: { 'kms:SigningAlgorithm': 'ECDSA_SHA_256' } },
  };

  test.each([
    ['ListAccounts', [read('LISTING#accounts#*'), moveView, readPublicKey]],
    ['ListAdvertisers', [read('LISTING#advertisers#*'), readPublicKey]],
    ['ListContacts', [read('VIEW#*', 'LISTING#contacts#*'), moveView, readPublicKey]],
    ['ListAddresses', [read('VIEW#*', 'LISTING#addresses#*'), moveView, readPublicKey]],
    ['ListPlacements', [read('LISTING#placements#*'), readPublicKey]],
    ['ListAvailableProducts', [read('ADGROUP#*', 'LISTING#products#*'), readPublicKey]],
    ['SubmitReport', [read('ACCOUNT#*', 'DIMENSION#*', 'FACTS#*', 'ROLLUP#*', 'RESULT#*'), keepResults, readPublicKey]],
    ['GetJwt', [read(), readPublicKey, sign]],
    ['GetJwtClaims', [read(), readPublicKey]],
  ])('%s', (name, statements) => {
    const policies = [...resourcesOf(template, 'AWS::IAM::Policy').values()].filter(
      ({ Properties }) => JSON.stringify(shorten(Properties.Roles)) === JSON.stringify([`${name}Role`]),
    );
    expect(policies.map(({ Properties }) => shorten(Properties.PolicyDocument))).toEqual([
      { Statement: [log(name), ...statements], Version: '2012-10-17' },
    ]);
    const [role] = [...resourcesOf(template, 'AWS::IAM::Role')].filter(([id]) => id.startsWith(`${name}Role`));
    expect(role?.[1].Properties).toEqual({
      AssumeRolePolicyDocument: {
        Statement: [{ Action: 'sts:AssumeRole', Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' } }],
        Version: '2012-10-17',
      },
    });
  });

  test('there are no other policies but that of the ingestion', () => {
    expect(resourcesOf(template, 'AWS::IAM::Policy').size).toBe(ROUTES.length + 1);
  });
});
