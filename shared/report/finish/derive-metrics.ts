import type { SortValue } from '../../catalog/compared-values.ts';
import type { AttributeMetric, MetricDefinition, RatioTerm } from '../../catalog/definitions.ts';
import { MICROS } from '../../catalog/dimension-tables.ts';
import type { DimensionName } from '../../catalog/dimensions.ts';
import { type MetricName, metricOf } from '../../catalog/metrics.ts';
import { inputsOf } from '../../catalog/rules.ts';
import {
  type Experience,
  type FactTable,
  type Measure,
  measureOf,
  splitOf,
  UNIDENTIFIED,
} from '../../catalog/tables.ts';
import type { Joins } from '../plan/joins.ts';
import { coveredExperiences, isAmount, type Plan } from '../plan/plan-report.ts';
import { countNameOf, type RowCount, sumNameOf } from '../plan/plan-sums.ts';
import type { ReportValue } from '../query/query.ts';
import type { Accumulators } from '../scan/accumulate.ts';
import type { EntityCodes } from '../scan/entities.ts';
import { divide, type ExactInteger, type Fraction, multiply, NO_VALUE, subtract } from '../sums/exact-numbers.ts';
import { FractionSum } from '../sums/fraction-sum.ts';
import { exactSums, NO_SUMS } from '../sums/group-sums.ts';

/** The planned cost of a group, and the cost of what has a plan, in micros. */
export interface PacingSums {
  readonly planned: FractionSum;
  /** The planned cost of the days whose cost is known, which `cost` is that of; undefined where something is planned, and only on other days. */
  readonly paced: FractionSum | undefined;
  readonly cost: ExactInteger;
  /** Whether the cost is that of all that is planned, which is not so for what has no known experience in reports by experience. */
  readonly isCostKnown: boolean;
}

/** The input of derived metrics, besides the accumulated facts. */
export interface DeriveContext {
  readonly plan: Plan;
  /** @returns whether any day of the period has data of any advertiser in one of the experiences */
  readonly hasData: (experiences: readonly Experience[]) => boolean;
  /** @returns those of the experiences in which the table is known on some day of the group; by default of the report. Undefined: it is known on all days. */
  readonly knownIn: (
    table: FactTable,
  ) => ((experiences: readonly Experience[], group?: number) => readonly Experience[]) | undefined;
  /** @returns the experience of the group, which has planned cost only if it is null; undefined where groups are not by experience */
  readonly experienceOf: ((group: number) => ReportValue) | undefined;
  readonly joins: Joins;
  readonly entities: EntityCodes;
  /** Undefined where the report needs no planned cost. */
  readonly plannedOf: (group: number) => PacingSums | undefined;
  readonly shareOf: (group: number) => Fraction;
  /** As in `ReportSettings`. */
  readonly minUsers: number;
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
  return whereDefined(name, facts, context, readValue(name, facts, context));
}

/** @returns a function that returns the value of a numeric metric before it is rounded; null where it is undefined */
export function deriveFraction(
  name: MetricName,
  facts: Accumulators,
  context: DeriveContext,
): (group: number) => Fraction | null {
  return whereDefined(name, facts, context, readFraction(name, facts, context));
}

function whereDefined<Value>(
  name: MetricName,
  facts: Accumulators,
  context: DeriveContext,
  valueIn: (group: number) => Value,
): (group: number) => Value | null {
  const present = presentIn(name, context);
  if (present.size === 0) return () => null;
  const { experienceOf } = context;
  const isPresent =
    experienceOf === undefined ? coverageOf(name, facts, context) : (group: number) => present.has(experienceOf(group));
  const isKnown = knownIn(name, facts, context);
  const isReached = reachedIn(name, facts, context);
  return (group) => (isPresent(group) && isReached(group) && isKnown(group) ? valueIn(group) : null);
}

/** @returns a function that returns whether the metric is known in the group: not if it is of a part of purchases, and there are some, but only of unknown products */
function knownIn(name: MetricName, facts: Accumulators, { plan }: DeriveContext): (group: number) => boolean {
  const [split] = inputsOf(metricOf(name)).measures.flatMap((measure) => splitOf(measure) ?? []);
  if (split === undefined) return () => true;
  const isZero = (measure: Measure) => {
    const sumOf = exactSums(facts.sums(sumNameOf(plan, name, measure)));
    return (group: number) => sumOf(group) === 0;
  };
  const [none, noDirect, noOther] = [isZero(split.whole), isZero(split.direct), isZero(split.other)];
  return (group) => none(group) || !noDirect(group) || !noOther(group);
}

