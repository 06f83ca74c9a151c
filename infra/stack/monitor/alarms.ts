import { Aws, Duration } from 'aws-cdk-lib';
import { type Alarm, type IMetric, MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { Settings } from '../../config/settings.ts';
import { type AlarmRow, addAlarm } from './add-alarm.ts';
import { Freshness } from './freshness.ts';
import { capacityAlarms, errorAlarms } from './function-alarms.ts';
import { ingestionAlarm } from './ingestion-alarm.ts';
import type { MonitoredResources } from './monitored-resources.ts';
import { rejectionAlarms } from './rejection-alarms.ts';

/**
 * Adds the alarms that the settings ask for: all with `alarmEmail` or `alarms: always`, else only those that `deployment: canary` and `staleAfterHours` need.
 * If `alarmEmail` is set, an e-mail reports when an alarm enters the ALARM state and when it leaves it.
 * @returns the alarms on errors of functions, which roll back canary deployments; none if the settings ask for none
 */
export function addAlarms(scope: Construct, resources: MonitoredResources, settings: Settings): readonly Alarm[] {
  const { alarmEmail, alarms, deployment } = settings;
  const isWatched = alarms === 'always' || alarmEmail !== undefined;
  const stale = addFreshness(scope, resources, settings);
  const errors = isWatched || deployment === 'canary' ? addRows(scope, errorAlarms(resources.functions)) : [];
  if (!isWatched) return errors;
  const all = [
    ...errors,
    ...stale,
    ...addRows(scope, [
      serverErrors(resources),
      tableThrottled(resources),
      ...capacityAlarms(resources.functions),
      ...rejectionAlarms(scope, resources),
    ]),
    addAlarm(resources.ingestion, ingestionAlarm(resources.ingestion, settings)),
  ];
  if (alarmEmail === undefined) return errors;
  const notify = new SnsAction(addTopic(scope, alarmEmail));
  for (const alarm of all) {
    alarm.addAlarmAction(notify);
    alarm.addOkAction(notify);
  }
  return errors;
}

const addRows = (scope: Construct, rows: readonly AlarmRow[]): Alarm[] => rows.map((row) => addAlarm(scope, row));

function addFreshness(scope: Construct, { table, bundles }: MonitoredResources, settings: Settings): Alarm[] {
  if (Object.keys(settings.staleAfterHours).length === 0) return [];
  const freshness = new Freshness(scope, 'Freshness', { settings, bundles, table });
  return [addAlarm(freshness, freshness.alarm)];
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

function serverErrors({ api }: MonitoredResources): AlarmRow {
  return {
    id: 'ServerErrorsAlarm',
    description:
      'More than 1 % of the responses are 5xx. The access log shows the route, and the log of its function the cause.',
    metric: api.metricServerError({ period: Duration.minutes(1), statistic: Stats.AVERAGE }),
    threshold: 0.01,
    datapoints: 3,
    periods: 5,
  };
}

function tableThrottled({ table }: MonitoredResources): AlarmRow {
  return {
    id: 'TableThrottledAlarm',
    description:
      'DynamoDB throttles reads or writes: the load on the table or on one partition exceeds its capacity. See the runbook Throttled load.',
    metric: new MathExpression({
      expression: 'SUM(FILL(METRICS(), 0))',
      usingMetrics: throttlesOf(table),
      period: Duration.minutes(5),
      label: 'throttled calls',
    }),
    threshold: 0,
    datapoints: 2,
    periods: 3,
  };
}

/** @returns the metrics of the whole table's throttled reads and writes, in events per five minutes */
export function throttlesOf(table: TableV2): Record<string, IMetric> {
  const options = { period: Duration.minutes(5), statistic: Stats.SUM };
  return {
    reads: table.metric('ReadThrottleEvents', options),
    writes: table.metric('WriteThrottleEvents', options),
  };
}
