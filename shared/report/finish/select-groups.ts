import type { MetricName } from '../../catalog/metrics.ts';
import type { Plan } from '../plan/plan-report.ts';
import type { ReportValue } from '../query/query.ts';

/** @returns those of the groups that pass the metric filters */
export function selectGroups(
  groups: Uint32Array,
  { groupConditions }: Plan,
  derive: (name: MetricName) => (group: number) => ReportValue,
): Uint32Array {
  let kept = groups;
  for (const { metric, passes } of groupConditions) {
    const metricValueOf = derive(metric);
    kept = kept.filter((group) => passes(metricValueOf(group)));
  }
  return kept;
}
