import { Aws, Duration } from 'aws-cdk-lib';
import { type Alarm, type IAlarmAction, type IMetric, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { METRIC_NAMESPACE } from '../../../shared/lib/log.ts';
import type { Settings } from '../../config/settings.ts';
import { type AlarmRow, addAlarm, type Severity } from './add-alarm.ts';
import { Freshness } from './freshness.ts';
import { capacityAlarms, errorAlarms } from './function-alarms.ts';
import { ingestionAlarm, waitingAlarm } from './ingestion-alarm.ts';
import { FIREWALL_METRIC, type MonitoredResources } from './monitored-resources.ts';
import { rejectionAlarms } from './rejection-alarms.ts';

/** Of five minutes. */
const SUM = { period: Duration.minutes(5), statistic: Stats.SUM };

/**
 * Adds the alarms that the settings ask for: all, or with `alarms: false` only those that `deployment: canary` and
 * `staleAfterHours` need. The address, and the topic of its severity, are notified when an alarm enters the ALARM state and when it leaves it.
 * @returns the alarms on errors of functions, which roll back canary deployments; none if the settings ask for none
 */
export function addAlarms(scope: Construct, resources: MonitoredResources, settings: Settings): readonly Alarm[] {
  const { alarms, deployment, probe, staleAfterHours } = settings;
  const { functions, ingestion, table, bundles, check } = resources;
  const actions = addActions(scope, settings);
  const isWatched = alarms !== false;
  const addRows = (parent: Construct, rows: readonly AlarmRow[]) =>
    rows.map((row) => addAlarm(parent, row, actions[row.severity]));
  if (Object.keys(staleAfterHours).length > 0) {
    const freshness = new Freshness(scope, 'Freshness', { settings, bundles, table });
    addRows(freshness, [freshness.alarm]);
  }
  const errors = isWatched || deployment === 'canary' ? addRows(scope, errorAlarms(functions)) : [];
  if (!isWatched) return errors;
  addRows(scope, [
    ...serviceAlarms(scope, resources, settings),
    ...capacityAlarms(functions),
    ...rejectionAlarms(scope, resources),
    ...(probe && check !== undefined ? [check.alarm] : []),
  ]);
  addRows(ingestion, [ingestionAlarm(ingestion), waitingAlarm(ingestion)]);
  return errors;
}

/** @returns what notifies the address and the topics in the settings */
function addActions(scope: Construct, settings: Settings): Record<Severity, IAlarmAction[]> {
  const alarms = settings.alarms || {};
  const email = alarms.email === undefined ? [] : [new SnsAction(addTopic(scope, alarms.email))];
  const actionsOf = (severity: Severity) => {
    const arn = alarms[severity];
    return arn === undefined ? email : [...email, new SnsAction(Topic.fromTopicArn(scope, `Topic-${severity}`, arn))];
  };
  return { page: actionsOf('page'), ticket: actionsOf('ticket') };
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

/** @returns the alarms on API, firewall and table */
function serviceAlarms(scope: Construct, resources: MonitoredResources, settings: Settings): AlarmRow[] {
  const { accessLog, api, table } = resources;
  // API Gateway has no metric of its own 429s, so this counts their lines in the access log. A regular expression, because the user agent in a line may have
  // quotation marks, which make it unreadable as JSON.
  const throttled = new MetricFilter(scope, 'GatewayThrottled', {
    logGroup: accessLog,
    filterPattern: FilterPattern.literal('%.gatewayResponse.:.THROTTLED.%'),
    metricNamespace: METRIC_NAMESPACE,
    metricName: `${Aws.STACK_NAME}-gatewayThrottled`,
  });
  const gateway: AlarmRow[] = [
    {
      id: 'ServerErrorsAlarm',
      severity: 'page',
      description:
        'More than 1 % of the responses are 5xx. The access log shows the route, and the log of its function the cause.',
      metric: api.metricServerError({ period: Duration.minutes(1), statistic: Stats.AVERAGE }),
      threshold: 0.01,
      datapoints: 3,
      periods: 5,
    },
    {
      id: 'GatewayThrottledAlarm',
      severity: 'page',
      description:
        'API Gateway rejects requests with status 429, because a route gets more than the setting throttle or reportThrottle, or the account more than its quota. The access log shows route and addresses: block a flood in the web ACL, or raise the limit.',
      metric: throttled.metric(SUM),
      threshold: 0,
      datapoints: 2,
      periods: 3,
    },
  ];
  const firewall: AlarmRow[] = [
    {
      id: 'BlockedRequestsAlarm',
      severity: 'ticket',
      description:
        'The firewall has blocked more than 1,000 requests in five minutes. Its log shows rule and addresses: if a caller needs more requests, raise the setting waf.',
      metric: firewallMetric('BlockedRequests'),
      threshold: 1_000,
      datapoints: 1,
      periods: 1,
    },
    // before the stage rejects requests, and at the firewall, because API Gateway may write neither log lines nor metrics of excessive 429s
    {
      id: 'FloodAlarm',
      severity: 'page',
      description:
        'The firewall lets more than 80 % of the requests of the setting throttle pass, so API Gateway may soon reject some with status 429, or does so already. The access log shows route and addresses: block a flood in the web ACL, or raise the limit.',
      metric: firewallMetric('AllowedRequests'),
      threshold: 0.8 * settings.throttle.rate * SUM.period.toSeconds(),
      datapoints: 2,
      periods: 3,
    },
  ];
  // only of reads: throttled writes are those of loads, which pace themselves by them
  const reads: AlarmRow = {
    id: 'TableThrottledAlarm',
    severity: 'ticket',
    description:
      'DynamoDB throttles reads, so requests are slow or get status 503: they exceed the capacity of the table, that of one partition, or the setting maxReadUnitsPerSecond. The dashboard shows read units by function.',
    metric: throttlesOf(table).reads,
    threshold: 0,
    datapoints: 2,
    periods: 3,
  };
  return [...gateway, ...(settings.waf === 'off' ? [] : firewall), reads];
}

function firewallMetric(metricName: string): IMetric {
  const dimensionsMap = { WebACL: FIREWALL_METRIC, Rule: 'ALL', Region: Aws.REGION };
  return new Metric({ namespace: 'AWS/WAFV2', metricName, dimensionsMap, ...SUM });
}

/** @returns the metrics of the whole table's throttled reads and writes, in events per five minutes */
export function throttlesOf(table: TableV2): Record<'reads' | 'writes', IMetric> {
  return { reads: table.metric('ReadThrottleEvents', SUM), writes: table.metric('WriteThrottleEvents', SUM) };
}
