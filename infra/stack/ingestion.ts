import { CfnOutput, Duration, RemovalPolicy, Size, Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { BlockPublicAccess, Bucket, BucketEncryption, CfnBucket, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { READY_FILE } from '../../shared/ingest/ready-file.ts';
import { PROGRESS_FILE, REPORT_FILE } from '../../shared/ingest/report-file.ts';
import { ABANDONED_METRIC, METRIC_NAMESPACE } from '../../shared/lib/log.ts';
import type { Settings } from '../settings.ts';
import { ApiFunction, type ApiResources } from './api-function.ts';
import { bundleHandlers } from './bundle-handlers.ts';
import { LOADED_PARTITIONS } from './partitions.ts';

const HANDLER = 'events/ingest-folder';

/** The most that Lambda gives a new account. One processor comes with 1,769 MB: a load is bound by that, its collection of garbage takes from a second. */
const MEMORY_MB = 3008;
const TIMEOUT_SECONDS = 900;
/** Rows are sorted into days in a temporary file, which may grow larger than memory. */
const TEMPORARY = Size.gibibytes(10);

/** Folders are a letter box: what was loaded is in the table, and what was not can be dropped again. */
const KEEP_FOLDERS = Duration.days(90);
const KEEP_FAILURES = Duration.days(14);
const FIVE_MINUTES = Duration.minutes(5);

export interface IngestionProps extends Pick<ApiResources, 'table'> {
  readonly settings: Settings;
  readonly removalPolicy: RemovalPolicy;
}

/** A bucket; whoever drops a folder there and then its `_READY` has it loaded into the table. */
export class Ingestion extends Construct {
  readonly bucket: Bucket;
  readonly handler: ApiFunction;
  /** Where the events of folders go that could not be loaded because something broke. */
  readonly failures: Queue;
  readonly alarms: readonly Alarm[];

  constructor(scope: Construct, id: string, { settings, table, removalPolicy }: IngestionProps) {
    super(scope, id);
    this.bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      // S3 keeps no old versions: a load reads by ETag, and ends where a file is written again under it
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
    this.handler = this.#makeHandler(settings, table);
    this.alarms = this.#addAlarms();
    // EventBridge and not a notification of the bucket: that would need the function's ARN in the bucket and the bucket's in the function
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
      targets: [new LambdaFunction(this.handler, { deadLetterQueue: this.failures })],
    });
    new CfnOutput(Stack.of(this), 'BucketName', {
      value: this.bucket.bucketName,
      description: 'Folders dropped here are loaded: npm run load -- FOLDER --bucket NAME',
    });
  }

  /** A folder with wrong rows rings nowhere: whoever dropped it finds the report beside it. What is dropped and not loaded for any other reason does. */
  #addAlarms(): Alarm[] {
    const rows = [
      {
        id: 'FailuresAlarm',
        alarmDescription:
          'A folder in the bucket could not be loaded, tried three times. The message in the queue names it; the log of the function IngestFolder and, unless it crashed, _REPORT.json beside the folder say why.',
        metric: this.failures.metricApproximateNumberOfMessagesVisible({
          period: FIVE_MINUTES,
          statistic: Stats.MAXIMUM,
        }),
      },
      {
        id: 'AbandonedAlarm',
        alarmDescription:
          'A folder in the bucket is too large for the 15 minutes of a function and is not tried again. _REPORT.json beside it says how else to load it.',
        metric: new Metric({
          namespace: METRIC_NAMESPACE,
          metricName: ABANDONED_METRIC,
          dimensionsMap: { functionName: this.handler.functionName },
          period: FIVE_MINUTES,
          statistic: Stats.SUM,
        }),
      },
    ];
    return rows.map(
      ({ id, ...row }) =>
        new Alarm(this, id, {
          ...row,
          threshold: 0,
          comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
          evaluationPeriods: 1,
          treatMissingData: TreatMissingData.NOT_BREACHING,
        }),
    );
  }

  /**
   * No concurrency is reserved: new accounts have too little of it, and the lease of the table lets one load through at a time. One that waits
   * does so inside its function.
   */
  #makeHandler(settings: Settings, table: ApiResources['table']): ApiFunction {
    using bundles = bundleHandlers([HANDLER]);
    const handler = new ApiFunction(this, 'IngestFolder', {
      bundle: bundles.folderOf(HANDLER),
      memory: MEMORY_MB,
      timeout: TIMEOUT_SECONDS,
      temporary: TEMPORARY,
      environment: { TIME_ZONE: settings.timeZone, BUCKET_NAME: this.bucket.bucketName },
      logRetention: settings.logRetentionDays,
    });
    handler.configureAsyncInvoke({
      retryAttempts: 2,
      maxEventAge: Duration.hours(6),
      onFailure: new SqsDestination(this.failures),
    });
    handler.allowWriting(table, LOADED_PARTITIONS);
    const written = [PROGRESS_FILE, REPORT_FILE].flatMap((name) => [name, `*/${name}`]);
    const grants = [
      { actions: ['s3:GetObject'], resources: [this.bucket.arnForObjects('*')] },
      { actions: ['s3:ListBucket'], resources: [this.bucket.bucketArn] }, // without it, S3 does not tell what is missing from what is forbidden
      { actions: ['s3:PutObject'], resources: written.map((name) => this.bucket.arnForObjects(name)) },
    ];
    for (const grant of grants) handler.addToRolePolicy(new PolicyStatement(grant));
    return handler;
  }
}

/** By CloudFormation itself; the construct's own way is a custom resource with one more function. */
function sendEvents(bucket: Bucket): void {
  const { defaultChild } = bucket.node;
  if (!(defaultChild instanceof CfnBucket)) throw new Error('the bucket is made of something else');
  defaultChild.notificationConfiguration = { eventBridgeConfiguration: { eventBridgeEnabled: true } };
}
