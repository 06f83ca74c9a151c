import type { MetricDefinition } from '../../catalog/definitions.ts';
import { type MetricName, metric } from '../../catalog/metrics.ts';
import { type Measure, measureHome } from '../../catalog/tables.ts';
import type { Joins } from '../plan/joins.ts';
import type { Plan } from '../plan/plan-report.ts';
import type { ReportValue } from '../query.ts';
import type { Accumulators } from '../scan/accumulate.ts';
import type { EntityCodes } from '../scan/entities.ts';
import { divide, multiply } from '../sums/exact-numbers.ts';
import { exactSums } from '../sums/group-sums.ts';

/** What metrics are derived from, besides the accumulated facts. */
export interface DeriveContext {
  readonly plan: Plan;
  readonly joins: Joins;
  readonly entities: EntityCodes;
  readonly pacingOf: (group: number) => number | null;
  readonly shareOf: (group: number) => number | null;
}

/**
 * @returns the metric's value for a group of `facts`. Null means no meaning here, or divided by zero; a sum or distinct count
 * without facts is 0.
 */
export function deriveMetric(
  name: MetricName,
  facts: Accumulators,
  context: DeriveContext,
): (group: number) => ReportValue {
  if (context.plan.undefinedMetrics.has(name)) return () => null;
  const definition: MetricDefinition = metric(name);
  switch (definition.kind) {
    case 'sum': {
      const sumOf = exactSums(facts.sums(definition.measure));
      const scale = measureHome(definition.measure).scale * (definition.divisor ?? 1);
      return (group) => divide(sumOf(group), scale);
    }
    case 'ratio':
      return deriveRatio(facts, definition.numerator, definition.denominator, definition.factor ?? 1);
    case 'pacing':
      return context.pacingOf;
    case 'share':
      return context.shareOf;
    case 'distinct':
      return (group) => facts.users(definition.table, group)?.estimate() ?? 0;
    case 'attribute':
      return (group) => {
        const code = facts.onlyEntity(definition.entity, group);
        if (code === undefined || code === null) return null;
        const { advertiserId, adGroupId } = context.entities.ownerOf(definition.entity, code);
        return context.joins.attribute(name, advertiserId, adGroupId);
      };
  }
}

/** Integers are divided once, by the smallest scales: equal ratios come out equal, whatever sums they are of. */
function deriveRatio(
  facts: Accumulators,
  numerator: Measure,
  denominator: Measure,
  factor: number,
): (group: number) => ReportValue {
  const above = exactSums(facts.sums(numerator));
  const below = exactSums(facts.sums(denominator));
  const up = factor * measureHome(denominator).scale;
  const down = measureHome(numerator).scale;
  const common = greatestCommonDivisor(up, down);
  return (group) => divide(multiply(above(group), up / common), multiply(below(group), down / common));
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
