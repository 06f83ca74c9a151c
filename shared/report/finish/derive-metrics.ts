import type { MetricDefinition } from '../../catalog/definitions.ts';
import { type MetricName, metricOf } from '../../catalog/metrics.ts';
import { type Measure, measureOf } from '../../catalog/tables.ts';
import type { Joins } from '../plan/joins.ts';
import type { Plan } from '../plan/plan-report.ts';
import type { ReportValue } from '../query/query.ts';
import type { Accumulators } from '../scan/accumulate.ts';
import type { EntityCodes } from '../scan/entities.ts';
import { divide, multiply } from '../sums/exact-numbers.ts';
import { exactSums } from '../sums/group-sums.ts';

/** The input of derived metrics, besides the accumulated facts. */
export interface DeriveContext {
  readonly plan: Plan;
  /** Whether any day of the period has data of any advertiser. */
  readonly hasData: boolean;
  readonly joins: Joins;
  readonly entities: EntityCodes;
  readonly pacingOf: (group: number) => number | null;
  readonly shareOf: (group: number) => number | null;
}

/**
 * @returns a function that returns the metric's value for a group of `facts`: null where the metric is undefined or its denominator is 0, and for an attribute,
 * where the facts are not of exactly one ad group or campaign, or that has no value. Sums and distinct counts without facts are 0, and null in a period
 * without data.
 */
export function deriveMetric(
  name: MetricName,
  facts: Accumulators,
  context: DeriveContext,
): (group: number) => ReportValue {
  if (context.plan.undefinedMetrics.has(name) || !context.hasData) return () => null;
  const definition: MetricDefinition = metricOf(name);
  switch (definition.kind) {
    case 'sum': {
      const sumOf = exactSums(facts.sums(definition.measure));
      const scale = measureOf(definition.measure).scale * (definition.divisor ?? 1);
      return (group) => divide(sumOf(group), scale);
    }
    case 'ratio':
      return deriveRatio(facts, definition.numerator, definition.denominator, definition.factor);
    case 'pacing':
      return context.pacingOf;
    case 'share':
      return context.shareOf;
    case 'distinct':
      return (group) => facts.userCount(definition.table, group);
    case 'attribute':
      return (group) => {
        const code = facts.onlyEntity(definition.entity, group);
        if (code === undefined || code === null) return null;
        const { advertiserId, adGroupId } = context.entities.adGroupOf(definition.entity, code);
        return context.joins.attribute(name, advertiserId, adGroupId);
      };
  }
}

/** Both sides are exact integers that are divided once, so that equal ratios are equal numbers, whatever their sums are. */
function deriveRatio(
  facts: Accumulators,
  numerator: Measure,
  denominator: Measure,
  factor: number,
): (group: number) => ReportValue {
  const numeratorOf = exactSums(facts.sums(numerator));
  const denominatorOf = exactSums(facts.sums(denominator));
  const up = factor * measureOf(denominator).scale;
  const down = measureOf(numerator).scale;
  const common = greatestCommonDivisor(up, down);
  return (group) => divide(multiply(numeratorOf(group), up / common), multiply(denominatorOf(group), down / common));
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
