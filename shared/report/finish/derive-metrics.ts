import type { SortValue } from '../../catalog/compared-values.ts';
import type { MetricDefinition, RatioTerm, SumMetric } from '../../catalog/definitions.ts';
import { MICROS } from '../../catalog/dimension-tables.ts';
import type { DimensionName } from '../../catalog/dimensions.ts';
import { type MetricName, metricOf } from '../../catalog/metrics.ts';
import { type Experience, type Measure, measureOf } from '../../catalog/tables.ts';
import type { Joins } from '../plan/joins.ts';
import { coveredExperiences, isAmount, isPaced, type Plan, type SumName, sumNameOf } from '../plan/plan-report.ts';
import type { ReportValue } from '../query/query.ts';
import type { Accumulators } from '../scan/accumulate.ts';
import type { EntityCodes } from '../scan/entities.ts';
import { divide, type ExactInteger, multiply, subtract } from '../sums/exact-numbers.ts';
import { FractionSum } from '../sums/fraction-sum.ts';
import { exactSums } from '../sums/group-sums.ts';

/** The planned cost of a group, and the cost of what has a plan, in micros. */
export interface PacingSums {
  readonly planned: FractionSum;
  readonly cost: ExactInteger;
}

/** The input of derived metrics, besides the accumulated facts. */
export interface DeriveContext {
  readonly plan: Plan;
  /** @returns whether any day of the period has data of any advertiser in one of the experiences */
  readonly hasData: (experiences: readonly Experience[]) => boolean;
  /** @returns the experience of the group, which has planned cost only if it is null; undefined where groups are not by experience */
  readonly experienceOf: ((group: number) => ReportValue) | undefined;
  readonly joins: Joins;
  readonly entities: EntityCodes;
  /** Undefined where the report needs no planned cost. */
  readonly plannedOf: (group: number) => PacingSums | undefined;
  readonly shareOf: (group: number) => number | null;
}

/**
 * @returns a function that returns the metric's value for a group of `facts`: null where the metric is undefined, also in the experiences of the group's facts, or its denominator is 0, and for an attribute,
 * where the facts are not of exactly one ad group or campaign, or that has no value. Sums and distinct counts without facts are 0, and null in a period
 * without data. Amounts of attributes, such as budgets, are in micros (see `toUnits`).
 */
export function deriveMetric(
  name: MetricName,
  facts: Accumulators,
  context: DeriveContext,
): (group: number) => ReportValue {
  const present = presentIn(name, context);
  if (present.size === 0) return () => null;
  const valueIn = deriveDefined(name, facts, context);
  const { experienceOf } = context;
  const isPresent =
    experienceOf === undefined ? coverageOf(name, facts, context) : (group: number) => present.has(experienceOf(group));
  return (group) => (isPresent(group) ? valueIn(group) : null);
}

/** @returns a function that returns whether the metric is defined in one of the experiences of the group's facts, or the group has none */
export function coverageOf(
  name: MetricName,
  facts: Accumulators,
  { plan }: Pick<DeriveContext, 'plan'>,
): (group: number) => boolean {
  const covered = plan.partialMetrics.get(name);
  return covered === undefined ? () => true : facts.inExperiences(covered);
}

/**
 * @returns the experiences of groups in which the metric is defined and has data; also undefined, for groups that are not by experience, and null, for planned
 * cost of no known experience, if there is any such experience
 */
export function presentIn(
  name: MetricName,
  { plan, hasData }: Pick<DeriveContext, 'plan' | 'hasData'>,
): ReadonlySet<ReportValue | undefined> {
  const covered = coveredExperiences(plan, name);
  if (plan.undefinedMetrics.has(name) || !hasData(covered)) return new Set();
  const withData = covered.filter((experience) => hasData([experience]));
  // the cost of what has no known experience is in the rows of those that it was spent in
  return new Set([undefined, ...(isPaced(name) ? [] : [null]), ...withData]);
}

function deriveDefined(name: MetricName, facts: Accumulators, context: DeriveContext): (group: number) => ReportValue {
  const sumName = (measure: Measure) => sumNameOf(context.plan, name, measure);
  const definition: MetricDefinition = metricOf(name);
  switch (definition.kind) {
    case 'sum': {
      const sumOf = sumsOf(name, definition, facts, context);
      const scale = scaleOf(definition);
      return (group) => divide(sumOf(group), scale);
    }
    case 'ratio':
      return deriveRatio(
        readTerm(facts, definition.numerator, sumName),
        readTerm(facts, definition.denominator, sumName),
        definition.factor,
      );
    case 'planned':
      return (group) => context.plannedOf(group)?.planned.dividedBy(MICROS) ?? null;
    case 'remaining':
      return (group) => {
        const { planned, cost } = context.plannedOf(group) ?? {};
        const remaining = new FractionSum();
        if (planned !== undefined) remaining.addAll(planned);
        remaining.add(subtract(0, cost ?? 0), 1);
        return remaining.dividedBy(MICROS);
      };
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

/** @returns a function that returns the exact sum of a group, over the experiences in which the metric is defined */
export function sumsOf(
  name: MetricName,
  { measure }: SumMetric,
  facts: Accumulators,
  { plan }: DeriveContext,
): (group: number) => ExactInteger {
  return exactSums(facts.sums(sumNameOf(plan, name, measure)));
}

/** @returns by which a sum of the measure is divided */
export function scaleOf({ measure, divisor = 1 }: SumMetric): number {
  return measureOf(measure).scale * divisor;
}

/** @returns the value of the field as reports show it */
export function toUnits(field: DimensionName | MetricName, value: ReportValue): ReportValue {
  return typeof value === 'number' && isAmount(field) ? value / MICROS : value;
}

/** @returns the function, with amounts as reports show them; relative changes are no amounts */
export function readUnits(
  name: MetricName,
  by: SortValue,
  read: (group: number) => ReportValue,
): (group: number) => ReportValue {
  return by !== 'relativeChange' && isAmount(name) ? (group) => toUnits(name, read(group)) : read;
}

/** Both sides are exact integers that are divided once, so that equal ratios are equal numbers, whatever their sums are. */
function deriveRatio(above: Term, below: Term, factor: number): (group: number) => ReportValue {
  const up = factor * below.scale;
  const down = above.scale;
  const common = greatestCommonDivisor(up, down);
  return (group) => divide(multiply(above.of(group), up / common), multiply(below.of(group), down / common));
}

interface Term {
  readonly of: (group: number) => ExactInteger;
  readonly scale: number;
}

function readTerm(facts: Accumulators, term: RatioTerm, sumName: (measure: Measure) => SumName): Term {
  if (typeof term === 'string') return { of: exactSums(facts.sums(sumName(term))), scale: measureOf(term).scale };
  return { of: (group) => facts.userCount(term.usersOf, group), scale: 1 };
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
