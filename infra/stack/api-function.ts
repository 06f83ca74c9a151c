import { CfnOutput, CfnResource, Duration, RemovalPolicy, type Size, Stack } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  type Alias,
  ApplicationLogLevel,
  Architecture,
  Code,
  type IFunction,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { type PartitionName, partitionPattern } from '../config/partition-permissions.ts';
import type { Route } from '../config/routes.ts';
import type { Settings } from '../config/settings.ts';
import type { addSigningKeys } from './signing-keys.ts';

interface ApiFunctionProps {
  /** The folder that contains the bundled handler, `index.mjs`. */
  readonly bundle: string;
  /** In MB. */
  readonly memory: number;
  /** In seconds. */
  readonly timeout: number;
  /** Size of the temporary storage; default: 512 MB. */
  readonly temporary?: Size;
  readonly environment: Readonly<Record<string, string>>;
  readonly settings: Settings;
  /** The lowest level of the function's own log lines; default: INFO. */
  readonly logLevel?: Settings['logLevel'];
  /** Reserved executions, which are also the limit; without, the function shares the account's. Provisioned: instances that are always ready. */
  readonly concurrency?: Settings['concurrency'][string] | undefined;
}

interface ApiResources {
  readonly table: TableV2;
  readonly signingKeys: ReturnType<typeof addSigningKeys>;
}

type LiveAlias = Alias & IFunction;

/** A bundled handler, with its log group and role beside it in a construct of its own. Until an `allow…` method is called, it may only write its own log. */
export class ApiFunction extends LambdaFunction {
  /**
   * The alias `live` of the deployed version. Everything that invokes the function does so through it, so that a deployment switches all callers from
   * one complete version (code and environment) to the next.
   */
  readonly live: LiveAlias;

  constructor(scope: Construct, id: string, props: ApiFunctionProps) {
    const { settings, logLevel = 'INFO' } = props;
    const { reserved, provisioned } = props.concurrency ?? {};
    const parent = new Construct(scope, id);
    const logGroup = new LogGroup(parent, 'Log', {
      retention: settings.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // instead of the managed policy AWSLambdaBasicExecutionRole, which allows writing to every log group of the account
    const role = new Role(parent, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    super(parent, id, {
      code: Code.fromAsset(props.bundle),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: settings.sam === 'x86_64' ? Architecture.X86_64 : Architecture.ARM_64,
      memorySize: props.memory,
      timeout: Duration.seconds(props.timeout),
      ...(props.temporary === undefined ? {} : { ephemeralStorageSize: props.temporary }),
      // SAM passes only variables of the template; the SDK ignores an empty endpoint
      environment: { ...(settings.sam !== undefined ? { AWS_ENDPOINT_URL: '' } : {}), ...props.environment },
      ...(reserved === undefined ? {} : { reservedConcurrentExecutions: reserved }),
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      applicationLogLevelV2: ApplicationLogLevel[logLevel],
      systemLogLevelV2: SystemLogLevel.WARN, // without start, end and report lines
      // Invocations still reach the previous version for a moment after the switch. A version whose deployment fails is deleted, because Lambda publishes
      // none that equals the last one, so that it could not be deployed again.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
    });
    const { defaultChild } = this.node;
    // SAM reads the name from the path of the construct only if that has no parent
    if (settings.sam !== undefined && CfnResource.isCfnResource(defaultChild))
      defaultChild.addMetadata('SamResourceId', id);
    const live = this.addAlias(
      'live',
      provisioned === undefined ? {} : { provisionedConcurrentExecutions: provisioned },
    );
    if (!isFunction(live)) throw new Error(`the alias of ${id} cannot be invoked`);
    this.live = live;
    new CfnOutput(Stack.of(this), `${id}LogName`, {
      value: logGroup.logGroupName,
      description: `The log group of the function ${id}`,
    });
  }

  /** Allows reading these partitions of the table, but no scan. */
  allowReading(table: TableV2, partitions: readonly PartitionName[]): void {
    this.#allowIn(table, partitions, ['GetItem', 'BatchGetItem', 'Query']);
  }

  allowRecordingUse(table: TableV2): void {
    this.#allowIn(table, ['usage'], ['UpdateItem']);
  }

  /** Allows writing entries of loads to the audit, but not reading or deleting them, nor writing entries of keys. IAM cannot allow new items only. */
  allowAuditing(table: TableV2): void {
    this.#allowIn(table, ['loadAudit'], ['PutItem']);
  }

  /** Allows reading, writing and deleting in these partitions. */
  allowWriting(table: TableV2, partitions: readonly PartitionName[]): void {
    this.allowReading(table, partitions);
    this.#allowIn(table, partitions, ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem']);
  }

  allow(permission: Route['access'][number], { table, signingKeys: { current, accepted } }: ApiResources): void {
    switch (permission) {
      case 'writeView':
        this.#allowIn(table, ['views'], ['UpdateItem']);
        return;
      case 'readPublicKey':
        for (const key of [current, ...accepted]) key.grant(this, 'kms:GetPublicKey');
        return;
      case 'sign':
        // The accepted keys, too: a deployment changes the permissions also of the version that it replaces, whose current key may be one of them.
        this.addToRolePolicy(
          new PolicyStatement({
            actions: ['kms:Sign'],
            resources: [current, ...accepted].map(({ keyArn }) => keyArn),
            conditions: { StringEquals: { 'kms:SigningAlgorithm': 'ECDSA_SHA_256' } },
          }),
        );
        return;
    }
  }

  /** Allows the actions in these partitions only. */
  #allowIn(table: TableV2, partitions: readonly PartitionName[], actions: readonly string[]): void {
    this.addToRolePolicy(
      new PolicyStatement({
        actions: actions.map((action) => `dynamodb:${action}`),
        resources: [table.tableArn],
        // ForAllValues alone is also true for a request without a key
        conditions: {
          'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions.map(partitionPattern) },
          Null: { 'dynamodb:LeadingKeys': 'false' },
        },
      }),
    );
  }
}

/** CDK declares optional members with undefined in `Alias` and without in `IFunction`, which `exactOptionalPropertyTypes` distinguishes. */
function isFunction(alias: Alias): alias is LiveAlias {
  return 'addPermission' in alias && 'functionArn' in alias;
}
