import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';

export interface AlarmRow {
  readonly id: string;
  /** For the person on call: what is wrong, and where to look. */
  readonly description: string;
  readonly metric: IMetric;
  /** The alarm enters the ALARM state if the metric is above the threshold in `datapoints` of the last `periods` periods. */
  readonly threshold: number;
  readonly datapoints: number;
  readonly periods: number;
  /** Whether the alarm also enters the ALARM state if there is no data. Default: no, because most metrics have none without requests. */
  readonly missingIsBreaching?: boolean;
}

export function addAlarm(scope: Construct, row: AlarmRow): Alarm {
  return new Alarm(scope, row.id, {
    alarmDescription: row.description,
    metric: row.metric,
    threshold: row.threshold,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    datapointsToAlarm: row.datapoints,
    evaluationPeriods: row.periods,
    treatMissingData: row.missingIsBreaching === true ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
  });
}
