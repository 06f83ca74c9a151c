import {
  Alarm,
  ComparisonOperator,
  type IAlarmAction,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';

/** `page`: callers get errors now, so somebody is called at any hour. `ticket`: somebody looks at it on the next working day. */
export type Severity = 'page' | 'ticket';

export interface AlarmRow {
  readonly id: string;
  readonly severity: Severity;
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

/** @param actions what is notified when the alarm enters the ALARM state and when it leaves it */
export function addAlarm(scope: Construct, row: AlarmRow, actions: IAlarmAction[]): Alarm {
  const alarm = new Alarm(scope, row.id, {
    alarmDescription: row.description,
    metric: row.metric,
    threshold: row.threshold,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    datapointsToAlarm: row.datapoints,
    evaluationPeriods: row.periods,
    treatMissingData: row.missingIsBreaching === true ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
  });
  alarm.addAlarmAction(...actions);
  alarm.addOkAction(...actions);
  return alarm;
}