/** @returns a function that returns whether the table of a sum or distinct metric is known on a day of the group, in an experience of its facts; a ratio has no facts to divide elsewhere */
function reachedIn(name: MetricName, facts: Accumulators, context: DeriveContext): (group: number) => boolean {
  const table = tableOf(name);
  const find = table && context.knownIn(table);
  if (find === undefined) return () => true;
  const covered = coveredExperiences(context.plan, name);
  return (group) => {
    const known = find(covered, group);
    const experience = context.experienceOf?.(group) ?? null;
    if (known.length === 0 || experience === null) return known.length > 0 && facts.inExperiences(known)(group);
    return known.some((own) => own === experience);
  };
}

/** @returns the table of a sum or number of users */
export function tableOf(name: MetricName): FactTable | undefined {
  const definition: MetricDefinition = metricOf(name);
  if (definition.kind === 'distinct') return definition.table;
  return definition.kind === 'sum' ? measureOf(definition.measure).table : undefined;
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
  { plan, hasData, knownIn }: Pick<DeriveContext, 'plan' | 'hasData' | 'knownIn'>,
): ReadonlySet<ReportValue | undefined> {
  const covered = coveredExperiences(plan, name);
  if (plan.undefinedMetrics.has(name) || !hasData(covered)) return new Set();
  const table = tableOf(name);
  const known = (table && knownIn(table)?.(covered)) ?? covered;
  const withData = known.filter((experience) => hasData([experience]));
  if (withData.length === 0) return new Set();
  return new Set([undefined, null, ...withData]);
}

function readValue(name: MetricName, facts: Accumulators, context: DeriveContext): (group: number) => ReportValue {
  const definition: MetricDefinition = metricOf(name);
  switch (definition.kind) {
    case 'planned':
      return (group) => context.plannedOf(group)?.planned.dividedBy(MICROS) ?? null;
    case 'remaining':
      return (group) => remainingOf(context.plannedOf(group))?.dividedBy(MICROS) ?? null;
    case 'pacing':
      return (group) => {
        const { paced, cost = 0, isCostKnown } = context.plannedOf(group) ?? {};
        return isCostKnown ? (paced?.quotientOf(cost) ?? null) : null;
      };
    case 'attribute':
      return readAttribute(name, definition, facts, context);
    default: {
      const fractionOf = readFraction(name, facts, context);
      return (group) => divide(...fractionOf(group));
    }
  }
}

/** @returns a function that returns whether some days that a group has rows of, or may have, have the measure and the keys of the report; true without rows */
function measuredIn(facts: Accumulators, plan: Plan, name: MetricName, measure: Measure): (group: number) => boolean {
  const [present, absent] = [
    readCount(facts, plan, name, measure, 'measured'),
    readCount(facts, plan, name, measure, 'unmeasured'),
  ];
  const [keyless, keyed, near] = (['keyless', 'keyed near', 'keyless near'] as const).map((count) =>
    readCount(facts, plan, name, measure, count),
  );
  const isKeyed = (group: number) => near?.(group) === 0 || keyed?.(group) !== 0 || keyless?.(group) !== 0;
  return (group) => (absent(group) === 0 || present(group) !== 0) && isKeyed(group);
}

/** @returns a function that returns the number of rows of the group; 0 where they are not counted */
function readCount(facts: Accumulators, plan: Plan, name: MetricName, measure: Measure, count: RowCount) {
  const sumName = countNameOf(plan, name, measure, count);
  return exactSums(sumName === undefined ? NO_SUMS : facts.sums(sumName));
}

