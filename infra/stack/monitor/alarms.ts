import { Aws, Duration } from 'aws-cdk-lib';
import { type Alarm, type IMetric, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Operation, type TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { INTERNAL_ERRORS_METRIC, METRIC_NAMESPACE } from '../../../shared/lib/log.ts';
import type { Settings } from '../../config/settings.ts';
import type { ApiFunction } from '../api-function.ts';
import { type AlarmRow, addAlarm } from './add-alarm.ts';
import { Freshness } from './freshness.ts';
import { ingestionAlarms } from './ingestion-alarms.ts';
import type { MonitoredResources } from './monitored-resources.ts';
import { rejectionAlarms } from './rejection-alarms.ts';

const MINUTE = Duration.minutes(1);
const FIVE_MINUTES = Duration.minutes(5);

/** For the functions behind the API except `submit-report`. */
const SLOW_MS = 1_000;
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

const REPEATEDLY_ABOVE_ZERO = { threshold: 0, datapoints: 2, periods: 3 } as const;

/** The error alarms of the functions behind the API, by the name of the function. */
export type ErrorAlarms = ReadonlyMap<string, readonly Alarm[]>;

/**
 * Adds the alarms that the settings ask for: all with `alarmEmail` or `alarms: always`, else only those that `deployment: canary` and `staleAfterHours` need.
 * If `alarmEmail` is set, an e-mail reports when an alarm enters the ALARM state and when it leaves it.
 * @returns the error alarms, which roll back canary deployments; none if the settings ask for none
 */
export function addAlarms(scope: Construct, resources: MonitoredResources, settings: Settings): ErrorAlarms {
  const { alarmEmail, alarms, deployment } = settings;
  const isWatched = alarms === 'always' || alarmEmail !== undefined;
  const staleAlarms = addFreshness(scope, resources, settings);
  const errorAlarms = new Map(
    (isWatched || deployment === 'canary' ? [...resources.functions] : []).map(([name, handler]) => [
      name,
      errorRows(name, handler).map((row) => addAlarm(scope, row)),
    ]),
  );
  if (!isWatched) return errorAlarms;
  const others = [
    ...serviceRows(resources).map((row) => addAlarm(scope, row)),
    ...rejectionAlarms(scope, resources).map((row) => addAlarm(scope, row)),
    ...ingestionAlarms(resources.ingestion, settings).map((row) => addAlarm(resources.ingestion, row)),
    ...staleAlarms,
  ];
  if (alarmEmail === undefined) return errorAlarms;
  const notify = new SnsAction(addTopic(scope, alarmEmail));
  for (const alarm of [...errorAlarms.values()].flat().concat(others)) {
    alarm.addAlarmAction(notify);
    alarm.addOkAction(notify);
  }
  return errorAlarms;
}

function addFreshness(scope: Construct, { table, bundles }: MonitoredResources, settings: Settings): Alarm[] {
  if (Object.keys(settings.staleAfterHours).length === 0) return [];
  const freshness = new Freshness(scope, 'Freshness', { settings, bundles, table });
  return freshness.alarms.map((row) => addAlarm(freshness, row));
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
function serviceRows({ api, table, functions }: MonitoredResources): AlarmRow[] {
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
      description: `DynamoDB throttles ${kind.toLowerCase()}: the load on the table or on one partition exceeds its capacity. See the runbook Throttled load.`,
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

/** Evaluated every minute, because a canary deployment takes only five; an alarm is over after five minutes without an error. */
const ANY_IN_FIVE_MINUTES = { threshold: 0, datapoints: 1, periods: 5 } as const;

function errorRows(name: string, handler: ApiFunction): AlarmRow[] {
  return [
    {
      id: `${handler.node.id}FailsAlarm`,
      description: `The function ${name} ended without a result: it crashed, timed out or ran out of memory. See its log.`,
      metric: handler.metricErrors({ period: MINUTE, statistic: Stats.SUM }),
      ...ANY_IN_FIVE_MINUTES,
    },
    {
      id: `${handler.node.id}ErrorsAlarm`,
      description: `A request to ${name} ended with status 500 because of an unexpected error. The line "unexpected error" in its log has the cause.`,
      metric: new Metric({
        namespace: METRIC_NAMESPACE,
        metricName: INTERNAL_ERRORS_METRIC,
        dimensionsMap: { functionName: handler.functionName },
        period: MINUTE,
        statistic: Stats.SUM,
      }),
      ...ANY_IN_FIVE_MINUTES,
    },
  ];
}

function functionRows(name: string, handler: ApiFunction): AlarmRow[] {
  const slow = name === 'submit-report' ? SLOW_REPORT_MS : SLOW_MS;
  return [
    {
      id: `${handler.node.id}ThrottledAlarm`,
      description: `Requests to ${name} are throttled because no instance is available. Raise the quota of concurrent executions of the account, or the setting reservedConcurrency.`,
      metric: handler.metricThrottles({ period: FIVE_MINUTES, statistic: Stats.SUM }),
      ...REPEATEDLY_ABOVE_ZERO,
    },
    {
      id: `${handler.node.id}SlowAlarm`,
      description: `The 99th percentile of the duration of ${name} is above ${slow / 1000} s. Near its time limit of ${handler.timeout?.toSeconds()} s the response is 504.`,
      metric: handler.metricDuration({ period: FIVE_MINUTES, statistic: Stats.p(99) }),
      threshold: slow,
      datapoints: 3,
      periods: 5,
    },
  ];
}

/** @returns the metrics of the whole table's throttled reads and writes, in events per five minutes */
export function throttlesOf(table: TableV2): Record<string, IMetric> {
  const options = { period: FIVE_MINUTES, statistic: Stats.SUM };
  return {
    Reads: table.metric('ReadThrottleEvents', options),
    Writes: table.metric('WriteThrottleEvents', options),
  };
}
