import { join } from 'node:path';
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { ApplicationLogLevel, Architecture, LoggingFormat, Runtime, SystemLogLevel } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Right } from './routes.ts';

/** Partition keys under which a user's own items lie, the view among them. */
const USER_PARTITIONS = 'USER#*';
const ROOT = join(import.meta.dirname, '..');

export interface ApiFunctionProps {
  /** The file in `functions/` without its ending. */
  readonly file: string;
  /** MB */
  readonly memory: number;
  /** Seconds */
  readonly timeout: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly logRetention: RetentionDays;
}

/** What rights are granted on. */
export interface ApiResources {
  readonly table: TableV2;
  readonly signingKey: IKey;
}

/**
 * A handler of `functions/`, bundled as one minified ES module with the SDK inside (the runtime's own SDK is larger, older and starts slower).
 * It may write its own log group and nothing else until `allow` is called.
 */
export class ApiFunction extends NodejsFunction {
  constructor(scope: Construct, id: string, props: ApiFunctionProps) {
    const logGroup = new LogGroup(scope, `${id}Log`, {
      retention: props.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // Instead of the managed AWSLambdaBasicExecutionRole, which may write to every log group of the account.
    const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    super(scope, id, {
      entry: join(ROOT, 'functions', `${props.file}.ts`),
      projectRoot: ROOT,
      depsLockFilePath: join(ROOT, 'package-lock.json'),
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: props.memory,
      timeout: Duration.seconds(props.timeout),
      environment: { ...props.environment },
      awsSdkConnectionReuse: false, // the default of SDK 3; the variable was for SDK 2
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      systemLogLevelV2: SystemLogLevel.WARN, // start, end and report lines would be a third of what logs cost
      bundling: {
        format: OutputFormat.ESM,
        target: 'node24',
        mainFields: ['module', 'main'],
        minify: true,
        bundleAwsSDK: true,
      },
    });
  }

  /** Grants what `right` says and sets the environment variable that names the resource: one without the other is no use. */
  allow(right: Right, { table, signingKey }: ApiResources): void {
    switch (right) {
      case 'readTable':
        this.addEnvironment('TABLE_NAME', table.tableName);
        table.grant(this, 'dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query');
        return;
      case 'writeView':
        this.addToRolePolicy(
          new PolicyStatement({
            actions: ['dynamodb:PutItem', 'dynamodb:UpdateItem'],
            resources: [table.tableArn],
            // ForAllValues alone is also true where there is no key at all.
            conditions: {
              'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [USER_PARTITIONS] },
              Null: { 'dynamodb:LeadingKeys': 'false' },
            },
          }),
        );
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
}