/** All values but attributes are quotients of exact integers that are divided once, so that equal ratios are equal numbers, whatever their sums are. */
function readFraction(name: MetricName, facts: Accumulators, context: DeriveContext): (group: number) => Fraction {
  const sumOf = (measure: Measure) => exactSums(facts.sums(sumNameOf(context.plan, name, measure)));
  const definition: MetricDefinition = metricOf(name);
  switch (definition.kind) {
    case 'sum': {
      const { measure, divisor = 1 } = definition;
      const [ofGroup, scale] = [sumOf(measure), measureOf(measure).scale * divisor];
      const isMeasured = measuredIn(facts, context.plan, name, measure);
      return (group) => (isMeasured(group) ? [ofGroup(group), scale] : NO_VALUE);
    }
    case 'ratio': {
      const { numerator, denominator, factor } = definition;
      const lacked = typeof numerator === 'string' && context.plan.unmeasured.has(numerator) ? numerator : undefined;
      const [above, below] = [readTerm(facts, numerator, sumOf), readTerm(facts, denominator, sumOf, lacked)];
      if (typeof numerator !== 'string' || typeof denominator === 'string') {
        const counts = [numerator, denominator].flatMap((term) =>
          typeof term === 'string' ? [readCount(facts, context.plan, name, term, 'keyless')] : [],
        );
        const ofDays = readRatio(above, below, factor);
        return (group) => (counts.every((countOf) => countOf(group) === 0) ? ofDays(group) : NO_VALUE);
      }
      const isMeasured = measuredIn(facts, context.plan, name, numerator);
      const unidentified = sumOf(UNIDENTIFIED[denominator.shoppersOf].part);
      const identified = (group: number) => subtract(above.of(group), unidentified(group));
      const ratioOf = readRatio({ ...above, of: identified }, below, factor);
      return (group) => (isMeasured(group) && !isTooFew(below.of(group), context) ? ratioOf(group) : NO_VALUE);
    }
    case 'planned':
      return (group) => inUnits(context.plannedOf(group)?.planned.toFraction() ?? NO_VALUE);
    case 'remaining':
      return (group) => inUnits(remainingOf(context.plannedOf(group))?.toFraction() ?? NO_VALUE);
    case 'pacing':
      return (group) => {
        const { paced, cost = 0, isCostKnown } = context.plannedOf(group) ?? {};
        if (!isCostKnown) return NO_VALUE;
        const [amount, parts] = paced?.toFraction() ?? NO_VALUE;
        return [multiply(cost, parts), amount];
      };
    case 'share':
      return context.shareOf;
    case 'distinct': {
      const { part } = UNIDENTIFIED[definition.table];
      const unidentified = sumOf(part);
      const isMeasured = measuredIn(facts, context.plan, name, part);
      return (group) => {
        const count = facts.shopperCount(definition.table, group);
        if (isTooFew(count, context)) return NO_VALUE;
        return count === 0 && (unidentified(group) !== 0 || !isMeasured(group)) ? NO_VALUE : [count, 1];
      };
    }
    case 'attribute': {
      const attributeOf = readAttribute(name, definition, facts, context);
      return (group) => {
        const value = attributeOf(group);
        return typeof value === 'number' ? [value, 1] : NO_VALUE;
      };
    }
  }
}

/** @returns whether the number of users is not to be shown; 0 is */
export const isTooFew = (users: ExactInteger, { minUsers }: Pick<DeriveContext, 'minUsers'>): boolean =>
  users > 0 && users < minUsers;

function inUnits([micros, parts]: Fraction): Fraction {
  return [micros, multiply(parts, MICROS)];
}

/** @returns planned cost − cost of the days whose cost is known, in micros; undefined where there are none, or no plan was computed */
function remainingOf({ paced, cost }: Partial<PacingSums> = {}): FractionSum | undefined {
  if (paced === undefined) return undefined;
  const remaining = new FractionSum();
  remaining.addAll(paced);
  remaining.add(subtract(0, cost ?? 0), 1);
  return remaining;
}

function readAttribute(
  name: MetricName,
  { entity }: AttributeMetric,
  facts: Accumulators,
  { entities, joins }: DeriveContext,
): (group: number) => ReportValue {
  return (group) => {
    const code = facts.onlyEntity(entity, group);
    if (code === undefined || code === null) return null;
    const { advertiserId, adGroupId } = entities.adGroupOf(entity, code);
    return joins.attribute(name, advertiserId, adGroupId);
  };
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

function readRatio(above: Term, below: Term, factor: number): (group: number) => Fraction {
  const up = factor * below.scale;
  const down = above.scale;
  const common = greatestCommonDivisor(up, down);
  return (group) => [multiply(above.of(group), up / common), multiply(below.of(group), down / common)];
}

interface Term {
  readonly of: (group: number) => ExactInteger;
  readonly scale: number;
}

function readTerm(
  facts: Accumulators,
  term: RatioTerm,
  sumOf: (measure: Measure) => (group: number) => ExactInteger,
  onDaysWith?: Measure,
): Term {
  if (typeof term === 'string') return { of: sumOf(term), scale: measureOf(term).scale };
  const set = onDaysWith === undefined ? term.shoppersOf : (`${term.shoppersOf} on days with ${onDaysWith}` as const);
  return { of: (group) => facts.shopperCount(set, group), scale: 1 };
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
