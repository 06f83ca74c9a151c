import type { MetricDefinition } from '../catalog/definitions.ts';
import { type MetricName, metric } from '../catalog/metrics.ts';
import { type Measure, measureHome } from '../catalog/tables.ts';
import type { Accumulators, DerivedSum } from './accumulate.ts';
import type { EntityCodes } from './entities.ts';
import type { Joins } from './joins.ts';
import type { Plan } from './plan-report.ts';
import type { ReportValue } from './query.ts';

/** What a metric is derived from, besides the sums: the same for the rows and for the totals. */
export interface DeriveContext {
  readonly plan: Plan;
  readonly joins: Joins;
  readonly entities: EntityCodes;
}

/** Money is stored in micros of the currency unit. */
const MICROS = 1_000_000;

/**
 * @returns the metric's value for a group of `facts`. Null means no meaning here, or divided by zero; a sum or distinct count
 * without facts is 0.
 */
export function deriveMetric(
  name: MetricName,
  facts: Accumulators,
  context: DeriveContext,
): (group: number) => ReportValue {
  if (context.plan.noMeaning.has(name)) return () => null;
  const definition: MetricDefinition = metric(name);
  switch (definition.kind) {
    case 'sum': {
      const sums = facts.sums(definition.measure);
      const scale = measureHome(definition.measure).scale * (definition.divisor ?? 1);
      return (group) => (sums[group] ?? 0) / scale;
    }
    case 'ratio':
      return divide(facts, definition.numerator, definition.denominator, definition.factor ?? 1);
    case 'pacing': {
      const cost = facts.sums('planned_cost');
      const plan = facts.sums('plan');
      return (group) => quotient((cost[group] ?? 0) / MICROS, plan[group] ?? 0);
    }
    case 'share':
      return divideSums(facts, 'own_slice', 'market_slice');
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
function divide(
  facts: Accumulators,
  numerator: Measure,
  denominator: Measure,
  factor: number,
): (group: number) => ReportValue {
  const above = facts.sums(numerator);
  const below = facts.sums(denominator);
  const up = factor * measureHome(denominator).scale;
  const down = measureHome(numerator).scale;
  const common = greatestCommonDivisor(up, down);
  return (group) => quotient((above[group] ?? 0) * (up / common), (below[group] ?? 0) * (down / common));
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

function divideSums(
  facts: Accumulators,
  numerator: DerivedSum,
  denominator: DerivedSum,
): (group: number) => ReportValue {
  const above = facts.sums(numerator);
  const below = facts.sums(denominator);
  return (group) => quotient(above[group] ?? 0, below[group] ?? 0);
}

function quotient(numerator: number, denominator: number): number | null {
  return denominator === 0 ? null : numerator / denominator;
}
