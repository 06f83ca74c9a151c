import { Aws, Duration } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Alarm, ComparisonOperator, type IMetric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Operation, type TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import type { ApiFunction } from './api-function.ts';

const MINUTE = Duration.minutes(1);
const FIVE_MINUTES = Duration.minutes(5);

const SLOW_LISTING_MS = 1_000;
const SLOW_REPORT_MS = 15_000;

/** The table operations that the functions use, including the ingestion's. */
const USED_OPERATIONS = [
  Operation.GET_ITEM,
  Operation.BATCH_GET_ITEM,
  Operation.QUERY,
  Operation.UPDATE_ITEM,
  Operation.PUT_ITEM,
  Operation.DELETE_ITEM,
  Operation.BATCH_WRITE_ITEM,
];

/** The resources that alarms and dashboard monitor. */
export interface MonitoredResources {
  readonly api: RestApi;
  readonly table: TableV2;
  /** The routes' functions, by the name of their file in `functions/`. */
  readonly functions: ReadonlyMap<string, ApiFunction>;
}

interface AlarmRow {
  readonly id: string;
  /** For the person on call: what is wrong, and where to look. */
  readonly description: string;
  readonly metric: IMetric;
  /** The alarm goes off if the metric is above the threshold in `datapoints` of the last `periods` periods. */
  readonly threshold: number;
  readonly datapoints: number;
  readonly periods: number;
}

export const ABOVE_ZERO = { threshold: 0, datapoints: 1, periods: 1 } as const;
const REPEATEDLY_ABOVE_ZERO = { threshold: 0, datapoints: 2, periods: 3 } as const;

/**
 * Adds the alarms. If the setting `alarmEmail` is set, an e-mail reports when an alarm goes off and when it is over.
 * @param others alarms that other constructs have added; they are reported in the same way
 */
export function addAlarms(
  scope: Construct,
  resources: MonitoredResources,
  { alarmEmail }: Settings,
  others: readonly Alarm[],
): void {
  const alarms = alarmRows(resources).map((row) => addAlarm(scope, row));
  if (alarmEmail === undefined) return;
  const notify = new SnsAction(addTopic(scope, alarmEmail));
  for (const alarm of [...alarms, ...others]) {
    alarm.addAlarmAction(notify);
    alarm.addOkAction(notify);
  }
}

export function addAlarm(
  scope: Construct,
  { id, description, metric, threshold, datapoints, periods }: AlarmRow,
): Alarm {
  return new Alarm(scope, id, {
    alarmDescription: description,
    metric,
    threshold,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    datapointsToAlarm: datapoints,
    evaluationPeriods: periods,
    treatMissingData: TreatMissingData.NOT_BREACHING, // without requests there is no data
  });
}

/** `enforceSSL` adds a policy to the topic, which replaces the default one that lets the account's alarms publish; so that permission is added. */
function addTopic(scope: Construct, address: string): Topic {
  const topic = new Topic(scope, 'AlarmTopic', { enforceSSL: true });
  topic.addToResourcePolicy(
    new PolicyStatement({
      sid: 'AlarmsOfTheAccount',
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
    }),
  );
  topic.addSubscription(new EmailSubscription(address));
  return topic;
}

/** One alarm per metric: an alarm on a sum of metrics costs as much, and does not name the function or operation. */
function alarmRows({ api, table, functions }: MonitoredResources): AlarmRow[] {
  return [
    {
      id: 'ServerErrorsAlarm',
      description:
        'More than 1 % of the responses are 5xx. The access log shows the route, and the log of its function the cause.',
      metric: api.metricServerError({ period: MINUTE, statistic: Stats.AVERAGE }),
      threshold: 0.01,
      datapoints: 3,
      periods: 5,
    },
    ...[...functions].flatMap(([name, handler]) => functionRows(name, handler)),
    ...Object.entries(throttlesOf(table)).map(([kind, metric]) => ({
      id: `Table${kind}ThrottledAlarm`,
      description: `DynamoDB throttles ${kind.toLowerCase()}: the load on the table or on one partition exceeds its capacity. See the setting warmThroughput.`,
      metric,
      ...REPEATEDLY_ABOVE_ZERO,
    })),
    ...USED_OPERATIONS.map((operation) => ({
      id: `Table${operation}FailsAlarm`,
      description: `${operation} calls fail with errors inside DynamoDB. See the AWS Health Dashboard.`,
      metric: table.metric('SystemErrors', {
        dimensionsMap: { TableName: table.tableName, Operation: operation },
        period: FIVE_MINUTES,
        statistic: Stats.SUM,
      }),
      ...REPEATEDLY_ABOVE_ZERO,
    })),
  ];
}

function functionRows(name: string, handler: ApiFunction): AlarmRow[] {
  const slow = name === 'submit-report' ? SLOW_REPORT_MS : SLOW_LISTING_MS;
  return [
    {
      id: `${handler.node.id}FailsAlarm`,
      description: `The function ${name} ended without a result: it crashed, timed out or ran out of memory. See its log.`,
      metric: handler.metricErrors({ period: FIVE_MINUTES, statistic: Stats.SUM }),
      ...ABOVE_ZERO,
    },
    {
      id: `${handler.node.id}ThrottledAlarm`,
      description: `Requests to ${name} are throttled because no instance is available. Raise the account’s quota of concurrent executions, or the setting reservedConcurrency.`,
      metric: handler.metricThrottles({ period: FIVE_MINUTES, statistic: Stats.SUM }),
      ...REPEATEDLY_ABOVE_ZERO,
    },
    {
      id: `${handler.node.id}SlowAlarm`,
      description: `The 99th percentile of the duration of ${name} is above ${slow / 1000} s. After 25 s the response is 504.`,
      metric: handler.metricDuration({ period: FIVE_MINUTES, statistic: Stats.p(99) }),
      threshold: slow,
      datapoints: 3,
      periods: 5,
    },
  ];
}

/** @returns the throttled reads and writes of the whole table */
export function throttlesOf(table: TableV2): Record<string, IMetric> {
  const options = { period: FIVE_MINUTES, statistic: Stats.SUM };
  return {
    Reads: table.metric('ReadThrottleEvents', options),
    Writes: table.metric('WriteThrottleEvents', options),
  };
}
