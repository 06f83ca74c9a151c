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
import type { Construct } from 'constructs';
import { METRIC_NAMESPACE } from '../../../shared/lib/log.ts';
import type { ApiFunction } from '../api-function.ts';
import { throttlesOf } from './alarms.ts';
import { internalErrors } from './function-alarms.ts';
import type { MonitoredResources } from './monitored-resources.ts';

/** Widths and height of widgets, in units of CloudWatch's grid, which is 24 wide. */
const WHOLE = 24;
const HALF = 12;
const THIRD = 8;
const HEIGHT = 6;

/** Adds a dashboard with traffic, latency, errors, and the figures that determine the cost. */
export function addDashboard(scope: Construct, resources: MonitoredResources): void {
  const dashboard = new Dashboard(scope, 'Dashboard', {
    defaultInterval: Duration.hours(12),
    widgets: [
      heading('Traffic', 'Requests per minute, and error responses'),
      traffic(resources),
      heading('Latency', 'Of all routes at the gateway, and of each function, as percentiles'),
      latency(resources),
      heading('Work', 'Read units determine the cost of a request, scanned rows its duration'),
      work(resources),
      heading('Health', 'Every value above zero needs attention'),
      health(resources),
      [slowest(resources)],
    ],
  });
  const { region } = Stack.of(scope);
  new CfnOutput(scope, 'DashboardUrl', {
    value: `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}#dashboards:name=${dashboard.dashboardName}`,
    description: 'The dashboard in CloudWatch (the link is valid in the partition aws)',
  });
}

function traffic({ api, functions }: MonitoredResources): IWidget[] {
  return [
    graph('Requests', HALF, [api.metricCount({ ...minutely(Stats.SUM), label: 'requests' })]),
    graph('Error responses', HALF, [
      api.metricClientError({ ...minutely(Stats.SUM), label: '4xx: client errors' }),
      api.metricServerError({ ...minutely(Stats.SUM), label: '5xx: server errors' }),
    ]),
    graph(
      'Function invocations',
      WHOLE,
      each(functions, (handler, label) => handler.metricInvocations({ ...minutely(Stats.SUM), label })),
    ),
  ];
}

function latency({ api, functions }: MonitoredResources): IWidget[] {
  return [
    graph('At the gateway (ms)', THIRD, [
      api.metricLatency({ ...minutely(Stats.p(50)), label: 'p50' }),
      api.metricLatency({ ...minutely(Stats.p(99)), label: 'p99' }),
    ]),
    graph(
      'Functions, p50 (ms)',
      THIRD,
      each(functions, (handler, label) => handler.metricDuration({ ...minutely(Stats.p(50)), label })),
    ),
    graph(
      'Functions, p99 (ms)',
      THIRD,
      each(functions, (handler, label) => handler.metricDuration({ ...minutely(Stats.p(99)), label })),
    ),
  ];
}

function work({ table, functions }: MonitoredResources): IWidget[] {
  const report = functions.get('submit-report');
  const scanned = (statistic: string, label: string) =>
    report === undefined ? [] : [loggedMetric('rowsScanned', report.functionName, statistic, label)];
  return [
    graph('Rows scanned by reports', THIRD, scanned(Stats.SUM, 'rows per minute')),
    graph('Rows scanned per report', THIRD, [
      ...scanned(Stats.p(50), 'p50'),
      ...scanned(Stats.p(99), 'p99'),
      ...scanned(Stats.MAXIMUM, 'maximum'),
    ]),
    graph(
      'Read units per request',
      THIRD,
      each(functions, (handler, label) => loggedMetric('readUnits', handler.functionName, Stats.AVERAGE, label)),
    ),
    graph(
      'Read units by function',
      HALF,
      each(functions, (handler, label) => loggedMetric('readUnits', handler.functionName, Stats.SUM, label)),
    ),
    graph('Read and write units of the table', HALF, [
      table.metricConsumedReadCapacityUnits({ ...minutely(Stats.SUM), label: 'read units' }),
      table.metricConsumedWriteCapacityUnits({ ...minutely(Stats.SUM), label: 'write units' }),
    ]),
  ];
}

function health({ table, functions }: MonitoredResources): IWidget[] {
  return [
    graph(
      'Function errors: crash, timeout, out of memory',
      HALF,
      each(functions, (handler, label) => handler.metricErrors({ ...minutely(Stats.SUM), label })),
    ),
    graph(
      'Requests with status 500',
      HALF,
      each(functions, (handler, label) => internalErrors(handler, { ...minutely(Stats.SUM), label })),
    ),
    graph(
      'Throttled: no instance available',
      HALF,
      each(functions, (handler, label) => handler.metricThrottles({ ...minutely(Stats.SUM), label })),
    ),
    graph('Throttled by the table', HALF, Object.values(throttlesOf(table))),
  ];
}

function slowest({ accessLog }: MonitoredResources): IWidget {
  return new LogQueryWidget({
    title: 'Slowest routes in the access log',
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

/** @returns a metric that the functions log in the embedded metric format */
function loggedMetric(metricName: string, functionName: string, statistic: string, label: string): IMetric {
  return new Metric({
    namespace: METRIC_NAMESPACE,
    metricName,
    dimensionsMap: { functionName },
    label,
    ...minutely(statistic),
  });
}

function each(
  functions: MonitoredResources['functions'],
  metric: (handler: ApiFunction, label: string) => IMetric,
): IMetric[] {
  return [...functions].map(([name, handler]) => metric(handler, name));
}

const minutely = (statistic: string) => ({ statistic, period: Duration.minutes(1) });

function graph(title: string, width: number, left: IMetric[]): IWidget {
  return new GraphWidget({ title, width, height: HEIGHT, left, leftYAxis: { min: 0, showUnits: false } });
}

function heading(title: string, text: string): IWidget[] {
  return [new TextWidget({ markdown: `## ${title}\n${text}`, width: WHOLE, height: 2 })];
}
