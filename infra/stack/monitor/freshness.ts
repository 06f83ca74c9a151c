import { join } from 'node:path';
import { Duration } from 'aws-cdk-lib';
import { MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { DELIVERY_AGE_METRIC } from '../../../shared/lib/log.ts';
import type { Settings } from '../../config/settings.ts';
import { ApiFunction } from '../api-function.ts';
import type { AlarmRow } from './add-alarm.ts';
import { loggedMetric } from './logged-metric.ts';

/** Twice per period of the alarm, so that a late run leaves no period without data. */
const INTERVAL = Duration.minutes(30);

interface FreshnessProps {
  readonly settings: Settings;
  readonly bundles: string;
  readonly table: TableV2;
}

/**
 * A function that measures twice an hour how old the latest day of the fact table that is furthest behind is, its schedule, and the alarm on stale data. It reads the table, so it also sees
 * loads that did not pass through the bucket.
 */
export class Freshness extends Construct {
  readonly alarm: AlarmRow;

  constructor(scope: Construct, id: string, { settings, bundles, table }: FreshnessProps) {
    super(scope, id);
    const handler = new ApiFunction(this, 'MeasureFreshness', {
      bundle: join(bundles, 'measure-freshness'),
      memory: 512,
      timeout: 30,
      environment: { TIME_ZONE: settings.timeZone, TABLE_NAME: table.tableName },
      settings,
    });
    handler.allowReading(table, ['commit', 'platformFactHead', 'platformFactHeadChunks']);
    new Rule(this, 'Schedule', {
      description: 'Measures how old the latest days of facts are',
      schedule: Schedule.rate(INTERVAL),
      targets: [new LambdaFunction(handler.live, { retryAttempts: 2 })],
    });
    this.alarm = staleAlarm(handler, settings.staleAfterHours);
  }
}

/** Above every value of `staleAfterHours`. */
const UNKNOWN_AGE = 10_000;

/** An age without data counts as stale: there are no facts at all, or the measurement has failed. Two periods, so that one failure does not suffice. */
function staleAlarm(handler: ApiFunction, staleAfterHours: Settings['staleAfterHours']): AlarmRow {
  const limits = Object.entries(staleAfterHours);
  return {
    id: 'StaleAlarm',
    severity: 'ticket',
    description: `No new day of a fact table: its latest one ended more than ${limits.map(([experience, hours]) => `${hours} (${experience})`).join(' or ')} hours ago, or cannot be measured. The log of the function MeasureFreshness has the age by experience; see the reports of the latest loads.`,
    metric: new MathExpression({
      expression: limits.map(([experience, hours]) => `FILL(${experience}, ${UNKNOWN_AGE}) > ${hours}`).join(' OR '),
      usingMetrics: Object.fromEntries(
        limits.map(([experience]) => {
          const statistic = Stats.MINIMUM; // the age drops when a load commits, so the minimum clears the alarm in the same hour
          return [experience, loggedMetric(DELIVERY_AGE_METRIC, handler, { dimensionsMap: { experience }, statistic })];
        }),
      ),
      period: Duration.hours(1),
      label: 'stale experiences',
    }),
    threshold: 0,
    datapoints: 2,
    periods: 2,
    missingIsBreaching: true,
  };
}
