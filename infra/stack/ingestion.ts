import { CfnOutput, Duration, RemovalPolicy, Size, Stack } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { BlockPublicAccess, Bucket, BucketEncryption, CfnBucket, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { READY_FILE } from '../../shared/ingest/ready-file.ts';
import { PROGRESS_FILE, REPORT_FILE } from '../../shared/ingest/report-file.ts';
import type { Settings } from '../settings.ts';
import { ApiFunction, type ApiResources } from './api-function.ts';
import { bundleHandlers } from './bundle-handlers.ts';
import { LOADED_PARTITIONS } from './partitions.ts';

const HANDLER = 'events/ingest-folder';

/** The maximum for new accounts. A load uses one vCPU fully (1,769 MB), and a part of a second one for garbage collection. */
const MEMORY_MB = 3008;
const TIMEOUT_SECONDS = 900;
/** The loader sorts rows into days in a temporary file, which may be larger than memory. */
const TEMPORARY = Size.gibibytes(10);

/** The bucket is not an archive: what was loaded is in the table, and anything else can be uploaded again. */
const KEEP_FOLDERS = Duration.days(90);
const KEEP_FAILURES = Duration.days(14);

export interface IngestionProps extends Pick<ApiResources, 'table'> {
  readonly settings: Settings;
  readonly removalPolicy: RemovalPolicy;
}

/** A bucket, and a function that loads each folder in it into the table when the folder's file `_READY` arrives. */
export class Ingestion extends Construct {
  readonly bucket: Bucket;
  readonly handler: ApiFunction;
  /** The dead-letter queue: events of folders that could not be loaded because of an error that is not in their files. */
  readonly failures: Queue;
  readonly deadLetterQueues: readonly Queue[];

  constructor(scope: Construct, id: string, { settings, table, removalPolicy }: IngestionProps) {
    super(scope, id);
    this.bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      // not needed: a load reads by ETag, and ends if a file is overwritten meanwhile
      versioned: false,
      lifecycleRules: [{ expiration: KEEP_FOLDERS, abortIncompleteMultipartUploadAfter: Duration.days(7) }],
      removalPolicy,
    });
    sendEvents(this.bucket);
    this.failures = new Queue(this, 'Failures', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: KEEP_FAILURES,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.deadLetterQueues = [this.failures];
    this.handler = this.#makeHandler(settings, table);
    // EventBridge instead of a bucket notification, which would make bucket and function depend on each other
    new Rule(this, 'Ready', {
      description: `Loads a folder when its ${READY_FILE} arrives`,
      eventPattern: {
        source: ['aws.s3'],
        detailType: ['Object Created'],
        detail: {
          bucket: { name: [this.bucket.bucketName] },
          object: { key: [READY_FILE, { suffix: `/${READY_FILE}` }] },
        },
      },
      targets: [new LambdaFunction(this.handler.live, { deadLetterQueue: this.failures })],
    });
    new CfnOutput(Stack.of(this), 'BucketName', {
      value: this.bucket.bucketName,
      description: 'The stack loads folders that are uploaded here: npm run load -- FOLDER --bucket NAME',
    });
  }

  /**
   * No concurrency is reserved, because new AWS accounts have a low concurrency limit. The table's lease admits one load at a time; the others wait inside their
   * functions.
   */
  #makeHandler(settings: Settings, table: ApiResources['table']): ApiFunction {
    using bundles = bundleHandlers([HANDLER]);
    const handler = new ApiFunction(this, 'IngestFolder', {
      bundle: bundles.folderOf(HANDLER),
      memory: MEMORY_MB,
      timeout: TIMEOUT_SECONDS,
      temporary: TEMPORARY,
      environment: { TIME_ZONE: settings.timeZone, BUCKET_NAME: this.bucket.bucketName },
      settings,
    });
    handler.live.configureAsyncInvoke({
      retryAttempts: 2,
      maxEventAge: Duration.hours(6),
      onFailure: new SqsDestination(this.failures),
    });
    handler.allowWriting(table, LOADED_PARTITIONS);
    const written = [PROGRESS_FILE, REPORT_FILE].flatMap((name) => [name, `*/${name}`]);
    const grants = [
      { actions: ['s3:GetObject'], resources: [this.bucket.arnForObjects('*')] },
      { actions: ['s3:ListBucket'], resources: [this.bucket.bucketArn] }, // without it, S3 reports a missing object as forbidden
      { actions: ['s3:PutObject'], resources: written.map((name) => this.bucket.arnForObjects(name)) },
    ];
    for (const grant of grants) handler.addToRolePolicy(new PolicyStatement(grant));
    return handler;
  }
}

/** Sets the CloudFormation property, because the construct's own option adds a custom resource with another function. */
function sendEvents(bucket: Bucket): void {
  const { defaultChild } = bucket.node;
  if (!(defaultChild instanceof CfnBucket)) throw new Error('the bucket has no CfnBucket');
  defaultChild.notificationConfiguration = { eventBridgeConfiguration: { eventBridgeEnabled: true } };
}
