import { Aws } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { ApiFunction } from '../api-function.ts';
import type { AlarmRow } from './add-alarm.ts';

/** The value of the dimension `WebACL` of the firewall's metrics. */
export const FIREWALL_METRIC = `${Aws.STACK_NAME}-Firewall`;

/** The resources that alarms and dashboard monitor. */
export interface MonitoredResources {
  readonly api: RestApi;
  readonly table: TableV2;
  /**
   * The functions behind the API, by the name of their file in `functions/`. Metrics are those of the function, not of its alias: every invocation goes through
   * the alias, so the figures are equal, and they continue over deployments.
   */
  readonly functions: ReadonlyMap<string, ApiFunction>;
  readonly ingestion: Construct & {
    readonly handler: ApiFunction;
    readonly folders: IQueue;
    /** The queues that receive the events of folders that could not be loaded. */
    readonly deadLetterQueues: readonly IQueue[];
  };
  readonly accessLog: ILogGroup;
  /** Exists if the settings have a probe or canary deployments. */
  readonly check: { readonly handler: ApiFunction; readonly alarm: AlarmRow } | undefined;
  readonly bundles: string;
}
