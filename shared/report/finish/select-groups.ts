import type { MetricName } from '../../catalog/metrics.ts';
import type { Deadline } from '../../lib/deadline.ts';
import type { Plan } from '../plan/plan-report.ts';
import type { ReportValue } from '../query/query.ts';

/** @returns those of the groups that pass the metric filters. @throws ApiError DEADLINE_EXCEEDED */
export function selectGroups(
  groups: Uint32Array,
  { groupConditions }: Plan,
  derive: (name: MetricName, by: 'value') => (group: number) => ReportValue,
  deadline: Deadline,
): Uint32Array {
  let kept = groups;
  for (const { metric, passes } of groupConditions) {
    deadline.check();
    const metricValueOf = derive(metric, 'value');
    kept = kept.filter((group) => passes(metricValueOf(group)));
  }
  return kept;
}
