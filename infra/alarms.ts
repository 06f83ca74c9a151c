import { Duration } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Operation, type TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { ApiFunction } from './api-function.ts';
import type { Settings } from './settings.ts';

const MINUTE = Duration.minutes(1);
const FIVE_MINUTES = Duration.minutes(5);

/** What the functions ask of the table. */
const USED_OPERATIONS = [
  Operation.GET_ITEM,
  Operation.BATCH_GET_ITEM,
  Operation.QUERY,
  Operation.UPDATE_ITEM,
  Operation.PUT_ITEM,
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
  const topic = new Topic(scope, 'AlarmTopic', { enforceSSL: true });
  topic.addSubscription(new EmailSubscription(alarmEmail));
  const tell = new SnsAction(topic);
  for (const alarm of [...alarms, ...others]) {
    alarm.addAlarmAction(tell);
    alarm.addOkAction(tell);
  }
}

function alarmRows({ api, table, functions }: Watched): AlarmRow[] {
  const all = [...functions.values()];
  const listings = [...functions].filter(([name]) => name !== 'submit-report').map(([, it]) => it);
  const reports = functions.get('submit-report');
  return [
    {
      id: 'ServerErrorsAlarm',
      description:
        'More than 1 % of the requests are answered with 5xx. The access log says which route, its function’s log why.',
      metric: api.metricServerError({ period: MINUTE, statistic: Stats.AVERAGE }),
      above: 0.01,
      bad: [3, 5],
    },
    {
      id: 'FunctionErrorsAlarm',
      description:
        'A function has ended without an answer: a crash, a time-out, or too little memory. See the functions’ logs.',
      metric: together('SUM', all, (it) => it.metricErrors({ period: FIVE_MINUTES, statistic: Stats.SUM })),
      above: 0,
      bad: [1, 1],
    },
    {
      id: 'ThrottlesAlarm',
      description:
        'Requests are refused because no instance of a function is free. Raise the account’s quota of concurrent executions, or reservedConcurrency.',
      metric: together('SUM', all, (it) => it.metricThrottles({ period: FIVE_MINUTES, statistic: Stats.SUM })),
      above: 0,
      bad: [2, 3],
    },
    {
      id: 'SlowListingsAlarm',
      description: 'The slowest of a hundred listings takes longer than a second.',
      metric: together('MAX', listings, (it) => it.metricDuration({ period: FIVE_MINUTES, statistic: Stats.p(99) })),
      above: 1_000,
      bad: [3, 5],
    },
    ...(reports === undefined
      ? []
      : [
          {
            id: 'SlowReportsAlarm',
            description:
              'The slowest of a hundred reports takes longer than 15 seconds; at 25 seconds they are answered with 504.',
            metric: reports.metricDuration({ period: FIVE_MINUTES, statistic: Stats.p(99) }),
            above: 15_000,
            bad: [3, 5] as const,
          },
        ]),
    {
      id: 'TableThrottlesAlarm',
      description:
        'DynamoDB refuses reads or writes: a partition or the table is asked for more than it carries. See warmThroughput.',
      metric: new MathExpression({
        expression: 'SUM(METRICS())',
        usingMetrics: throttlesOf(table),
        label: 'throttled reads and writes',
        period: FIVE_MINUTES,
      }),
      above: 0,
      bad: [2, 3],
    },
    {
      id: 'TableErrorsAlarm',
      description: 'DynamoDB itself fails. See the AWS Health Dashboard.',
      metric: table.metricSystemErrorsForOperations({
        operations: USED_OPERATIONS,
        period: FIVE_MINUTES,
        statistic: Stats.SUM,
      }),
      above: 0,
      bad: [2, 3],
    },
  ];
}

/** Throttled events, counted by the table as a whole. */
export function throttlesOf(table: TableV2): Record<string, IMetric> {
  const options = { period: FIVE_MINUTES, statistic: Stats.SUM };
  return {
    reads: table.metric('ReadThrottleEvents', options),
    writes: table.metric('WriteThrottleEvents', options),
  };
}

/** One figure of several functions: CloudWatch looks at up to ten at once in an alarm. */
function together(
  operation: 'SUM' | 'MAX',
  functions: readonly ApiFunction[],
  metric: (it: ApiFunction) => IMetric,
): MathExpression {
  return new MathExpression({
    expression: `${operation}(METRICS())`,
    usingMetrics: Object.fromEntries(functions.map((it, i) => [`f${i}`, metric(it)])),
    label: operation === 'SUM' ? 'all functions' : 'the slowest function',
    period: FIVE_MINUTES,
  });
}
