import { Aws, CfnOutput, CfnResource, type RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { AnyPrincipal, ArnPrincipal, type IPrincipal, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Settings } from '../config/settings.ts';

/**
 * Encrypts the table, the bucket, the queues and all log groups of the stack with a key of the customer. Its policy, as that of AWS's own keys, allows the use
 * of the key through these services to everybody in the account whom they admit, so no role needs a permission on the key.
 */
export function encryptWithOwnKey(
  stack: Stack,
  { uploaders, userUploaders }: Settings,
  removalPolicy: RemovalPolicy,
): void {
  const description = 'Encrypts the table, bucket, queues and log groups';
  const key = new Key(stack, 'DataKey', { description, enableKeyRotation: true, removalPolicy });
  const actions = ['Encrypt', 'Decrypt', 'ReEncrypt*', 'GenerateDataKey*', 'CreateGrant', 'DescribeKey'];
  const allow = (user: IPrincipal, conditions: Record<string, object>) =>
    key.addToResourcePolicy(
      new PolicyStatement({
        principals: [user],
        actions: actions.map((name) => `kms:${name}`),
        resources: ['*'],
        conditions,
      }),
    );
  const via = (...services: string[]) => services.map((name) => `${name}.${Aws.REGION}.${Aws.URL_SUFFIX}`);
  const logGroups = `arn:${Aws.PARTITION}:logs:${Aws.REGION}:${Aws.ACCOUNT_ID}:log-group:*`;
  const callers = { 'kms:ViaService': via('dynamodb', 's3', 'sqs'), 'kms:CallerAccount': Aws.ACCOUNT_ID };
  allow(new AnyPrincipal(), { StringEquals: callers });
  allow(new ServicePrincipal('events.amazonaws.com'), { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } });
  const logs = new ServicePrincipal(`logs.${Aws.REGION}.amazonaws.com`);
  allow(logs, { ArnLike: { 'kms:EncryptionContext:aws:logs:arn': logGroups } });
  for (const arn of [...uploaders, ...userUploaders])
    allow(new ArnPrincipal(arn), { StringEquals: { 'kms:ViaService': via('s3') } });
  const byDefault = { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: key.keyArn };
  const encryption = [{ BucketKeyEnabled: true, ServerSideEncryptionByDefault: byDefault }];
  const properties: Record<string, Record<string, unknown>> = {
    'AWS::Logs::LogGroup': { KmsKeyId: key.keyArn },
    'AWS::SQS::Queue': { KmsMasterKeyId: key.keyArn, SqsManagedSseEnabled: undefined },
    'AWS::S3::Bucket': { 'BucketEncryption.ServerSideEncryptionConfiguration': encryption },
    'AWS::DynamoDB::GlobalTable': {
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
      'Replicas.0.SSESpecification': { KMSMasterKeyId: key.keyArn },
    },
  };
  for (const resource of stack.node.findAll().filter(CfnResource.isCfnResource))
    for (const [path, value] of Object.entries(properties[resource.cfnResourceType] ?? {}))
      resource.addPropertyOverride(path, value);
  new CfnOutput(stack, 'DataKeyArn', { value: key.keyArn, description: 'The KMS key that encrypts the stored data' });
}
