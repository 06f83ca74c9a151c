import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { METRIC_NAMESPACE } from '../../../shared/lib/log.ts';
import type { ApiFunction } from '../api-function.ts';

/** @returns a metric that the function logs in the embedded metric format */
export function loggedMetric(
  metricName: string,
  { functionName }: ApiFunction,
  { dimensionsMap, ...options }: MetricOptions,
): Metric {
  return new Metric({
    namespace: METRIC_NAMESPACE,
    metricName,
    dimensionsMap: { functionName, ...dimensionsMap },
    ...options,
  });
}
