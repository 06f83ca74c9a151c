import { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { ABANDONED_METRIC, METRIC_NAMESPACE, REJECTED_METRIC } from '../../../shared/lib/log.ts';
import type { Settings } from '../../config/settings.ts';
import type { ApiFunction } from '../api-function.ts';
import { ABOVE_ZERO, type AlarmRow } from './add-alarm.ts';
import type { MonitoredIngestion } from './monitored-resources.ts';

const FIVE_MINUTES = Duration.minutes(5);

/** The alarms of folders in the bucket that were not loaded. */
export function ingestionAlarms(
  { handler, deadLetterQueues }: MonitoredIngestion,
  { rejectedFolderAlarm }: Settings,
): AlarmRow[] {
  const abandoned: AlarmRow = {
    id: 'AbandonedAlarm',
    description:
      'A folder in the bucket was abandoned, and is not retried: it took too long or too much memory, or the load did not respond. _REPORT.json in the folder says why.',
    metric: folderMetric(handler, ABANDONED_METRIC),
    ...ABOVE_ZERO,
  };
  const rejected: AlarmRow = {
    id: 'RejectedAlarm',
    description:
      'A folder in the bucket was rejected because of its files, and nothing of it was loaded. _REPORT.json in the folder lists the problems; correct them, and write _READY again.',
    metric: folderMetric(handler, REJECTED_METRIC),
    ...ABOVE_ZERO,
  };
  return [...deadLetterQueues.map(arrivalAlarm), abandoned, ...(rejectedFolderAlarm ? [rejected] : [])];
}

/**
 * Enters the ALARM state when messages arrive in a dead-letter queue, even if older ones stay in it. SQS's `NumberOfMessagesSent` does not count messages that a redrive
 * policy moves, and Lambda's `Errors` does not count messages that a function reports as failed, so the alarm is on increases of the number of messages.
 * SQS publishes nothing for an idle, empty queue, hence FILL. Three periods, because DIFF needs a predecessor and SQS publishes with a delay.
 */
function arrivalAlarm(queue: IQueue): AlarmRow {
  const messages = queue.metricApproximateNumberOfMessagesVisible({ period: FIVE_MINUTES, statistic: Stats.MAXIMUM });
  return {
    id: `${queue.node.id}Alarm`,
    description:
      'A folder in the bucket could not be queued, or not be loaded in five attempts. The message in the dead-letter queue names the folder. The cause is in the log of the function IngestFolder and, unless the function crashed, in _REPORT.json in the folder.',
    metric: new MathExpression({
      expression: 'DIFF(FILL(messages, 0))',
      usingMetrics: { messages },
      period: FIVE_MINUTES,
      label: 'arrived messages',
    }),
    threshold: 0,
    datapoints: 1,
    periods: 3,
  };
}

function folderMetric(handler: ApiFunction, metricName: string): Metric {
  return new Metric({
    namespace: METRIC_NAMESPACE,
    metricName,
    dimensionsMap: { functionName: handler.functionName },
    period: FIVE_MINUTES,
    statistic: Stats.SUM,
  });
}
