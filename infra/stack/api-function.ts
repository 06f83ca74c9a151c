import { Duration, RemovalPolicy, type Size } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import {
  ApplicationLogLevel,
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Right } from '../routes.ts';
import { PARTITIONS, type Partitions } from './partitions.ts';

export interface ApiFunctionProps {
  /** The folder with the bundled handler, `index.mjs`. */
  readonly bundle: string;
  /** MB */
  readonly memory: number;
  /** Seconds */
  readonly timeout: number;
  /** Room for temporary files; 512 MB unless given. */
  readonly temporary?: Size;
  readonly environment: Readonly<Record<string, string>>;
  readonly logRetention: RetentionDays;
  /** Instances kept for the function, and its limit; undefined: it shares the account's. */
  readonly reservedConcurrency?: number | undefined;
}

/** What rights are granted on. */
export interface ApiResources {
  readonly table: TableV2;
  readonly signingKey: IKey;
}

/** A bundled handler. It may write its own log group and nothing else until `allow` is called. */
export class ApiFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, props: ApiFunctionProps) {
    const logGroup = new LogGroup(scope, `${id}Log`, {
      retention: props.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // Instead of the managed AWSLambdaBasicExecutionRole, which may write to every log group of the account.
    const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    super(scope, id, {
      code: Code.fromAsset(props.bundle),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: props.memory,
      timeout: Duration.seconds(props.timeout),
      ...(props.temporary === undefined ? {} : { ephemeralStorageSize: props.temporary }),
      environment: { ...props.environment },
      ...(props.reservedConcurrency === undefined ? {} : { reservedConcurrentExecutions: props.reservedConcurrency }),
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      systemLogLevelV2: SystemLogLevel.WARN, // start, end and report lines would be a third of what logs cost
    });
  }

  /** Lets it read these partitions of the table, without scanning, and tells it the table's name. */
  allowReading(table: TableV2, partitions: readonly Partitions[]): void {
    this.addEnvironment('TABLE_NAME', table.tableName);
    this.#allowIn(table, partitions, ['GetItem', 'BatchGetItem', 'Query']);
  }

  /** The same, and write and delete there. */
  allowWriting(table: TableV2, partitions: readonly Partitions[]): void {
    this.allowReading(table, partitions);
    this.#allowIn(table, partitions, ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem']);
  }

  /** Grants what `right` says and sets the environment variable that names the resource: one without the other is no use. */
  allow(right: Right, { table, signingKey }: ApiResources): void {
    switch (right) {
      case 'writeView':
        this.#allowIn(table, ['views'], ['UpdateItem']);
        return;
      case 'writeResults':
        this.#allowIn(table, ['results'], ['PutItem', 'BatchWriteItem']);
        return;
      case 'readPublicKey':
        this.addEnvironment('JWT_KEY_ID', signingKey.keyId);
        signingKey.grant(this, 'kms:GetPublicKey');
        return;
      case 'sign':
        this.addToRolePolicy(
          new PolicyStatement({
            actions: ['kms:Sign'],
            resources: [signingKey.keyArn],
            conditions: { StringEquals: { 'kms:SigningAlgorithm': 'ECDSA_SHA_256' } },
          }),
        );
        return;
    }
  }

  /** @param partitions outside of which the actions stay forbidden */
  #allowIn(table: TableV2, partitions: readonly Partitions[], actions: readonly string[]): void {
    this.addToRolePolicy(
      new PolicyStatement({
        actions: actions.map((action) => `dynamodb:${action}`),
        resources: [table.tableArn],
        // ForAllValues alone is also true where there is no key at all.
        conditions: {
          'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions.map((it) => PARTITIONS[it]) },
          Null: { 'dynamodb:LeadingKeys': 'false' },
        },
      }),
    );
  }
}
