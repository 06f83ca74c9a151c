import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import {
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  LogQueryVisualizationType,
  LogQueryWidget,
  type MetricOptions,
  Stats,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { INTERNAL_ERRORS_METRIC } from '../../../shared/lib/log.ts';
import type { ApiFunction } from '../api-function.ts';
import { throttlesOf } from './alarms.ts';
import { loggedMetric } from './logged-metric.ts';
import type { MonitoredResources } from './monitored-resources.ts';

/** Widths of widgets, in units of CloudWatch's grid, which is 24 wide. */
const WHOLE = 24;
const HALF = 12;
const THIRD = 8;

interface Section {
  readonly title: string;
  readonly text: string;
  readonly graphs: readonly (readonly [title: string, width: number, metrics: IMetric[]])[];
}

/** Adds a dashboard with traffic, latency, errors, and the figures that determine the cost. */
export function addDashboard(scope: Construct, resources: MonitoredResources): void {
  const dashboard = new Dashboard(scope, 'Dashboard', {
    defaultInterval: Duration.hours(12),
    widgets: [...sectionsOf(resources).flatMap(widgetsOf), [slowest(resources)]],
  });
  const { region } = Stack.of(scope);
  new CfnOutput(scope, 'DashboardUrl', {
    value: `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}#dashboards:name=${dashboard.dashboardName}`,
    description: 'The dashboard in CloudWatch (the link is valid in the partition aws)',
  });
}

function sectionsOf({ api, table, functions }: MonitoredResources): readonly Section[] {
  const { SUM, AVERAGE, MAXIMUM } = Stats;
  const [p50, p99] = [Stats.p(50), Stats.p(99)];
  const each = (statistic: string, metricOf: (handler: ApiFunction, options: MetricOptions) => IMetric) =>
    [...functions].map(([name, handler]) => metricOf(handler, minutely(statistic, name)));
  const report = functions.get('submit-report');
  const scanned = (statistic: string, label: string) =>
    report === undefined ? [] : [loggedMetric('rowsScanned', report, minutely(statistic, label))];
  return [
    {
      title: 'Traffic',
      text: 'Requests per minute, and error responses',
      graphs: [
        ['Requests', HALF, [api.metricCount(minutely(SUM, 'requests'))]],
        [
          'Error responses',
          HALF,
          [
            api.metricClientError(minutely(SUM, '4xx: client errors')),
            api.metricServerError(minutely(SUM, '5xx: server errors')),
          ],
        ],
        ['Function invocations', WHOLE, each(SUM, (handler, options) => handler.metricInvocations(options))],
      ],
    },
    {
      title: 'Latency',
      text: 'Of all routes at the gateway, and of each function, as percentiles',
      graphs: [
        [
          'At the gateway (ms)',
          THIRD,
          [api.metricLatency(minutely(p50, 'p50')), api.metricLatency(minutely(p99, 'p99'))],
        ],
        ['Functions, p50 (ms)', THIRD, each(p50, (handler, options) => handler.metricDuration(options))],
        ['Functions, p99 (ms)', THIRD, each(p99, (handler, options) => handler.metricDuration(options))],
      ],
    },
    {
      title: 'Work',
      text: 'Read units determine the cost of a request, scanned rows its duration',
      graphs: [
        ['Rows scanned by reports', THIRD, scanned(SUM, 'rows per minute')],
        [
          'Rows scanned per report',
          THIRD,
          [...scanned(p50, 'p50'), ...scanned(p99, 'p99'), ...scanned(MAXIMUM, 'maximum')],
        ],
        [
          'Read units per request',
          THIRD,
          each(AVERAGE, (handler, options) => loggedMetric('readUnits', handler, options)),
        ],
        ['Read units by function', HALF, each(SUM, (handler, options) => loggedMetric('readUnits', handler, options))],
        [
          'Read and write units of the table',
          HALF,
          [
            table.metricConsumedReadCapacityUnits(minutely(SUM, 'read units')),
            table.metricConsumedWriteCapacityUnits(minutely(SUM, 'write units')),
          ],
        ],
      ],
    },
    {
      title: 'Health',
      text: 'Every value above zero needs attention',
      graphs: [
        [
          'Function errors: crash, timeout, out of memory',
          HALF,
          each(SUM, (handler, options) => handler.metricErrors(options)),
        ],
        [
          'Requests with status 500',
          HALF,
          each(SUM, (handler, options) => loggedMetric(INTERNAL_ERRORS_METRIC, handler, options)),
        ],
        ['Throttled: no instance available', HALF, each(SUM, (handler, options) => handler.metricThrottles(options))],
        ['Throttled by the table', HALF, Object.values(throttlesOf(table))],
      ],
    },
  ];
}

/** @returns the rows of widgets of a section: its heading, and its graphs */
function widgetsOf({ title, text, graphs }: Section): IWidget[][] {
  const heading = new TextWidget({ markdown: `## ${title}\n${text}`, width: WHOLE, height: 2 });
  const leftYAxis = { min: 0, showUnits: false };
  return [[heading], graphs.map(([name, width, left]) => new GraphWidget({ title: name, width, left, leftYAxis }))];
}

function slowest({ accessLog }: MonitoredResources): IWidget {
  return new LogQueryWidget({
    title: 'Slowest routes in the access log',
    logGroupNames: [accessLog.logGroupName],
    view: LogQueryVisualizationType.TABLE,
    width: WHOLE,
    queryLines: [
      'stats count(*) as requests, pct(latency, 50) as p50, pct(latency, 99) as p99, max(latency) as slowest by method, route, status',
      'sort p99 desc',
      'limit 50',
    ],
  });
}

function minutely(statistic: string, label: string): MetricOptions {
  return { statistic, period: Duration.minutes(1), label };
}
