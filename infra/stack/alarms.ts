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

/** What the functions ask of the table, that of the ingestion included. */
const USED_OPERATIONS = [
  Operation.GET_ITEM,
  Operation.BATCH_GET_ITEM,
  Operation.QUERY,
  Operation.UPDATE_ITEM,
  Operation.PUT_ITEM,
  Operation.DELETE_ITEM,
  Operation.BATCH_WRITE_ITEM,
];

/** What alarms and dashboard look at. */
export interface Watched {
  readonly api: RestApi;
  readonly table: TableV2;
  /** By the name of their file in `functions/`; each route's, and no other. */
  readonly functions: ReadonlyMap<string, ApiFunction>;
}

interface AlarmRow {
  readonly id: string;
  /** For the person who is woken: what is wrong, and where to look. */
  readonly description: string;
  readonly metric: IMetric;
  /** It goes off above this. */
  readonly above: number;
  /** Of so many periods so many must be bad. */
  readonly bad: readonly [number, number];
}

/**
 * The alarms; with the setting `alarmEmail` they and their ends are told by e-mail.
 * @param others alarms of parts of the stack that make their own, told in the same way
 */
export function addAlarms(
  scope: Construct,
  watched: Watched,
  { alarmEmail }: Settings,
  others: readonly Alarm[] = [],
): void {
  const alarms = alarmRows(watched).map(
    ({ id, description, metric, above, bad: [datapointsToAlarm, evaluationPeriods] }) =>
      new Alarm(scope, id, {
        alarmDescription: description,
        metric,
        threshold: above,
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        datapointsToAlarm,
        evaluationPeriods,
        treatMissingData: TreatMissingData.NOT_BREACHING, // nobody asks: nothing is wrong
      }),
  );
  if (alarmEmail === undefined) return;
  const tell = new SnsAction(addTopic(scope, alarmEmail));
  for (const alarm of [...alarms, ...others]) {
    alarm.addAlarmAction(tell);
    alarm.addOkAction(tell);
  }
}

/** A topic with a policy of its own, as enforceSSL makes one, has lost the one by which alarms of the account may publish to any topic. */
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

/** Plain figures, one alarm each: those that add up several cost as much, and do not say which function or operation it is. */
function alarmRows({ api, table, functions }: Watched): AlarmRow[] {
  return [
    {
      id: 'ServerErrorsAlarm',
      description:
        'More than 1 % of the requests are answered with 5xx. The access log says which route, its function’s log why.',
      metric: api.metricServerError({ period: MINUTE, statistic: Stats.AVERAGE }),
      above: 0.01,
      bad: [3, 5],
    },
    ...[...functions].flatMap(([name, it]) => functionRows(name, it)),
    ...Object.entries(throttlesOf(table)).map(([kind, metric]) => ({
      id: `Table${kind}ThrottledAlarm`,
      description: `DynamoDB refuses ${kind.toLowerCase()}: a partition or the table is asked for more than it carries. See the setting warmThroughput.`,
      metric,
      above: 0,
      bad: [2, 3] as const,
    })),
    ...USED_OPERATIONS.map((operation) => ({
      id: `Table${operation}FailsAlarm`,
      description: `DynamoDB itself fails at ${operation}. See the AWS Health Dashboard.`,
      metric: table.metric('SystemErrors', {
        dimensionsMap: { TableName: table.tableName, Operation: operation },
        period: FIVE_MINUTES,
        statistic: Stats.SUM,
      }),
      above: 0,
      bad: [2, 3] as const,
    })),
  ];
}

function functionRows(name: string, it: ApiFunction): AlarmRow[] {
  const slow = name === 'submit-report' ? SLOW_REPORT_MS : SLOW_LISTING_MS;
  return [
    {
      id: `${it.node.id}FailsAlarm`,
      description: `The function ${name} has ended without an answer: a crash, a time-out, or too little memory. See its log.`,
      metric: it.metricErrors({ period: FIVE_MINUTES, statistic: Stats.SUM }),
      above: 0,
      bad: [1, 1],
    },
    {
      id: `${it.node.id}ThrottledAlarm`,
      description: `Requests are refused because no instance of ${name} is free. Raise the account’s quota of concurrent executions, or reservedConcurrency.`,
      metric: it.metricThrottles({ period: FIVE_MINUTES, statistic: Stats.SUM }),
      above: 0,
      bad: [2, 3],
    },
    {
      id: `${it.node.id}SlowAlarm`,
      description: `The slowest of a hundred requests to ${name} takes longer than ${slow / 1000} seconds; after 25 the answer is 504.`,
      metric: it.metricDuration({ period: FIVE_MINUTES, statistic: Stats.p(99) }),
      above: slow,
      bad: [3, 5],
    },
  ];
}

/** Throttled events, counted by the table as a whole. */
export function throttlesOf(table: TableV2): Record<string, IMetric> {
  const options = { period: FIVE_MINUTES, statistic: Stats.SUM };
  return {
    Reads: table.metric('ReadThrottleEvents', options),
    Writes: table.metric('WriteThrottleEvents', options),
  };
}
