import { expect, test } from 'vitest';
import {
  EVERY_SETTING,
  resourcesOf,
  shorten,
  single,
  synthesizeDefault,
  synthesizeWith,
} from './support/synthesized.ts';

const { uploaders } = EVERY_SETTING;
const own = synthesizeWith({ customerManagedKey: true, uploaders });

const propertiesOf = (type: string) =>
  [...resourcesOf(own, type).values()].map(({ Properties }) => shorten(Properties));

test('without the setting customerManagedKey, nothing is encrypted with a key of the customer', () => {
  expect(JSON.stringify(synthesizeDefault())).not.toMatch(/DataKey|KmsKeyId|KmsMasterKeyId|KMSMasterKey/);
});

test('with the setting, one key encrypts the table, the bucket, every queue and every log group', () => {
  expect(propertiesOf('AWS::DynamoDB::GlobalTable')).toMatchObject([
    {
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
      Replicas: [{ SSESpecification: { KMSMasterKeyId: 'DataKey.Arn' }, DeletionProtectionEnabled: true }],
    },
  ]);
  const byDefault = { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: 'DataKey.Arn' };
  expect(propertiesOf('AWS::S3::Bucket')).toMatchObject([
    {
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [{ BucketKeyEnabled: true, ServerSideEncryptionByDefault: byDefault }],
      },
    },
  ]);
  const queues = propertiesOf('AWS::SQS::Queue');
  for (const queue of queues) expect(queue).toMatchObject({ KmsMasterKeyId: 'DataKey.Arn' });
  expect(JSON.stringify(queues)).not.toContain('SqsManagedSseEnabled'); // SQS accepts one of both
  for (const group of propertiesOf('AWS::Logs::LogGroup')) expect(group).toMatchObject({ KmsKeyId: 'DataKey.Arn' });
});

test('the key rotates, outlives the stack, and may be used through the services that encrypt with it, and by those that write for them', () => {
  const [key, ...others] = [...resourcesOf(own, 'AWS::KMS::Key').values()].filter(
    ({ Properties }) => Properties.EnableKeyRotation === true,
  );
  expect(others).toEqual([]);
  expect(key).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' });
  const { Statement } = Object(shorten(key?.Properties.KeyPolicy));
  const via = (service: string) => `${service}.AWS::Region.AWS::URLSuffix`;
  expect(Statement.map(({ Principal, Condition }: Record<string, unknown>) => [Principal, Condition])).toEqual([
    [{ AWS: expect.stringMatching(/:root$/) }, undefined],
    [
      { AWS: '*' },
      {
        StringEquals: {
          'kms:ViaService': ['dynamodb', 's3', 'sqs'].map(via),
          'kms:CallerAccount': 'AWS::AccountId',
        },
      },
    ],
    [{ Service: 'events.amazonaws.com' }, { StringEquals: { 'aws:SourceAccount': 'AWS::AccountId' } }],
    [
      { Service: 'logs.AWS::Region.amazonaws.com' },
      {
        ArnLike: {
          'kms:EncryptionContext:aws:logs:arn': 'arn:AWS::Partition:logs:AWS::Region:AWS::AccountId:log-group:*',
        },
      },
    ],
    [{ AWS: uploaders[0] }, { StringEquals: { 'kms:ViaService': [via('s3')] } }],
  ]);
});

test('the roles of functions have the same permissions with and without the key', () => {
  const policiesOf = (template: typeof own) =>
    [...resourcesOf(template, 'AWS::IAM::Policy').values()].map(({ Properties }) => shorten(Properties.PolicyDocument));
  expect(policiesOf(own)).toEqual(policiesOf(synthesizeDefault()));
  expect(single(own, 'AWS::S3::Bucket').DeletionPolicy).toBe('RetainExceptOnCreate');
});
