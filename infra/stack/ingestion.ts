import { join } from 'node:path';
import { CfnOutput, Duration, RemovalPolicy, Size, Stack } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { AnyPrincipal, ArnPrincipal, Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { BlockPublicAccess, Bucket, BucketEncryption, CfnBucket, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { MAX_ATTEMPTS } from '../../shared/ingest/folder-queue.ts';
import { READY_FILE, SUCCESS_FILE, USERS_PREFIX } from '../../shared/ingest/ready-file.ts';
import { PROGRESS_FILE, REPORT_FILE } from '../../shared/ingest/report-file.ts';
import { LOADED_PARTITIONS } from '../config/partition-permissions.ts';
import { INGESTION_MB } from '../config/service.ts';
import { finalityOf } from '../config/setting-schema.ts';
import type { Settings } from '../config/settings.ts';
import { ApiFunction } from './api-function.ts';

const TIMEOUT_SECONDS = 900;
/** The loader keeps rows, and copies of gzipped and Parquet files, in temporary files, which may be larger than memory. */
const TEMPORARY = Size.gibibytes(10);

/** The bucket is not an archive: what was loaded is in the table, and anything else can be uploaded again. */
const KEEP_FOLDERS = Duration.days(90);
/** The maximum of SQS. */
const KEEP_MESSAGES = Duration.days(14);
/** Six times the timeout, which AWS recommends for the queue of a function. The function itself sets shorter times, see FolderQueue. */
const VISIBILITY = Duration.seconds(6 * TIMEOUT_SECONDS);
/** All messages are in one group, of which SQS delivers the next message only when the one before is deleted or dead-lettered: one load at a time, in order. */
const MESSAGE_GROUP = 'folders';

interface IngestionProps {
  readonly table: TableV2;
  readonly settings: Settings;
  readonly bundles: string;
  readonly userIdKey: IKey;
  readonly removalPolicy: RemovalPolicy;
}

/** A bucket, a queue of the folders in it whose file `_READY` has arrived, and a function that loads them into the table one after another. */
export class Ingestion extends Construct {
  readonly bucket: Bucket;
  readonly handler: ApiFunction;
  readonly folders: Queue;
  /** The dead-letter queue of the queue of folders: events of folders whose load failed in every attempt because of an error that is not in their files. */
  readonly failures: Queue;
  /** Events that EventBridge could not put into the queue of folders. EventBridge accepts only a standard queue here, and SQS only a FIFO queue for `failures`. */
  readonly undelivered: Queue;
  readonly deadLetterQueues: readonly Queue[];

  constructor(scope: Construct, id: string, props: IngestionProps) {
    super(scope, id);
    const { removalPolicy } = props;
    this.bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      // not needed: a load reads by ETag, and ends if a file is overwritten meanwhile
      versioned: false,
      lifecycleRules: [
        {
          expiration: KEEP_FOLDERS,
          noncurrentVersionExpiration: Duration.days(1),
          abortIncompleteMultipartUploadAfter: Duration.days(7),
        },
      ],
      removalPolicy,
    });
    sendEvents(this.bucket);
    this.failures = this.#addQueue('Failures', { fifo: true });
    this.undelivered = this.#addQueue('Undelivered');
    this.folders = this.#addQueue('Folders', {
      fifo: true,
      // EventBridge requires it. Two arrivals of the same `_READY` differ in the event's id and sequencer; only a repeated delivery of one event is equal.
      contentBasedDeduplication: true,
      visibilityTimeout: VISIBILITY,
      deadLetterQueue: { queue: this.failures, maxReceiveCount: MAX_ATTEMPTS },
    });
    this.deadLetterQueues = [this.failures, this.undelivered];
    this.handler = this.#makeHandler(props);
    allowUploads(this.bucket, props.settings, this.handler.role?.roleArn);
    // EventBridge, because S3's own notifications cannot be sent to a FIFO queue
    new Rule(this, 'Ready', {
      description: `Queues a folder when its ${READY_FILE} or ${SUCCESS_FILE} arrives`,
      eventPattern: {
        source: ['aws.s3'],
        detailType: ['Object Created'],
        detail: {
          bucket: { name: [this.bucket.bucketName] },
          object: { key: [READY_FILE, SUCCESS_FILE].flatMap((name) => [name, { suffix: `/${name}` }]) },
        },
      },
      targets: [new SqsQueue(this.folders, { messageGroupId: MESSAGE_GROUP, deadLetterQueue: this.undelivered })],
    });
    new CfnOutput(Stack.of(this), 'BucketName', {
      value: this.bucket.bucketName,
      description: 'The stack loads folders that are uploaded here: npm run load -- FOLDER --bucket NAME',
    });
  }

  #addQueue(id: string, props: QueueProps = {}): Queue {
    return new Queue(this, id, {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: KEEP_MESSAGES,
      removalPolicy: RemovalPolicy.DESTROY,
      ...props,
    });
  }

  /**
   * No concurrency is reserved, because new AWS accounts have a low concurrency limit, and the queue has one message in progress. The table's lease also
   * excludes loads from other machines.
   */
  #makeHandler({ bundles, settings, table, userIdKey }: IngestionProps): ApiFunction {
    const { successMarker, rejectOlder, maxDrop, maxGrowth } = settings;
    const handler = new ApiFunction(this, 'IngestFolder', {
      bundle: join(bundles, 'ingest-folder'),
      memory: INGESTION_MB,
      timeout: TIMEOUT_SECONDS,
      temporary: TEMPORARY,
      environment: {
        TIME_ZONE: settings.timeZone,
        CURRENCY: settings.currency,
        ATTRIBUTION: JSON.stringify(settings.attribution),
        TABLE_NAME: table.tableName,
        PRODUCT_IDS: settings.productIds,
        BUCKET_NAME: this.bucket.bucketName,
        QUEUE_URL: this.folders.queueUrl,
        USER_ID_KEY: userIdKey.keyArn,
        LOAD_RULES: JSON.stringify({ successMarker, rejectOlder, maxDrop, maxGrowth, finality: finalityOf(settings) }),
      },
      settings,
    });
    // the function reports a failed message in its response instead of throwing an error
    handler.live.addEventSource(new SqsEventSource(this.folders, { batchSize: 1, reportBatchItemFailures: true }));
    handler.allowWriting(table, LOADED_PARTITIONS);
    handler.allowAuditing(table);
    const written = [PROGRESS_FILE, REPORT_FILE].flatMap((name) => [name, `*/${name}`]);
    const grants = [
      { actions: ['s3:GetObject'], resources: [this.bucket.arnForObjects('*')] },
      { actions: ['s3:ListBucket'], resources: [this.bucket.bucketArn] }, // without it, S3 reports a missing object as forbidden
      { actions: ['s3:PutObject'], resources: written.map((name) => this.bucket.arnForObjects(name)) },
      { actions: ['kms:GenerateMac'], resources: [userIdKey.keyArn] },
    ];
    for (const grant of grants) handler.addToRolePolicy(new PolicyStatement(grant));
    return handler;
  }
}

