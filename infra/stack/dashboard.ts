import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import {
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  LogQueryVisualizationType,
  LogQueryWidget,
  Metric,
  Stats,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { METRIC_NAMESPACE } from '../../shared/lib/log.ts';
import { throttlesOf, type Watched } from './alarms.ts';

const WHOLE = 24;
const HALF = 12;
const THIRD = 8;
const HEIGHT = 6;

/** One page for people: is it used, is it well, what does it cost. */
export function addDashboard(scope: Construct, watched: Watched, accessLog: ILogGroup): void {
  const dashboard = new Dashboard(scope, 'Dashboard', {
    defaultInterval: Duration.hours(12),
    widgets: [
      heading('Traffic', 'Requests a minute, and how they were answered'),
      traffic(watched),
      heading('Latency', 'At the gateway over all routes, and in each function (50 and 99 of a hundred are faster)'),
      latency(watched),
      heading('Work', 'What the requests read: a read unit costs, a scanned row takes time'),
      work(watched),
      heading('Health', 'Anything above zero is worth a look'),
      health(watched),
      [slowest(accessLog)],
    ],
  });
  const { region } = Stack.of(scope);
  new CfnOutput(scope, 'DashboardUrl', {
    value: `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}#dashboards:name=${dashboard.dashboardName}`,
    description: 'Traffic, latency, errors and what they cost (in the partition aws)',
  });
}

function traffic({ api, functions }: Watched): IWidget[] {
  return [
    graph('Requests', HALF, [api.metricCount({ ...minutely(Stats.SUM), label: 'requests' })]),
    graph('Answered with an error', HALF, [
      api.metricClientError({ ...minutely(Stats.SUM), label: '4xx: wrong requests' }),
      api.metricServerError({ ...minutely(Stats.SUM), label: '5xx: our fault' }),
    ]),
    graph(
      'Requests by route',
      WHOLE,
      each(functions, (it, label) => it.metricInvocations({ ...minutely(Stats.SUM), label })),
    ),
  ];
}

function latency({ api, functions }: Watched): IWidget[] {
  return [
    graph('At the gateway (ms)', THIRD, [
      api.metricLatency({ ...minutely(Stats.p(50)), label: 'half of the requests' }),
      api.metricLatency({ ...minutely(Stats.p(99)), label: '99 of 100' }),
    ]),
    graph(
      'Functions, 50 of 100 (ms)',
      THIRD,
      each(functions, (it, label) => it.metricDuration({ ...minutely(Stats.p(50)), label })),
    ),
    graph(
      'Functions, 99 of 100 (ms)',
      THIRD,
      each(functions, (it, label) => it.metricDuration({ ...minutely(Stats.p(99)), label })),
    ),
  ];
}

function work({ table, functions }: Watched): IWidget[] {
  const report = functions.get('submit-report');
  const scanned = (statistic: string, label: string) =>
    report === undefined ? [] : [ownMetric('rowsScanned', report.functionName, statistic, label)];
  return [
    graph('Rows scanned by reports', THIRD, scanned(Stats.SUM, 'rows a minute')),
    graph('Rows scanned by one report', THIRD, [
      ...scanned(Stats.p(50), 'half of the reports'),
      ...scanned(Stats.p(99), '99 of 100'),
      ...scanned(Stats.MAXIMUM, 'the largest'),
    ]),
    graph(
      'Read units of one request',
      THIRD,
      each(functions, (it, label) => ownMetric('readUnits', it.functionName, Stats.AVERAGE, label)),
    ),
    graph(
      'Read units by route',
      HALF,
      each(functions, (it, label) => ownMetric('readUnits', it.functionName, Stats.SUM, label)),
    ),
    graph('Read and write units of the table', HALF, [
      table.metricConsumedReadCapacityUnits({ ...minutely(Stats.SUM), label: 'read units' }),
      table.metricConsumedWriteCapacityUnits({ ...minutely(Stats.SUM), label: 'write units' }),
    ]),
  ];
}

function health({ table, functions }: Watched): IWidget[] {
  return [
    graph(
      'Functions that ended without an answer',
      THIRD,
      each(functions, (it, label) => it.metricErrors({ ...minutely(Stats.SUM), label })),
    ),
    graph(
      'Refused for want of an instance',
      THIRD,
      each(functions, (it, label) => it.metricThrottles({ ...minutely(Stats.SUM), label })),
    ),
    graph('Refused by the table', THIRD, Object.values(throttlesOf(table))),
  ];
}

function slowest(accessLog: ILogGroup): IWidget {
  return new LogQueryWidget({
    title: 'The slowest routes of the access log',
    logGroupNames: [accessLog.logGroupName],
    view: LogQueryVisualizationType.TABLE,
    width: WHOLE,
    height: HEIGHT,
    queryLines: [
      'stats count(*) as requests, pct(latency, 50) as p50, pct(latency, 99) as p99, max(latency) as slowest by method, route, status',
      'sort p99 desc',
      'limit 50',
    ],
  });
}

/** A figure that the functions log in the embedded metric format. */
function ownMetric(metricName: string, functionName: string, statistic: string, label: string): IMetric {
  return new Metric({
    namespace: METRIC_NAMESPACE,
    metricName,
    dimensionsMap: { functionName },
    label,
    ...minutely(statistic),
  });
}

function each(
  functions: Watched['functions'],
  metric: (it: NonNullable<ReturnType<Watched['functions']['get']>>, label: string) => IMetric,
): IMetric[] {
  return [...functions].map(([name, it]) => metric(it, name));
}

const minutely = (statistic: string) => ({ statistic, period: Duration.minutes(1) });

function graph(title: string, width: number, left: IMetric[]): IWidget {
  return new GraphWidget({ title, width, height: HEIGHT, left, leftYAxis: { min: 0, showUnits: false } });
}

function heading(title: string, says: string): IWidget[] {
  return [new TextWidget({ markdown: `## ${title}\n${says}`, width: WHOLE, height: 2 })];
}
