import { describe, expect, test } from 'vitest';
import { LISTINGS } from '../../../shared/store/table/item-keys.ts';
import {
  EVERY_SETTING,
  resourcesOf,
  shorten,
  single,
  synthesizeDefault,
  synthesizeWith,
  withoutHash,
} from './support/synthesized.ts';

const template = synthesizeDefault();

/** @returns the properties of the ingestion's only resource of a type, with shortened references */
function propertiesOf(type: string): unknown {
  const own = [...resourcesOf(template, type)].filter(([id]) => id.startsWith('Ingestion'));
  expect(own).toHaveLength(1);
  return shorten(own[0]?.[1].Properties);
}

describe('the bucket', () => {
  test('is private and encrypted, deletes objects after 90 days, and sends events to EventBridge', () => {
    const { DeletionPolicy } = single(template, 'AWS::S3::Bucket');
    expect(DeletionPolicy).toBe('RetainExceptOnCreate');
    expect(propertiesOf('AWS::S3::Bucket')).toEqual({
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
      },
      LifecycleConfiguration: {
        Rules: [
          {
            AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 },
            ExpirationInDays: 90,
            NoncurrentVersionExpiration: { NoncurrentDays: 1 }, // if somebody switches versions on
            Status: 'Enabled',
          },
        ],
      },
      NotificationConfiguration: { EventBridgeConfiguration: { EventBridgeEnabled: true } },
      OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
    });
  });

  test('lets the uploaders in the settings upload folders and read the reports, but read no files and delete nothing', () => {
    const policy = single(synthesizeWith({ uploaders: EVERY_SETTING.uploaders }), 'AWS::S3::BucketPolicy').Properties;
    const { Statement } = Object(shorten(policy.PolicyDocument));
    const allow = { Effect: 'Allow', Principal: { AWS: EVERY_SETTING.uploaders[0] } };
    expect(Statement.filter(({ Effect }: { Effect: string }) => Effect === 'Allow')).toEqual([
      {
        ...allow,
        Action: ['s3:AbortMultipartUpload', 's3:ListBucket', 's3:PutObject'],
        Resource: ['IngestionBucket.Arn', 'IngestionBucket.Arn/*'],
      },
      {
        ...allow,
        Action: 's3:GetObject',
        Resource: ['IngestionBucket.Arn/*_PROGRESS.json', 'IngestionBucket.Arn/*_REPORT.json'],
      },
    ]);
  });

  test('denies requests without TLS 1.2', () => {
    const denial = (Condition: unknown) => ({
      Action: 's3:*',
      Condition,
      Effect: 'Deny',
      Principal: { AWS: '*' },
      Resource: ['IngestionBucket.Arn', 'IngestionBucket.Arn/*'],
    });
    expect(propertiesOf('AWS::S3::BucketPolicy')).toEqual({
      Bucket: 'IngestionBucket',
      PolicyDocument: {
        Statement: [
          denial({ Bool: { 'aws:SecureTransport': 'false' } }),
          denial({ NumericLessThan: { 's3:TlsVersion': 1.2 } }),
        ],
        Version: '2012-10-17',
      },
    });
  });
});

describe('the function', () => {
  test('receives the folders whose _READY or _SUCCESS arrives, and no other object, from a FIFO queue', () => {
    expect(propertiesOf('AWS::Events::Rule')).toEqual({
      Description: 'Queues a folder when its _READY or _SUCCESS arrives',
      EventPattern: {
        source: ['aws.s3'],
        'detail-type': ['Object Created'],
        detail: {
          bucket: { name: ['IngestionBucket'] },
          object: { key: ['_READY', { suffix: '/_READY' }, '_SUCCESS', { suffix: '/_SUCCESS' }] },
        },
      },
      State: 'ENABLED',
      Targets: [
        {
          Arn: 'IngestionFolders.Arn',
          Id: 'Target0',
          SqsParameters: { MessageGroupId: 'folders' },
          DeadLetterConfig: { Arn: 'IngestionUndelivered.Arn' },
        },
      ],
    });
    expect(propertiesOf('AWS::Lambda::EventSourceMapping')).toEqual({
      BatchSize: 1,
      EventSourceArn: 'IngestionFolders.Arn',
      FunctionName: expect.stringMatching(/:live$/), // the part of the alias’s ARN with the function’s name, and the alias
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
  });

  test('has the time, the memory and the temporary storage that a load needs', () => {
    expect(propertiesOf('AWS::Lambda::Function')).toMatchObject({
      Architectures: ['arm64'],
      Environment: {
        Variables: {
          BUCKET_NAME: 'IngestionBucket',
          QUEUE_URL: 'IngestionFolders',
          TABLE_NAME: 'Table',
          TIME_ZONE: 'America/New_York',
          PRODUCT_IDS: 'upc',
          LOAD_RULES: '{"successMarker":true,"rejectOlder":false,"maxDrop":{},"maxGrowth":{}}',
          USER_ID_KEY: 'UserIdKey.Arn',
        },
      },
      EphemeralStorage: { Size: 10_240 },
      MemorySize: 3008,
      Runtime: 'nodejs24.x',
      Timeout: 900,
    });
  });

  test('is tried five times, after which the message goes to a dead-letter queue', () => {
    const queues = [...resourcesOf(template, 'AWS::SQS::Queue')].map(([id, { Properties }]) => [
      withoutHash(id),
      shorten(Properties),
    ]);
    const kept = { MessageRetentionPeriod: 14 * 86_400, SqsManagedSseEnabled: true };
    expect(Object.fromEntries(queues)).toEqual({
      IngestionFolders: {
        ...kept,
        ContentBasedDeduplication: true,
        FifoQueue: true,
        RedrivePolicy: { deadLetterTargetArn: 'IngestionFailures.Arn', maxReceiveCount: 5 },
        VisibilityTimeout: 6 * 900, // six times the function's time limit, as AWS advises
      },
      IngestionFailures: { ...kept, FifoQueue: true },
      IngestionUndelivered: kept, // EventBridge accepts no FIFO queue for events that it could not deliver
    });
    expect(resourcesOf(template, 'AWS::Lambda::EventInvokeConfig').size).toBe(0);
  });

  test('has only these permissions: no scan, no API keys, no writing of objects except report and progress, and of the keys in KMS only the user-id key', () => {
    const bucket = 'IngestionBucket.Arn';
    const loaded = {
      'ForAllValues:StringLike': {
        'dynamodb:LeadingKeys': [
          'COMMIT',
          'JOURNAL',
          'GARBAGE#*',
          'USER#*',
          ...LISTINGS.map((listing) => `LISTING#${listing}#*`),
          'ADGROUP#*',
          'ACCOUNT#*',
          'DIMENSION#*',
          'FACTS#*',
          'ROLLUP#*',
          'SHARD#*',
          'COLLECTION#*',
        ],
      },
      Null: { 'dynamodb:LeadingKeys': 'false' },
    };
    const allow = (Action: string | string[], Resource: string | string[]) => ({ Action, Effect: 'Allow', Resource });
    expect(propertiesOf('AWS::IAM::Policy')).toMatchObject({
      PolicyDocument: {
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
    });
  });
});
