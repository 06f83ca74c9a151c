import { join } from 'node:path';
import { Duration } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { DELIVERY_AGE_METRIC, METRIC_NAMESPACE } from '../../../shared/lib/log.ts';
import type { Settings } from '../../config/settings.ts';
import { ApiFunction } from '../api-function.ts';
import type { AlarmRow } from './add-alarm.ts';

const MEMORY_MB = 512;
const TIMEOUT_SECONDS = 30;
/** Twice per period of the alarm, so that a late run leaves no period without data. */
const INTERVAL = Duration.minutes(30);
const HOUR = Duration.hours(1);

export interface FreshnessProps {
  readonly settings: Settings;
  /** The folder with the functions' bundles. */
  readonly bundles: string;
  readonly table: TableV2;
}

/**
 * A function that measures twice an hour how old the latest day with delivery is, its schedule, and the alarms on stale data. It reads the table, so it also sees
 * loads that did not pass through the bucket.
 */
export class Freshness extends Construct {
  readonly alarms: readonly AlarmRow[];

  constructor(scope: Construct, id: string, { settings, bundles, table }: FreshnessProps) {
    super(scope, id);
    const handler = new ApiFunction(this, 'MeasureFreshness', {
      bundle: join(bundles, 'measure-freshness'),
      memory: MEMORY_MB,
      timeout: TIMEOUT_SECONDS,
      environment: { TIME_ZONE: settings.timeZone, TABLE_NAME: table.tableName },
      settings,
    });
    handler.allowReading(table, ['commit', 'platformFactHead', 'platformFactHeadChunks']);
    new Rule(this, 'Schedule', {
      description: 'Measures how old the latest delivery day is',
      schedule: Schedule.rate(INTERVAL),
      targets: [new LambdaFunction(handler.live, { retryAttempts: 2 })],
    });
    this.alarms = Object.entries(settings.staleAfterHours).map(([experience, hours]) =>
      staleAlarm(handler, experience, hours),
    );
  }
}

/** Missing data also raises the alarm: there is no delivery at all, or the measurement has failed. Two periods, so that one failure does not suffice. */
function staleAlarm(handler: ApiFunction, experience: string, hours: number): AlarmRow {
  return {
    id: `Stale${experience.charAt(0).toUpperCase()}${experience.slice(1)}Alarm`,
    description: `No new day of delivery in ${experience}: its latest day ended more than ${hours} hours ago, or cannot be measured. See the reports of the latest loads, and the log of the function MeasureFreshness.`,
    metric: new Metric({
      namespace: METRIC_NAMESPACE,
      metricName: DELIVERY_AGE_METRIC,
      dimensionsMap: { functionName: handler.functionName, experience },
      period: HOUR,
      statistic: Stats.MINIMUM, // the age drops when a load commits, so the minimum clears the alarm in the same hour
    }),
    threshold: hours,
    datapoints: 2,
    periods: 2,
    missingIsBreaching: true,
  };
}