/** Allows what `npm run load -- --bucket` does, to each role below its own prefix. Of objects, roles can read their reports only. */
function allowUploads(bucket: Bucket, { uploaders, userUploaders }: Settings, handlerRole: string | undefined): void {
  const others = new PolicyStatement({
    effect: Effect.DENY,
    principals: [new AnyPrincipal()],
    actions: ['s3:PutObject'],
    resources: [bucket.arnForObjects(`${USERS_PREFIX}*`)],
    conditions: { ArnNotEquals: { 'aws:PrincipalArn': [...userUploaders, ...(handlerRole ? [handlerRole] : [])] } }, // the handler writes reports
  });
  bucket.addToResourcePolicy(others);
  for (const arn of new Set([...uploaders, ...userUploaders])) {
    const own = [prefixOf(arn), ...(userUploaders.includes(arn) ? [`${USERS_PREFIX}${prefixOf(arn)}`] : [])];
    const objects = (suffix: string) => own.map((prefix) => bucket.arnForObjects(`${prefix}*${suffix}`));
    const grants = [
      { actions: ['s3:PutObject', 's3:AbortMultipartUpload'], resources: objects('') },
      { actions: ['s3:GetObject'], resources: [PROGRESS_FILE, REPORT_FILE].flatMap(objects) },
      { actions: ['s3:ListBucket'], resources: [bucket.bucketArn] }, // so that a missing report is not forbidden
    ];
    const principals = [new ArnPrincipal(arn)];
    for (const grant of grants) bucket.addToResourcePolicy(new PolicyStatement({ principals, ...grant }));
  }
}

/** @returns the prefix of a role's folders: its account, and its name, which is unique there */
function prefixOf(arn: string): string {
  const [account, path = ''] = arn.split(':').slice(4);
  return `${account}/${path.replace(/^.*\//, '')}/`;
}

/** Sets the CloudFormation property, because the construct's own option adds a custom resource with another function. */
function sendEvents(bucket: Bucket): void {
  const { defaultChild } = bucket.node;
  if (!(defaultChild instanceof CfnBucket)) throw new Error('the bucket has no CfnBucket');
  defaultChild.notificationConfiguration = { eventBridgeConfiguration: { eventBridgeEnabled: true } };
}
