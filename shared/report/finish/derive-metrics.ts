import type { MetricDefinition, RatioTerm, SumMetric } from '../../catalog/definitions.ts';
import { MICROS } from '../../catalog/dimension-tables.ts';
import type { DimensionName } from '../../catalog/dimensions.ts';
import { type MetricName, metricOf } from '../../catalog/metrics.ts';
import { measureOf } from '../../catalog/tables.ts';
import type { Joins } from '../plan/joins.ts';
import { isAmount, type Plan } from '../plan/plan-report.ts';
import type { ReportValue } from '../query/query.ts';
import type { Accumulators } from '../scan/accumulate.ts';
import type { EntityCodes } from '../scan/entities.ts';
import { divide, type ExactInteger, multiply } from '../sums/exact-numbers.ts';
import type { FractionSum } from '../sums/fraction-sum.ts';
import { exactSums } from '../sums/group-sums.ts';

/** The planned cost of a group, and the cost of what has a plan, in micros. */
export interface PlannedCost {
  readonly planned: FractionSum;
  readonly cost: ExactInteger;
}

/** The input of derived metrics, besides the accumulated facts. */
export interface DeriveContext {
  readonly plan: Plan;
  /** Whether any day of the period has data of any advertiser. */
  readonly hasData: boolean;
  readonly joins: Joins;
  readonly entities: EntityCodes;
  /** Undefined where the report needs no planned cost. */
  readonly plannedOf: (group: number) => PlannedCost | undefined;
  readonly shareOf: (group: number) => number | null;
}

/**
 * @returns a function that returns the metric's value for a group of `facts`: null where the metric is undefined or its denominator is 0, and for an attribute,
 * where the facts are not of exactly one ad group or campaign, or that has no value. Sums and distinct counts without facts are 0, and null in a period
 * without data. Amounts of attributes, such as budgets, are in micros (see `toUnits`).
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
      const scale = scaleOf(definition);
      return (group) => divide(sumOf(group), scale);
    }
    case 'ratio':
      return deriveRatio(facts, definition.numerator, definition.denominator, definition.factor);
    case 'planned':
      return (group) => context.plannedOf(group)?.planned.dividedBy(MICROS) ?? null;
    case 'pacing':
      return (group) => {
        const { planned, cost } = context.plannedOf(group) ?? {};
        return planned?.quotientOf(cost ?? 0) ?? null;
      };
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

/** @returns by which a sum of the measure is divided */
export function scaleOf({ measure, divisor = 1 }: SumMetric): number {
  return measureOf(measure).scale * divisor;
}

/** @returns the value of the field as reports show it */
export function toUnits(field: DimensionName | MetricName, value: ReportValue): ReportValue {
  return typeof value === 'number' && isAmount(field) ? value / MICROS : value;
}

/** Both sides are exact integers that are divided once, so that equal ratios are equal numbers, whatever their sums are. */
function deriveRatio(
  facts: Accumulators,
  numerator: RatioTerm,
  denominator: RatioTerm,
  factor: number,
): (group: number) => ReportValue {
  const [above, below] = [readTerm(facts, numerator), readTerm(facts, denominator)];
  const up = factor * below.scale;
  const down = above.scale;
  const common = greatestCommonDivisor(up, down);
  return (group) => divide(multiply(above.of(group), up / common), multiply(below.of(group), down / common));
}

function readTerm(facts: Accumulators, term: RatioTerm): { of: (group: number) => ExactInteger; scale: number } {
  if (typeof term === 'string') return { of: exactSums(facts.sums(term)), scale: measureOf(term).scale };
  return { of: (group) => facts.userCount(term.usersOf, group), scale: 1 };
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
