import { Duration } from 'aws-cdk-lib';
import { MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { ABANDONED_METRIC, REJECTED_METRIC } from '../../../shared/lib/log.ts';
import type { AlarmRow } from './add-alarm.ts';
import { loggedMetric } from './logged-metric.ts';
import type { MonitoredResources } from './monitored-resources.ts';

/** Longer than five attempts of one load. */
const MAX_WAIT = Duration.hours(2);

/**
 * @returns the alarm on folders in the bucket that were not loaded. It is on increases of the messages in the dead-letter queues, where messages stay for two weeks:
 * SQS's `NumberOfMessagesSent` does not count messages that a redrive policy moves, and Lambda's `Errors` none that a function reports as failed. SQS publishes
 * nothing for an idle, empty queue, hence FILL. Three periods, because DIFF needs a predecessor and SQS publishes with a delay.
 */
export function ingestionAlarm({ handler, deadLetterQueues }: MonitoredResources['ingestion']): AlarmRow {
  const messages = deadLetterQueues.map((queue, i) => {
    const metric = queue.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM });
    return [`queue${i}`, metric] as const;
  });
  const folders = [ABANDONED_METRIC, REJECTED_METRIC].map(
    (name) => [name, loggedMetric(name, handler, { statistic: Stats.SUM })] as const,
  );
  const terms = [...messages.map(([name]) => `DIFF(FILL(${name}, 0))`), ...folders.map(([name]) => `FILL(${name}, 0)`)];
  return {
    id: 'FoldersAlarm',
    severity: 'ticket',
    description:
      'A folder in the bucket was not loaded: it was rejected or abandoned, or failed in five attempts, or its event could not be queued. _REPORT.json in the folder says why. A message in a dead-letter queue names a folder that failed; the log of the function IngestFolder has the cause.',
    metric: new MathExpression({
      expression: `MAX([${terms.join(', ')}])`,
      usingMetrics: Object.fromEntries([...messages, ...folders]),
      period: Duration.minutes(5),
      label: 'folders that were not loaded',
    }),
    threshold: 0,
    datapoints: 1,
    periods: 3,
  };
}

/** @returns the alarm on a folder that waits for its load. A load takes at most 15 minutes, but is repeated after errors, and folders before it come first. */
export function waitingAlarm({ folders }: MonitoredResources['ingestion']): AlarmRow {
  return {
    id: 'WaitingAlarm',
    severity: 'ticket',
    description: `A folder in the bucket has waited for its load for more than ${MAX_WAIT.toHours()} hours: loads before it take long or fail again and again. See the log of the function IngestFolder, and _PROGRESS.json in the folders.`,
    metric: folders.metricApproximateAgeOfOldestMessage({ statistic: Stats.MAXIMUM, period: Duration.minutes(5) }),
    threshold: MAX_WAIT.toSeconds(),
    datapoints: 1,
    periods: 1,
  };
}
