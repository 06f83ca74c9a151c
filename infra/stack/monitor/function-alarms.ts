import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { INTERNAL_ERRORS_METRIC } from '../../../shared/lib/log.ts';
import { MAX_SECONDS } from '../../../shared/report/reject-too-expensive.ts';
import type { ApiFunction } from '../api-function.ts';
import type { AlarmRow } from './add-alarm.ts';
import { loggedMetric } from './logged-metric.ts';

type Functions = ReadonlyMap<string, ApiFunction>;

/** CloudWatch allows ten metrics in an alarm, and no SEARCH. */
const MAX_METRICS = 10;

const MINUTELY = { period: Duration.minutes(1), statistic: Stats.SUM };
const FIVE_MINUTES = Duration.minutes(5);
const REPORTS = ['submit-report', 'serve-mcp'];
/** Above every estimate with which a report is accepted. */
const SLOW_REPORT_SECONDS = MAX_SECONDS + 2;

/** @returns the alarms on errors, which also roll back canary deployments. Evaluated every minute, because such a deployment takes only five */
export function errorAlarms(functions: Functions): AlarmRow[] {
  return combineFunctions(
    functions,
    (handler) => [handler.metricErrors(MINUTELY), loggedMetric(INTERNAL_ERRORS_METRIC, handler, MINUTELY)],
    {
      id: 'Errors',
      severity: 'ticket',
      expression: 'SUM(FILL(METRICS(), 0))',
      period: MINUTELY.period,
      description:
        'A function crashed, timed out or ran out of memory, or a request ended with status 500. The dashboard shows which function; the line "unexpected error" in its log has the cause.',
      threshold: 0,
      datapoints: 1,
      periods: 5,
    },
  );
}

/** @returns the alarms on throttled and on slow functions */
export function capacityAlarms(functions: Functions): AlarmRow[] {
  const others = new Map([...functions].filter(([name]) => !REPORTS.includes(name)));
  const reports = new Map([...functions].filter(([name]) => REPORTS.includes(name)));
  const slow = { expression: 'MAX(METRICS())', period: FIVE_MINUTES, datapoints: 3, periods: 5 };
  const durations = (handler: ApiFunction) => [handler.metricDuration({ statistic: Stats.p(99) })];
  return [
    ...combineFunctions(functions, (handler) => [handler.metricThrottles({ statistic: Stats.SUM })], {
      id: 'Throttled',
      severity: 'page',
      expression: 'SUM(FILL(METRICS(), 0))',
      period: FIVE_MINUTES,
      description:
        'Requests are throttled because no instance of a function is available. Raise the quota of concurrent executions of the account, or the setting concurrency.',
      threshold: 0,
      datapoints: 2,
      periods: 3,
    }),
    ...combineFunctions(others, durations, {
      ...slow,
      id: 'Slow',
      severity: 'ticket',
      description:
        'The 99th percentile of the duration of a function is above 1 s. The dashboard shows which function.',
      threshold: 1_000,
    }),
    ...combineFunctions(reports, durations, {
      ...slow,
      id: 'SlowReports',
      severity: 'ticket',
      description: `The 99th percentile of the duration of reports is above ${SLOW_REPORT_SECONDS} s. At the time limit of the function the response is 504.`,
      threshold: SLOW_REPORT_SECONDS * 1_000,
    }),
  ];
}

/** @returns the alarm on all functions, in as many numbered parts as MAX_METRICS demands */
function combineFunctions(
  functions: Functions,
  metricsOf: (handler: ApiFunction) => IMetric[],
  { id, expression, period, description, ...row }: Omit<AlarmRow, 'metric'> & { expression: string; period: Duration },
): AlarmRow[] {
  const metrics = [...functions.values()].flatMap(metricsOf);
  return Array.from({ length: Math.ceil(metrics.length / MAX_METRICS) }, (_, part) => {
    const combined = metrics.slice(part * MAX_METRICS, (part + 1) * MAX_METRICS);
    const usingMetrics = Object.fromEntries(combined.map((metric, i) => [`m${i}`, metric]));
    return {
      ...row,
      id: `${id}${part + 1}Alarm`,
      description,
      metric: new MathExpression({ expression, usingMetrics, period, label: id }),
    };
  });
}
